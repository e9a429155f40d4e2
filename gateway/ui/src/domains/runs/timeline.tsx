import type { RunCall, RunStep } from "~/api/runs";
import { cx } from "~/ui/class";
import { Panel } from "~/ui/panel";
import { isOver } from "~/ui/run-state";
import { duration, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import type { Run } from "~/api/runs";
import { beginOf, KEPT, ownSteps } from "./fork-history";
import { stepName } from "./words";

interface Span {
  left: string;
  width: string;
}

const GROUND: Record<string, string> = {
  running: "border-accent bg-accent/12",
  done: "border-done/60 bg-done/10",
  failed: "border-failed bg-failed/12",
  cancelled: "border-line-strong bg-line/50",
};

const LOOK: Record<RunCall["kind"], string> = {
  model: "top-1.5 h-2 bg-accent",
  tool: "bottom-1.5 h-2 bg-info",
  check: "bottom-1.5 h-2 bg-done",
  child: "inset-y-2.5 bg-line-strong",
  door: "bottom-1.5 h-2 bg-waiting",
  note: "inset-y-3 bg-line",
};

/** A bar of it: the step, and in it each turn of a model and each call of a tool. */
function Bar({
  step,
  calls,
  at,
}: {
  step: RunStep;
  calls: RunCall[];
  at: (from: string, to?: string | null) => Span;
}) {
  return (
    <>
      <div
        data-bar={step.status}
        className={cx("absolute inset-y-0.5 rounded-xs border", GROUND[step.status] ?? "border-line-strong")}
        style={at(step.started_at, step.ended_at)}
      />
      {calls.map((call) => (
        <div
          key={call.index}
          data-call={call.kind}
          className={cx("absolute min-w-px", LOOK[call.kind], call.failed && "bg-failed")}
          style={at(call.started_at, call.ended_at)}
        />
      ))}
    </>
  );
}

/** Who was at work when: a lane for each, growing while it runs. */
export function Timeline({
  run,
  calls,
  nameOf,
}: {
  run: Run;
  calls: RunCall[];
  nameOf: (node: string) => string;
}) {
  const now = useNow();
  const own = ownSteps(run);
  const begin = beginOf(run);
  const ends = [...own.map((step) => step.ended_at), ...calls.map((call) => call.ended_at)]
    .filter((one) => one != null)
    .map((one) => Date.parse(one));
  const last = Math.max(begin, ...ends);
  const end = isOver(run.status)
    ? Math.max(last, run.ended_at ? Date.parse(run.ended_at) : 0)
    : Math.max(last, now);
  if (run.steps.length === 0) return null;
  const length = Math.max(1, end - begin);
  const at = (from: string, to?: string | null): Span => {
    const left = Math.min(100, Math.max(0, ((Date.parse(from) - begin) / length) * 100));
    const right = ((to ? Date.parse(to) : end) - begin) / length;
    return { left: `${left}%`, width: `max(2px, ${Math.max(0, Math.min(100, right * 100) - left)}%)` };
  };
  const nodes = [...new Set(run.steps.map((step) => step.node))];
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <Panel title="Timeline" aside={`${duration(length)} in all`}>
      <figure
        className="min-w-0 px-4 py-3"
        aria-label="When each agent worked. The table of steps below shows the same in figures"
      >
        <div className="flex flex-col gap-1">
          {nodes.map((node) => (
            <div key={node} data-lane className="grid grid-cols-[minmax(72px,128px)_1fr] items-center gap-3">
              <bdi className="truncate text-small text-fg-2" title={visible(nameOf(node))}>
                {visible(nameOf(node))}
              </bdi>
              <div className="relative h-8 overflow-hidden rounded-xs bg-sunken">
                {!own.some((step) => step.node === node) && (
                  <span className="block truncate px-2 leading-8 text-small text-fg-3">{KEPT}</span>
                )}
                {own
                  .filter((step) => step.node === node)
                  .map((step) => (
                    <Bar
                      key={stepName(step)}
                      step={step}
                      at={at}
                      calls={calls.filter((call) => call.step === step.key && call.lap === step.lap)}
                    />
                  ))}
              </div>
            </div>
          ))}
        </div>
        <div aria-hidden className="mt-1 grid grid-cols-[minmax(72px,128px)_1fr] gap-3 text-micro text-fg-3">
          <span />
          <div className="flex justify-between">
            {ticks.map((tick) => (
              <span key={tick} className={tick === 0.25 || tick === 0.75 ? "max-sm:hidden" : undefined}>
                {duration(length * tick)}
              </span>
            ))}
          </div>
        </div>
        <figcaption className="mt-2 flex flex-wrap gap-x-4 text-small text-fg-3">
          <span className="inline-flex items-center gap-1.5">
            <span aria-hidden className="h-2 w-4 bg-accent" /> a model speaks (upper)
          </span>
          <span className="inline-flex items-center gap-1.5">
            <span aria-hidden className="h-2 w-4 bg-info" /> a tool works (lower)
          </span>
          {calls.some((call) => call.kind === "child") && (
            <span className="inline-flex items-center gap-1.5">
              <span aria-hidden className="h-2 w-4 bg-line-strong" /> a team works in a run of its own
              (middle)
            </span>
          )}
        </figcaption>
      </figure>
    </Panel>
  );
}
