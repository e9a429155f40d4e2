// The blocks of Markdown as React elements: headings, lists, quotes, code, tables; HTML as the text that it is.
import { Square, SquareCheck } from "lucide-react";
import type { Token, Tokens } from "marked";
import { createElement, type ReactNode } from "react";
import { cx } from "../class";
import { CopyButton } from "../copy-button";
import { visible } from "../visible";
import { inline } from "./inline";

export interface Context {
  /** The anchor of each heading that has one. */
  anchorOf: ReadonlyMap<Token, string>;
  anchors: ReadonlySet<string>;
}

const HEADS = ["text-head-1", "text-head-2", "text-head-3"];

function Heading({ token, context }: { token: Tokens.Heading; context: Context }) {
  return createElement(
    // The page and its panel have the two levels above.
    `h${Math.min(6, token.depth + 2)}`,
    {
      dir: "auto",
      tabIndex: -1,
      "data-anchor": context.anchorOf.get(token),
      className: cx(HEADS[token.depth - 1] ?? "font-[600]", "mt-2 scroll-mt-24 first:mt-0"),
    },
    inline(token.tokens, context.anchors),
  );
}

function Code({ text, language }: { text: string; language: string }) {
  return (
    <div className="rounded-panel border border-line bg-sunken">
      <div className="flex min-h-9 items-center justify-between gap-2 border-b border-line py-1 pr-1 pl-3 text-small text-fg-3">
        <span className="min-w-0 font-mono break-words">{visible(language) || "text"}</span>
        <CopyButton text={text} label="Copy" className="h-6 text-small" />
      </div>
      <pre
        tabIndex={0}
        aria-label={language ? `Code, ${visible(language)}` : "Code"}
        role="region"
        className="overflow-x-auto px-3 py-2 font-mono text-small"
      >
        {visible(text)}
      </pre>
    </div>
  );
}

function Item({ item, loose, context }: { item: Tokens.ListItem; loose: boolean; context: Context }) {
  const Box = item.checked ? SquareCheck : Square;
  return (
    <li dir="auto" className={cx("pl-1", item.task && "relative list-none")}>
      {item.task && (
        <>
          <Box size={15} aria-hidden className="absolute top-1 -left-5 text-fg-2" />
          <span className="sr-only">{item.checked ? "Done: " : "To do: "}</span>
        </>
      )}
      {blocks(item.tokens, context, !loose)}
    </li>
  );
}

function List({ token, context }: { token: Tokens.List; context: Context }) {
  const items = token.items.map((item, index) => (
    <Item key={index} item={item} loose={token.loose} context={context} />
  ));
  const look = cx("flex flex-col pl-6", token.loose ? "gap-2" : "gap-0.5");
  if (!token.ordered) return <ul className={cx(look, "list-disc")}>{items}</ul>;
  const start = Number(token.start) || 0;
  return (
    <ol start={start} className={cx(look, "list-decimal")}>
      {items}
    </ol>
  );
}

const SIDES: Record<string, string> = { left: "text-left", center: "text-center", right: "text-right" };

function Table({ token, context }: { token: Tokens.Table; context: Context }) {
  const cell = (one: Tokens.TableCell, index: number) => {
    const look = cx("border border-line px-2.5 py-1 align-top", SIDES[one.align ?? ""] ?? "text-left");
    const words = inline(one.tokens, context.anchors);
    return one.header ? (
      <th key={index} scope="col" dir="auto" className={cx(look, "bg-line/30 font-[550]")}>
        {words}
      </th>
    ) : (
      <td key={index} dir="auto" className={look}>
        {words}
      </td>
    );
  };
  return (
    // It may be wider than the text, so it scrolls, and what scrolls is reached by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label="Table" tabIndex={0} className="relative overflow-x-auto">
      <table className="border-collapse text-body">
        <thead>
          <tr>{token.header.map(cell)}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>{row.map(cell)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** HTML, and other text that a reader would not see: an agent is given it as well. */
function Raw({ text }: { text: string }) {
  return <p className="font-mono text-small whitespace-pre-wrap text-fg-2">{visible(text.trimEnd())}</p>;
}

function block(token: Token, key: number, context: Context, tight: boolean): ReactNode {
  switch (token.type) {
    case "space":
    case "checkbox":
      return null;
    case "heading":
      return <Heading key={key} token={token as Tokens.Heading} context={context} />;
    case "code":
      return <Code key={key} text={token.text} language={token.lang ?? ""} />;
    case "list":
      return <List key={key} token={token as Tokens.List} context={context} />;
    case "table":
      return <Table key={key} token={token as Tokens.Table} context={context} />;
    case "hr":
      return <hr key={key} className="border-line" />;
    case "blockquote":
      return (
        <blockquote
          key={key}
          dir="auto"
          className="flex flex-col gap-3 border-l-2 border-line-strong pl-3 text-fg-2"
        >
          {blocks(token.tokens ?? [], context)}
        </blockquote>
      );
    case "html":
    case "def":
      return <Raw key={key} text={token.raw} />;
    default: {
      const words = inline("tokens" in token && token.tokens ? token.tokens : [token], context.anchors);
      return tight ? (
        <span key={key}>{words}</span>
      ) : (
        <p key={key} dir="auto">
          {words}
        </p>
      );
    }
  }
}

export const blocks = (tokens: Token[], context: Context, tight = false): ReactNode[] =>
  tokens.map((token, index) => block(token, index, context, tight));
