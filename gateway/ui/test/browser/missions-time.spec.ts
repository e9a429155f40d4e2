// The phases of a mission as a line in time: real durations, attempts and waits.
import { axeBoth, shotBoth } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { missionNamed, settle } from "../mock/missions.ts";
import { must } from "../mock/refusal.ts";
import { expect, test } from "./fixtures.ts";

test.describe("missions: time", () => {
  for (const width of [390, 1440])
    test(`a retried phase shows both attempts and the wait between them (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ missions: true, width, height: 900 });
      const mission = missionNamed(mock.state, "Mend the clock");
      const [coding] = mission.phase_details;
      const first = must(coding.runs.find(({ attempt }) => attempt === 1));
      const before = (s: number) => new Date(Date.parse(coding.started_at!) - s * 1000).toISOString();
      Object.assign(first, { status: "completed", created_at: before(500), ended_at: before(200) });
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.goto(`${mock.url}/missions/${mission.id}`);
      const line = page.getByRole("img", { name: /8 min 20 s of work/ });
      await line.waitFor();
      const name = (await line.getAttribute("aria-label"))!;
      expect(name).toContain("1 retry");
      expect(name).toContain(
        "Coding, attempt 1, failed: 5 min 0 s; Waited: 3 min 20 s; Coding, attempt 2, failed: 3 min 20 s",
      );
      expect(name).toContain("Waits for a person: 46 min");
      const spans = page.locator("[data-span]");
      expect(await spans.evaluateAll((all) => all.map((one) => one.getAttribute("data-span")))).toStrictEqual(
        ["wait", "failed", "wait", "failed", "wait"],
      );
      // To scale: the first attempt took one and a half times as long as the second.
      const wide = await spans.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
      expect(wide[1] / wide[3]).toBeGreaterThan(1.3);
      expect(wide[1] / wide[3]).toBeLessThan(1.7);
      expect(asked.filter((url) => url.includes("/api/topology-runs?mission_id"))).toStrictEqual([]);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `mission-time-${width}`);
    });

  test("a phase that begins moves nothing below the phases", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const mission = missionNamed(mock.state, "Faster parser");
    await page.goto(`${mock.url}/missions/${mission.id}`);
    await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
    const panel = page.getByRole("region", { name: "Phases" });
    const before = (await panel.boundingBox())!.height;
    const [, coding, bench] = mission.phase_details;
    Object.assign(coding, { status: "completed", ended_at: ago(0) });
    Object.assign(bench, { status: "running", attempt: 1, started_at: ago(0) });
    settle(mission);
    mock.hub.changed("mission", mission.id, mission.version);
    await panel.getByRole("button", { name: /3\. Benchmark.*Running/ }).waitFor();
    expect((await panel.boundingBox())!.height).toBe(before);
  });
});
