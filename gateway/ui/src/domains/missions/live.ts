import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { keys } from "~/api/keys";
import type { MissionDetail } from "~/api/missions";
import { watchEvents } from "~/live/provider";
import { renew } from "~/live/renew";

const PAUSE_MS = 800;

/** The steps and the cost of its runs change without a change of the mission. The page asks again for it then. */
export function useRunMoves(mission: MissionDetail) {
  const client = useQueryClient();
  const shown = useRef(mission);
  useEffect(() => {
    shown.current = mission;
  }, [mission]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = watchEvents(({ type, data }) => {
      if (type !== "resource.changed" || data["kind"] !== "run") return;
      const { phase_details: phases } = shown.current;
      if (!phases.some(({ runs }) => runs.some(({ run_id }) => run_id === data["id"]))) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void renew(client, { queryKey: keys.mission(shown.current.id), exact: true });
      }, PAUSE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client]);
}
