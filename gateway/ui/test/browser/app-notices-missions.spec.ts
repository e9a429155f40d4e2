// Notifications about missions: in the bell, and by the browser for a person who looks elsewhere.
import type { Page } from "@playwright/test";
import { axeBoth, settled, shotBoth, until } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { missionNamed, settle } from "../mock/missions.ts";
import { expect, type Mock, test } from "./fixtures.ts";

const bell = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Opens a page that lists no missions, and waits until the missions are known. */
async function elsewhere(page: Page, mock: Mock): Promise<void> {
  await page.goto(`${mock.url}/quotas`);
  await page.getByText("Live", { exact: true }).waitFor();
  await until("the missions to be looked at", () =>
    page.evaluate(() => Object.values(localStorage).some((text) => String(text).includes('"missions":{'))),
  );
}

function change(mock: Mock, title: string, more: object) {
  const mission = missionNamed(mock.state, title);
  Object.assign(settle(mission), more);
  mock.hub.changed("mission", mission.id, mission.version);
  return mission;
}

test.describe("notifications about missions", () => {
  test("a mission that a failed phase paused is in the bell with a link", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    await elsewhere(page, mock);
    // One that is stuck already at the first look is no news.
    await bell(page, "Notifications").waitFor();
    change(mock, "Faster parser", {
      status: "paused",
      status_reason: "phase_failed",
      status_detail: "The run of `coder` failed.",
    });
    await bell(page, "Notifications, 1 new").click();
    const list = page.getByRole("list", { name: "What happened" });
    await list
      .getByText("The mission Faster parser is paused and waits for you: The run of coder failed.")
      .waitFor();
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "notifications-mission");
    await list.getByRole("link", { name: "Faster parser" }).click();
    await page.getByRole("heading", { name: "Faster parser", level: 1 }).waitFor();
  });

  test("a mission that a person paused is not told, and its end is", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    await elsewhere(page, mock);
    const looked = page.waitForResponse(/\/api\/missions\?/);
    change(mock, "Faster parser", { status: "paused", status_reason: "person" });
    await looked;
    await settled(page);
    await bell(page, "Notifications").waitFor();
    change(mock, "Faster parser", { status: "completed", status_reason: null, ended_at: ago(0) });
    await bell(page, "Notifications, 1 new").click();
    const list = page.getByRole("list", { name: "What happened" });
    await list.getByText("The mission Faster parser is completed.").waitFor();
    expect(await list.getByRole("listitem").count()).toBe(1);
  });

  test("missions are not asked for where the role does not allow it", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.route("**/api/auth/me", async (route) => {
      const answer = await route.fetch();
      const me = (await answer.json()) as { permissions: string[] };
      me.permissions = me.permissions.filter((one) => one !== "missions.read");
      await route.fulfill({ response: answer, json: me });
    });
    await page.goto(`${mock.url}/quotas`);
    await page.getByText("Live", { exact: true }).waitFor();
    await until("the runs to be looked at", async () => asked.includes("/api/topology-runs"));
    await settled(page);
    expect(asked).not.toContain("/api/missions");
  });

  test("the browser shows a notification of a mission that ended, which leads to the mission", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ missions: true });
    await page.addInitScript(() => {
      const seen = window as unknown as { shown: { title: string; press: () => void }[] };
      seen.shown = [];
      class Fake extends EventTarget {
        static permission = "granted";
        constructor(title: string) {
          super();
          seen.shown.push({ title, press: () => this.dispatchEvent(new Event("click")) });
        }
        close() {}
      }
      Object.defineProperty(window, "Notification", { value: Fake });
      // The person looks at another tab.
      Object.defineProperty(document, "visibilityState", { value: "hidden" });
      localStorage.setItem("roost-browser-notices", "on");
    });
    await elsewhere(page, mock);
    const mission = change(mock, "Faster parser", { status: "failed", ended_at: ago(0) });
    const shown = () =>
      page.evaluate(() =>
        (window as unknown as { shown: { title: string }[] }).shown.map(({ title }) => title),
      );
    await until("the notification", async () => (await shown()).length > 0);
    expect(await shown()).toStrictEqual(["The mission Faster parser failed."]);
    await page.evaluate(() => (window as unknown as { shown: { press: () => void }[] }).shown[0].press());
    await page.getByRole("heading", { name: "Faster parser", level: 1 }).waitFor();
    expect(page.url().endsWith(`/missions/${mission.id}`)).toBeTruthy();
  });
});
