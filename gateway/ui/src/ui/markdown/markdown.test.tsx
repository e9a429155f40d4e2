import { act } from "preact/test-utils";
import { createRoot } from "react-dom/client";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, describe, expect, it } from "vitest";
import Document from "./document";
import { misleads, slug, target } from "./links";
import { MOST_CHARS, MOST_IN_LINE, MOST_PARTS, parse } from "./parse";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

function show(text: string): HTMLElement {
  const place = document.createElement("div");
  place.innerHTML = renderToStaticMarkup(<Document text={text} />);
  return place;
}
const tags = (place: HTMLElement) => [...place.querySelectorAll("*")].map((one) => one.localName);

describe("Markdown is laid out", () => {
  it("as headings, lists, tasks, tables, code, quotes and links", () => {
    const place = show(
      "# One\n\n- [x] done\n- [ ] open\n  1. inner\n\n| a | b |\n|---|--:|\n| *1* | `2` |\n\n```rust\nfn main() {}\n```\n\n> said **so**\n\n[out](https://a.example/x?a=1&amp;b=2) ~~gone~~ a &lt; b\n",
    );
    expect(place.querySelector("h3")?.textContent).toBe("One");
    expect([...place.querySelectorAll("li")].map((one) => one.textContent)).toEqual([
      "Done: done",
      "To do: openinner",
      "inner",
    ]);
    expect(place.querySelector("th[scope=col]")?.textContent).toBe("a");
    expect(place.querySelector("td em")?.textContent).toBe("1");
    expect(place.querySelector("pre")?.textContent).toBe("fn main() {}");
    expect(place.textContent).toContain("rust");
    expect(place.querySelector("blockquote strong")?.textContent).toBe("so");
    const link = place.querySelector("a");
    expect(link?.getAttribute("href")).toBe("https://a.example/x?a=1&b=2");
    expect(link?.rel).toBe("noopener noreferrer");
    expect(place.textContent).toContain("a < b");
  });

  it("a link within the document leads to its heading, and to none that is not there", () => {
    const place = show("[down](#two-words) [nowhere](#three)\n\n## Two words\n\n## Two words\n");
    expect([...place.querySelectorAll("a")].map((one) => one.getAttribute("href"))).toEqual(["#two-words"]);
    expect([...place.querySelectorAll("h4")].map((one) => one.dataset["anchor"])).toEqual([
      "two-words",
      "two-words-1",
    ]);
  });
});

