import type { Health } from "~/api/types";

export type Read = (health: Health) => number | null | undefined;

/** Silence longer than this breaks the line: nothing was known then, which is not zero. */
const GAP_S = 45;

/** Reports as columns, with an empty row wherever there was silence. */
export function columns(samples: Health[], reads: Read[]): { times: number[]; values: (number | null)[][] } {
  const times: number[] = [];
  const values: (number | null)[][] = reads.map(() => []);
  let before: number | undefined;
  for (const sample of samples) {
    const at = Date.parse(sample.at) / 1000;
    if (before !== undefined && at - before > GAP_S) {
      times.push(before + 1);
      values.forEach((column) => column.push(null));
    }
    times.push(at);
    reads.forEach((read, index) => values[index]?.push(read(sample) ?? null));
    before = at;
  }
  return { times, values };
}
