/** Joins class names, leaving out what is not set. */
export function cx(...parts: (string | false | null | undefined)[]): string {
  return parts.filter(Boolean).join(" ");
}

/** A link within a text: told from it by its line, not by its colour alone. */
export const textLink =
  "rounded-control underline decoration-line-strong underline-offset-2 hover:text-accent";
