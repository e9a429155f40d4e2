import { gatewayNow } from "~/api/clock";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { nodeQuery } from "~/api/nodes";
import type { Node } from "~/api/types";
import { Button, buttonClass } from "~/ui/button";
import { cx } from "~/ui/class";
import { DialogActions } from "~/ui/dialog";
import { Notice } from "~/ui/notice";
import { Status } from "~/ui/status";
import { clockTime } from "~/ui/time";
import { imageWords } from "./words";

interface Step {
  key: string;
  done: boolean;
  text: string;
}

/** How far a machine has come, from what the fleet knows of it. */
export function pairSteps(node: Node): Step[] {
  const connected = node.status !== "pending";
  const who = [node.hostname, node.daemon_version && `roostd ${node.daemon_version}`]
    .filter(Boolean)
    .join(", ");
  const engine = node.engine;
  // The machine that redeems the code gives its name before it connects.
  const contacted = connected || !!node.hostname;
  return [
    {
      key: "contacted",
      done: contacted,
      text: contacted
        ? `The code was used${node.hostname ? ` by ${node.hostname}` : ""}`
        : "Waiting for your machine…",
    },
    {
      key: "connected",
      done: connected,
      text: connected ? `Connected${who ? `: ${who}` : ""}` : "Connection",
    },
    {
      key: "engine",
      done: connected && !!engine,
      text: engine
        ? `Container engine checked: ${[engine.name, engine.version].filter(Boolean).join(" ")}`
        : "Container engine",
    },
    {
      key: "image",
      done: connected && node.image === "ready",
      text: node.image === "ready" ? "Agent image ready" : "Agent image",
    },
  ];
}

/** When each step was first seen done, on this page's clock. */
function useStepTimes(steps: Step[]): Record<string, number> {
  const [times, setTimes] = useState<Record<string, number>>({});
  const done = steps
    .filter((step) => step.done)
    .map((step) => step.key)
    .join(" ");
  useEffect(() => {
    const at = gatewayNow();
    const keys = done.split(" ").filter(Boolean);
    // The moment of the change is the very thing to keep.
    // oxlint-disable-next-line react/set-state-in-effect
    setTimes((before) => Object.fromEntries(keys.map((key) => [key, before[key] ?? at])));
  }, [done]);
  return times;
}

export function PairProgress({ first, onDone }: { first: Node; onDone: () => void }) {
  const { data } = useQuery({ ...nodeQuery(first.id), initialData: first });
  const node = data;
  const steps = pairSteps(node);
  const times = useStepTimes(steps);
  const current = steps.findIndex((step) => !step.done);
  const joined = node.status !== "pending";
  return (
    <div className={cx(!joined && "mt-5 border-t border-line pt-4")}>
      <ol aria-live="polite" aria-label="Progress" className="flex flex-col gap-2">
        {steps.map((step, index) => (
          <li key={step.key} className="flex items-center justify-between gap-3">
            <Status
              tone={step.done ? "done" : index === current ? "waiting" : "idle"}
              word={step.text}
              className={cx(index === current && !joined && "pulse")}
            />
            {step.done && <span className="text-small text-fg-3">{clockTime(times[step.key])}</span>}
          </li>
        ))}
      </ol>
      {joined &&
        imageWords[node.image].help &&
        !node.problems.some((problem) => problem.code === "image") && (
          <Notice className="mt-4">{imageWords[node.image].help}</Notice>
        )}
      {node.problems.map((problem) => (
        <Notice key={problem.code} tone="warning" className="mt-4">
          {problem.detail}
        </Notice>
      ))}
      <DialogActions>
        <Button onClick={onDone}>{joined ? "Done" : "Close, keep waiting"}</Button>
        {joined && (
          <Link to="/fleet/$id" params={{ id: node.id }} className={buttonClass("primary")}>
            Open {node.name}
          </Link>
        )}
      </DialogActions>
    </div>
  );
}
