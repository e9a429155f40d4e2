// The first page keeps what needs a person, whatever began since.
import type { Page } from "@playwright/test";
import { settled } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { makeRun, type RunSeed } from "../mock/runs.ts";
import { expect, type Mock, test } from "./fixtures.ts";

const HOUR = 3600;

const ended = (hours: number, more: RunSeed): RunSeed => ({
  status: "completed",
  outcome: "accepted",
  created_at: ago(hours * HOUR),
  started_at: ago(hours * HOUR),
  ended_at: ago(hours * HOUR - 60),
  ...more,
});

const FAILED = ended(40, { title: "Sort the shelves", status: "failed", error: "no key" });
const REJECTED = ended(50, { title: "Paint the door", outcome: "rejected" });

/** Puts runs behind all others, as the gateway lists older ones. */
const older = ({ state }: Mock, ...seeds: RunSeed[]) =>
  state.runs.list.push(...seeds.map((seed) => makeRun(state, seed)));

const needs = (page: Page) => page.getByRole("region", { name: "Needs you" });

test.describe("what needs a person", () => {
  test("runs that another run started hide nothing", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440, height: 900 });
    const parent = makeRun(mock.state, ended(30, { title: "Compare them all" }));
    const caller = { type: "call" as const, run: parent.id, step: "judge", lap: 1, shard: 0 };
    // More than a page of each list that is asked for, and newer than everything else.
    const part = (call: number): RunSeed => ({
      title: `Part ${call}`,
      parent_run_id: parent.id,
      origin: { ...caller, call },
    });
    mock.state.runs.list = [];
    for (let n = 0; n < 250; n += 1)
      older(
        mock,
        ended(1, { ...part(2 * n), status: "failed", error: "no key" }),
        ended(1, { ...part(2 * n + 1), outcome: n % 2 ? "rejected" : "accepted" }),
      );
    mock.state.runs.list.push(parent);
    older(mock, FAILED, REJECTED);
    await page.goto(mock.url);
    await needs(page).getByRole("link", { name: "Sort the shelves" }).waitFor();
    await needs(page).getByRole("link", { name: "Paint the door" }).waitFor();
    expect(await needs(page).getByText(/^Part/).count()).toBe(0);
    await settled(page);
    // Somebody has worked here, so the page has all its sections.
    await page.getByRole("heading", { name: "Spend and use" }).waitFor();
  });

  test("runs that ended well since then hide nothing", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.runs.list = [];
    for (let n = 0; n < 150; n += 1) older(mock, ended(1, { title: `Other ${n}` }));
    older(mock, FAILED, REJECTED);
    await page.goto(mock.url);
    await needs(page).getByRole("link", { name: "Sort the shelves" }).waitFor();
    await needs(page).getByRole("link", { name: "Paint the door" }).waitFor();
  });

  test("a run that began long ago and failed today is there, behind failures that began later", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    mock.state.runs.list = [];
    for (let n = 0; n < 60; n += 1)
      older(mock, ended(100, { title: `Old ${n}`, status: "failed", error: "no key" }));
    older(mock, { ...FAILED, created_at: ago(120 * HOUR), ended_at: ago(HOUR) });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(mock.url);
    await needs(page).getByRole("link", { name: "Sort the shelves" }).waitFor();
    await settled(page);
    expect(await needs(page).getByText(/^Old/).count(), "they ended too long ago").toBe(0);
    // The newest runs reach back to it, so nothing else is needed to know that its work was not done again.
    expect(asked.filter((address) => address.includes("status=completed"))).toStrictEqual([]);
  });

  test("work that was done again long ago does not ask for a person", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.runs.list = [];
    for (let n = 0; n < 150; n += 1) older(mock, ended(1, { title: `Other ${n}` }));
    older(mock, ended(39, { title: "Sort the shelves" }), FAILED, REJECTED);
    await page.goto(mock.url);
    await needs(page).getByRole("link", { name: "Paint the door" }).waitFor();
    await settled(page);
    expect(await needs(page).getByRole("link", { name: "Sort the shelves" }).count()).toBe(0);
  });
});
