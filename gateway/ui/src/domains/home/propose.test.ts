import { describe, expect, it } from "vitest";
import type { TemplateBrief } from "~/api/teams";
import { Fits, wordsOf, type Facts } from "./propose";
import type { Worker } from "./workers";

const team = (id: string, name: string, more: object = {}) =>
  ({
    kind: "team",
    key: `team:${id}`,
    id,
    name,
    team: { description: "", members: [], ...more },
  }) as unknown as Worker;
const agent = (id: string, name: string, role: string) =>
  ({ kind: "agent", key: `agent:${id}`, id, name, agent: { role } }) as unknown as Worker;
const template = (id: string, name: string, description: string, stack = "any") =>
  ({ id, name, description, stack, category: "coding", roles: [] }) as unknown as TemplateBrief;
const facts = (more: Partial<Facts> = {}): Facts => ({ workers: [], templates: [], runs: [], ...more });
const propose = (goal: string, of: Facts, language?: string) => new Fits(of).of(goal, language);
const names = (goal: string, of: Facts) => propose(goal, of).map(({ name }) => name);

describe("who fits a goal", () => {
  const all = facts({
    workers: [
      team("docs", "Docs", { description: "Writes guides and release notes" }),
      team("rust", "Ledger", { description: "Fixes bugs and writes tests", template_id: "sdlc" }),
      agent("ada", "Ada", "reviews security"),
    ],
    templates: [
      template("sdlc", "Rust SDLC", "A team that codes and tests", "rust"),
      template("bench", "Benchmarks", "Measures how fast a program is"),
    ],
  });

  it("is found by the words of the goal, in each form of a word, and says which", () => {
    const [best] = propose("Fix the failing test of the parser", all);
    expect(best).toMatchObject({ kind: "team", id: "rust", key: "team:rust" });
    expect(best?.reasons[0]).toBe("Its words match “fix”, “test”.");
    expect(names("Review security", all)).toEqual(["Ada"]);
    expect(names("write release notes", all)[0]).toBe("Docs");
  });
  it("may be a template of which there is no team, and is never one of which there is", () => {
    expect(propose("Measure it", all)).toMatchObject([{ kind: "template", id: "bench" }]);
    expect(names("rust sdlc", all)).toEqual(["Ledger"]);
  });
  it("counts the language of the repository", () => {
    const both = facts({
      workers: [team("a", "Alpha", { template_id: "py" }), team("b", "Beta", { template_id: "rs" })],
      templates: [template("py", "P", "builds", "python"), template("rs", "R", "builds", "rust")],
    });
    expect(names("Build it", both)).toEqual(["Alpha", "Beta"]);
    const [best] = propose("Build it", both, "Rust");
    expect(best).toMatchObject({ id: "b" });
    expect(best?.reasons).toContain("Made for Rust, the repository's language.");
  });
  it("counts how the last runs ended, and nobody fits by that alone", () => {
    const run = (team_id: string, outcome: "accepted" | "rejected") =>
      ({ team_id, status: "completed", outcome }) as Facts["runs"][number];
    const two = facts({
      workers: [team("a", "Tests one"), team("b", "Tests two"), team("c", "Poems")],
      runs: [run("a", "rejected"), run("b", "accepted"), run("b", "rejected"), run("c", "accepted")],
    });
    const found = propose("Test", two);
    expect(found.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(found[0]?.reasons[1]).toBe("1 of its last 2 runs were accepted.");
    expect(found[1]?.reasons[1]).toBe("Its last run was rejected, or failed.");
  });
  it("is nobody without words of the goal, at most three, and in a fixed order", () => {
    for (const goal of ["", "   ", "the and", "?!", "zzz"]) expect(propose(goal, all), goal).toEqual([]);
    const many = facts({ workers: [1, 2, 3, 4, 5].map((n) => team(String(n), `Tests ${n}`)) });
    expect(names("test", many)).toEqual(["Tests 1", "Tests 2", "Tests 3"]);
  });
  it("reads the texts of all once, however much is typed", () => {
    let read = 0;
    const counted = (n: number) => {
      const one = { description: "", members: [] };
      Object.defineProperty(one, "description", { get: () => ((read += 1), `Writes tests of part ${n}`) });
      return { ...team(String(n), `Team ${n}`), team: one } as unknown as Worker;
    };
    const fits = new Fits(facts({ workers: Array.from({ length: 200 }, (_, n) => counted(n)) }));
    const before = read;
    expect(before).toBe(200);
    for (const goal of ["t", "te", "tes", "test", "test p", "test part 7"]) fits.of(goal);
    expect(read).toBe(before);
    expect(fits.of("test part 77")[0]?.name).toBe("Team 77");
  });
  it("reads words of every script, whole or compatible forms", () => {
    expect([...wordsOf("Ｔｅｓｔ the Überprüfung 検査 c++ C#").values()]).toEqual([
      "test",
      "überprüfung",
      "検査",
      "c++",
      "c#",
    ]);
  });
});
