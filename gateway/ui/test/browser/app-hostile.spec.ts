// Names that strangers choose: markup, reversed text, very long words, terminal escapes. Shown as text, everywhere.
import { axe, drawn, shot, until } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import type { Activity } from "../mock/schema.ts";
import { makeEntry } from "../mock/state.ts";
import { agentNamed, expect, type Mock, test } from "./fixtures.ts";

const IMG = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;

const RTL = "\u202Egpj.exe\u202Cevil\u202E";

const LONG = "W".repeat(10_000);

const ESCAPES = "\u001b[2J\u001b]0;owned\u0007\u001b[31mred";

const MARKDOWN =
  "# Hello\n\n<script>window.hacked=1</script>\n![pixel](https://tracker.invalid/p.png)\n[click](javascript:window.hacked=1)\n";

function spoil({ state }: Mock) {
  const names = [IMG, RTL, LONG, ESCAPES];
  state.user.name = IMG;
  state.people.workspaces[0].name = `${IMG}${RTL}`;
  state.people.workspaces[1].name = LONG;
  Object.assign(state.people.members[1].user, { name: LONG, email: `${"m".repeat(3000)}@example.org` });
  state.people.members.push(
    {
      user: { id: "h1", email: "rtl@example.org", name: RTL },
      role: "member",
      joined_at: state.people.members[0].joined_at,
      you: false,
    },
    {
      user: { id: "h2", email: "esc@example.org", name: ESCAPES },
      role: "viewer",
      joined_at: state.people.members[0].joined_at,
      you: false,
    },
  );
  state.people.invitations.push({
    id: "i1",
    role: "member",
    email: `${"i".repeat(2000)}@example.org`,
    created_at: state.people.members[0].joined_at,
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    invited_by: { id: "x", name: RTL, email: "x@example.org" },
  });
  state.nodes.forEach((node, n) =>
    Object.assign(node, { name: names[n], hostname: names[(n + 1) % 4], os: IMG, daemon_version: LONG }),
  );
  state.claws.forEach((claw, n) =>
    Object.assign(claw, { name: names[n], role: names[(n + 1) % 4], model_binding: ESCAPES }),
  );
  for (const sandbox of state.sandboxes.values()) sandbox.node_name = LONG;
  state.brains.get(state.claws[0].id)!.at(-1)!.agent_md = MARKDOWN;
  for (const [n, name] of names.entries())
    state.audit.unshift(
      makeEntry(state, 70 + n, n === 0 ? LONG.slice(0, 100) : "claw.created", state.claws[n % 3], {
        name,
        note: names,
      }),
    );
  for (const session of state.sessions.values()) Object.assign(session, { device: LONG, from_address: IMG });
}

/** A name that a machine or its owner may choose. */
const HOSTILE = '<img src=x onerror="window.pwned=1"><script>window.pwned=2</script>\u202egpj\u001b[31m';

