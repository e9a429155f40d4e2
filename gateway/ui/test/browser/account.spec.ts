// The account: name, address, picture, and API tokens with permissions.
import type { Page } from "@playwright/test";
import { deflateSync, crc32 } from "node:zlib";
import { axe, axeBoth, choose, drawn, shift, shot, shotBoth, until } from "../kit.ts";
import { expect, test } from "./fixtures.ts";

/** A picture of one colour, as PNG. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 0xb4)]);
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const begin = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([begin, chunk("IHDR", head), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

const you = (page: Page) => page.getByRole("region", { name: "You", exact: true });

test.describe("account", () => {
  for (const width of [390, 1440, 1920])
    test(`name and address are changed (${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ width, height: 900 });
      await page.goto(`${mock.url}/account`);
      await you(page).getByLabel("Name").waitFor();
      await drawn(page);
      expect(await shift(page)).toBe(0);
      expect(await axeBoth(page)).toStrictEqual([]);
      await shotBoth(page, `account-${width}`);
      await you(page).getByLabel("Name").fill("Ada Lovelace");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await you(page).getByText("Saved", { exact: true }).waitFor();
      expect(mock.state.user.name).toBe("Ada Lovelace");
      await you(page).getByLabel("E-mail").fill("ada@new.example");
      await you(page).getByLabel("Your password").fill("wrong");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await you(page).getByText("The password is wrong.").waitFor();
      expect(await axeBoth(page)).toStrictEqual([]);
      await you(page).getByLabel("Your password").fill(mock.state.password);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await you(page).getByText("Saved", { exact: true }).waitFor();
      expect(mock.state.user.email).toBe("ada@new.example");
      expect(await you(page).getByLabel("Your password").count()).toBe(0);
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
        ),
      ).toBe(true);
    });

  test("an address that another account has is refused, and what was typed is guarded", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/account`);
    await you(page).getByLabel("E-mail").fill("grace@example.org");
    await you(page).getByLabel("Your password").fill(mock.state.password);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await you(page).getByText("Another account has the address").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByText("Leave without saving your account?").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await you(page).getByLabel("E-mail").inputValue()).toBe("grace@example.org");
  });

  test("a new address waits for its link where e-mail is sent, and notices can be had", async ({ visit }) => {
    const { mock, page } = await visit();
    mock.state.mails = true;
    const before = mock.state.user.email;
    await page.goto(`${mock.url}/account`);
    await page.getByLabel("Send me e-mails about my runs and missions").check();
    await until("the notices", () => mock.state.mailNotices === true);
    await you(page).getByLabel("E-mail").fill("ada@new.example");
    await you(page).getByLabel("Your password").fill(mock.state.password);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await you(page).getByText("Open the link that was sent to ada@new.example").waitFor();
    expect(await you(page).getByLabel("E-mail").inputValue(), "the old one still applies").toBe(before);
    expect(await axe(page)).toStrictEqual([]);
    await page.goto(`${mock.url}/confirm-address#wrong`);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Ask for the change again on the account page.").waitFor();
    expect(page.url()).toBe(`${mock.url}/confirm-address`);
    expect(await axe(page)).toStrictEqual([]);
    // The same page with another fragment is no new page for the browser.
    await page.goto("about:blank");
    await page.goto(`${mock.url}/confirm-address#known`);
    expect(mock.state.user.email, "nothing happens without a press").toBe(before);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("From now on you sign in as ada@new.example.").waitFor();
    await shot(page, "confirmed");
    await page.getByRole("link", { name: "Open Roost" }).click();
    await page.getByRole("heading", { name: "Home" }).waitFor();
  });

  test("a picture is looked at, used, shown beside the name, and removed", async ({ visit }) => {
    const { mock, page } = await visit({ width: 1440 });
    const others = page.waitForEvent("filechooser");
    await page.goto(`${mock.url}/account`);
    await page.getByRole("button", { name: "Choose a picture" }).click();
    await (
      await others
    ).setFiles({ name: "a.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") });
    await page.getByText("Choose a PNG, JPEG or WebP.").waitFor();
    const file = page.getByLabel("Picture file");
    await file.setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
    await page.getByText("The file cannot be read as a picture.").waitFor();
    await file.setInputFiles({ name: "a.png", mimeType: "image/png", buffer: png(900, 600) });
    await page.getByRole("img", { name: "Preview" }).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "account-preview");
    expect(mock.state.pictures.size, "nothing is sent yet").toBe(0);
    await page.getByRole("button", { name: "Use this picture" }).click();
    await page.getByRole("button", { name: "Remove picture" }).waitFor();
    const sent = mock.state.pictures.get(mock.state.user.id);
    expect(sent?.type).toBe("image/png");
    expect([sent?.file.readUInt32BE(16), sent?.file.readUInt32BE(20)], "its size").toStrictEqual([256, 256]);
    await page.goto(`${mock.url}/members`);
    const picture = page.locator(`img[src^="/api/users/${mock.state.user.id}/avatar?v="]`).first();
    await until("the picture to be there", () =>
      picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth === 256),
    );
    await drawn(page);
    expect(await shift(page)).toBe(0);
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "members-pictures");
    await page.goto(`${mock.url}/account`);
    await page.getByRole("button", { name: "Remove picture" }).click();
    await until(
      "it to be gone",
      async () => (await page.getByRole("button", { name: "Remove picture" }).count()) === 0,
    );
    expect(mock.state.user.avatar).toBe(null);
  });

  for (const [theme, width] of [
    ["dark", 1440],
    ["light", 390],
  ] as const)
    test(`a token gets permissions and an end (${theme}, ${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ theme, width, height: 900 });
      const made = () => [...mock.state.sessions.values()].filter(({ kind }) => kind === "api");
      await page.goto(`${mock.url}/account`);
      const make = async (label: string, preset: string | undefined, more?: () => Promise<unknown>) => {
        await page.getByRole("button", { name: "New token" }).click();
        const dialog = page.getByRole("dialog", { name: "New token" });
        await dialog.getByLabel("What it is for").fill(label);
        if (preset) await choose(dialog.getByLabel("Permissions"), preset);
        await more?.();
        await dialog.getByRole("button", { name: "Create token" }).click();
        await dialog.getByRole("button", { name: "Done" }).click();
        await page.getByText(`Token: ${label}`).waitFor();
      };
      await make("dashboard", undefined);
      const read = made().at(-1)?.scopes ?? [];
      expect(read.length).toBeGreaterThan(3);
      expect(read.every((verb) => verb.endsWith(".read"))).toBe(true);
      await make("everything", "all");
      expect(made().at(-1)?.scopes).toBe(null);
      await make("starter", "chosen", async () => {
        const dialog = page.getByRole("dialog", { name: "New token" });
        for (const group of ["Agents and what they use", "Infrastructure", "Administration"]) {
          await dialog.getByRole("button", { name: `Choose all: ${group}` }).click();
          await dialog.getByRole("button", { name: `Choose none: ${group}` }).click();
        }
        await dialog.getByLabel("Start, cancel and fork runs").check();
        await dialog.getByText(/permissions chosen/).waitFor();
        expect(await axe(page)).toStrictEqual([]);
        await shot(page, `account-token-${theme}-${width}`);
        await choose(dialog.getByLabel("Ends after"), "365");
      });
      const scopes = made().at(-1)?.scopes ?? [];
      expect(scopes).toContain("runs.start");
      expect(scopes).not.toContain("claws.read");
      const tokens = page.getByRole("region", { name: "API tokens" });
      await tokens.getByText("Permissions: all that you may do").waitFor();
      await tokens.getByText(`Permissions: ${scopes.length} permissions`).click();
      await tokens.getByText("Start, cancel and fork runs").waitFor();
      await tokens.getByText(/ends in 36[45] d/).waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `account-tokens-${theme}-${width}`);
    });
});
