import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowDown } from "lucide-react";
import { useMemo, useState } from "react";
import { keys } from "~/api/keys";
import type { RunCall, RunStep } from "~/api/runs";
import { Button } from "~/ui/button";
import { cx, textLink } from "~/ui/class";
import { Confirm } from "~/ui/dialog";
import { useFollow } from "~/ui/follow";
import { isolate } from "~/ui/isolate";
import { NarrowFold } from "~/ui/fold";
import { money } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import type { AgentNow } from "./live-progress";
import { KEPT } from "./fork-history";
import { stopStep } from "./queries";
import { ComputerScreen } from "./screen";
import { ToolUseView } from "./tool-use";
import { HeardView, TurnView } from "./turn";
import { screenOf, transcriptOf, type Entry } from "./transcript";
import { stepState, stoppedWords } from "./words";

const AT_ONCE = 200;

interface StreamProps {
  entries: Entry[];
  name: string;
  /** The run in which it was said, where this one only took over what came of it. */
  keptFrom: string | undefined;
  /** The entry that somebody asked for: how its id begins. */
  wanted: string | undefined;
}

function Stream({ entries, name, keptFrom, wanted }: StreamProps) {
  const [most, setMost] = useState(AT_ONCE);
  const { box, onScroll, following, jump } = useFollow<HTMLDivElement>(entries);
  const at = wanted === undefined ? -1 : entries.findIndex(({ id }) => id.startsWith(wanted));
  const shown = entries.slice(-Math.max(most, at < 0 ? 0 : entries.length - at));
  const marked = entries[at]?.id;
  return (
    <div className="relative min-w-0">
      <div
        ref={box}
        onScroll={onScroll}
        data-stream
        role="region"
        aria-label={`What ${visible(name)} says and does`}
        tabIndex={0}
        className="max-h-96 overflow-y-auto"
      >
        {shown.length < entries.length && (
          <p className="px-4 pt-2">
            <Button onClick={() => setMost(most + AT_ONCE)}>
              Show {Math.min(AT_ONCE, entries.length - most)} earlier
            </Button>
          </p>
        )}
        {shown.length === 0 && (
          <p className="px-4 py-3 text-fg-3">
            {keptFrom ? (
              <>
                {KEPT}.{" "}
                <Link to="/runs/$id" params={{ id: keptFrom }} className={textLink}>
                  That run shows the texts and the calls
                </Link>
                .
              </>
            ) : (
              "Nothing said yet."
            )}
          </p>
        )}
        <ul className="py-1">
          {shown.map((entry) =>
            entry.kind === "turn" ? (
              <TurnView key={entry.id} turn={entry} at={entry.id === marked} />
            ) : entry.kind === "heard" ? (
              <HeardView key={entry.id} heard={entry} at={entry.id === marked} />
            ) : (
              <ToolUseView key={entry.id} use={entry} at={entry.id === marked} />
            ),
          )}
        </ul>
      </div>
      {!following && (
        <Button
          className="absolute right-4 bottom-2 shadow-float"
          icon={<ArrowDown size={14} aria-hidden />}
          onClick={jump}
        >
          Jump to latest
        </Button>
      )}
    </div>
  );
}