describe("a hostile text", () => {
  const HOSTILE = [
    "<script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "a <b onmouseover=window.hacked=1>bold</b> <svg/onload=window.hacked=1>",
    '<iframe srcdoc="<script>window.hacked=1</script>"></iframe>',
    "<style>*{display:none}</style>",
    '<a href="javascript:window.hacked=1">x</a>',
    "<!-- do as I say -->",
    "[//]: # (do as I say)",
    "[a](javascript:window.hacked=1)",
    "[a](JaVaScRiPt:window.hacked=1)",
    "[a](java\u0000script:window.hacked=1)",
    "[a](<java\tscript:window.hacked=1>)",
    "[a](&#106;avascript:window.hacked=1)",
    "[a](java&#x73;cript:window.hacked=1)",
    "[a](\u0001javascript:window.hacked=1)",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](vbscript:msgbox)",
    "[a](file:///etc/passwd)",
    "[a](//elsewhere.example)",
    "[a](/settings)",
    "[a](https://bank.example@elsewhere.example/)",
    "[a](ht\u200Btps://x.example)",
    "[a]\n\n[a]: javascript:window.hacked=1",
    "![a](javascript:window.hacked=1)",
    "![a](data:image/svg+xml,<svg/onload=window.hacked=1>)",
    "![pixel](https://tracker.invalid/p.png)",
    "![pixel][t]\n\n[t]: https://tracker.invalid/p.png",
    "<javascript:window.hacked=1>",
    "| <img src=x onerror=window.hacked=1> |\n|-|\n| [a](javascript:x) |",
    "```<script>\nx\n```",
  ];
  it.each(HOSTILE)("%j runs nothing, fetches nothing and hides nothing", (text) => {
    const place = show(text);
    const harmful = "script, img, svg[onload], iframe, style, object, embed, form, input, b, picture, link";
    expect(place.querySelectorAll(harmful).length).toBe(0);
    for (const one of place.querySelectorAll("*"))
      expect(one.getAttributeNames().filter((name) => name.startsWith("on") || name === "srcdoc")).toEqual(
        [],
      );
    for (const one of place.querySelectorAll("a"))
      expect(one.getAttribute("href")).toMatch(/^(https?:\/\/|mailto:|#)/);
    // Every word of it can be read: a reader sees what an agent is given.
    const words =
      text
        .replace(/&#x?\w+;/g, " ")
        .replace("https://tracker.invalid/p.png)", "tracker")
        .match(/[a-z]{3,}/gi) ?? [];
    for (const word of words) if (!/^https?$/.test(word)) expect(place.textContent).toContain(word);
  });
  it("holds no link that leads where it must not", () => {
    const leads = HOSTILE.flatMap((text) => [...show(text).querySelectorAll("a")].map((one) => one.href));
    expect(leads).toEqual([]);
  });
  it("shows titles, which a browser would keep for a pointer", () => {
    const text =
      '# A\n\n[a](https://a.example "do one") [b](#a "do two") [c](javascript:x "do three") ![d](https://d.example/p.png "do four") [e][r]\n\n[r]: https://e.example "do five"';
    for (const n of ["one", "two", "three", "four", "five"])
      expect(show(text).textContent).toContain(`do ${n}`);
  });
  it("shows what is unseen, and turns no direction", () => {
    const place = show("pay \u202Egpj.exe\u202C and `\u200B` [\u2066x](https://a.example)");
    expect(place.textContent).toContain("pay \\u{202e}gpj.exe\\u{202c} and \\u{200b}");
    expect(place.textContent).not.toMatch(/[\u200B\u202A-\u202E\u2066-\u2069]/);
    expect(place.querySelector("p")?.dir).toBe("auto");
  });
});

describe("links", () => {
  it.each(["https://a.example/", "http://a.example:8080/x", "mailto:a@b.example"])(
    "%s may be followed",
    (href) => expect(target(href)).toBeDefined(),
  );
  it("that name one host and lead to another say so", () => {
    expect(misleads("https://bank.example/login", "elsewhere.example")).toBe(true);
    expect(misleads("see bank.example", "elsewhere.example")).toBe(true);
    expect(misleads("www.bank.example", "bank.example")).toBe(false);
    expect(misleads("read this, e.g. here", "bank.example")).toBe(false);
    expect(show("[https://bank.example](https://elsewhere.example/)").textContent).toContain(
      "(leads to elsewhere.example)",
    );
  });
  it("to headings are made of their words", () => expect(slug("What's  new? – 2.0")).toBe("whats-new-20"));
});

describe("a picture", () => {
  let root: ReturnType<typeof createRoot> | undefined;
  afterEach(() => act(() => root?.unmount()));
  it("is named with its host, and a press says why it is not fetched and where it is", () => {
    const place = document.createElement("div");
    root = createRoot(place);
    act(() => root?.render(<Document text="![a cat](https://tracker.invalid/p.png?id=7)" />));
    const button = place.querySelector("button");
    expect(button?.textContent).toBe("Picture from tracker.invalid (a cat)");
    expect(place.querySelector("a, img")).toBeNull();
    act(() => button?.click());
    expect(place.querySelector("img")).toBeNull();
    const link = place.querySelector("a");
    expect([link?.getAttribute("href"), link?.rel]).toEqual([
      "https://tracker.invalid/p.png?id=7",
      "noopener noreferrer",
    ]);
  });
});

describe("a document without bounds", () => {
  const MANY = 1_000_000;
  const fill = (of: string) => of.repeat(Math.ceil(MANY / of.length));
  /** As long as a line may be whose marks are still looked for. */
  const lines = (of: string) =>
    fill(`${of.repeat(Math.floor((MOST_IN_LINE - 2) / of.length)).slice(0, MOST_IN_LINE - 2)}@\n\n`);
  // Each of these overflows the lexer's stack, or takes it minutes, when nothing bounds it.
  it.each([
    [">", fill(">")],
    ["> -", fill("> - ")],
    ["1.", fill("1. ")],
    ["- a", fill("- a\n")],
    ["[", lines("[")],
    ["![", lines("![")],
    ["[a](", lines("[a](")],
    ["**a *", lines("**a *")],
    ["a**", lines("a**")],
    ["~a", lines("~a")],
    ["a.", lines("a.")],
    ["<", lines("<a ")],
    ["`", lines("`a``b```c")],
    ["paragraphs", fill("a\n\n")],
    ["a table", `|a|b|\n|-|-|\n${fill("|1|2|\n")}`],
    ["one word", fill("x")],
  ])("of %s is laid out in part, and the rest is text", (_, text) => {
    const { tokens, rest } = parse(text);
    expect(rest.length).toBeGreaterThan(MANY - MOST_CHARS - 1);
    // Nothing is lost: what is laid out and what is not are the text.
    expect((tokens.map((token) => token.raw).join("") + rest).length).toBe(text.length);
    const place = show(text);
    expect(tags(place).length).toBeLessThan(3 * MOST_PARTS);
    expect(place.textContent).toContain("shown as plain text");
  });
});
