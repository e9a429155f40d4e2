import type { ReactNode } from "react";

/** A sentence of the gateway or of an agent in which code stands between backticks. Everything else is plain text. */
export function inlineCode(text: string): ReactNode {
  return text.split(/`([^`\n]+)`/).map((part, at) =>
    at % 2 === 1 ? (
      // Parts of a sentence keep their places.
      // oxlint-disable-next-line react/no-array-index-key
      <code key={at} className="rounded-[3px] bg-line/50 px-1 font-mono text-[0.92em] break-words">
        {part}
      </code>
    ) : (
      part
    ),
  );
}

/** The same for where no code can be drawn, as in a tooltip. */
export const withoutTicks = (text: string): string => text.replaceAll(/`([^`\n]+)`/g, "$1");
