// Approvals: what agents ask for, seen whole, decided on purpose, by one of several people.
import { axe, axeBoth, drawn, hasFocus, shot, shotBoth, uncovered, until } from "../kit.ts";
import { makeDoor } from "../mock/doors.ts";
import { ago } from "../mock/ids.ts";
import { Refusal } from "../mock/refusal.ts";
import { ask, decide } from "../mock/routes-doors.ts";
import type { Door } from "../mock/schema.ts";
import { act, approve, cards, dialog, doors, focused, mine, open } from "./doors-kit.ts";
import { expect, test } from "./fixtures.ts";

test.describe("doors", () => {
  test("waiting requests are shown whole as foreign text and decided requests show their outcome", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ waiting: true });
    const [scribe, mason] = mock.state.claws;
    const failed: Partial<Door> = {
      state: "failed",
      decided_by: mock.state.user,
      decided_at: ago(60),
      created_at: ago(9500),
    };
    mock.state.doors.push(
      makeDoor(scribe, {
        ...failed,
        action: "webhook.event.send",
        target: "hooks.nowhere.example",
        address: "https://hooks.nowhere.example/x",
        result: { message: "it could not be sent: hooks.nowhere.example has no address" },
      }),
      makeDoor(mason, { ...failed, target: "octo/gone", result: { status: 404, message: "Not Found" } }),
    );
    const answer = mock.hold("GET /api/doors");
    await page.goto(`${mock.url}/approvals`);
    await page.getByText("Loading requests").waitFor({ state: "attached" });
    answer();
    await cards(page).first().waitFor();
    await mine(page).getByText("Written by the agent. Nobody has checked it").waitFor();
    expect(await mine(page).getByRole("term").allTextContents()).toStrictEqual([
      "ownerThe account that has the repository.",
      "repo",
      "title",
      "bodyMarkdown.",
      "labels",
    ]);
    await mine(page).getByText("23 h").waitFor();
    await mine(page).getByText("Would be sent to https://api.github.com/repos/octo/hello/issues").waitFor();
    await cards(page).nth(1).getByText("Would be sent to https://hooks.example/releases").waitFor();
    await cards(page)
      .nth(1)
      .getByText(/^2[0-5] min left/)
      .waitFor();
    const over = page.getByRole("list", { name: "Decided requests" });
    await over.getByText("octo/unclear").click();
    await over.getByText("No response arrived. Check api.github.com before you retry.").waitFor();
    const row = (target: string) => over.getByRole("listitem").filter({ hasText: target });
    await over.getByText("hooks.nowhere.example").first().click();
    const unsent = row("hooks.nowhere.example");
    await unsent.getByText("Failed", { exact: true }).first().waitFor();
    await unsent.getByText("The request was not carried out.").waitFor();
    await unsent.getByText("Reason: it could not be sent: hooks.nowhere.example has no address").waitFor();
    await over.getByText("octo/gone").click();
    await row("octo/gone").getByText("The app refused the request.").waitFor();
    await row("octo/gone").getByText("The app answered 404.").waitFor();
    await over.getByText("octo/hello").click();
    const link = over.getByRole("link", { name: /Look at it on .*github.com/ });
    expect(await link.getAttribute("href")).toBe("https://github.com/octo/hello/issues/7");
    expect(await link.getAttribute("rel")).toMatch(/noopener/);
    await drawn(page);
    expect(await axeBoth(page)).toStrictEqual([]);
    await shotBoth(page, "doors");
  });

  test("approval by keyboard needs two presses and Enter alone decides nothing", async ({ visit }) => {
    const { mock, page } = await visit({ waiting: true });
    await doors(page, mock);
    await approve(page).focus();
    await page.keyboard.press("Enter");
    await hasFocus(act(page, "Cancel"));
    await dialog(page).getByText("Would be sent to https://api.github.com/repos/octo/hello/issues").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "doors-approve");
    // Live, while somebody thinks about it: the connection is ended elsewhere.
    const { apps } = mock.state;
    apps.connections = apps.connections.filter((one) => one.provider !== "github");
    mock.hub.changed("app_connection", "any", 2);
    await dialog(page)
      .getByText("not connected to GitHub any more. If you approve the request, it fails")
      .waitFor();
    // A held key, and one more press, as somebody does who was typing elsewhere.
    await page.keyboard.press("Enter");
    await uncovered(page);
    expect(mock.state.resolved, "nothing was decided").toBe(undefined);
    await hasFocus(approve(page));
    await page.keyboard.press("Enter");
    await hasFocus(act(page, "Cancel"));
    await page.keyboard.press("Tab");
    await hasFocus(act(page, "Approve"));
    await page.keyboard.press("Enter");
    await uncovered(page);
    expect(mock.state.resolved).toStrictEqual(["approve"]);
    await mine(page).getByText("by you").waitFor();
    await mine(page)
      .getByRole("link", { name: /github.com/ })
      .waitFor();
    await until("the focus to be at what came of it", async () => (await focused(page)).includes("by you"));
  });

  test("a denial asks first and a refusal stays in the dialog", async ({ visit }) => {
    const { mock, page } = await visit({ waiting: true });
    await doors(page, mock);
    await mine(page).getByRole("button", { name: /^Deny/ }).click();
    const path = `POST /api/doors/${mock.state.doors[0].id}/resolve`;
    await dialog(page).getByLabel("Reason").fill("We have one.");
    mock.state.failNext.set(path, new Refusal(403, "forbidden", "This is not allowed"));
    await act(page, "Deny").click();
    await dialog(page).getByText("does not include this right").waitFor();
    mock.state.failNext.clear();
    mock.down = true;
    await act(page, "Deny").click();
    await dialog(page).getByText("The gateway cannot be reached").waitFor();
    mock.down = false;
    expect(await dialog(page).getByLabel("Reason").inputValue()).toBe("We have one.");
    await act(page, "Deny").click();
    await uncovered(page);
    await mine(page).getByText("Nothing was sent.").waitFor();
    await mine(page).getByText("Reason: We have one.").waitFor();
    expect(mock.state.resolved).toStrictEqual(["deny"]);
  });

  test("the page says so when another person decides before or after the press", async ({ visit }) => {
    const { mock, page } = await visit({ waiting: true });
    const grace = mock.state.people.members[1].user;
    await doors(page, mock);
    const [door, second] = mock.state.doors;
    await approve(page).click();
    decide(mock, door, "deny", grace);
    await dialog(page)
      .getByText(/Nothing is left to decide: denied by Grace/)
      .waitFor();
    expect(await act(page, "Approve").isDisabled()).toBeTruthy();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "doors-too-late");
    await act(page, "Cancel").click();
    await uncovered(page);
    await mine(page).getByText("by Grace").waitFor();
    // This time the news of it comes after the press.
    await cards(page)
      .filter({ hasText: "Tell a webhook" })
      .getByRole("button", { name: /^Approve/ })
      .click();
    Object.assign(second, { state: "denied", decided_by: grace, decided_at: new Date().toISOString() });
    await act(page, "Approve").click();
    await uncovered(page);
    await cards(page).filter({ hasText: "Tell a webhook" }).getByText("by Grace").waitFor();
    expect(second.state).toBe("denied");
  });

  test("the list stays still under the pointer and new requests are added below", async ({ visit }) => {
    const { mock, page } = await visit({ waiting: true });
    await doors(page, mock);
    const [first, second] = mock.state.doors;
    await cards(page).nth(1).getByRole("button", { name: /^Deny/ }).hover();
    const place = () =>
      cards(page)
        .nth(1)
        .evaluate((one) => one.getBoundingClientRect().top);
    const before = await place();
    decide(mock, first, "deny", mock.state.people.members[1].user);
    ask(mock, makeDoor(mock.state.claws[2], { created_at: new Date().toISOString(), target: "octo/third" }));
    await open(page).getByText("1 new").waitFor();
    await mine(page).getByText("by Grace").waitFor();
    expect(await cards(page).count()).toBe(2);
    expect(await cards(page).nth(1).textContent()).toMatch(/Tell a webhook/);
    // What was decided grew by its outcome and lost its buttons; the next one must not have left the pointer.
    expect(Math.abs((await place()) - before) <= 60, `moved by ${(await place()) - before}`).toBeTruthy();
    await page.getByRole("heading", { name: "Approvals" }).hover();
    await until(
      "the news to be taken in",
      async () =>
        (await cards(page).allTextContents())
          .map((text) => /octo\/(third|hello)|Tell a webhook/.exec(text)![0])
          .join() === "Tell a webhook,octo/third",
    );
    expect(second.state).toBe("pending");
  });
});
