// Where a link of a text from outside may lead.
import { decoded } from "./parse";

export type Target =
  | { to: "elsewhere"; href: string; host: string }
  | { to: "mail"; href: string }
  | { to: "here"; anchor: string };

// A scheme with anything unseen in it is somebody's trick; browsers leave such characters out.
const OUT = /^(?:https?:\/\/|mailto:)[^\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]+$/iu;
const HERE = /^#[^\s\p{Cc}\p{Cf}]+$/u;

/** The target of a link, or nothing where it is none that may be followed: dead text. */
export function target(href: string): Target | undefined {
  const wanted = decoded(href);
  if (HERE.test(wanted)) {
    try {
      return { to: "here", anchor: decodeURIComponent(wanted.slice(1)).toLowerCase() };
    } catch {
      return undefined;
    }
  }
  if (!OUT.test(wanted)) return undefined;
  let url: URL;
  try {
    url = new URL(wanted);
  } catch {
    return undefined;
  }
  if (url.protocol === "mailto:") return { to: "mail", href: url.href };
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  // `https://bank.example@elsewhere.example` looks like the one and leads to the other.
  if (url.username !== "" || url.password !== "" || url.host === "") return undefined;
  return { to: "elsewhere", href: url.href, host: url.host };
}

/** True when words name one host and the link leads to another. */
export function misleads(words: string, host: string): boolean {
  const named = /(?:^|[\s/(])((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?:[:/\s)]|$)/iu.exec(words)?.[1]?.toLowerCase();
  const bare = (one: string) => one.replace(/^www\./, "").replace(/:\d+$/, "");
  return named !== undefined && bare(named) !== bare(host);
}

/** The name of a heading within its document, as a link says it. */
export const slug = (words: string) =>
  words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s+/g, "-");
