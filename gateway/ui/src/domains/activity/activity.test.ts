import { describe, expect, it } from "vitest";
import type { Door } from "~/api/doors";
import type { RunSummary } from "~/api/runs";
import type { Activity, Operation } from "~/api/types";
import { entriesOf, groupsOf, holdGroups, isFailed, type Entry } from "./model";
import { ofActivity, ofCommand, ofDoor, ofMachine, ofRun } from "./words";

const at = (minute: number) => `2026-03-10T12:${String(minute).padStart(2, "0")}:00Z`;
const AGENT = { kind: "claw", id: "agent" } as const;
type Command = Parameters<typeof ofCommand>[0];

const command = (id: string, minute: number, more: Partial<Command> = {}): Entry =>
  ofCommand({
    id,
    owner: AGENT,
    state: "done",
    cancelling: false,
    is_shell: false,
    created_at: at(minute),
    output_bytes: 10,
    command: "cargo test",
    tool: "shell",
    exit_code: 0,
    agent: { id: "agent", name: "mason" },
    ...more,
  });
const run = (more: Partial<RunSummary>): Entry =>
  ofRun({
    id: "r",
    title: "Mend",
    status: "completed",
    created_at: at(1),
    cost_microusd: 0,
    ...more,
  } as RunSummary);
const activity = (more: Partial<Activity>) =>
  ofActivity({ id: "1", source: "event", at: at(0), what: "agent.status", data: {}, ...more }, "agent");
const text = (one: Entry | undefined) =>
  [one?.before, one?.thing?.text, one?.after, one?.code]
    .filter(Boolean)
    .join(" ")
    .replaceAll(/[\u2068\u2069]/g, "");

describe("what happened, in words", () => {
  it("has no line for what only keeps pages live", () => {
    for (const what of [
      "agent.status",
      "agent.reasoning.delta",
      "agent.computer.frame",
      "world.touch",
      "of.a.newer",
    ])
      expect(activity({ what })).toBeUndefined();
  });

  it("tells everything without protocol names", () => {
    const lines = [
      activity({ what: "placement.fallback", data: { reason: "node_offline" } as never }),
      activity({ source: "operation", what: "sb_teleport", state: "done" }),
      activity({ source: "audit", what: "claw.changed", data: { name: "mason" } as never }),
      command("1", 1),
      command("2", 1, { tool: "read_file", command: "read_file src/a.rs" }),
      command("3", 1, { tool: "list_files", command: null }),
      command("4", 1, { tool: null, is_shell: true, command: null }),
      ofMachine({
        id: "5",
        kind: "verify",
        state: "done",
        created_at: at(1),
        request: {},
      } as unknown as Operation),
      ofDoor({
        id: "d",
        action: "github.issues.create",
        target: "octo/hello",
        state: "pending",
        agent_name: "mason",
        created_at: at(1),
      } as Door),
    ].map(text);
    expect(lines).toContain("ran cargo test");
    expect(lines).toContain("read src/a.rs");
    expect(lines).toContain("listed files");
    expect(lines).toContain("opened a shell");
    expect(lines).toContain("asked to open an issue at octo/hello");
    for (const line of lines) expect(line).not.toMatch(/sb_|_files|claw\.|github\.|^$/);
  });

  it("names a failure with its code and its reason", () => {
    expect(command("1", 1, { exit_code: 3 }).results).toStrictEqual([{ tone: "failed", word: "Exit 3" }]);
    expect(isFailed(command("1", 1, { exit_code: 0 }))).toBe(false);
    const rejected = run({ outcome: "rejected", outcome_reason: "`TEST_FAIL` of the step tester." });
    expect(isFailed(rejected)).toBe(true);
    expect(rejected.detail).toBe("`TEST_FAIL` of the step tester.");
    expect(isFailed(run({ outcome: "undecided" }))).toBe(false);
    expect(run({ status: "failed", error: "the model is away" }).detail).toBe("the model is away");
  });
});

