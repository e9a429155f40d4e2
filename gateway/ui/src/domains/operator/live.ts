// The operator's own stream: the page cannot see refusals of an EventSource, so it is read from a fetch. It is open only
// while the page is.
import { useEffect, useState } from "react";
import { send } from "~/api/client";
import { asProblem, type Problem } from "~/api/problem";
import type { Actor, Tree, TreeDelta } from "~/api/types";
import { readSse } from "~/live/sse";
import { backoff } from "~/live/stream";
import { applyDelta, Rates } from "./apply";

/** Without a beat for so long the stream is taken for dead. */
const SILENCE_MS = 30_000;

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

/** Follows the tree while mounted. A refusal (403) ends the trying; anything else is tried again with growing waits. */
export function useLiveTree(): LiveTree {
  const [tree, setTree] = useState<Tree>();
  const [problem, setProblem] = useState<Problem>();
  const [round, setRound] = useState(0);
  const [rates] = useState(() => new Rates());

  useEffect(() => {
    const over = new AbortController();
    let present: Tree | undefined;
    const take = (event: string, data: string) => {
      const now = Date.now();
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
    const follow = async () => {
      const one = new AbortController();
      const end = () => one.abort();
      over.signal.addEventListener("abort", end);
      let silence = setTimeout(end, SILENCE_MS);
      try {
        const headers = { accept: "text/event-stream" };
        const answer = await send("GET", "/api/ops/tree/stream", { headers, signal: one.signal });
        if (!answer.body) return;
        for await (const { event, data } of readSse(answer.body)) {
          clearTimeout(silence);
          silence = setTimeout(end, SILENCE_MS);
          take(event, data);
        }
      } finally {
        clearTimeout(silence);
        over.signal.removeEventListener("abort", end);
      }
    };
    const keep = async () => {
      for (let attempt = 1; !over.signal.aborted; attempt += 1) {
        const before = present;
        try {
          await follow();
        } catch (error) {
          if (over.signal.aborted) return;
          const found = asProblem(error);
          setProblem(found);
          if (found.status === 401 || found.status === 403) return;
        }
        if (present !== before) attempt = 1;
        await new Promise((done) => setTimeout(done, backoff(attempt, Math.random())));
      }
    };
    void keep();
    return () => over.abort();
  }, [round, rates]);

  return { tree, problem, rates, retry: () => setRound((one) => one + 1) };
}