test.describe("hostile names", () => {
  for (const width of [1440, 320])
    test(`hostile names are plain text on each page and break no layout (${width} px)`, async ({ visit }) => {
      const { mock, page } = await visit({ at: "/fleet", width, height: 900 });
      spoil(mock);
      const elsewhere: string[] = [];
      page.on("request", (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(mock.url))
          elsewhere.push(request.url());
      });
      const { claws, nodes } = mock.state;
      const pages = [
        "/members",
        "/audit",
        "/account",
        "/settings",
        "/quotas",
        "/fleet",
        `/fleet/${nodes[0].id}`,
        "/agents",
        `/claws/${claws[0].id}?app=brain`,
        `/claws/${claws[2].id}`,
        "/operator",
        "/invitation#rit_known",
      ];
      for (const path of pages) {
        // Another fragment alone would be no new page.
        await page.goto("about:blank");
        await page.goto(mock.url + path);
        await drawn(page, path);
        const found = await page.evaluate(() => ({
          hacked: window.hacked,
          images: [...document.images].filter((image) => image.getAttribute("src") === "x").length,
          live: [...document.links].filter((link) => /^javascript:/i.test(link.href)).length,
          wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          title: document.title.length,
        }));
        expect({ ...found, title: found.title <= 400 }, path).toStrictEqual({
          hacked: undefined,
          images: 0,
          live: 0,
          wide: 0,
          title: true,
        });
        // Ten thousand letters make axe slow; these pages have every part that names appear in.
        if (width === 1440 && /^\/(members|audit|claws\/[^?]*$)/.test(path))
          expect(await axe(page), path).toStrictEqual([]);
        await shot(page, `hostile-${path.split(/[/?#]/)[1]}-${width}`);
      }
      await page.goto(`${mock.url}/members`);
      await drawn(page, "/members");
      await page.locator("main").getByText(IMG).first().waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().waitFor();
      await page.keyboard.type("onerror");
      await page.getByRole("option", { name: "<img" }).first().waitFor();
      await shot(page, `hostile-palette-${width}`);
      await page.keyboard.press("Escape");
      Object.assign(nodes[2], { connection: "connected", status: "online", version: 9 });
      mock.hub.changed("node", nodes[2].id, 9);
      await page.getByRole("button", { name: /^Notifications, \d+ new$/ }).click();
      await page.getByRole("list", { name: "What happened" }).waitFor();
      await shot(page, `hostile-notifications-${width}`);
      expect(elsewhere, "nothing is asked of anybody but the gateway").toStrictEqual([]);
    });

  test("a machine and an agent with hostile names are plain text on each page", async ({ visit }) => {
    const { mock, page } = await visit();
    const { state } = mock;
    const [node] = state.nodes;
    Object.assign(node, {
      name: HOSTILE,
      hostname: HOSTILE,
      os: HOSTILE,
      arch: HOSTILE,
      daemon_version: HOSTILE,
      labels: [HOSTILE],
      engine: { name: HOSTILE, version: HOSTILE, api: HOSTILE },
      problems: [{ code: "engine", detail: HOSTILE }],
    });
    state.hostileTools = HOSTILE;
    const agent = agentNamed(state, "mason");
    Object.assign(agent, { name: HOSTILE, role: HOSTILE });
    Object.assign(state.sandboxes.get(agent.id)!, {
      node_name: HOSTILE,
      container: HOSTILE,
      image: HOSTILE,
    });
    Object.assign(state.operations[0], { detail: HOSTILE, command: HOSTILE });
    const asks: Activity = {
      id: "9",
      source: "event",
      at: ago(1),
      what: "door.request",
      data: { summary: HOSTILE },
    };
    state.said = new Map([[agent.id, [asks]]]);
    for (const path of [
      "/fleet",
      "/fleet?view=figures",
      `/fleet/${node.id}`,
      "/agents",
      `/claws/${agent.id}`,
      `/claws/${agent.id}?app=sandbox`,
      `/claws/${agent.id}?app=activity`,
      "/operator",
      "/audit",
    ]) {
      await page.goto(mock.url + path);
      await drawn(page, path);
      if (path !== "/audit")
        await until(`${path} to show it as text`, async () =>
          (await page.locator("body").textContent())!.includes("<img src=x onerror"),
        );
      const { wide, ...harm } = await page.evaluate(() => ({
        ran: window.pwned ?? 0,
        made: document.querySelectorAll("img[src='x'], main script").length,
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      }));
      expect(harm, path).toStrictEqual({ ran: 0, made: 0 });
      expect(wide <= 0, `${path} scrolls sideways by ${wide}`).toBeTruthy();
      expect(await axe(page), path).toStrictEqual([]);
    }
    await page.goto(`${mock.url}/fleet/${node.id}`);
    await page.getByText("docker-compose").waitFor();
    await shot(page, "hostile-node");
  });
});
