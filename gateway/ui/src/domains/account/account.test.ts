import { describe, expect, it } from "vitest";
import { initialsOf } from "~/ui/person";
import { clientOf } from "./device";
import { refusalOf, squareOf } from "~/ui/picture/square";
import { isRead, scopesWord, sectionsOf, wordOf } from "./scopes";

const login = (device: string | null, more = {}) => clientOf({ kind: "login", label: null, device, ...more });
const MOZILLA = "Mozilla/5.0";

describe("what a session is signed in with", () => {
  it("names browsers and systems, and keeps what they said", () => {
    const chrome = `${MOZILLA} (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36`;
    expect(login(chrome)).toEqual({ text: "Chrome on Linux", raw: chrome });
    const told = {
      [`${MOZILLA} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`]:
        "Edge on Windows",
      [`${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15`]:
        "Safari on macOS",
      [`${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`]: "Firefox on Linux",
      [`${MOZILLA} (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1`]:
        "Safari on iPhone",
      [`${MOZILLA} (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36`]:
        "Chrome on Android",
    };
    for (const [agent, text] of Object.entries(told)) expect(login(agent).text).toBe(text);
  });

  it("tells the command line from a browser, with its machine where that is known", () => {
    expect(login("roost on desk")).toEqual({ text: "Command line (roost) on desk" });
    expect(login("roost/0.1.0 (desk)")).toEqual({ text: "Command line (roost) on desk" });
    expect(login("roost/0.1.0")).toEqual({ text: "Command line (roost)" });
    expect(login("desk", { kind: "cli" })).toEqual({ text: "Command line (roost) on desk" });
    expect(login(null, { kind: "cli" })).toEqual({ text: "Command line (roost)" });
    expect(login("roosterbrowser/1").text).toBe("roosterbrowser/1");
  });

  it("claims nothing of what named nothing, and shows unknown names as they are", () => {
    expect(login(null)).toEqual({ text: "Unknown device" });
    expect(login("curl/8.5.0")).toEqual({ text: "curl/8.5.0" });
    expect(login("x".repeat(200)).text).toHaveLength(61);
    expect(login("curl \u202E8").text).not.toContain("\u202E");
    expect(clientOf({ kind: "api", label: "nightly", device: null })).toEqual({ text: "Token: nightly" });
  });
});

describe("what a token may do", () => {
  it("is grouped by what it is about, and a verb that is not known is shown", () => {
    const sections = sectionsOf(["moons.read", "runs.read", "claws.read", "runs.start"]);
    expect(sections.map(({ title, verbs }) => [title, ...verbs])).toEqual([
      ["Work", "runs.read", "runs.start"],
      ["Agents and what they use", "claws.read"],
      ["Other", "moons.read"],
    ]);
    expect(wordOf("moons.read")).toBe("moons.read");
    expect([isRead("runs.read"), isRead("runs.start")]).toEqual([true, false]);
  });

  it("is said in a line", () => {
    expect(
      [null, [], ["runs.read", "claws.read"], ["runs.start"], ["runs.read", "runs.start"]].map(scopesWord),
    ).toEqual([
      "all that you may do",
      "nothing",
      "read only",
      "Start, cancel and fork runs",
      "2 permissions",
    ]);
  });
});

describe("a person without a picture", () => {
  const of = (name: string, email = "x@example.org") => initialsOf({ name, email });
  it("has the first letters of the first and the last word", () => {
    expect([
      of("Ada Lovelace"),
      of("  Grace "),
      of("", "zoe@example.org"),
      of("Ada King, Countess (of) Lovelace"),
    ]).toEqual(["AL", "G", "Z", "AL"]);
    expect([of("🦉 Owl"), of("李 明"), of("ßen")]).toEqual(["O", "李明", "SS"]);
  });
});

it("a chosen picture is a square of its middle", () => {
  expect(squareOf(900, 600)).toEqual({ x: 150, y: 0, side: 600 });
  expect(refusalOf({ type: "image/png", size: 10 })).toBeUndefined();
  expect(refusalOf({ type: "image/gif", size: 10 })).toMatch(/PNG/);
  expect(refusalOf({ type: "image/png", size: 21_000_000 })).toMatch(/20 MB/);
});
