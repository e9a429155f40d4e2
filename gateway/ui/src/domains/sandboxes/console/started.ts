// The commands that this page has started and the gateway does not list yet, and the input of those that it may write to.
import { gatewayNow } from "~/api/clock";
import { create } from "zustand";
import { asProblem, type Problem } from "~/api/problem";
import type { Owner } from "~/api/sandboxes";
import { Input, start, type Start } from "./exec";

export interface Started {
  key: string;
  op: string | undefined;
  command: string;
  at: string;
  problem: Problem | undefined;
}

const NONE: Started[] = [];
const MOST = 30;
const useAll = create<Record<string, Started[]>>(() => ({}));
const inputs = new Map<string, Input>();
/** What was typed before the gateway named the operation: nothing that a person typed is lost. */
const early = new Map<string, ((input: Input) => void)[]>();

export const useStarted = (owner: Owner) => useAll((all) => all[owner.id] ?? NONE);

const change = (owner: Owner, key: string, part: Partial<Started>) =>
  useAll.setState((all) => ({
    [owner.id]: (all[owner.id] ?? NONE).map((one) => (one.key === key ? { ...one, ...part } : one)),
  }));

function inputOf(owner: Owner, op: string, isNew: boolean): Input {
  const known = inputs.get(op);
  if (known) return known;
  // A command that this page did not start may have taken input already.
  const input = new Input(owner, op, isNew ? 0 : undefined, () => undefined);
  inputs.set(op, input);
  return input;
}

/** Starts a command; `listed` is called when the gateway has it. */
export async function run(owner: Owner, command: string, body: Start, listed: () => void) {
  const key = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
  const one: Started = {
    key,
    op: undefined,
    command,
    at: new Date(gatewayNow()).toISOString(),
    problem: undefined,
  };
  useAll.setState((all) => ({ [owner.id]: [...(all[owner.id] ?? NONE), one].slice(-MOST) }));
  try {
    const op = await start(owner, body);
    const input = inputOf(owner, op, true);
    early.get(key)?.forEach((act) => act(input));
    early.delete(key);
    change(owner, key, { op });
  } catch (error) {
    change(owner, key, { problem: asProblem(error) });
  }
  listed();
}

/** `at` is a command's id, or its key while it has none. */
function withInput(owner: Owner, at: { key: string; op: string | undefined }, act: (input: Input) => void) {
  if (at.op) act(inputOf(owner, at.op, false));
  else early.set(at.key, [...(early.get(at.key) ?? []), act]);
}

export const write = (owner: Owner, at: { key: string; op: string | undefined }, text: string) =>
  withInput(owner, at, (input) => input.write(new TextEncoder().encode(text)));

export const closeInput = (owner: Owner, at: { key: string; op: string | undefined }) =>
  withInput(owner, at, (input) => input.close());
