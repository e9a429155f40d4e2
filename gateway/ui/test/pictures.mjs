// Takes the README's pictures of the real pages: a real gateway, a real machine, real sandboxes. `deploy/ui.sh pictures`.
// ROOST_TEST_BIN_DIR holds the built programs, ROOST_TEST_IMAGE the image of sandboxes; pictures land in gateway/ui/pictures.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { launch, shots, until, visitor } from "./kit.ts";
import { startFront } from "./front.mjs";
import { workPictures } from "./pictures-work.mjs";
import { remove, startGateway, startNode } from "./real.mjs";

const bin = process.env.ROOST_TEST_BIN_DIR;
if (!bin) {
  console.error("Set ROOST_TEST_BIN_DIR to the folder of the built roost and roostd (target/debug).");
  process.exit(2);
}
const PICTURES = new URL("../pictures/", import.meta.url).pathname;
const PATIENCE = Number(process.env.PATIENCE_S ?? 300) * 1000;
const MOST_BYTES = 200_000;
mkdirSync(PICTURES, { recursive: true });
const gateway = await startGateway(bin, process.env.ROOST_TEST_IMAGE ?? "roost-agent:rust");
// The pictures are of the page as it is here; building the program again for each would take minutes.
const front = await startFront(gateway.url);
const browser = await launch({ handleSIGINT: false, handleSIGTERM: false });
const { page } = await visitor(browser, { width: 1200, height: 720, patience: PATIENCE });
let node;

const BRAIN = `# Scribe

Writes the release notes of *workshop*. A note says **why before what**, and is never longer than a screen.

## What I keep to

- [x] Read the whole log before the first word
- [ ] Ask mason what the failed build of Tuesday was about

| Part | At most |
| :-- | --: |
| Headline | 8 words |
| Body | 120 words |

\`\`\`sh
git log --no-merges --format=%s v0.1.0..
\`\`\`

> Nobody reads a long one twice.
`;

/** Asks the gateway as the page does. */
const api = (method, path, body) =>
  page.evaluate(
    async ([how, where, what]) => {
      const answer = await fetch(where, {
        method: how,
        headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
        ...(what && { body: JSON.stringify(what) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${how} ${where}: ${answer.status} ${text}`);
      return text === "" ? undefined : JSON.parse(text);
    },
    [method, path, body],
  );

/** The same picture, packed as tight as PNG can: the browser packs for speed. */
function packed(png) {
  const parts = [];
  const pixels = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    if (type === "IDAT") pixels.push(png.subarray(at + 8, at + 8 + length));
    else parts.push(png.subarray(at, at + 12 + length));
    at += 12 + length;
  }
  const data = deflateSync(inflateSync(Buffer.concat(pixels)), { level: 9, memLevel: 9 });
  const body = Buffer.concat([Buffer.from("IDAT"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([png.subarray(0, 8), ...parts.slice(0, -1), length, body, sum, ...parts.slice(-1)]);
}

async function picture(name, path, ready, theme = "dark") {
  await page.evaluate((chosen) => localStorage.setItem("roost-theme", chosen), theme);
  await page.goto(front.url + path);
  await ready();
  await page.getByText("Live", { exact: true }).waitFor();
  await until("the page to be drawn", async () => (await page.locator(".skeleton").count()) === 0, PATIENCE);
  // Where nothing is: a pointer over a list holds its order.
  await page.mouse.move(5, 400);
  const file = join(PICTURES, `${name}.png`);
  writeFileSync(file, packed(await page.screenshot()));
  const { size } = statSync(file);
  if (size > MOST_BYTES) throw new Error(`${name}.png has ${size} bytes, more than ${MOST_BYTES}`);
  console.log(`${name}.png ${Math.round(size / 1000)} KB`);
}

async function seed() {
  await page.goto(front.url);
  await page.getByRole("textbox", { name: "One-time login" }).fill(gateway.oneTime);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("E-mail").fill("ada@example.org");
  await page.getByLabel("Password", { exact: true }).fill("eleven grey geese went by");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
  await page.goto(`${front.url}/fleet?dialog=pair`);
  await page.getByLabel("Name of the machine").fill("workshop");
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "roostd is installed" }).click();
  const line = await page
    .getByRole("tabpanel", { name: "roostd is installed" })
    .getByLabel("Command")
    .textContent();
  node = await startNode(bin, gateway.folder, line);
  await page.getByText(/^Connected/).waitFor();
  const { items } = await api("GET", "/api/nodes");
  await api("PUT", "/api/fleet/placement", { target: "node", node_id: items[0].id });
  const roles = { mason: "Builds and tests", scribe: "Writes release notes", lookout: "Watches the queue" };
  const made = {};
  for (const [name, role] of Object.entries(roles))
    made[name] = await api("POST", "/api/claws", { name, role });
  for (const name of ["mason", "scribe"]) await api("POST", `/api/claws/${made[name].id}/sandbox`, {});
  const { id } = made.scribe;
  await api("PUT", `/api/claws/${id}/brain`, { agent_md: "# Scribe\n\nKeeps it short." });
  await api("PUT", `/api/claws/${id}/brain`, { agent_md: BRAIN });
  await api("POST", `/api/workspaces/${(await api("GET", "/api/auth/me")).workspace.id}/invitations`, {
    role: "member",
    email: "grace@example.org",
    expires_in_days: 7,
  });
  return { node: items[0].id, mason: made.mason.id, scribe: id };
}

const heading = (name) => () => page.getByRole("heading", { name, exact: true }).first().waitFor();

async function others(ids) {
  await page.setViewportSize({ width: 1200, height: 720 });
  await picture("fleet", "/fleet", () => page.getByRole("meter", { name: "CPU" }).first().waitFor());
  await picture("machine", `/fleet/${ids.node}`, async () => {
    await page.getByRole("figure").first().waitFor();
    await page.getByText("Online", { exact: true }).first().waitFor();
  });
  await picture("agent", `/claws/${ids.mason}?app=sandbox`, async () => {
    await page.getByLabel("Command", { exact: true }).fill("uname -m; id -u; echo hello > note && cat note");
    await page.keyboard.press("Enter");
    await page.getByText("Exit 0").first().waitFor();
  });
  await picture("brain", `/claws/${ids.scribe}?app=brain`, () =>
    page.getByRole("heading", { name: "What I keep to" }).waitFor(),
  );
  await picture("audit", "/audit", heading("Hash chain"), "light");
  await picture("members", "/members", () => page.getByText("grace@example.org").waitFor(), "light");
  await picture("supervision", "/operator", () => page.getByRole("treegrid").waitFor());
  await picture("palette", "/agents", async () => {
    await page.getByRole("link", { name: "mason" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: /^mason/ }).waitFor();
  });
}

let failed = true;
try {
  const ids = await seed();
  // A machine reports first some seconds after it joined; until then its figures are dashes.
  await until(
    "the first figures",
    async () => typeof (await api("GET", "/api/nodes/lines")).items[0]?.cpu === "number",
    PATIENCE,
  );
  // Of agents at work first: `ROOST_PICTURES=work` takes only these.
  await workPictures({ page, api, picture, patience: PATIENCE });
  if (process.env.ROOST_PICTURES !== "work") await others(ids);
  failed = false;
} catch (error) {
  console.error(error);
  console.error(`the gateway's last words:\n${gateway.words()}`);
} finally {
  await browser.close();
  await node?.leave();
  await front.stop();
  await gateway.stop();
  remove(gateway.folder);
  if (!process.env.SHOTS) remove(shots);
}
process.exit(failed ? 1 : 0);
