// Two people edit one thing. What was typed stays; what somebody else saved meanwhile is shown beside it.
import { useState } from "react";
import { asProblem, Problem } from "~/api/problem";
import { changedIn, mineOver, same } from "./same";

/** Somebody else saved a field of the form since it was opened. The form itself says so. */
export class Clashed extends Problem {
  constructor() {
    super({
      code: "clash",
      status: 412,
      title: "Somebody else changed this meanwhile",
      detail: "Nothing was saved, and what you typed is still here.",
    });
  }
}

export interface Clash<D> {
  /** As the form was opened, as somebody else saved it, and as it was typed. */
  was: D;
  theirs: D;
  mine: D;
}

const MOST_TRIES = 3;

/** Sends a change of a version. A version that changed no field of the form is none of its business. */
export async function sendFrom<T, R>(
  from: T,
  {
    read,
    unchanged,
    unversioned,
  }: { read: () => Promise<T>; unchanged: (a: T, b: T) => boolean; unversioned?: boolean | undefined },
  send: (from: T) => Promise<R>,
): Promise<R> {
  let over = from;
  if (unversioned) {
    over = await read();
    if (!unchanged(from, over)) throw new Clashed();
  }
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(over);
    } catch (error) {
      if (error instanceof Clashed || asProblem(error).status !== 412 || tries === MOST_TRIES) throw error;
      const fresh = await read();
      if (!unchanged(from, fresh)) throw new Clashed();
      over = fresh;
    }
  }
}

interface Ways<T> {
  /** Reads the thing anew, and puts it where `now` comes from. */
  read: () => Promise<T>;
  /** The gateway compares no version of it, so the page looks before it writes. */
  unversioned?: boolean;
}

/** A form that edits an existing thing: `now` is how the gateway has it, `draftOf` the fields that the form shows of it. */
export function useEdit<T, D extends object>(now: T, draftOf: (of: T) => D, { read, unversioned }: Ways<T>) {
  // `over` is what was saved over: the thing is as the gateway took it as soon as it differs from that.
  const [typed, setTyped] = useState<{ was: D; draft: D; over?: D }>();
  const theirs = draftOf(now);
  const dirty =
    typed !== undefined &&
    !(typed.over && changedIn(typed.over, theirs).length > 0) &&
    changedIn(typed.was, typed.draft).length > 0 &&
    changedIn(theirs, typed.draft).length > 0;
  // A form in which nothing was typed shows what others save.
  const { was, draft } = dirty ? typed : { was: theirs, draft: theirs };
  const clashes = changedIn(was, theirs).some((key) => !same(theirs[key], draft[key]));
  return {
    draft,
    dirty,
    clash: clashes ? ({ was, theirs, mine: draft } satisfies Clash<D>) : undefined,
    set: (change: Partial<D>) => setTyped({ was, draft: { ...draft, ...change } }),
    /** Theirs stays, and what was typed goes. */
    take: () => setTyped(undefined),
    /** `to` is what the thing is to be, `before` what it is in the version `from`. */
    send: async <R>(send: (to: D, from: T, before: D) => Promise<R>): Promise<R> => {
      const unchanged = (a: T, b: T) => changedIn(draftOf(a), draftOf(b)).length === 0;
      let saved = { was, draft, over: was };
      const answer = await sendFrom(now, { read, unchanged, unversioned }, (from) => {
        const before = draftOf(from);
        const to = mineOver(was, before, draft);
        saved = { was: before, draft: to, over: before };
        return send(to, from, before);
      });
      setTyped(saved);
      return answer;
    },
  };
}
