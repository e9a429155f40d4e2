// The commands that were run from this tab, by whose sandbox it is. They outlive the page part that shows them, and a reload.
import { create } from "zustand";
import { asProblem, type Problem } from "~/api/problem";
import type { Owner } from "~/api/sandboxes";
import type { ExecState } from "~/api/types";
import { cancel, follow, Input, start, type Exit, type Start } from "./exec";
import { OutputLog, type Block } from "./output";

export interface Run {
  key: string;
  op: string | undefined;
  command: string;
  state: "starting" | ExecState;
  startedAt: number;
  exit: Exit | undefined;
  problem: Problem | undefined;
  linked: boolean;
  cancelling: boolean;
  blocks: Block[];
  dropped: number;
}

interface Kept {
  key: string;
  op: string;
  command: string;
  startedAt: number;
  stdin: number;
}

const NONE: Run[] = [];
const KEEP_RUNS = 30;
const useRuns = create<{ byOwner: Record<string, Run[]> }>(() => ({ byOwner: {} }));
const logs = new Map<string, OutputLog>();
const inputs = new Map<string, Input>();
/** What was typed before the gateway named the operation: nothing that a person typed is lost. */
const early = new Map<string, ((input: Input) => void)[]>();

function withInput(key: string, act: (input: Input) => void) {
  const input = inputs.get(key);
  if (input) act(input);
  else early.set(key, [...(early.get(key) ?? []), act]);
}
const storageKey = (owner: Owner) => `roost-runs:${owner.id}`;

export const useRunsOf = (owner: Owner) => useRuns((state) => state.byOwner[owner.id] ?? NONE);

function change(owner: Owner, key: string, part: Partial<Run>) {
  useRuns.setState(({ byOwner }) => ({
    byOwner: {
      ...byOwner,
      [owner.id]: (byOwner[owner.id] ?? NONE).map((run) => (run.key === key ? { ...run, ...part } : run)),
    },
  }));
}

function add(owner: Owner, run: Run) {
  useRuns.setState(({ byOwner }) => ({
    byOwner: { ...byOwner, [owner.id]: [...(byOwner[owner.id] ?? NONE), run].slice(-KEEP_RUNS) },
  }));
}

function keep(owner: Owner) {
  const runs = useRuns.getState().byOwner[owner.id] ?? NONE;
  const kept = runs.flatMap(({ key, op, command, startedAt }): Kept[] =>
    op ? [{ key, op, command, startedAt, stdin: inputs.get(key)?.offset ?? 0 }] : [],
  );
  try {
    sessionStorage.setItem(storageKey(owner), JSON.stringify(kept.slice(-10)));
  } catch {
    // Without storage a reload forgets the list; the operations themselves go on.
  }
}

const blank = (key: string, command: string, startedAt: number): Run => ({
  key,
  op: undefined,
  command,
  startedAt,
  state: "starting",
  exit: undefined,
  problem: undefined,
  linked: true,
  cancelling: false,
  blocks: [],
  dropped: 0,
});

function openInput(owner: Owner, key: string, op: string, offset: number) {
  inputs.set(
    key,
    new Input(
      owner,
      op,
      offset,
      (problem) => change(owner, key, { problem }),
      () => keep(owner),
    ),
  );
  const input = inputs.get(key);
  if (input) early.get(key)?.forEach((act) => act(input));
  early.delete(key);
}

/** Brings back what this tab ran before a reload; its output is asked again from the start. */
export function restore(owner: Owner) {
  if (useRuns.getState().byOwner[owner.id]) return;
  let kept: Kept[] = [];
  try {
    kept = JSON.parse(sessionStorage.getItem(storageKey(owner)) ?? "[]") as Kept[];
  } catch {
    // Unreadable means nothing to bring back.
  }
  for (const { key, op, command, startedAt, stdin } of kept) {
    add(owner, { ...blank(key, command, startedAt), op, state: "running" });
    openInput(owner, key, op, stdin);
  }
}

/** Follows every unfinished run of a sandbox until the returned function is called. */
export function attach(owner: Owner): () => void {
  const stop = new AbortController();
  const followed = new Set<string>();
  const look = () => {
    for (const run of useRuns.getState().byOwner[owner.id] ?? NONE) {
      if (!run.op || run.exit || run.problem || followed.has(run.key)) continue;
      followed.add(run.key);
      void followRun(owner, run.key, run.op, stop.signal);
    }
  };
  look();
  const unwatch = useRuns.subscribe(look);
  return () => {
    unwatch();
    stop.abort();
  };
}

async function followRun(owner: Owner, key: string, op: string, signal: AbortSignal) {
  const log = logs.get(key) ?? new OutputLog();
  logs.set(key, log);
  let drawn = false;
  const draw = () => {
    if (drawn) return;
    drawn = true;
    requestAnimationFrame(() => {
      drawn = false;
      change(owner, key, { blocks: log.snapshot(), dropped: log.dropped });
    });
  };
  await follow(
    owner,
    op,
    () => log.next,
    {
      output: (stream, offset, bytes) => (log.append(stream, offset, bytes), draw()),
      gap: (from, to) => (log.gap(from, to), draw()),
      exit: (exit) => {
        log.flush();
        change(owner, key, {
          exit,
          state: exit.state,
          blocks: log.snapshot(),
          dropped: log.dropped,
          cancelling: false,
        });
      },
      refused: (problem) => change(owner, key, { problem, state: "lost" }),
      link: (linked) => change(owner, key, { linked, ...(linked ? { state: "running" as const } : {}) }),
    },
    signal,
  );
}

export async function run(owner: Owner, command: string, body: Start) {
  const key = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
  add(owner, blank(key, command, Date.now()));
  try {
    const op = await start(owner, body);
    openInput(owner, key, op, 0);
    change(owner, key, { op, state: "running" });
    keep(owner);
  } catch (error) {
    change(owner, key, { problem: asProblem(error), state: "failed" });
  }
}

export function write(key: string, text: string) {
  withInput(key, (input) => input.write(new TextEncoder().encode(text)));
}
export function closeInput(key: string) {
  withInput(key, (input) => input.close());
}

export async function cancelRun(owner: Owner, { key, op }: Run) {
  if (!op) return;
  change(owner, key, { cancelling: true });
  try {
    await cancel(owner, op);
  } catch (error) {
    change(owner, key, { cancelling: false, problem: asProblem(error) });
  }
}

/** Takes finished runs out of the view. */
export function clear(owner: Owner) {
  useRuns.setState(({ byOwner }) => ({
    byOwner: {
      ...byOwner,
      [owner.id]: (byOwner[owner.id] ?? NONE).filter((one) => !one.exit && !one.problem),
    },
  }));
  keep(owner);
}
