// Markdown as tokens, within bounds. Whatever is too long, too deep or too much stays text, and is said to be.
// Tried with sixty hostile patterns: without bounds the lexer overflows the stack.
import { Lexer, Tokenizer, type Token, type Tokens } from "marked";

/** Above this a document is text from there on. 64,000 characters are lexed within half a second at worst. */
export const MOST_CHARS = 64_000;
/** A paragraph, cell or heading above this is text: marks within a line take time by the square of its length. */
export const MOST_IN_LINE = 8_000;
/** Parts of a page that one document may become. */
export const MOST_PARTS = 6_000;
/** Quotes within lists within quotes; and emphasis within links within emphasis. */
export const MOST_DEPTH = 12;

/**
 * The boundaries of text in a line. The lexer's own also look for addresses of e-mail, over the whole rest of the line at
 * each character.
 */
const TEXT =
  /^([`~]+|[^`~])(?:(?= {2,}\n)|[\s\S]*?(?:(?=[\\<![`*~_]|\b_|https?:\/\/|www\.|$)|[^ ](?= {2,}\n)))/;

class BoundedTokenizer extends Tokenizer {
  private depth = 0;

  private within<T>(read: () => T | undefined): T | undefined {
    if (this.depth >= MOST_DEPTH) return undefined;
    this.depth += 1;
    try {
      return read();
    } finally {
      this.depth -= 1;
    }
  }
  override blockquote(src: string) {
    return this.within(() => super.blockquote(src));
  }
  override list(src: string) {
    return this.within(() => super.list(src));
  }
  override emStrong(src: string, masked: string, previous?: string) {
    return this.within(() => super.emStrong(src, masked, previous));
  }
  override link(src: string) {
    return this.within(() => super.link(src));
  }
  override reflink(src: string, links: Parameters<Tokenizer["reflink"]>[1]) {
    return this.within(() => super.reflink(src, links));
  }
  override del(src: string, masked: string, previous?: string) {
    return this.within(() => super.del(src, masked, previous));
  }
  /** HTML in a line is text like any other. */
  override tag() {
    return undefined;
  }
  override url(src: string) {
    return /^(https?:\/\/|www\.)/i.test(src) ? super.url(src) : undefined;
  }
}

class BoundedLexer extends Lexer {
  constructor() {
    const tokenizer = new BoundedTokenizer();
    super({ gfm: true, tokenizer });
    tokenizer.rules.inline = { ...tokenizer.rules.inline, text: TEXT };
  }
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= MOST_IN_LINE) return super.inlineTokens(src, tokens);
    tokens.push({ type: "text", raw: src, text: src });
    return tokens;
  }
}

/** The tokens directly within one. */
export function inside(token: Token): Token[] {
  if (token.type === "list") return (token as Tokens.List).items;
  if (token.type !== "table") return ("tokens" in token && token.tokens) || [];
  const { header, rows } = token as Tokens.Table;
  return [header, ...rows].flatMap((row) => row.flatMap((cell) => cell.tokens));
}

/** How many parts a token becomes; counting ends where it is too many anyway. */
function parts(token: Token, most: number): number {
  let count = 1;
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    count += header.length * (rows.length + 1);
  }
  for (const one of inside(token)) {
    if (count > most) break;
    count += parts(one, most - count);
  }
  return count;
}

export interface Parsed {
  tokens: Token[];
  /** What is shown as text, because it is beyond the bounds. */
  rest: string;
}

/** Cuts at the end of a line where there is one near. */
function cut(text: string): number {
  if (text.length <= MOST_CHARS) return text.length;
  const end = text.lastIndexOf("\n", MOST_CHARS);
  return end > MOST_CHARS / 2 ? end + 1 : MOST_CHARS;
}

export function parse(text: string): Parsed {
  const at = cut(text);
  let all: Token[];
  try {
    all = new BoundedLexer().lex(text.slice(0, at));
  } catch {
    // A document that breaks the lexer can still be read.
    return { tokens: [], rest: text };
  }
  let left = MOST_PARTS;
  const tokens: Token[] = [];
  for (const token of all) {
    left -= parts(token, left);
    if (left < 0) break;
    tokens.push(token);
  }
  const beyond = all.slice(tokens.length).map((token) => token.raw);
  return { tokens, rest: beyond.join("") + text.slice(at) };
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** The five entities that Markdown is commonly written with. Nothing is ever read as HTML. */
export const decoded = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (one) => ENTITIES[one] ?? one);

/** What a token says, without its marks. */
export function plain(tokens: Token[]): string {
  return tokens
    .map((token) => {
      const within = inside(token);
      if (within.length > 0) return plain(within);
      return "text" in token && typeof token.text === "string" ? token.text : token.raw;
    })
    .join("");
}
