// A mission with a runtime of its own: chosen before the launch, and its state on the page of the mission.
import { axe, choose, until } from "../kit.ts";
import { missionNamed } from "../mock/missions.ts";
import { expect, test } from "./fixtures.ts";

test.describe("runtime of a mission", () => {
  test("an image and a command are chosen, and sent with the mission", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    await page.goto(`${mock.url}/missions/new`);
    await page.getByRole("textbox", { name: "Goal" }).fill("Say hello.");
    await page
      .getByRole("checkbox", { name: /Codebase research/ })
      .first()
      .check();
    await choose(page.getByLabel("Runtime of its agents"), "node");
    await page.getByLabel("Command of the server").fill("my-server --port 42617");
    await page.getByText("It has no network, so it brings its own model.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("button", { name: "Create draft and check" }).click();
    await page.getByRole("heading", { name: "Say hello." }).waitFor();
    const made = missionNamed(mock.state, "Say hello.");
    expect(made.config).toMatchObject({ runtime: { image: "node", command: "my-server --port 42617" } });
  });

  test("its state is shown while the mission works, with the reason why it is gone", async ({ visit }) => {
    const { mock, page } = await visit({ missions: true });
    const mission = missionNamed(mock.state, "Faster parser");
    const standing = { state: "starting" as "starting" | "ready" | "gone", detail: null as string | null };
    Object.assign(mission, { runtime: standing });
    await page.goto(`${mock.url}/missions/${mission.id}`);
    await page.getByText("Runtime starts").waitFor();
    Object.assign(standing, { state: "gone", detail: "Its server or its sandbox ended." });
    mock.hub.changed("mission", mission.id, (mission.version += 1));
    await page.getByTitle("Its server or its sandbox ended.").getByText("Runtime gone").waitFor();
    Object.assign(mission, { status: "completed" });
    mock.hub.changed("mission", mission.id, (mission.version += 1));
    await until("it to be gone", async () => (await page.getByText("Runtime gone").count()) === 0);
  });
});
