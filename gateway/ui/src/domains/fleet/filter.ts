import type { NodeLine } from "~/api/types";
import { compareNames } from "~/ui/list/sort";
import { nodeState } from "./words";

type Word = { key: "state" | "label" | "any"; text: string };

/** `state:offline label:gpu box`: words of a filter; an unfinished `label:` narrows nothing. */
export function parse(query: string): Word[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .map((word): Word => {
      const [, key, text] = /^(state|label):(.*)$/.exec(word) ?? [];
      return key === "state" || key === "label" ? { key, text: text ?? "" } : { key: "any", text: word };
    })
    .filter((word) => word.text !== "");
}

/** Each word must be found: `state:` in the state's name, `label:` at the beginning of a label, the rest anywhere. */
export function matches(node: NodeLine, words: Word[]): boolean {
  return words.every(({ key, text }) => {
    if (key === "state")
      return nodeState(node).word.toLowerCase().includes(text) || node.status.includes(text);
    if (key === "label") return node.labels?.some((label) => label.startsWith(text)) ?? false;
    return [node.name, node.host, node.arch, node.daemon, ...(node.labels ?? [])].some((one) =>
      one?.toLowerCase().includes(text),
    );
  });
}

/** The filter with a word more, or without it when it was there. */
export function withWord(query: string, word: string): string {
  const words = query.split(/\s+/).filter(Boolean);
  return (words.includes(word) ? words.filter((one) => one !== word) : [...words, word]).join(" ");
}

/** Stable order: by name, then by id, so that live values never move a row. */
export function byName<T extends { id: string; name: string }>(list: T[]): T[] {
  return list.toSorted((a, b) => compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1));
}

/** The order without a choice. */
export const OWN = "name";

const FIGURES: Record<string, (node: NodeLine) => number | null | undefined> = {
  sandboxes: ({ sandboxes, status }) => (status === "pending" ? undefined : sandboxes),
  cpu: ({ cpu }) => cpu,
  memory: ({ memory }) => memory,
  disk: ({ disk }) => disk,
  seen: ({ seen }) => seen,
};
const SORTS = ["-name", "state", "-state", "-sandboxes", "-cpu", "-memory", "-disk", "-seen", "seen"];

/** The order of an address, when the list knows it. */
export const sortOf = (sort: string | undefined): string => SORTS.find((one) => one === sort) ?? "";

/** Machines in the order of their names, in another order. Those that have no such figure come last, whichever way. */
export function sorted(named: NodeLine[], by: string): NodeLine[] {
  const down = by.startsWith("-") ? -1 : 1;
  const key = by.replace(/^-/, "");
  if (key === "name" || key === "") return down === 1 ? named : named.toReversed();
  // A stable sort keeps the order of the names where two are the same.
  if (key === "state")
    return named.toSorted((a, b) => down * nodeState(a).word.localeCompare(nodeState(b).word));
  const figure = FIGURES[key] ?? (() => undefined);
  return named.toSorted((a, b) => {
    const [x, y] = [figure(a), figure(b)];
    if (x == null || y == null) return Number(x == null) - Number(y == null);
    return down * (x - y);
  });
}
