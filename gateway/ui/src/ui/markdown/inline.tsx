// What stands within a line of Markdown, as React elements. Nothing here ever becomes HTML.
import type { Token, Tokens } from "marked";
import type { MouseEvent, ReactNode } from "react";
import { visible } from "../visible";
import { misleads, target } from "./links";
import { decoded, plain } from "./parse";
import { Picture } from "./picture";

const LINK = "text-accent underline decoration-accent/50 hover:decoration-accent";

/** Goes to a heading of the same document. */
function jump(event: MouseEvent<HTMLAnchorElement>, anchor: string) {
  event.preventDefault();
  const all = event.currentTarget.closest("[data-markdown]")?.querySelectorAll<HTMLElement>("[data-anchor]");
  const heading = [...(all ?? [])].find((one) => one.dataset["anchor"] === anchor);
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: "start" });
}

/** The title of a link or picture: a browser would show it to a pointer alone. */
function Title({ text }: { text: string | null | undefined }) {
  return text ? <span className="text-fg-2"> “{visible(decoded(text))}”</span> : null;
}

function Anchor({ link, anchors }: { link: Tokens.Link; anchors: ReadonlySet<string> }) {
  const found = target(link.href);
  const words = inline(link.tokens, anchors);
  if (found?.to === "here" && anchors.has(found.anchor))
    return (
      <>
        <a href={`#${found.anchor}`} className={LINK} onClick={(event) => jump(event, found.anchor)}>
          {words}
        </a>
        <Title text={link.title} />
      </>
    );
  if (found?.to === "elsewhere" || found?.to === "mail")
    return (
      <>
        <a href={found.href} title={found.href} target="_blank" rel="noopener noreferrer" className={LINK}>
          {words}
        </a>
        <Title text={link.title} />
        {found.to === "elsewhere" && misleads(plain(link.tokens), found.host) && (
          <span className="text-fg-2"> (leads to {found.host})</span>
        )}
      </>
    );
  return (
    <>
      {words}
      <Title text={link.title} />{" "}
      <span className="font-mono text-small text-fg-3">({visible(decoded(link.href))}, no link)</span>
    </>
  );
}

function piece(token: Token, key: number, anchors: ReadonlySet<string>): ReactNode {
  const within = () => inline(("tokens" in token && token.tokens) || [], anchors);
  switch (token.type) {
    case "text":
      return "tokens" in token && token.tokens ? (
        <span key={key}>{within()}</span>
      ) : (
        visible(decoded(token.text))
      );
    case "escape":
      return visible(token.text);
    case "strong":
      return <strong key={key}>{within()}</strong>;
    case "em":
      return <em key={key}>{within()}</em>;
    case "del":
      return <del key={key}>{within()}</del>;
    case "codespan":
      return (
        <code key={key} className="rounded-control bg-line/60 px-1 font-mono text-[0.88em]">
          {visible(token.text)}
        </code>
      );
    case "br":
      return <br key={key} />;
    case "link":
      return <Anchor key={key} link={token as Tokens.Link} anchors={anchors} />;
    case "image":
      return (
        <span key={key}>
          <Picture href={token.href} alt={decoded(token.text)} />
          <Title text={token.title} />
        </span>
      );
    case "checkbox":
      return null;
    default:
      return visible(token.raw);
  }
}

/** `anchors`: the headings that a link within the document can lead to. */
export const inline = (tokens: Token[], anchors: ReadonlySet<string>): ReactNode[] =>
  tokens.map((token, index) => piece(token, index, anchors));
