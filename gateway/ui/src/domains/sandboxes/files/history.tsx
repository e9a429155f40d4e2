import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { nodesQuery } from "~/api/nodes";
import type { Snapshot } from "~/api/types";
import { bytes, number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { Panel } from "~/ui/panel";
import { filesOf } from "~/ui/sandbox-words";
import { Status } from "~/ui/status";
import { Ago, clockTime, span } from "~/ui/time";
import { visible } from "~/ui/visible";
import { marksOf, stretch, type Mark } from "./time-line";

/** What a machine is called in a sentence. */
export function useMachineName(): (node: string) => string {
  const nodes = useQuery(nodesQuery).data;
  return (node) => {
    if (node === "local") return "the gateway's machine";
    const name = nodes?.find((one) => one.id === node)?.name;
    return name === undefined ? "a machine that is not paired any more" : visible(name);
  };
}

const STRETCH = ["pb-2", "pb-4", "pb-7", "pb-10"];

const signed = (value: number, text: string) => `${value > 0 ? "+" : "−"}${text}`;

/** How a snapshot differs in size from the one before it. */
function Change({ mark: { files, bytes: more, gap } }: { mark: Mark }) {
  if (gap === undefined) return null;
  const parts = [
    files ? signed(files, filesOf({ files: Math.abs(files) })) : undefined,
    more ? signed(more, bytes(Math.abs(more))) : undefined,
  ].filter(Boolean);
  return <span className="text-fg-3">{parts.length > 0 ? parts.join(", ") : "same size"}</span>;
}

interface LineProps {
  mark: Mark;
  /** What this snapshot is beside its time, for example the latest one. */
  notes: string[];
  chosen: boolean;
  /** The earlier one of a comparison. */
  compared: boolean;
  place: string;
  last: boolean;
  onChoose: () => void;
}

function Line({ mark, notes, chosen, compared, place, last, onChoose }: LineProps) {
  const { snapshot, day, gap } = mark;
  const far = stretch(gap);
  return (
    <li className="relative">
      {day && <h3 className="pt-2 pr-3 pb-1 pl-11 text-small font-[550] text-fg-2">{day}</h3>}
      <div className={cx("relative pl-9", last ? "pb-2" : STRETCH[far])}>
        {!last && (
          <span
            aria-hidden
            className={cx(
              "absolute top-4 -bottom-4 left-[19px] border-l border-line-strong/60",
              far === 3 && "border-dashed",
            )}
          />
        )}
        <span
          aria-hidden
          className={cx(
            "absolute top-[9px] left-[14px] size-[11px] rounded-full border-2",
            snapshot.uploaded ? "border-accent" : "border-dashed border-line-strong",
            snapshot.uploaded && (chosen || compared) ? "bg-accent" : "bg-surface",
          )}
        />
        <button
          type="button"
          aria-current={chosen ? "true" : undefined}
          onClick={onChoose}
          className={cx(
            "block w-full rounded-control px-2 py-1 pr-3 text-left focus-visible:-outline-offset-2 pointer-coarse:min-h-11",
            chosen ? "bg-accent/12" : compared ? "bg-line/50" : "hover:bg-line/40",
          )}
        >
          <span className="flex items-baseline justify-between gap-2">
            <span className="font-[550] tabular-nums">{clockTime(snapshot.taken_at)}</span>
            <span className="text-small text-fg-3">
              <Ago at={snapshot.taken_at} />
            </span>
          </span>
          <span className="flex flex-wrap items-center justify-between gap-x-2 text-small">
            <span className="text-fg-2">
              {filesOf(snapshot)}, {bytes(snapshot.bytes)}
            </span>
            <Change mark={mark} />
          </span>
          <span aria-hidden className="mt-1 block h-[3px] rounded-full bg-line">
            <span
              className="block h-full rounded-full bg-fg-3"
              style={{ width: `${Math.max(1, mark.share * 100)}%` }}
            />
          </span>
          {!snapshot.uploaded && (
            <Status tone="warning" word={`only on ${place}`} className="mt-1 text-small !whitespace-normal" />
          )}
          {[...notes, ...(compared ? ["compared with"] : [])].map((note) => (
            <span key={note} className="mt-0.5 block text-small text-fg-2">
              {note}
            </span>
          ))}
        </button>
        {far >= 2 && gap !== undefined && (
          <p className="absolute bottom-1.5 left-11 text-micro text-fg-3">{span(gap)} earlier</p>
        )}
      </div>
    </li>
  );
}

interface Props {
  snapshots: Snapshot[];
  chosen: string | undefined;
  before: string | undefined;
  /** The digest of the snapshot that the current sandbox started with. */
  beganWith: string | undefined;
  onChoose: (id: string) => void;
  older: { more: boolean; busy: boolean; load: () => void };
}

/** The snapshots of a sandbox's files on a line of time, newest first. */
export function History({ snapshots, chosen, before, beganWith, onChoose, older }: Props) {
  const machine = useMachineName();
  const notes = ({ digest }: Snapshot, index: number) => [
    ...(index === 0 ? ["latest"] : []),
    ...(digest === beganWith ? ["the current sandbox started with it"] : []),
  ];
  const box = useRef<HTMLDivElement>(null);
  // A link may name a snapshot far down. It is shown once: later its reader scrolls.
  const shown = useRef(false);
  const found = snapshots.some(({ id }) => id === chosen);
  useEffect(() => {
    const view = box.current;
    const mark = view?.querySelector<HTMLElement>('[aria-current="true"]');
    if (!view || !mark || shown.current) return;
    shown.current = true;
    const { top, bottom } = mark.getBoundingClientRect();
    const { top: above, bottom: below } = view.getBoundingClientRect();
    if (bottom > below) view.scrollTop += (top + bottom - above - below) / 2;
  }, [found]);
  return (
    <Panel
      title="History"
      aside={`${number(snapshots.length)}${older.more ? " newest" : ""} ${snapshots.length === 1 ? "snapshot" : "snapshots"}`}
      className="flex flex-col"
    >
      {/* It scrolls by itself, so that the files stay beside it. */}
      <div
        ref={box}
        role="region"
        aria-label="Snapshots"
        tabIndex={0}
        className="max-h-72 min-h-0 overflow-y-auto pt-1 lg:max-h-[70vh]"
      >
        <ol>
          {marksOf(snapshots).map((mark, index) => (
            <Line
              key={mark.snapshot.id}
              mark={mark}
              notes={notes(mark.snapshot, index)}
              chosen={mark.snapshot.id === chosen}
              compared={mark.snapshot.id === before}
              place={machine(mark.snapshot.node_id)}
              last={index === snapshots.length - 1 && !older.more}
              onChoose={() => onChoose(mark.snapshot.id)}
            />
          ))}
        </ol>
        {older.more && (
          <div className="px-4 pb-3">
            <Button busy={older.busy} onClick={older.load}>
              Show older ones
            </Button>
          </div>
        )}
      </div>
    </Panel>
  );
}
