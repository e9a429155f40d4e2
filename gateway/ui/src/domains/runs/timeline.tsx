import { ZoomIn, ZoomOut } from "lucide-react";
import { useState } from "react";
import type { Run, RunCall, RunStep } from "~/api/runs";
import { IconButton } from "~/ui/button";
import { cx } from "~/ui/class";
import { Panel } from "~/ui/panel";
import { isOver, money } from "~/ui/run-state";
import { duration, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { beginOf, KEPT, ownSteps } from "./fork-history";
import { purposeWord, stepName, stepState } from "./words";

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
  command: "bottom-1.5 h-2 bg-info",
  child: "inset-y-2.5 bg-line-strong",
  door: "bottom-1.5 h-2 bg-waiting",
  note: "inset-y-3 bg-line",
};

const KIND: Record<RunCall["kind"], string> = {
  model: "model turn",
  tool: "tool call",
  check: "check",
  command: "command",
  child: "run of its own",
  door: "approval",
  note: "note",
};

/** Pixels of the window, because the lanes cut off what lies beyond them. */
interface Tip {
  left: number;
  top: number;
  lines: string[];
}

interface BarProps {
  step: RunStep;
  calls: RunCall[];
  at: (from: string, to?: string | null) => Span;
  now: number;
  name: string;
  onTip: (lines: string[] | undefined, target?: Element) => void;
  onStep: (call?: RunCall) => void;
}

const length = (from: string, to: string | null | undefined, now: number) =>
  duration(Math.max(0, (to ? Date.parse(to) : now) - Date.parse(from)));

/** A bar of it: the step, and in it each turn of a model and each call of a tool. */
function Bar({ step, calls, at, now, name, onTip, onStep }: BarProps) {
  const { word } = stepState(step);
  const about = [
    `${visible(name)}, ${purposeWord(step.purpose)}${step.lap > 1 ? `, lap ${step.lap}` : ""}`,
    `${word}, ${length(step.started_at, step.ended_at, now)}, ${money(step.cost_microusd)}`,
  ];
  return (
    <>
      <button
        type="button"
        data-bar={step.status}
        aria-label={about.join(": ")}
        className={cx(
          "absolute inset-y-0 cursor-pointer rounded-xs border -outline-offset-2 hover:brightness-110",
          GROUND[step.status] ?? "border-line-strong",
        )}
        style={at(step.started_at, step.ended_at)}
        onClick={() => onStep()}
        onPointerEnter={(event) => onTip(about, event.currentTarget)}
        onFocus={(event) => onTip(about, event.currentTarget)}
        onPointerLeave={() => onTip(undefined)}
        onBlur={() => onTip(undefined)}
      />
      {calls.map((call) => (
        // Its step can be reached by keyboard, and the panel that it leads to has each call as text.
        <button
          key={call.index}
          type="button"
          tabIndex={-1}
          aria-hidden
          data-call={call.kind}
          className={cx("absolute min-w-px cursor-pointer", LOOK[call.kind], call.failed && "bg-failed")}
          style={at(call.started_at, call.ended_at)}
          onClick={() => onStep(call)}
          onPointerEnter={(event) =>
            onTip(
              [
                `${visible(call.name)}: ${KIND[call.kind]}${call.failed ? ", failed" : ""}`,
                `${length(call.started_at, call.ended_at, now)}${call.cost_microusd > 0 ? `, ${money(call.cost_microusd)}` : ""}`,
              ],
              event.currentTarget,
            )
          }
          onPointerLeave={() => onTip(undefined)}
        />
      ))}
    </>
  );
}

const MOST_ZOOM = 32;
/** Of the width of the lanes. Calls that begin nearer to each other would be drawn above each other. */
const APART = 0.002;

/** The calls that can be told apart on the lanes, and every one that failed. */
export function distinct(calls: readonly RunCall[], apart: number): RunCall[] {
  const last = new Map<RunCall["kind"], number>();
  return calls.filter(({ kind, failed, started_at }) => {
    const at = Date.parse(started_at);
    if (!failed && at - (last.get(kind) ?? -Infinity) < apart) return false;
    last.set(kind, at);
    return true;
  });
}

