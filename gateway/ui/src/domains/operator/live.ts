// The operator's own stream: the page cannot see refusals of an EventSource, so it is read from a fetch. It is open only
// while the page is.
import { useEffect, useState } from "react";
import { api } from "~/api/client";
import { gatewayNow } from "~/api/clock";
import { asProblem, type Problem } from "~/api/problem";
import type { Actor, Promises, Tree, TreeDelta } from "~/api/types";
import { readSse } from "~/live/sse";
import { backoff } from "~/live/stream";
import { applyDelta, Rates } from "./apply";

/** Without a beat for so long the stream is taken for dead. */
const SILENCE_MS = 30_000;

/** Reads a stream of the operator's as long as it is wanted. A refusal (403) ends the trying; anything else is tried again
 * with growing waits. */
export async function keepReading(
  show: "promises" | undefined,
  over: AbortSignal,
  take: (event: string, data: string) => void,
  fail: (problem: Problem) => void,
) {
  let heard = 0;
  const follow = async () => {
    const one = new AbortController();
    const end = () => one.abort();
    over.addEventListener("abort", end);
    let silence = setTimeout(end, SILENCE_MS);
    try {
      const answer = await api.stream("/api/ops/tree/stream", { query: { show }, signal: one.signal });
      if (!answer.body) return;
      for await (const { event, data } of readSse(answer.body)) {
        clearTimeout(silence);
        silence = setTimeout(end, SILENCE_MS);
        heard += 1;
        take(event, data);
      }
    } finally {
      clearTimeout(silence);
      over.removeEventListener("abort", end);
    }
  };
  for (let attempt = 1; !over.aborted; attempt += 1) {
    const before = heard;
    try {
      await follow();
    } catch (error) {
      if (over.aborted) return;
      const found = asProblem(error);
      fail(found);
      if (found.status === 401 || found.status === 403) return;
    }
    if (heard !== before) attempt = 1;
    await new Promise((done) => setTimeout(done, backoff(attempt, Math.random())));
  }
}

export interface LiveTree {
  tree: Tree | undefined;
  /** Set while there is no stream: why, and the tree above may be out of date. */
  problem: Problem | undefined;
  rates: Rates;
  retry: () => void;
}

const all = (actor: Actor, call: (actor: Actor) => void) => {
  call(actor);
  for (const child of actor.children) all(child, call);
};

/** Follows the tree while mounted. */
export function useLiveTree(): LiveTree {
  const [tree, setTree] = useState<Tree>();
  const [problem, setProblem] = useState<Problem>();
  const [round, setRound] = useState(0);
  const [rates] = useState(() => new Rates());

  useEffect(() => {
    const over = new AbortController();
    let present: Tree | undefined;
    const take = (event: string, data: string) => {
      const now = gatewayNow();
      if (event === "tree") {
        present = JSON.parse(data) as Tree;
        all(present.root, (actor) => rates.note(actor, now));
      } else if (event === "delta" && present) {
        const delta = JSON.parse(data) as TreeDelta;
        present = applyDelta(present, delta);
        for (const { actor } of delta.changed) rates.note(actor, now);
        for (const id of delta.gone) rates.forget(id);
      } else return;
      setTree(present);
      setProblem(undefined);
    };
    void keepReading(undefined, over.signal, take, setProblem);
    return () => over.abort();
  }, [round, rates]);

  return { tree, problem, rates, retry: () => setRound((one) => one + 1) };
}

/** Follows the promises while mounted. */
export function useLivePromises(): {
  promises: Promises | undefined;
  problem: Problem | undefined;
  retry: () => void;
} {
  const [promises, setPromises] = useState<Promises>();
  const [problem, setProblem] = useState<Problem>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const over = new AbortController();
    const take = (event: string, data: string) => {
      if (event !== "promises") return;
      setPromises(JSON.parse(data) as Promises);
      setProblem(undefined);
    };
    void keepReading("promises", over.signal, take, setProblem);
    return () => over.abort();
  }, [round]);
  return { promises, problem, retry: () => setRound((one) => one + 1) };
}
