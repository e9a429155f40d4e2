// What the gateway leaves out of the journal of a long run.
import type { components } from "~/api/schema";
import { number } from "~/ui/bytes";

type RunCalls = components["schemas"]["RunCalls"];

/** The gateway writes this in the place of a content that is longer than its share of the whole journal. */
const TOO_LONG = "[too long to be shown here]";

export interface LeftOut {
  /** Entries older than those that are there. */
  entries: number;
  /** Entries that are there without what was said or done in them. */
  contents: number;
}

export const leftOut = ({ items, left_out }: RunCalls): LeftOut => ({
  entries: left_out,
  contents: items.filter(({ content }) => (content as Record<string, unknown>)["text"] === TOO_LONG).length,
});

const counted = (n: number, one: string, many: string) => `${number(n)} ${n === 1 ? one : many}`;

/** What is missing, as sentences; nothing when the journal is whole. */
export function leftOutWords({ entries, contents }: LeftOut): string | undefined {
  const said = [
    ...(entries > 0
      ? [
          `${counted(entries, "older entry is", "older entries are")} not shown: only the newest 10,000 are read.`,
        ]
      : []),
    ...(contents > 0
      ? [
          `${counted(contents, "entry is", "entries are")} shown without text, because the whole log is over 32 MiB.`,
        ]
      : []),
  ];
  return said.length > 0 ? said.join(" ") : undefined;
}

/** For the file of a run: the journal, and what of it is missing. */
export const exported = (calls: RunCalls) => {
  const missing = leftOut(calls);
  const note = leftOutWords(missing);
  return {
    calls: calls.items,
    ...(note && {
      incomplete: { note, entries_left_out: missing.entries, entries_without_text: missing.contents },
    }),
  };
};
