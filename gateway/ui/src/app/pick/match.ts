// Which entries fit what somebody typed, the best first. Pure, so that it answers within a frame for thousands.

export interface Entry {
  id: string;
  label: string;
  group: string;
  /** Said behind the label, and searched as well. */
  hint?: string | undefined;
  /** Searched, never shown. */
  words?: string | undefined;
}

/** How well one word fits a text: 0 not at all, 4 the beginning of the text. */
function fit(word: string, text: string): number {
  const at = text.indexOf(word);
  if (at === 0) return 4;
  if (at > 0) return /[\s\-_.:/@]/.test(text[at - 1] ?? "") ? 3 : 2;
  let from = 0;
  for (const char of word) {
    from = text.indexOf(char, from) + 1;
    if (from === 0) return 0;
  }
  return 1;
}

/** The score of an entry, 0 when any of the words fits nowhere. */
export function score(entry: Entry, words: string[]): number {
  const label = entry.label.toLowerCase();
  const rest = `${entry.hint ?? ""} ${entry.words ?? ""} ${entry.group}`.toLowerCase();
  let sum = 0;
  for (const word of words) {
    // Letters in order with gaps count in a label only; in a long text they would fit nearly everything.
    const behind = fit(word, rest);
    const best = Math.max(fit(word, label) * 2, behind > 1 ? behind : 0);
    if (best === 0) return 0;
    sum += best;
  }
  return sum;
}

export interface Group<T> {
  name: string;
  entries: T[];
}

/** The entries that fit, in groups; the group with the best entry first. What was used lately leads when nothing is typed. */
export function find<T extends Entry>(
  entries: T[],
  query: string,
  recent: string[],
  most: number,
): { groups: Group<T>[]; left: number } {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    const lately = recent.flatMap((id) => entries.filter((entry) => entry.id === id));
    const rest = entries.filter((entry) => !recent.includes(entry.id));
    const shown = rest.slice(0, most);
    const groups = inGroups(shown);
    if (lately.length > 0) groups.unshift({ name: "Recent", entries: lately });
    return { groups, left: rest.length - shown.length };
  }
  const scored = entries
    .map((entry, place) => ({
      entry,
      place,
      points: score(entry, words) + (recent.includes(entry.id) ? 0.5 : 0),
    }))
    // The half point of what was used lately is no fit by itself.
    .filter(({ points }) => points >= 1)
    .toSorted((a, b) => b.points - a.points || a.place - b.place);
  return {
    groups: inGroups(scored.slice(0, most).map(({ entry }) => entry)),
    left: Math.max(0, scored.length - most),
  };
}

function inGroups<T extends Entry>(entries: T[]): Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const entry of entries) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups].map(([name, members]) => ({ name, entries: members }));
}
