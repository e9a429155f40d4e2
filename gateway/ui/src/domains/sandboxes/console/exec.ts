// One command in a sandbox: start, follow with resume by offset, stdin by offset, cancel.
import { api } from "~/api/client";
import { asProblem, Problem } from "~/api/problem";
import { addressOf, type Owner } from "~/api/sandboxes";
import type { components } from "~/api/schema";
import { readSse } from "~/live/sse";
import { backoff } from "~/live/stream";
import type { Stream } from "./output";

export interface Exit {
  code: number | null;
  state: "done" | "failed" | "cancelled" | "lost";
  detail?: string | null;
  truncated?: boolean;
  duration_ms?: number | null;
}

export interface Watcher {
  output(stream: Stream, offset: number, bytes: Uint8Array): void;
  gap(from: number, to: number): void;
  exit(exit: Exit): void;
  /** The operation cannot be followed any more, for a reason that another try will not change. */
  refused(problem: Problem): void;
  link(live: boolean): void;
}

const at = (owner: Owner, op: string) => ({ id: owner.id, operation_id: op });

export type Start = components["schemas"]["NewExec"];

export async function start(owner: Owner, body: Start): Promise<string> {
  return (await api.post(`${addressOf(owner).at}/sandbox/exec`, { path: { id: owner.id }, body }))
    .operation_id;
}

export const cancel = (owner: Owner, op: string) =>
  api.delete(`${addressOf(owner).at}/sandbox/exec/{operation_id}`, { path: at(owner, op) });
export const resize = (owner: Owner, op: string, rows: number, cols: number) =>
  api.post(`${addressOf(owner).at}/sandbox/exec/{operation_id}/resize`, {
    path: at(owner, op),
    body: { rows, cols },
  });

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });

/** True where the same request may succeed later. */
const passing = (problem: Problem) => problem.status === 0 || problem.status === 429 || problem.status >= 500;

/** Follows an operation from `next()` on until it ends, is refused, or `signal` aborts; survives any number of cuts. */
export async function follow(
  owner: Owner,
  op: string,
  next: () => number,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  let attempt = 0;
  while (!signal.aborted) {
    try {
      const answer = await api.stream(`${addressOf(owner).at}/sandbox/exec/{operation_id}`, {
        path: at(owner, op),
        query: { offset: next() },
        signal,
      });
      watcher.link(true);
      if (answer.body) {
        for await (const { event, data } of readSse(answer.body)) {
          attempt = 0;
          const frame = JSON.parse(data) as Record<string, unknown>;
          if (event === "output")
            watcher.output(
              frame["stream"] as Stream,
              Number(frame["offset"]),
              fromBase64(String(frame["data_base64"])),
            );
          else if (event === "gap") watcher.gap(Number(frame["from"]), Number(frame["to"]));
          else if (event === "exit") {
            watcher.exit(frame as unknown as Exit);
            return;
          }
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && !passing(error)) {
        watcher.refused(asProblem(error));
        return;
      }
    }
    if (signal.aborted) return;
    attempt += 1;
    watcher.link(false);
    await wait(backoff(attempt, Math.random()), signal);
  }
}

/** After this pause somebody else may have typed, so the gateway is asked how far the input is. */
const PAUSE_MS = 1_000;

/**
 * Sends input in order. Each piece carries its offset, so one that is sent twice counts once. Without an offset, and after a
 * pause, the gateway tells it: another page may write to the same command.
 */
export class Input {
  private tail: Promise<void> = Promise.resolve();
  private waiting: Uint8Array[] = [];
  private closing = false;
  private sentAt = 0;

  constructor(
    private readonly owner: Owner,
    private readonly op: string,
    private offset: number | undefined,
    private readonly onProblem: (problem: Problem) => void,
  ) {
    if (offset !== undefined) this.sentAt = Date.now();
  }

  write(bytes: Uint8Array) {
    this.waiting.push(bytes);
    this.tail = this.tail.then(() => this.drain());
  }

  close() {
    this.closing = true;
    this.tail = this.tail.then(() => this.drain());
  }

  private async send(body: Uint8Array<ArrayBuffer>, offset: number, eof: boolean): Promise<number> {
    const answer = await api.post(`${addressOf(this.owner).at}/sandbox/exec/{operation_id}/stdin`, {
      path: at(this.owner, this.op),
      body,
      query: { offset, eof: eof || undefined },
    });
    return answer?.offset ?? offset + body.length;
  }

  private async drain(): Promise<void> {
    if (this.waiting.length === 0 && !this.closing) return;
    const pieces = this.waiting.splice(0);
    const body = new Uint8Array(pieces.reduce((total, piece) => total + piece.length, 0));
    pieces.reduce((position, piece) => (body.set(piece, position), position + piece.length), 0);
    const eof = this.closing;
    this.closing = false;
    // A repeat has the offset of the first attempt, so it counts once.
    let from = Date.now() - this.sentAt < PAUSE_MS ? this.offset : undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        from ??= await this.send(new Uint8Array(), 0, false);
        this.offset = await this.send(body, from, eof);
        this.sentAt = Date.now();
        return;
      } catch (error) {
        const problem = asProblem(error);
        if (!passing(problem) || attempt >= 6) return this.onProblem(problem);
        await wait(backoff(attempt, Math.random()), new AbortController().signal);
      }
    }
  }
}