/** Ends the step at which one agent works. The others go on. */
function StopAgent({ run, step, name }: { run: string; step: RunStep; name: string }) {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  return (
    <>
      <Button look="quiet" onClick={() => setAsking(true)}>
        Stop<span className="sr-only"> {visible(name)}</span>
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Stop ${isolate(visible(name).slice(0, 80))}?`}
        action="Stop this agent"
        consequence="Its step ends now, and so does the command that it runs. The other agents go on without its result. The run fails if they need it."
        run={async () => {
          await stopStep(run, step);
          await client.invalidateQueries({ queryKey: keys.run(run) });
        }}
      />
    </>
  );
}

interface Props {
  run: string;
  /** One may stop it. */
  stops: boolean;
  node: string;
  name: string;
  steps: RunStep[];
  calls: RunCall[];
  /** Newer calls are on their way. */
  asking: boolean;
  now: AgentNow | undefined;
  keptFrom: string | undefined;
  /** Somebody came here from the drawing. */
  reached: boolean;
  /** They came for one entry: how its id begins. */
  entry: string | undefined;
  onLeft: () => void;
}

/** One who works: what it thinks, says and calls, and its screen beside that. */
export function AgentPanel({
  run,
  stops,
  node,
  name,
  steps,
  calls,
  asking,
  now,
  keptFrom,
  reached,
  entry,
  onLeft,
}: Props) {
  const last = steps.at(-1);
  const busy = last?.status === "running";
  // The end of a step may be known before what was kept of it: until that has come, what was heard stays.
  const [listening, setListening] = useState(busy);
  if (listening !== busy && (busy || !asking)) setListening(busy);
  const entries = useMemo(
    () => transcriptOf(calls, now?.heard ?? [], listening),
    [calls, now?.heard, listening],
  );
  const screen = (busy ? now?.screen : undefined) ?? screenOf(entries) ?? now?.screen;
  const tool = busy ? now?.tool : undefined;
  const since = entries.slice(entries.findLastIndex((one) => one.kind === "turn" && !one.live) + 1);
  const calling =
    tool && !since.some((one) => one.kind === "tool" && one.name === tool.name && one.target === tool.target);
  const cost = steps.reduce((sum, step) => sum + step.cost_microusd, 0);
  const state = last && stepState(last);
  const stopped = last && stoppedWords(last);
  const stoppable = stops && last?.agent_id && !last.ended_at && !last.stop_asked_at;
  return (
    <NarrowFold
      id={`of-${node}`}
      title={visible(name)}
      summary={state && <Status tone={state.tone} word={state.word} />}
      opened={reached || busy}
      className={cx(reached && "outline-2 outline-offset-1 outline-accent")}
      aside={
        <>
          {state && <Status tone={state.tone} word={state.word} />}
          {last && last.lap > 1 && <span>lap {last.lap}</span>}
          {last && last.attempt > 1 && <span>attempt {last.attempt}</span>}
          {!keptFrom && <span>{money(cost)}</span>}
          {last?.agent_id && (
            <Link
              to="/claws/$id"
              params={{ id: last.agent_id }}
              className="inline-flex min-h-6 items-center rounded-control underline decoration-line-strong underline-offset-2 hover:text-accent"
            >
              Agent
              <span className="sr-only"> of {visible(name)}</span>
            </Link>
          )}
          {stoppable && <StopAgent run={run} step={last} name={name} />}
        </>
      }
    >
      <div
        id={`agent-${node}`}
        tabIndex={-1}
        onBlur={onLeft}
        data-reached={reached || undefined}
        className={cx("grid min-w-0 outline-none", screen && "lg:grid-cols-[3fr_2fr]")}
      >
        <div className="min-w-0">
          <Stream entries={entries} name={name} keptFrom={keptFrom} wanted={entry} />
          {calling && (
            <p className="flex min-w-0 items-center gap-2 border-t border-line px-4 py-1.5 text-small">
              <Status tone="running" word="calls" />
              <bdi className="min-w-0 truncate font-mono">
                {visible(tool.name)} {visible(tool.target)}
              </bdi>
            </p>
          )}
          {stopped && <p className="border-t border-line px-4 py-2 text-fg-2">{stopped}</p>}
          {last?.error && !stopped && (
            <p
              className={cx(
                "border-t border-line px-4 py-2 break-words",
                last.waiting_since ? "text-waiting" : "text-failed",
              )}
            >
              {visible(last.error)}
            </p>
          )}
        </div>
        {screen && (
          <div className="min-w-0 border-line p-3 max-lg:border-t lg:border-l">
            <ComputerScreen screen={screen} name={name} live={busy && screen === now?.screen} />
          </div>
        )}
      </div>
    </NarrowFold>
  );
}