describe("several lists as one", () => {
  const part = (id: string, entries: Entry[], next?: string) => ({
    id,
    entries,
    next,
    until: entries.map((one) => one.at).toSorted()[0],
  });

  it("shows nothing that is older than the unread part of a list", () => {
    const commands = part("commands", [command("b", 9), command("a", 5)], "more");
    const changes = part("audit", [run({ id: "new", ended_at: at(8) }), run({ id: "old", ended_at: at(2) })]);
    const ids = () => entriesOf([[commands, changes]]).map(({ id }) => id);
    expect(ids()).toStrictEqual(["op:b", "run:new", "op:a"]);
    expect(
      entriesOf([[commands, changes], [part("commands", [command("z", 1)])]]).map(({ id }) => id),
    ).toStrictEqual(["op:b", "run:new", "op:a", "run:old", "op:z"]);
  });

  it("shows an operation once, in the words of the list that says who it was", () => {
    const thin = activity({ id: "a", source: "operation", what: "sb_exec", state: "done", at: at(5) })!;
    for (const lists of [
      [part("history", [thin]), part("commands", [command("a", 5)])],
      [part("commands", [command("a", 5)]), part("history", [thin])],
    ])
      expect(entriesOf([lists]).map(({ who }) => who)).toStrictEqual([
        { kind: "agent", id: "agent", name: "mason" },
      ]);
  });
});

describe("groups", () => {
  const work = [
    command("d", 9, { run_id: "r", step: "tester#1", exit_code: 1 }),
    command("c", 8, { command: "ls", tool: null, agent: null }),
    command("b", 7, { run_id: "r", step: "coder#1" }),
    command("a", 6, { run_id: "r", step: "coder#1" }),
    run({ id: "r", ended_at: at(5) }),
    command("0", 4, { exit_code: 2 }),
  ];

  it("hold what was done for a run, and join commands that are the same", () => {
    const [first, second, third] = groupsOf(work, "all");
    expect(first?.run?.entry?.thing?.text).toBe("Mend");
    expect(first?.lines.map(({ entry, same }) => [entry.id, same.map(({ id }) => id)])).toStrictEqual([
      ["op:d", []],
      ["op:b", ["op:a"]],
    ]);
    expect(second?.lines[0]?.entry.code).toBe("ls");
    expect(third?.failed).toBe(true);
  });

  it("can begin with failures, or have nothing else", () => {
    expect(groupsOf(work, "first").map(({ failed }) => failed)).toStrictEqual([true, true, false]);
    const only = groupsOf(work, "only");
    expect(only.flatMap(({ lines }) => lines.map(({ entry }) => entry.id))).toStrictEqual(["op:d", "op:0"]);
    expect(only[0]?.run?.entry?.thing?.text).toBe("Mend");
  });

  it("have no place for a run that only gives others its name", () => {
    expect(groupsOf([{ ...run({ id: "other" }), quiet: true }], "all")).toStrictEqual([]);
  });

  it("stay as they are while somebody reads, and count what is new", () => {
    const shown = groupsOf(work.slice(1), "all");
    const { groups, waiting } = holdGroups(shown, groupsOf(work, "all"));
    expect(groups.map(({ id }) => id)).toStrictEqual(shown.map(({ id }) => id));
    expect(groups.map(({ lines }) => lines.length)).toStrictEqual(shown.map(({ lines }) => lines.length));
    expect(waiting).toBe(1);
    // What is older comes behind all that is shown, and is nothing new.
    const older = holdGroups(groupsOf(work.slice(0, -1), "all"), groupsOf(work, "all"));
    expect(older.groups.map(({ id }) => id)).toStrictEqual(groupsOf(work, "all").map(({ id }) => id));
    expect(older.waiting).toBe(0);
    const running = command("n", 9, { state: "running", exit_code: null });
    const ended = command("n", 9, { exit_code: 1 });
    const now = holdGroups(groupsOf([running], "all"), groupsOf([ended], "all"));
    expect(now.waiting).toBe(0);
    expect(now.groups[0]?.lines[0]?.entry.results[0]?.word).toBe("Exit 1");
  });
});
