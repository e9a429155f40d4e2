// The outputs that this page reads. One that ended stays, so that to fold and unfold it costs nothing.
import { useEffect } from "react";
import { create } from "zustand";
import type { Problem } from "~/api/problem";
import type { Owner } from "~/api/sandboxes";
import { follow, type Exit } from "./exec";
import { OutputLog } from "./output";
import type { Block, Screen } from "./screen";

export interface Output {
  blocks: Block[];
  /** Lines that are not shown any more. */
  dropped: number;
  exit: Exit | undefined;
  problem: Problem | undefined;
  linked: boolean;
}

interface Log {
  log: OutputLog;
  /** Arrives with the first output. */
  screen: Screen | undefined;
  early: string[];
}

const NOTHING: Output = { blocks: [], dropped: 0, exit: undefined, problem: undefined, linked: true };
const MOST_LOGS = 30;
const useOutputs = create<Record<string, Output>>(() => ({}));
const logs = new Map<string, Log>();
const read = new Set<string>();

const change = (op: string, part: Partial<Output>) =>
  useOutputs.setState((all) => ({ [op]: { ...NOTHING, ...all[op], ...part } }));

function logOf(op: string): Log {
  const known = logs.get(op);
  if (known) return known;
  for (const [old, { screen }] of logs) {
    if (logs.size < MOST_LOGS) break;
    if (read.has(old)) continue;
    screen?.dispose();
    logs.delete(old);
    useOutputs.setState((all) => Object.fromEntries(Object.entries(all).filter(([id]) => id !== old)), true);
  }
  let drawn = false;
  const draw = () => {
    if (drawn) return;
    drawn = true;
    requestAnimationFrame(() => {
      drawn = false;
      if (one.screen) change(op, { blocks: one.screen.snapshot(), dropped: one.screen.dropped });
    });
  };
  const open = async () => {
    const { Screen } = await import("./terminal-kit");
    one.screen = new Screen();
    for (const text of one.early.splice(0)) one.screen.write(text, draw);
  };
  const write = (text: string) => {
    if (one.screen) return one.screen.write(text, draw);
    one.early.push(text);
    // A page that cannot load its part shows the command without its output; the next visit tries again.
    if (one.early.length === 1) void open().catch(() => logs.delete(op));
  };
  const one: Log = { log: new OutputLog(write), screen: undefined, early: [] };
  logs.set(op, one);
  return one;
}

async function followOutput(owner: Owner, op: string, signal: AbortSignal, onEnd: () => void) {
  const { log } = logOf(op);
  await follow(
    owner,
    op,
    () => log.next,
    {
      output: (stream, offset, bytes) => log.append(stream, offset, bytes),
      gap: (from, to) => log.gap(from, to),
      exit: (exit) => {
        log.flush();
        change(op, { exit });
        onEnd();
      },
      refused: (problem) => change(op, { problem }),
      link: (linked) => change(op, { linked }),
    },
    signal,
  );
}

/** The output of a command, read while `open`. `onEnd` is called when its end arrives here. */
export function useOutput(owner: Owner, op: string | undefined, open: boolean, onEnd: () => void): Output {
  const { kind, id } = owner;
  useEffect(() => {
    if (!op || !open || useOutputs.getState()[op]?.exit) return undefined;
    const stop = new AbortController();
    read.add(op);
    void followOutput({ kind, id }, op, stop.signal, onEnd);
    return () => {
      read.delete(op);
      stop.abort();
    };
    // The function only tells; a new one changes nothing that is read.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps
  }, [kind, id, op, open]);
  return useOutputs((all) => (op ? all[op] : undefined)) ?? NOTHING;
}

/** What a person sees, as text. */
export const textOf = (op: string): string => logs.get(op)?.screen?.text() ?? "";

/** What the command wrote, as it wrote it. */
export const fileOf = (op: string): Blob => new Blob(logs.get(op)?.log.pieces ?? [], { type: "text/plain" });
