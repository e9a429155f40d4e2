// What keys mean in a choice: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/examples/combobox-select-only/

const PAGE = 10;

/** Where a key leads among options, or nothing where it is none of a list's. */
export function stepIn(key: string, at: number, count: number): number | undefined {
  const within = (to: number) => Math.min(count - 1, Math.max(0, to));
  switch (key) {
    case "ArrowDown":
      return within(at + 1);
    case "ArrowUp":
      return within(at - 1);
    case "PageDown":
      return within(at + PAGE);
    case "PageUp":
      return within(at - PAGE);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

/** The option that letters ask for. One letter again and again goes through all that begin with it. */
export function typedIn(labels: readonly string[], at: number, typed: string): number | undefined {
  const letters = typed.toLowerCase();
  const one = [...letters].every((letter) => letter === letters[0]);
  const wanted = one ? letters.slice(0, 1) : letters;
  // The present one fits more letters of its own, but the same letter asks for the next.
  const from = one ? at + 1 : at;
  for (let n = 0; n < labels.length; n += 1) {
    const place = (from + n + labels.length) % labels.length;
    if (labels[place]?.toLowerCase().startsWith(wanted)) return place;
  }
  return undefined;
}
