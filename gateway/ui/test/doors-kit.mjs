// What every test of doors looks at: the requests that wait, and the question before a decision.
import { drawn } from "./browser-kit.mjs";

export const open = (page) => page.getByRole("region", { name: "Waiting for a decision" });
export const cards = (page) => open(page).getByRole("article");
export const mine = (page) => cards(page).filter({ hasText: "octo/hello" });
export const approve = (page) => mine(page).getByRole("button", { name: /^Approve/ });
export const dialog = (page) => page.getByRole("alertdialog");
export const act = (page, name) => dialog(page).getByRole("button", { name, exact: true });
export const focused = (page) => page.evaluate(() => document.activeElement?.textContent ?? "");

/** The page, with everything on it, and nothing more to come by itself. */
export async function doors(page, mock) {
  await page.goto(`${mock.url}/doors`);
  await cards(page).first().waitFor();
  await drawn(page);
  await page.getByText("Live", { exact: true }).first().waitFor({ state: "attached" });
  await drawn(page);
}
