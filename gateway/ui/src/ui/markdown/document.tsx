// A text from outside, laid out as the Markdown that it is. Loaded when the first one is shown.
import type { Token, Tokens } from "marked";
import { useMemo } from "react";
import { number } from "../bytes";
import { Notice } from "../notice";
import { visible } from "../visible";
import { blocks, type Context } from "./blocks";
import { slug } from "./links";
import { parse, plain } from "./parse";

/** Names each heading; of several with the same words the later ones are numbered. */
export function contextOf(tokens: Token[]): Context {
  const anchorOf = new Map<Token, string>();
  const anchors = new Set<string>();
  for (const token of tokens) {
    if (token.type !== "heading") continue;
    const base = slug(plain((token as Tokens.Heading).tokens));
    if (base === "") continue;
    let name = base;
    for (let n = 1; anchors.has(name); n += 1) name = `${base}-${n}`;
    anchors.add(name);
    anchorOf.set(token, name);
  }
  return { anchorOf, anchors };
}

export default function Document({ text }: { text: string }) {
  const { parts, rest } = useMemo(() => {
    const { tokens, rest: left } = parse(text);
    return { parts: blocks(tokens, contextOf(tokens)), rest: left };
  }, [text]);
  return (
    <div data-markdown className="flex max-w-[72ch] min-w-0 flex-col gap-3 text-reading break-words">
      {parts}
      {rest !== "" && (
        <>
          <Notice>
            The rest is shown as plain text, {number(rest.length)} characters of it: the document is too long
            or has too many parts.
          </Notice>
          <pre
            tabIndex={0}
            role="region"
            aria-label="The rest as plain text"
            className="max-h-[60vh] overflow-auto rounded-panel border border-line bg-sunken p-3 font-mono text-small whitespace-pre-wrap"
          >
            {visible(rest)}
          </pre>
        </>
      )}
    </div>
  );
}
