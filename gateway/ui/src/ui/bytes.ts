// Numbers as people read them. Unknown is a dash, never a zero.

export const DASH = "–";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  let unit = 0;
  let rest = value;
  while (rest >= 1024 && unit < UNITS.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || rest >= 100 ? 0 : 1;
  return `${rest.toFixed(digits)} ${UNITS[unit]}`;
}

export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  return `${value > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}

export function number(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** `part` of `whole` in percent, unknown when either is. */
export function share(part: number | null | undefined, whole: number | null | undefined): number | undefined {
  if (part === null || part === undefined || !whole) return undefined;
  return (part / whole) * 100;
}
