// The gateway's clock. The page shows ages of the gateway's times, and the clock of this machine may be an hour off.

/** What two right clocks and a slow network may differ by. */
const TOLERATED_MS = 5_000;
let ahead = 0;

/** Milliseconds since 1970 by the gateway's clock. */
export const gatewayNow = (): number => Date.now() + ahead;

/** Reads the date of an answer, which has whole seconds. */
export function hearDate(date: string | null): void {
  const at = Date.parse(date ?? "");
  if (Number.isNaN(at)) return;
  const off = at + 500 - Date.now();
  ahead = Math.abs(off) > TOLERATED_MS ? off : 0;
}
