// Members, invitations, tokens, workspaces, in a real Chromium.
import { axe, choose, hasFocus, settled, shot, tryAgain, until } from "../kit.ts";
import { ago } from "../mock/ids.ts";
import { Refusal } from "../mock/refusal.ts";
import type { State } from "../mock/state.ts";
import { chooseWorkspace, expect, test, workspace } from "./fixtures.ts";

type Known = State["sessions"] extends Map<string, infer S> ? S : never;

test.describe("people", () => {
  test("a change of a role and a removal ask first, and the only owner is told why she stays", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/members`);
    await choose(page.getByLabel("Role of Grace"), "viewer");
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText("This person can then no longer:").waitFor();
    await dialog.getByText("read the audit log").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "role-change");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(mock.state.people.members[1].role, "nothing is sent before").toBe("admin");
    await choose(page.getByLabel("Role of Grace"), "viewer");
    await dialog.getByRole("button", { name: "Change role" }).click();
    await until("the role to arrive", () => mock.state.people.members[1].role === "viewer");
    await page.getByText("You are the only Owner.").waitFor();
    expect(await page.getByLabel("Role of Ada").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Leave the workspace" }).count()).toBe(0);
    await choose(page.getByLabel("Role of Grace"), "owner");
    await dialog.getByText("delete the workspace").waitFor();
    await dialog.getByRole("button", { name: "Change role" }).click();
    await page.getByRole("button", { name: "Leave the workspace" }).waitFor();
    expect(await page.getByText("You are the only Owner.").count()).toBe(0);
    await page.getByRole("button", { name: "Remove Grace" }).click();
    await hasFocus(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }));
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await page.mouse.move(5, 5);
    await until("Grace to be gone", async () => {
      // The focus comes back to her row, which stays as long as it is there.
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      return (await page.getByText("grace@example.org").count()) === 0;
    });
  });

  test("an invitation link is made, shown once and withdrawn", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/members`);
    await page.getByText("None. An invitation is a link").waitFor();
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByLabel("E-mail (optional)").fill("bea@example.org");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "invite");
    await page.getByRole("button", { name: "Create link" }).click();
    const link = await page.getByLabel("Link").inputValue();
    expect(link.startsWith(`${mock.url}/invitation#rit_`), link).toBeTruthy();
    await page.getByText("Other people can't reach this address.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "invite-loopback");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("only for bea@example.org").waitFor();
    await page.getByRole("button", { name: "Withdraw" }).click();
    await page.getByText("Its link stops working at once").waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Withdraw" }).click();
    await page.getByText("None. An invitation is a link").waitFor();
    // A gateway that knows its public address gives that one, wherever the page is open.
    mock.state.publicUrl = "https://roost.example";
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByRole("button", { name: "Create link" }).click();
    expect(await page.getByLabel("Link").inputValue()).toMatch(/^https:\/\/roost\.example\/invitation#rit_/);
    expect(await page.getByText("can't reach this address").count()).toBe(0);
  });

  test("a stranger joins with an invitation link and a used link says so", async ({ visit }) => {
    const { mock, page } = await visit({ signedIn: false });
    await page.goto(`${mock.url}/invitation#rit_known`);
    await page.getByRole("heading", { name: "Join Ada's workshop" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "invitation");
    await page.getByLabel("Your name").fill("Bea");
    await page.getByLabel("E-mail").fill("bea@example.org");
    await page.getByLabel("Password", { exact: true }).fill("eleven grey geese");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.goto("about:blank");
    await page.goto(`${mock.url}/invitation#rit_known`);
    await page.getByText("The invitation is not good any more").waitFor();
    expect(await axe(page)).toStrictEqual([]);
  });

  test("sessions name browsers and the command line and show the raw device name as a tooltip", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const session = (id: string, device: string): Known => ({
      id,
      label: null,
      kind: "login",
      created_at: ago(90),
      last_seen_at: ago(5),
      expires_at: ago(-86_400),
      workspace_id: mock.state.workspace,
      device,
    });
    mock.state.sessions.set("t1", { ...session("s1", "roost on desk"), from_address: "192.0.2.7" });
    const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    mock.state.sessions.set("t2", session("s2", firefox));
    await page.goto(`${mock.url}/account`);
    const panel = page.getByRole("region", { name: "Sessions", exact: true });
    await panel.getByText("Command line (roost) on desk").waitFor();
    expect(await panel.getByText("Firefox on Linux").getAttribute("title")).toBe(firefox);
    expect(await panel.getByText(/Mozilla/).count()).toBe(0);
    await panel
      .getByText(/ends in (23 h|1 d)/)
      .first()
      .waitFor();
    await page.getByRole("region", { name: "API tokens" }).getByText("No token yet.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "sessions");
    await panel
      .getByRole("listitem")
      .filter({ hasText: "desk" })
      .getByRole("button", { name: "End" })
      .click();
    await page
      .getByRole("alertdialog", { name: "End the session of Command line (roost) on desk?" })
      .waitFor();
    await page.keyboard.press("Escape");
    await panel.getByRole("button", { name: "End all others" }).click();
    const dialog = page.getByRole("alertdialog", { name: "End all other sessions?" });
    await dialog.getByText("2 sessions are signed out at once.").waitFor();
    await dialog.getByRole("button", { name: "End sessions" }).click();
    await until("this session alone", async () => (await panel.getByRole("listitem").count()) === 1);
    expect(await panel.getByRole("button", { name: "End all others" }).count()).toBe(0);
  });

  test("a link whose address leads nowhere says so before it is copied, and mail is told", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    mock.state.addressProblem = "The gateway does not find itself at https://roost.example: no answer.";
    mock.state.publicUrl = "https://roost.example";
    mock.state.mails = true;
    await page.goto(`${mock.url}/members`);
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByLabel("E-mail (optional)").fill("zoe@example.org");
    await page.getByRole("button", { name: "Create link" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/may not reach this address.*does not find itself/).waitFor();
    await dialog.getByText("It was sent to the e-mail of the invitation.").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "invite-unreachable");
    await page.goto(`${mock.url}/fleet?dialog=pair`);
    await page.getByLabel("Name of the machine").fill("attic");
    await page.keyboard.press("Enter");
    await page.getByText(/Other machines.*may not reach this address.*does not find itself/).waitFor();
    await shot(page, "pair-unreachable");
  });

  test("a token is made, shown once and revoked", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/account`);
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("What it is for").fill("nightly build");
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("button", { name: "Create token" }).click();
    expect(await page.getByLabel("Token", { exact: true }).inputValue()).toMatch(/^rat_/);
    await page.getByRole("button", { name: "Done" }).click();
    const tokens = page.getByRole("region", { name: "API tokens" });
    await tokens.getByText("Token: nightly build").waitFor();
    await tokens.getByText(/ends in \d+ d/).waitFor();
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Programs that use it are refused at once.").waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
    await until("it to be gone", async () => (await page.getByText("Token: nightly build").count()) === 0);
  });

  test("a workspace switch reads everything again and a new workspace is entered", async ({ visit }) => {
    const { mock, page } = await visit({ at: "/fleet" });
    await chooseWorkspace(page, "Observatory");
    await until("the switch", () => mock.state.workspace === "w2");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await workspace(page, "Observatory").waitFor();
    await workspace(page, "Observatory").click();
    await page.getByRole("button", { name: "New workspace" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Third");
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("button", { name: "Create workspace" }).click();
    await workspace(page, "Third").waitFor();
  });

  test("a person without a workspace can use an invitation at sign-in or make a workspace", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const before = mock.state.people.workspaces.splice(0);
    await page.goto(`${mock.url}/fleet`);
    await page.getByRole("heading", { name: "You belong to no workspace" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "no-workspace");
    await page.getByLabel("Or a workspace of your own").fill("Mine");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    mock.state.people.workspaces.splice(0);
    mock.state.sessions.clear();
    await page.goto(`${mock.url}/sign-in`);
    await page.getByLabel("E-mail").fill(mock.state.user.email);
    await page.getByLabel("Password", { exact: true }).fill(mock.state.password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "You belong to no workspace" }).waitFor();
    await page.getByLabel("Invitation link").fill("https://example.org/");
    await page.keyboard.press("Enter");
    await page.getByText("Invalid invitation link").waitFor();
    mock.state.people.workspaces.push(...before);
    await page.getByLabel("Invitation link").fill(`${mock.url}/invitation#rit_known`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Join Ada's workshop" }).waitFor();
  });

  test("a person without the right is told who can manage members and old data shows its age", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/members`);
    await page.getByText(/You may not invite people .* Ask \u2068Ada\u2069 or \u2068Grace/).waitFor();
    expect(await page.getByRole("button", { name: "Invite" }).count()).toBe(0);
    const path = "GET /api/workspaces/w1/members";
    mock.state.failNext.set(path, new Refusal(503, "unavailable", "The gateway is busy"));
    mock.hub.changed("workspace", "w1", 7);
    await page.getByText(/The gateway is busy\. What you see is from/).waitFor();
    await page.getByText("grace@example.org").waitFor();
    await page.getByText(/^req-\d+$/).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "members-stale");
    await tryAgain(page, mock);
    await until("the note to go", async () => (await page.getByText("What you see is from").count()) === 0);
  });

  test("a role choice shows at once, a refusal reverts it and a removed row stays under the pointer", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/members`);
    const role = page.getByLabel("Role of Grace");
    await role.waitFor();
    await settled(page);
    const answer = mock.hold("PATCH /api/workspaces/{id}/members/{user_id}");
    await choose(role, "viewer");
    await page.getByRole("button", { name: "Change role" }).click();
    await until(
      "it to show before the gateway answers",
      async () => (await role.getAttribute("data-value")) === "viewer",
    );
    answer();
    await until("the gateway to know", () => mock.state.people.members[1].role === "viewer");
    await page.getByText("grace@example.org").hover();
    await page.getByText("order held").waitFor();
    mock.state.people.members.splice(1, 1);
    mock.hub.changed("workspace", "w1", 9);
    await page.locator("tr.line-through").getByText("grace@example.org").waitFor();
    await page.mouse.move(5, 5);
    await until("it to go", async () => (await page.getByText("grace@example.org").count()) === 0);
  });

  test("on a phone the role and the button beside it do not cover each other", async ({ visit }) => {
    const { mock, page } = await visit({ width: 390 });
    await page.goto(`${mock.url}/members`);
    const role = await page.getByRole("combobox", { name: "Role of Grace" }).boundingBox();
    const button = await page.getByRole("button", { name: "Remove Grace" }).boundingBox();
    expect(role!.x + role!.width).toBeLessThanOrEqual(button!.x);
    await shot(page, "members-phone");
  });
});
