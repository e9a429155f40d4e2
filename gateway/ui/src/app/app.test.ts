import { describe, expect, it } from "vitest";
import { isolate } from "~/ui/isolate";
import { readPreferences } from "~/ui/preferences";
import { HELP } from "./help";
import { meaning } from "./keyboard";
import { GROUPS, INTEGRATIONS, placeOf, PLACES } from "./places";
import { find, type Entry } from "./pick/match";
import { neighbour, type Thing } from "./siblings";
import { thingAt } from "./crumb-menu";

const entry = (id: string, label: string, group = "Things", more: Partial<Entry> = {}): Entry => ({
  id,
  label,
  group,
  ...more,
});
const labels = (entries: Entry[], query: string, recent: string[] = [], most = 50) =>
  find(entries, query, recent, most).groups.flatMap((group) => group.entries.map((one) => one.label));

describe("finding", () => {
  const entries = [
    entry("1", "old-mason"),
    entry("2", "mason"),
    entry("3", "Quotas", "Places", { words: "plan limits" }),
    entry("4", "masonry"),
  ];
  it("puts the beginning of a name before the middle of one", () => {
    expect(labels(entries, "mas")).toEqual(["mason", "masonry", "old-mason"]);
  });
  it("finds letters in order with gaps, and by other words, and needs all words", () => {
    expect(labels(entries, "omsn")).toEqual(["old-mason"]);
    expect(labels(entries, "limits")).toEqual(["Quotas"]);
    expect(labels(entries, "mason limits")).toEqual([]);
  });
  it("leads with what was used lately, once, when nothing is typed", () => {
    const { groups } = find(entries, "", ["4", "gone"], 50);
    expect(groups[0]).toEqual({ name: "Recent", entries: [entries[3]] });
    expect(groups.flatMap((group) => group.entries)).toHaveLength(4);
  });
  it("says how many it leaves out, and looks at each of ten thousand once", () => {
    let looks = 0;
    const many = Array.from({ length: 10_000 }, (_, n) => ({
      ...entry(String(n), ""),
      get label() {
        looks += 1;
        return `agent-${n}`;
      },
    }));
    const { groups, left } = find(many, "agent", [], 60);
    expect(looks).toBe(10_000);
    expect(groups[0]?.entries).toHaveLength(60);
    expect(left).toBe(9940);
  });
});

describe("keys", () => {
  const press = (key: string, more = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });
  it("means nothing by single letters when they are off, but keeps the palette", () => {
    expect(meaning(press("?"), false, false)).toBeUndefined();
    expect(meaning(press("a"), true, false)).toBeUndefined();
    expect(meaning(press("K", { metaKey: true }), false, false)).toEqual({ does: "palette" });
    expect(meaning(press("ArrowDown", { altKey: true }), false, false)).toEqual({ does: "siblings" });
  });
  it("leaves the browser's and the system's own keys alone", () => {
    expect(meaning(press("x", { ctrlKey: true }), false, true)).toBeUndefined();
    expect(meaning(press("/", { altKey: true }), false, true)).toBeUndefined();
    expect(meaning(press("[", { metaKey: true }), false, true)).toBeUndefined();
  });
  it("goes where the key after g says, and takes brackets typed with AltGr", () => {
    expect(meaning(press("g"), false, true)).toEqual({ does: "lead" });
    expect(meaning(press("a"), true, true)).toEqual({ does: "go", chord: "a" });
    expect(meaning(press("]", { ctrlKey: true, altKey: true }), false, true)).toEqual({
      does: "sibling",
      step: 1,
    });
  });
});

describe("the list of shortcuts", () => {
  it("gives each key and each sequence one meaning", () => {
    // Two blanks part two keys that one line explains; one blank parts the keys of a sequence.
    const helped = HELP.flatMap(({ keys }) => keys.split(/\s{2,}/));
    const all = [...helped, ...[...PLACES, ...INTEGRATIONS.slice(1)].map(({ chord }) => `g ${chord}`)];
    expect(all.filter((keys, at) => all.indexOf(keys) !== at)).toEqual([]);
  });
});

describe("places and siblings", () => {
  it("has four groups at most, each place once, and the first page of the integrations as their entry", () => {
    expect(GROUPS.map(({ label }) => label)).toEqual(["Work", "Build", "Infrastructure", "Administration"]);
    expect(new Set(PLACES.map(({ to }) => to)).size).toBe(PLACES.length);
    expect(PLACES.find(({ label }) => label === "Integrations")?.to).toBe(INTEGRATIONS[0]?.to);
  });
  it("knows the place of a single thing's page", () => {
    expect(placeOf("/claws/1")?.to).toBe("/agents");
    expect(placeOf("/operator/promises")?.to).toBe("/operator");
    expect(placeOf("/fleeting")).toBeUndefined();
    expect(placeOf("/")?.label).toBe("Home");
    for (const path of ["/connections", "/repos", "/repos/7", "/mesh"])
      expect(placeOf(path)?.label, path).toBe("Integrations");
    expect(thingAt("/claws/a%20b")).toEqual({ kind: "agent", id: "a b" });
    expect(thingAt("/operator/promises")).toBeUndefined();
  });
  it("ends at both ends", () => {
    const things = ["a", "b"].map((id): Thing => ({ kind: "node", id, name: id, hint: "" }));
    expect(neighbour(things, "a", 1)?.id).toBe("b");
    expect(neighbour(things, "b", 1)).toBeUndefined();
    expect(neighbour(things, "a", -1)).toBeUndefined();
    expect(neighbour(things, "gone", 1)).toBeUndefined();
  });
});

describe("preferences", () => {
  it("takes what it knows of whatever was stored", () => {
    const first = { density: "comfortable", singleKeys: true, railFolded: false };
    for (const text of [null, "", "null", "[]", "{", '{"density":7,"singleKeys":"no"}'])
      expect(readPreferences(text)).toEqual(first);
    expect(readPreferences('{"singleKeys":false,"density":"compact"}')).toEqual({
      density: "compact",
      singleKeys: false,
      railFolded: false,
    });
  });
});

describe("text from outside", () => {
  it("does not turn what stands behind it", () => {
    const text = `${isolate("\u202Egpj.exe")}, idle`;
    // The isolate ends, and with it whatever was begun inside, before the rest of the sentence.
    expect(text.indexOf("\u2069")).toBeLessThan(text.indexOf(", idle"));
    expect(text.startsWith("\u2068\u202E")).toBe(true);
  });
});
