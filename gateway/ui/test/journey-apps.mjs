// The journey's part about the outside world: a webhook is connected, an agent asks, a person approves, it is told once.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const SECRET = "journey-secret-0123456789";
const CATALOGUE = JSON.parse(readFileSync(new URL("./mock/catalogue.json", import.meta.url), "utf8"));

/** Something that listens to events, on loopback, and writes down who called with what. */
async function listening() {
  const calls = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { method, url, headers } = request;
    calls.push({ method, url, authorization: headers.authorization, body: Buffer.concat(parts).toString() });
    response.writeHead(200, { "content-type": "application/json" }).end('{"taken":true}');
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${server.address().port}/hook`, calls, close };
}

/** Asks the API as the signed-in person, from the page itself. */
const api = (page, method, path, body) =>
  page.evaluate(
    async ([method, path, body]) => {
      const answer = await fetch(path, {
        method,
        headers: { "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    [method, path, body],
  );

/** `open(path, heading)` goes somewhere, `clean(name)` checks what is there; `agent()` is the id of one that is there. */
export const outsideTests = ({ page, open, clean, agent }) => ({
  "the mock's catalogue of actions is the gateway's": async () => {
    const { body } = await api(page, "GET", "/api/doors/catalogue");
    assert.deepEqual(body.items, CATALOGUE);
  },

  "a webhook is connected; what an agent asks is approved by a person, and told once": async () => {
    const hook = await listening();
    try {
      await page.goto(new URL(`/claws/${agent()}?app=apps`, page.url()).href);
      await page.getByRole("heading", { name: "No apps yet" }).waitFor();
      await page.getByRole("button", { name: "Connect an app" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("radio", { name: "A webhook" }).check();
      await dialog.getByLabel("Address of the webhook").fill("http://10.1.2.3/hook");
      await dialog.getByLabel("Secret", { exact: true }).fill(SECRET);
      await page.keyboard.press("Enter");
      // The gateway's own refusal, at the field that it is about.
      await dialog.locator("[aria-invalid=true]").waitFor();
      await dialog.getByLabel("Address of the webhook").fill(hook.url);
      await clean("connect-webhook");
      await page.getByRole("button", { name: "Connect", exact: true }).click();
      const row = page.getByRole("region", { name: "Connected apps" }).getByRole("listitem");
      await row.getByText("Ready").waitFor();
      assert.equal((await page.content()).includes(SECRET), false);
      await clean("connected-webhook");

      const asked = await api(page, "POST", "/api/doors", {
        agent_id: agent(),
        action: "webhook.event.send",
        params: { event: "journey.walked", payload: { steps: 7 } },
      });
      assert.equal(asked.status, 201, JSON.stringify(asked.body));
      await page.getByRole("link", { name: "Approvals 1 waiting" }).click();
      const card = page.getByRole("article");
      await card.getByText("journey.walked").first().waitFor();
      await card.getByText(`Would be sent to ${hook.url}`).waitFor();
      await clean("door");
      await card.getByRole("button", { name: /^Approve/ }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Approve", exact: true }).click();
      await card.getByText("The app answered 200").waitFor();
      await clean("door-done");
      // A second approval is answered what became of it, and does nothing.
      const again = await api(page, "POST", `/api/doors/${asked.body.id}/resolve`, { decision: "approve" });
      assert.equal(again.body.state, "performed");
      assert.equal(hook.calls.length, 1);
      const [call] = hook.calls;
      assert.deepEqual([call.method, call.url, call.authorization], ["POST", "/hook", `Bearer ${SECRET}`]);
      assert.deepEqual(JSON.parse(call.body), { event: "journey.walked", payload: { steps: 7 } });

      await open("/audit", "Audit");
      await page.getByText("send an event to its webhook").first().waitFor();
      await page
        .getByText(/connected an agent to .*Webhook/)
        .first()
        .waitFor();
      await clean("audit-doors");
      await open("/connections", "Apps and MCP servers");
      await page.getByRole("button", { name: /^Disconnect Webhook/ }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Disconnect" }).click();
      await page.getByRole("heading", { name: "No agent is connected to anything" }).waitFor();
    } finally {
      await hook.close();
    }
  },

  "repositories, mesh and the settings say what is there, and what is not": async () => {
    for (const [path, heading] of [
      ["/repos", "No code host is connected"],
      ["/mesh", "No mesh network is connected"],
      ["/settings/sign-in", "How people sign in"],
      ["/settings/connections", "How agents can be connected"],
      ["/settings/mesh", "Mesh network"],
      ["/settings/broker", "The secret broker is for operators"],
    ]) {
      await open(path, heading);
      await clean(path.slice(1).replace("/", "-"));
    }
  },
});
