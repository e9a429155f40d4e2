// The README's pictures of agents at work: a team put together, its run while it happens, and the run's timeline. The
// scripted model speaks; the commands and their outcome are real. Needs an image with cargo (roost-agent:rust).
import { execFileSync } from "node:child_process";
import { until } from "./kit.ts";

const REPOSITORY = new URL("../../../deploy/demo/repository/", import.meta.url).pathname;
const GOAL = "The tests fail. Find out why, mend the cause, and commit it.";

/** The repository as a person would put it into the team's sandbox. */
async function seed(api, team) {
  await api("POST", `/api/teams/${team}/sandbox`, {});
  const tar = execFileSync("tar", ["-C", REPOSITORY, "-cz", "--exclude", "./target", "."]).toString("base64");
  const script = `set -e; echo ${tar} | base64 -d | tar xz --no-same-owner; git init -q -b main
    git config user.name demonstration; git config user.email demonstration@roost.invalid
    git add -A; git commit -qm "The repository as it was found"`;
  const done = await api("POST", `/api/teams/${team}/sandbox/exec?wait=true`, {
    argv: ["sh", "-c", script],
  });
  if (done.exit?.code !== 0 && done.code !== 0)
    throw new Error(`the repository was not taken: ${JSON.stringify(done).slice(0, 800)}`);
}

export async function workPictures({ page, api, picture, patience }) {
  const { items } = await api("GET", "/api/team-templates?limit=100");
  const template = items.find(({ key }) => key === "rust_sdlc");
  await page.setViewportSize({ width: 1440, height: 900 });
  await picture("team-builder", `/teams/new?template=${template.id}`, async () => {
    await page.getByLabel("Name of the team").fill("Ledger");
    await page.getByRole("region", { name: "Who will work with whom" }).waitFor();
  });
  const team = await api("POST", "/api/teams", { name: "Ledger", template_id: template.id });
  await seed(api, team.id);
  const run = await api("POST", `/api/teams/${team.id}/run`, { input: GOAL });
  const now = () => api("GET", `/api/topology-runs/${run.id}`);
  await picture("run-live", `/runs/${run.id}`, async () => {
    // While the second of them is at work: what was handed over stands beside what happens.
    await until(
      "the run to be under way",
      async () => {
        const { steps, status } = await now();
        if (!["queued", "running"].includes(status)) throw new Error(`the run is ${status} already`);
        return steps.length >= 2;
      },
      patience,
    );
    await page.locator("[data-entry=tool]").nth(1).waitFor();
  });
  await until(
    "the run to be over",
    async () => !["queued", "running"].includes((await now()).status),
    patience,
  );
  const { status, error } = await now();
  if (status !== "completed") throw new Error(`the run is ${status}: ${error}`);
  await picture("run-timeline", `/runs/${run.id}`, async () => {
    const timeline = page.getByRole("region", { name: "Timeline", exact: true });
    await timeline.waitFor();
    await timeline.evaluate((element) => element.scrollIntoView({ block: "start" }));
    await page.evaluate(() => window.scrollBy(0, -60));
  });
}