/** Who was at work when: a lane for each, growing while it runs. A step leads to what its agent said and did. */
export function Timeline({
  run,
  calls,
  nameOf,
  onStep,
}: {
  run: Run;
  calls: RunCall[];
  nameOf: (node: string) => string;
  onStep: (step: RunStep, call?: RunCall) => void;
}) {
  const now = useNow();
  const [zoom, setZoom] = useState(1);
  const [tip, setTip] = useState<Tip>();
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
  const span = Math.max(1, end - begin);
  const at = (from: string, to?: string | null): Span => {
    const left = Math.min(100, Math.max(0, ((Date.parse(from) - begin) / span) * 100));
    const right = ((to ? Date.parse(to) : end) - begin) / span;
    return { left: `${left}%`, width: `max(2px, ${Math.max(0, Math.min(100, right * 100) - left)}%)` };
  };
  const drawn = distinct(calls, (span * APART) / zoom);
  const nodes = [...new Set(run.steps.map((step) => step.node))];
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const onTip = (lines: string[] | undefined, target?: Element) => {
    const bar = target?.getBoundingClientRect();
    if (!lines || !bar) return setTip(undefined);
    const middle = (Math.max(0, bar.left) + Math.min(window.innerWidth, bar.right)) / 2;
    const left = Math.min(window.innerWidth - 140, Math.max(140, middle));
    return setTip({ lines, left, top: bar.bottom + 4 });
  };
  return (
    <Panel
      title="Timeline"
      aside={
        <>
          <span className="tabular-nums">{duration(span)} in all</span>
          <IconButton label="Zoom out" disabled={zoom === 1} onClick={() => setZoom(zoom / 2)}>
            <ZoomOut size={14} aria-hidden />
          </IconButton>
          <IconButton label="Zoom in" disabled={zoom === MOST_ZOOM} onClick={() => setZoom(zoom * 2)}>
            <ZoomIn size={14} aria-hidden />
          </IconButton>
        </>
      }
    >
      <figure
        className="min-w-0 px-4 py-3"
        aria-label="When each agent worked. The table of steps below shows the same in figures"
      >
        <div className="grid grid-cols-[minmax(72px,128px)_1fr] gap-3">
          <div className="flex flex-col gap-1">
            {nodes.map((node) => (
              <bdi
                key={node}
                className="block h-8 truncate text-small leading-8 text-fg-2"
                title={visible(nameOf(node))}
              >
                {visible(nameOf(node))}
              </bdi>
            ))}
          </div>
          <div
            className="min-w-0 overflow-x-auto"
            tabIndex={zoom > 1 ? 0 : undefined}
            role={zoom > 1 ? "region" : undefined}
            aria-label={zoom > 1 ? "Lanes" : undefined}
          >
            <div className="flex flex-col gap-1" style={{ width: `${zoom * 100}%` }}>
              {nodes.map((node) => (
                <div key={node} data-lane className="relative h-8 rounded-xs bg-sunken">
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
                        now={now}
                        name={nameOf(node)}
                        calls={drawn.filter((call) => call.step === step.key && call.lap === step.lap)}
                        onTip={onTip}
                        onStep={(call) => onStep(step, call)}
                      />
                    ))}
                </div>
              ))}
              <div aria-hidden className="flex justify-between text-micro text-fg-3">
                {ticks.map((tick) => (
                  <span key={tick} className={tick === 0.25 || tick === 0.75 ? "max-sm:hidden" : undefined}>
                    {duration(span * tick)}
                  </span>
                ))}
              </div>
            </div>
          </div>
        </div>
        {tip && (
          <p
            aria-hidden
            data-tip
            className="pointer-events-none fixed z-30 w-max max-w-64 -translate-x-1/2 rounded-control border border-line bg-raised px-2 py-1 text-small shadow-float"
            style={{ left: tip.left, top: tip.top }}
          >
            {tip.lines.map((line) => (
              <span key={line} className="block truncate">
                {line}
              </span>
            ))}
          </p>
        )}
        <figcaption className="mt-2 flex flex-wrap gap-x-4 text-small text-fg-3">
          <span className="inline-flex items-center gap-1.5">
            <span aria-hidden className="h-2 w-4 bg-accent" /> Model
          </span>
          <span className="inline-flex items-center gap-1.5">
            <span aria-hidden className="h-2 w-4 bg-info" /> Tool
          </span>
          {calls.some((call) => call.kind === "child") && (
            <span className="inline-flex items-center gap-1.5">
              <span aria-hidden className="h-2 w-4 bg-line-strong" /> Run of its own
            </span>
          )}
        </figcaption>
      </figure>
    </Panel>
  );
}
