// Coming in: the first run, the sign-in, and a session that ends.
import { axe, axeBoth, drawn, settled, shift, shot, shotBoth, until } from "../kit.ts";
import { expect, test } from "./fixtures.ts";

test.describe("identity", () => {
  for (const width of [390, 1440, 1920])
    test(`the address of the first run asks once who the person is (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ signedIn: false, ownerReady: false, full: false, width });
      await page.goto(`${mock.url}/sign-in#${mock.state.oneTime}`);
      await page.getByRole("heading", { name: "Welcome to Roost" }).waitFor();
      expect(page.url(), "nothing keeps the one-time login").toBe(`${mock.url}/sign-in`);
      expect(await page.getByLabel("One-time login").count()).toBe(0);
      await drawn(page);
      expect(await shift(page)).toBe(0);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `set-up-${width}`);
      await page.getByLabel("Your name").fill("Ada Lovelace");
      await page.getByLabel("E-mail").fill("ada@example.org");
      await page.getByLabel("Password", { exact: true }).fill("short");
      await page.keyboard.press("Enter");
      await page.getByText("This one has 5").waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      await page.getByLabel("Password", { exact: true }).fill("eleven grey geese");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "First steps" }).waitFor();
      expect(mock.state.user).toMatchObject({ name: "Ada Lovelace", email: "ada@example.org" });
      expect(mock.state.password).toBe("eleven grey geese");
      expect(await axeBoth(page)).toStrictEqual([]);
    });

  test("without the address, the first run asks for the one-time login as well and says where it is", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ signedIn: false, ownerReady: false, full: false });
    await page.goto(mock.url);
    await page.getByRole("heading", { name: "Where is the one-time login?" }).waitFor();
    await page.getByRole("textbox", { name: "One-time login" }).fill("wrong");
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("E-mail").fill("ada@example.org");
    await page.getByLabel("Password", { exact: true }).fill("eleven grey geese");
    await page.keyboard.press("Enter");
    await page.getByText("The one-time login is wrong or was used.").waitFor();
    expect(await page.getByLabel("Your name").inputValue(), "what was typed stays").toBe("Ada");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "first-run");
    await page.getByRole("textbox", { name: "One-time login" }).fill(mock.state.oneTime);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "First steps" }).waitFor();
    await page.getByRole("link", { name: "Fleet" }).click();
    await page.getByRole("heading", { name: "No machines yet" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "fleet-empty");
  });

  test("an address whose one-time login is spent asks for it and keeps what was typed", async ({ visit }) => {
    const { mock, page } = await visit({ signedIn: false, ownerReady: false, full: false });
    await page.goto(`${mock.url}/sign-in#spent`);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("E-mail").fill("ada@example.org");
    await page.getByLabel("Password", { exact: true }).fill("eleven grey geese");
    await page.keyboard.press("Enter");
    await page.getByText("The one-time login is wrong or was used.").waitFor();
    await page.getByRole("heading", { name: "Where is the one-time login?" }).waitFor();
    expect(await page.getByLabel("E-mail").inputValue()).toBe("ada@example.org");
    await page.getByRole("textbox", { name: "One-time login" }).fill(mock.state.oneTime);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "First steps" }).waitFor();
  });

  test("the address signs in to a Roost that is set up, and a spent one leads to the usual form", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ signedIn: false });
    await page.goto(`${mock.url}/sign-in#${mock.state.oneTime}`);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    expect(page.url()).toBe(`${mock.url}/`);
    await page.context().clearCookies();
    await page.goto(`${mock.url}/sign-in#spent`);
    await page.getByText("The one-time login of this address does not work any more.").waitFor();
    await page.getByLabel("E-mail").waitFor();
    expect(page.url()).toBe(`${mock.url}/sign-in`);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "sign-in-spent");
  });

  test("sign-in gives the same answer for a wrong password and an unknown person and then locks for a stated time", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ signedIn: false });
    await page.goto(mock.url);
    await page.getByLabel("E-mail").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    for (const [email, attempts] of [
      [mock.state.user.email, 1],
      ["nobody@example.org", 2],
    ] as const) {
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password", { exact: true }).fill("wrong");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("That did not fit").waitFor();
      await until("the attempt to arrive", () => mock.state.attempts >= attempts);
    }
    mock.state.attempts = 9;
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Try again in 30 s.").waitFor();
    await shot(page, "sign-in-locked");
  });

  test("the page notices that a session ended and a new sign-in returns to the same address", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/quotas`);
    await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
    // Nothing is left to be asked that could be refused.
    await settled(page);
    mock.state.sessions.clear();
    mock.hub.end();
    await page.getByText("Your session has ended").waitFor();
    await page.getByLabel("E-mail").fill(mock.state.user.email);
    await page.getByLabel("Password", { exact: true }).fill(mock.state.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Running sandboxes" }).waitFor();
  });

  test("sign-in offers the identity provider first when there is one and keeps the target address", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ signedIn: false, hosted: { name: "login.example" } });
    await page.goto(`${mock.url}/sign-in?next=/quotas`);
    const link = page.getByRole("link", { name: "Sign in with login.example" });
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe("/api/auth/oidc/start?next=%2Fquotas");
    await page.getByLabel("E-mail").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "sign-in-hosted");
  });

  test("a terminal is signed in by its code when the page has shown whose terminal it is", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ hosted: { name: "login.example" } });
    await page.goto(`${mock.url}/device#BCDF-GHJK`);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("roost on desk").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "terminal");
    await page.getByRole("button", { name: "Authorize" }).click();
    await page.getByRole("heading", { name: "Terminal authorized" }).waitFor();
    expect(mock.state.confirmed).toStrictEqual(["BCDF-GHJK"]);
  });
});
