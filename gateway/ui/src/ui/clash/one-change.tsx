// A choice that is sent at once, of a thing that several people may change at the same time.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ClashPart } from "./clash";
import { Clashed, sendFrom } from "./edit";
import { same } from "./same";

interface Asked<T, V> {
  /** As the choice is called. */
  label: string;
  /** Which of several it is. */
  key?: string;
  of: (thing: T) => V;
  mine: V;
  words?: (value: V) => string;
  send: (from: T) => Promise<unknown>;
  /** A form shows by itself what somebody else changed. */
  ownNote?: boolean;
}

interface Ways<T> {
  now: T;
  read: () => Promise<T>;
  /** What has to be read again afterwards. */
  renew: () => Promise<unknown>;
  /** Of all changes of the thing. */
  key: readonly unknown[];
  what: string;
  id?: string;
  unversioned?: boolean;
}

export function useOneChange<T>({ now, read, renew, key, what, id, unversioned }: Ways<T>) {
  // oxlint-disable-next-line typescript/no-explicit-any
  type Any = Asked<T, any>;
  const [clash, setClash] = useState<{ was: unknown; asked: Any }>();
  const sent = useMutation({
    mutationKey: key,
    mutationFn: (asked: Any) =>
      sendFrom(now, { read, unchanged: (a, b) => same(asked.of(a), asked.of(b)), unversioned }, asked.send),
    onMutate: (asked) => {
      setClash(undefined);
      return { was: asked.of(now) as unknown };
    },
    onSuccess: renew,
    onError: (error, asked, begun) => {
      if (error instanceof Clashed && !asked.ownNote) setClash({ was: begun?.was, asked });
    },
  });
  return {
    change: <V,>(asked: Asked<T, V>) => sent.mutate(asked),
    changeAsync: <V,>(asked: Asked<T, V>) => sent.mutateAsync(asked),
    busy: sent.isPending,
    /** What was asked for, while it is on its way. */
    asked: sent.isPending ? sent.variables : undefined,
    error: sent.error instanceof Clashed ? null : sent.error,
    note: clash && (
      <ClashPart<{ value: unknown }>
        clash={{
          was: { value: clash.was },
          theirs: { value: clash.asked.of(now) as unknown },
          mine: { value: clash.asked.mine as unknown },
        }}
        what={what}
        id={id}
        labels={{ value: clash.asked.label }}
        words={clash.asked.words && ((_, { value }) => clash.asked.words?.(value) ?? "")}
        busy={sent.isPending}
        onMine={() => sent.mutate(clash.asked)}
        onTheirs={() => setClash(undefined)}
        className="sm:col-span-2"
      />
    ),
  };
}
