// The time range of a list: what its address says, in words and as moments. Days are those of the person's own clock.

/** What an address has of a time range. `from` and `until` are days, both of them included. */
export interface When {
  when?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
}

/** Whole days, today included. */
export const SPANS: readonly (readonly [when: string, word: string, days: number])[] = [
  ["today", "Today", 1],
  ["7d", "Last 7 days", 7],
  ["30d", "Last 30 days", 30],
];

const two = (figure: number) => String(figure).padStart(2, "0");

/** `2026-11-03` */
export const dayOf = (date: Date): string =>
  `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** The beginning of a day, or nothing where the text is no day that exists. */
export function beginOf(day: string | undefined): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "") ?? [];
  const at = new Date(Number(year), Number(month) - 1, Number(date));
  return day !== undefined && dayOf(at) === day ? at : undefined;
}

/** Days later, also over a change of the clock. */
export const plusDays = (date: Date, days: number): Date =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);

/** Its days. Somebody who writes an address may write them in the other order. */
function daysOf(wanted: When): { from: Date | undefined; until: Date | undefined } {
  const [from, until] = [beginOf(wanted.from), beginOf(wanted.until)];
  return from && until && from > until ? { from: until, until: from } : { from, until };
}

/** What a list asks the gateway for: from a moment, until before a moment. */
export function boundsOf(wanted: When, today: string): { from?: string; until?: string } {
  const span = SPANS.find(([when]) => when === wanted.when);
  const now = beginOf(today);
  if (span && now) return { from: plusDays(now, 1 - span[2]).toISOString() };
  const { from, until } = daysOf(wanted);
  return {
    ...(from && { from: from.toISOString() }),
    ...(until && { until: plusDays(until, 1).toISOString() }),
  };
}

const long = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

export function wordsOf(wanted: When): string {
  const span = SPANS.find(([when]) => when === wanted.when);
  if (span) return span[1];
  const { from, until } = daysOf(wanted);
  if (from && until && dayOf(from) === dayOf(until)) return long.format(from);
  if (from && until) return `${long.format(from)} to ${long.format(until)}`;
  if (from) return `since ${long.format(from)}`;
  return until ? `until ${long.format(until)}` : "Any time";
}

/** Two days in their order, whichever was chosen first. */
export const rangeOf = (a: string, b: string): When =>
  a <= b ? { from: a, until: b } : { from: b, until: a };

/** The weeks that a month touches, from Monday. */
export function weeksOf(year: number, month: number): Date[][] {
  const first = new Date(year, month, 1);
  const monday = plusDays(first, -((first.getDay() + 6) % 7));
  const days = new Date(year, month + 1, 0).getDate() + ((first.getDay() + 6) % 7);
  return Array.from({ length: Math.ceil(days / 7) }, (_, week) =>
    Array.from({ length: 7 }, (__, day) => plusDays(monday, week * 7 + day)),
  );
}

/** The same day some months on, or the last of a month that is shorter. */
function plusMonths(date: Date, months: number): Date {
  const last = new Date(date.getFullYear(), date.getMonth() + months + 1, 0);
  return new Date(last.getFullYear(), last.getMonth(), Math.min(date.getDate(), last.getDate()));
}

/** Where a key leads in a calendar. */
export function stepOf(key: string, at: Date, shift = false): Date | undefined {
  const week = (at.getDay() + 6) % 7;
  switch (key) {
    case "ArrowLeft":
      return plusDays(at, -1);
    case "ArrowRight":
      return plusDays(at, 1);
    case "ArrowUp":
      return plusDays(at, -7);
    case "ArrowDown":
      return plusDays(at, 7);
    case "Home":
      return plusDays(at, -week);
    case "End":
      return plusDays(at, 6 - week);
    case "PageUp":
      return plusMonths(at, shift ? -12 : -1);
    case "PageDown":
      return plusMonths(at, shift ? 12 : 1);
    default:
      return undefined;
  }
}
