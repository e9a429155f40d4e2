// Sums of money as people type them, and millionths of a dollar as they are kept.

/** Dollars as typed, as millionths; nothing typed is nothing, and what is no sum is NaN. */
export function microusdOf(typed: string): number | undefined {
  const text = typed.trim().replace(/^\$/, "").replace(",", ".");
  if (text === "") return undefined;
  return /^\d+(\.\d*)?$|^\.\d+$/.test(text) ? Math.round(Number(text) * 1e6) : Number.NaN;
}

/** For a field: no sign, no zeros that say nothing. */
export const typedOf = (microusd: number | null | undefined): string =>
  microusd === null || microusd === undefined ? "" : String(microusd / 1e6);

/** What is wrong with it, for beside its field. */
export const sumMistake = (typed: string): string | undefined =>
  Number.isNaN(microusdOf(typed)) ? "A sum in dollars, such as 2.50." : undefined;
