// What every test of doors looks at: the requests that wait, and the question before a decision.
import type { Page } from "@playwright/test";
import { drawn } from "../kit.ts";
import type { Mock } from "./fixtures.ts";

export const open = (page: Page) => page.getByRole("region", { name: "Waiting for a decision" });
export const cards = (page: Page) => open(page).getByRole("article");
export const mine = (page: Page) => cards(page).filter({ hasText: "octo/hello" });
export const approve = (page: Page) => mine(page).getByRole("button", { name: /^Approve/ });
export const dialog = (page: Page) => page.getByRole("alertdialog");
export const act = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true });
export const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");

/** The page, with everything on it, and nothing more to come by itself. */
export async function doors(page: Page, mock: Mock) {
  await page.goto(`${mock.url}/approvals`);
  await cards(page).first().waitFor();
  await drawn(page);
  await page.getByText("Live", { exact: true }).first().waitFor({ state: "attached" });
  await drawn(page);
}
