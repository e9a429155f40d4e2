import type { NodeLine } from "~/api/types";
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

// Made once: comparing a thousand names with fresh rules each time takes longer than a frame.
const collator = new Intl.Collator("en", { numeric: true });

/** Stable order: by name, then by id, so that live values never move a row. */
export function byName<T extends { id: string; name: string }>(list: T[]): T[] {
  return list.toSorted((a, b) => collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
}
