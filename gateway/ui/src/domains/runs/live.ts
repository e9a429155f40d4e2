// What the agents of a run say and show at this moment, from the page's one stream. Nothing of it is kept: what is kept
// comes from the run's journal, which is asked for again when a tool is called.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Run } from "~/api/runs";
import { keys } from "~/api/keys";
import { watchEvents } from "~/live/provider";
import { renew } from "~/live/renew";
import { isOver } from "~/ui/run-state";
import { atWork, LiveProgress, type AgentNow } from "./live-progress";
import { isMoved } from "./nodes";
import { callsKey } from "./queries";

const NONE: ReadonlyMap<string, AgentNow> = new Map();
const PAUSE_MS = 800;

export function useAgentsNow({ id, steps, status }: Pick<Run, "id" | "steps" | "status">) {
  const client = useQueryClient();
  const [shown, setShown] = useState(NONE);
  const progress = useMemo(() => new LiveProgress(id), [id]);
  const over = isOver(status);
  useEffect(() => {
    if (over) return undefined;
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setShown(new Map(progress.now));
      });
    };
    const askLater = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void renew(client, { queryKey: callsKey(id) });
      }, PAUSE_MS);
    };
    const stop = watchEvents((event) => {
      const told = progress.take(event);
      if (told.draw) draw();
      if (told.ask) askLater();
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [client, id, over, progress]);
  useEffect(() => {
    progress.turnTo(atWork(steps));
  }, [steps, progress]);
  return shown;
}

/**
 * A comparison shows what its candidates' runs have done so far, and is told of none of it: a change of a child says
 * nothing of its parent. So the page that shows the parent asks again.
 */
export function useChildrenMoves(run: Run) {
  const client = useQueryClient();
  const shown = useRef(run);
  useEffect(() => {
    shown.current = run;
  }, [run]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = watchEvents(({ type, data }) => {
      if (type !== "resource.changed" || data["kind"] !== "run") return;
      if (!isMoved(shown.current, String(data["id"]))) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void renew(client, { queryKey: keys.run(shown.current.id), exact: true });
      }, PAUSE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client]);
}
