// The journey's part about missions: a model of one's own, a goal, its plan, its work before one's eyes, and its report.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { choose } from "./kit.ts";

const WORK = [
  "I read the parser.",
  "",
  "TASK: INT-01",
  "Make the parser faster",
  "",
  "It copies each line.",
  "",
  "WORK: INT-01",
  "TEST_PASS: INT-01",
  "COMPLETED: INT-01",
].join("\n");

/** A model server on this host that speaks as Ollama and others do. */
async function modelServer() {
  const server = createServer((request, response) => {
    const chunk = (delta, finish_reason) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        `${chunk({ role: "assistant", content: WORK }, null)}${chunk({}, "stop")}data: [DONE]\n\n`,
      );
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, stop: () => server.close() };
}

/** `open(path, heading)` goes somewhere, `clean(name)` checks what is there, `calm()` waits until it is drawn. */
export const missionTests = ({ page, open, clean, calm, patience }) => ({
  "a mission goes from its goal to a result, before one's eyes": async () => {
    const model = await modelServer();
    try {
      await open("/settings/models", "Models");
      await page.getByRole("button", { name: "Add a model" }).click();
      await choose(page.getByLabel("Provider"), "ollama");
      await choose(page.getByLabel("Model", { exact: true }), { label: "Another model" });
      await page.getByLabel("Name of the model").fill("journey");
      await page.getByRole("textbox", { name: /^Address/ }).fill(model.url);
      // A workspace that bounds what is spent uses no model without a price.
      await page.getByLabel("Input price").fill("0");
      await page.getByLabel("Output price").fill("0");
      await page.getByRole("button", { name: "Add model" }).click();
      await page.getByText("ollama/journey").first().waitFor();

      await open("/missions/new", "New mission");
      await page
        .getByRole("textbox", { name: "Goal", exact: true })
        .fill("# Faster parser\n\nRead it first.");
      await page.getByRole("radio", { name: /^Research/ }).check();
      await page
        .getByRole("group", { name: /Research teams/ })
        .getByLabel("Ours", { exact: true })
        .check();
      await choose(page.getByLabel("Model", { exact: true }), { label: /journey/ });
      await clean("mission-form");
      await page.getByRole("button", { name: "Create draft and check" }).click();
      await page.getByRole("heading", { name: "What a launch does" }).waitFor();
      await calm();
      await clean("mission-plan");
      const anyhow = page.getByLabel("Launch all the same");
      if ((await anyhow.count()) > 0) await anyhow.check();
      await page.getByRole("button", { name: "Launch", exact: true }).click();
      const main = page.locator("main");
      await page
        .getByText(/^Completed$|phase failed/)
        .first()
        .waitFor({ timeout: patience });
      // What paused it is on the page.
      assert.doesNotMatch(await main.innerText(), /phase failed/);
      await page.getByText("Make the parser faster").first().waitFor();
      await calm();
      await clean("mission");
      const report = page.waitForEvent("download");
      await page.getByRole("link", { name: "Report", exact: true }).click();
      await report;
    } finally {
      model.stop();
    }
  },
});
