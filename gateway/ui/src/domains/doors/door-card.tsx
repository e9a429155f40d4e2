import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Door, DoorAction } from "~/api/doors";
import { Button } from "~/ui/button";
import { Status } from "~/ui/status";
import { Ago, span, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { Branch } from "./branch";
import { DecisionDialog } from "./decision-dialog";
import { Destination } from "./destination";
import { Outcome } from "./outcome";
import { Packages } from "./packages";
import type { Decision } from "./queries";
import { Request } from "./request";
import { stateOf } from "./words";

const HOUR = 3_600_000;

function Left({ until }: { until: string }) {
  const left = Date.parse(until) - useNow();
  if (!Number.isFinite(left)) return null;
  if (left <= 0) return <span className="text-waiting">its time is up, which counts as denied</span>;
  return <span className={left < HOUR ? "text-waiting" : ""}>{span(left)} left</span>;
}

export interface CardProps {
  door: Door;
  action: DoorAction | undefined;
  agent: { id: string; name: string };
  /** The signed-in person. */
  own: string | undefined;
  mayResolve: boolean;
  /** Selects it, beside its name. */
  tick?: ReactNode;
  /** Takes one that was decided here out of sight; it stands among the decided ones. */
  onAway?: (() => void) | undefined;
  /** Somebody looks at it to decide it, did, or did not after all. */
  onAsk?: () => void;
  onDecided?: (door: Door) => void;
  onCancelled?: () => void;
}

/** Whose request it is, for what and where: the few lines that nobody but the gateway wrote. */
export function About({ door, action, agent }: Pick<CardProps, "door" | "action" | "agent">) {
  const by = door.requested_by?.name || door.requested_by?.email;
  return (
    <p className="text-fg-2">
      <Link
        to="/claws/$id"
        params={{ id: agent.id }}
        className="rounded-control text-fg underline decoration-line-strong underline-offset-2 hover:text-accent"
      >
        <bdi className="break-words">{agent.name}</bdi>
      </Link>
      {by && (
        <>
          {" "}
          of <bdi>{by}</bdi>
        </>
      )}{" "}
      asked <Ago at={door.created_at} />
      {door.run_id && (
        <>
          {" in "}
          <Link to="/runs/$id" params={{ id: door.run_id }} className="underline">
            a run
          </Link>
          {door.step && (
            <>
              {", step "}
              <bdi className="font-mono">{visible(door.step)}</bdi>
            </>
          )}
        </>
      )}
      {door.state === "pending" && <Destination door={door} />}
      {action?.description && <span className="block text-small text-fg-3">{action.description}</span>}
    </p>
  );
}

/** One request that waits, whole, with what can be decided; afterwards what was decided. */
export function DoorCard(props: CardProps) {
  const { door, action, agent, own, mayResolve, onAsk, onDecided, onCancelled, onAway, tick } = props;
  const [asking, setAsking] = useState<Decision>();
  const outcome = useRef<HTMLDivElement>(null);
  const acted = useRef(false);
  const decided = useRef(false);
  const waits = door.state === "pending";
  useEffect(() => {
    // The button that opened the dialog is gone with the decision: the focus goes to what came of it.
    if (asking === undefined && acted.current && !waits)
      requestAnimationFrame(() => outcome.current?.focus());
    if (asking !== undefined) acted.current = true;
  }, [asking, waits]);
  const ask = (decision: Decision) => {
    onAsk?.();
    setAsking(decision);
  };
  const state = stateOf(door.state);
  const of = ` ${action?.title ?? door.action} at ${door.target}`;
  return (
    <li data-row className="border-b border-line px-4 py-3 last:border-0">
      <article aria-label={`${agent.name}: ${action?.title ?? door.action}`} className="flex flex-col gap-2">
        <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
          <h3 className="flex min-w-0 gap-2.5 font-[550]">
            {tick}
            <span className="min-w-0">
              <Link
                to="/approvals/$id"
                params={{ id: door.id }}
                className="rounded-control hover:text-accent hover:underline"
              >
                {action?.title ?? visible(door.action)}
              </Link>{" "}
              <bdi className="font-mono text-small font-normal break-all">{visible(door.target)}</bdi>
            </span>
          </h3>
          {waits && (
            <p className="flex flex-wrap items-center gap-x-3 text-small text-fg-2">
              <Status tone={state.tone} word={state.word} />
              <Left until={door.expires_at} />
            </p>
          )}
        </header>
        <About door={door} action={action} agent={agent} />
        {door.branch && <Branch branch={door.branch} />}
        {door.packages && <Packages of={door.packages} />}
        <Request door={door} action={action} />
        {!waits && (
          <div ref={outcome} tabIndex={-1} role="status" className="rounded-control">
            <Outcome door={door} own={own} />
          </div>
        )}
        {!waits && onAway && (
          <div>
            <Button aria-label={`Dismiss${of}`} onClick={onAway}>
              Dismiss
            </Button>
          </div>
        )}
        {waits && mayResolve && (
          <div className="flex flex-wrap gap-2">
            <Button look="primary" aria-label={`Approve${of}`} onClick={() => ask("approve")}>
              Approve …
            </Button>
            <Button aria-label={`Deny${of}`} onClick={() => ask("deny")}>
              Deny …
            </Button>
          </div>
        )}
      </article>
      {asking && (
        <DecisionDialog
          door={door}
          action={action}
          agent={agent.name}
          own={own}
          decision={asking}
          onDecided={(answer) => {
            decided.current = true;
            onDecided?.(answer);
          }}
          onClose={() => {
            setAsking(undefined);
            if (waits && !decided.current) onCancelled?.();
          }}
        />
      )}
    </li>
  );
}
