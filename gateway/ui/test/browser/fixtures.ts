// What a browser test gets: `visit` makes a fresh gateway with a fresh person at a fresh browser. One mock server is
// started for each worker; what it knows is made anew for each visit.
import { test as base, expect, type BrowserContext, type Page } from "@playwright/test";
import { THEMES, visitor, type Person } from "../kit.ts";
import { must } from "../mock/refusal.ts";
import { openSession, SESSION } from "../mock/routes.ts";
import type { Claw } from "../mock/schema.ts";
import { startServer, type Mock, type Server } from "../mock/server.ts";
import type { Seed as MockSeed, State } from "../mock/state.ts";

export { expect, THEMES };

export type { Mock };

/** What the gateway knows at first, and who visits it. */
export interface Seed extends MockSeed, Omit<Person, "patience" | "storageState"> {
  signedIn?: boolean;
  /** The address that is opened first. Without one, the test opens a page itself. */
  at?: string;
}

export interface Visit {
  mock: Mock;
  page: Page;
  context: BrowserContext;
}

/** The agent of this name that the gateway knows. */
export const agentNamed = (state: State, name: string): Claw =>
  must(state.claws.find((one) => one.name === name));

/** Gives the browser a session, as a sign-in does. The page of signing in has tests of its own. */
async function signIn(context: BrowserContext, mock: Mock): Promise<void> {
  await context.addCookies([
    {
      name: SESSION,
      value: openSession(mock.state, "Chromium"),
      url: mock.url,
      httpOnly: true,
      sameSite: "Lax",
    },
  ]);
}

/** The button that names the workspace, and opens the list of all. */
export const workspace = (page: Page, name: string) =>
  page.getByRole("button", { name: `Workspace ${name}`, exact: true });

/** Chooses a workspace by typing its name. */
export async function chooseWorkspace(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: /^Workspace / }).click();
  const list = page.getByRole("dialog", { name: "Choose a workspace" });
  await list.getByRole("combobox").fill(name);
  await list.getByRole("option", { name }).click();
}

interface Fixtures {
  /** A second visit of a test ends the first. After each, the console must be clean. */
  visit: (seed?: Seed) => Promise<Visit>;
}

export const test = base.extend<Fixtures, { server: Server }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const server = await startServer();
      await use(server);
      await server.close();
    },
    { scope: "worker" },
  ],
  visit: async ({ browser, server }, use, info) => {
    let present: Awaited<ReturnType<typeof visitor>> | undefined;
    const leave = async (checked: boolean) => {
      const left = present;
      present = undefined;
      await left?.context.close();
      if (checked) expect(left?.faults ?? [], "the console must be clean").toStrictEqual([]);
    };
    await use(async ({ theme, width, height, signedIn = true, at, ...state } = {}) => {
      await leave(true);
      const mock = server.reset(state);
      present = await visitor(browser, { theme, width, height });
      const { context, page } = present;
      if (signedIn) await signIn(context, mock);
      if (at !== undefined) await page.goto(mock.url + at);
      return { mock, page, context };
    });
    await leave(info.errors.length === 0);
  },
});
