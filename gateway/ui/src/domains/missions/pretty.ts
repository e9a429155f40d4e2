/** JSON with a line for each value. Everything else stays as it is. */
export function pretty(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.length > 1_000_000) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
