// What is typed while a page still arrives stays. Answers and parts of the program come late and in another order; a field is
// typed into as soon as it is there.
import type { BrowserContext, Page } from "@playwright/test";
import { settled } from "../kit.ts";
import { agentNamed, expect, test, type Mock } from "./fixtures.ts";

declare global {
  interface Window {
    typed: { field: HTMLInputElement; label: string; value: string }[];
  }
}

const MOST_LATE_MS = 600;
const formsOf = ({ state }: Mock) => ({
  "new agent": "/agents?dialog=new",
  "new skill": "/skills?dialog=new",
  "code host": "/repos?dialog=connect",
  machine: "/fleet?dialog=pair",
  "new team": `/teams/new?template=${state.templates[1].id}`,
  team: `/teams/${state.teams.list[0].id}`,
  "new mission": "/missions/new",
  "new routine": "/routines/new",
  comparison: "/runs/compare",
  console: `/claws/${agentNamed(state, "mason").id}?app=sandbox`,
  runtime: `/claws/${agentNamed(state, "mason").id}?app=runtime`,
  brain: `/claws/${state.claws[0].id}?app=brain&view=edit`,
  workspace: "/settings",
  models: "/settings/models",
  account: "/account",
});

/** How late something comes: always the same for an address and a seed. */
function lateness(address: string, seed: number): number {
  let hash = seed;
  for (const letter of address) hash = (hash * 31 + letter.charCodeAt(0)) % 100_003;
  return hash % MOST_LATE_MS;
}

async function comesLate(context: BrowserContext, seed: number): Promise<void> {
  await context.route(/\/(api|assets)\//, async (route) => {
    const { pathname } = new URL(route.request().url());
    // Without them there is no page, and no end of its arrival.
    if (!/^\/api\/(events|auth\/me)$/.test(pathname))
      await new Promise((done) => setTimeout(done, lateness(pathname, seed)));
    // The page may have been left meanwhile.
    await route.continue().catch(() => undefined);
  });
}

/** Types into each text field as soon as it can be seen: one at a time, as a person does. */
function typist() {
  window.typed = [];
  const labelOf = (field: HTMLInputElement) =>
    field.getAttribute("aria-label") ?? field.labels?.[0]?.textContent ?? field.name;
  const isFree = (field: HTMLInputElement) =>
    ["text", "email", "search", "url", "textarea"].includes(field.type) &&
    field.role !== "combobox" &&
    !field.readOnly &&
    !field.disabled &&
    field.getClientRects().length > 0;
  setInterval(() => {
    for (const field of document.querySelectorAll<HTMLInputElement>("input, textarea")) {
      const label = labelOf(field);
      // A field that takes the place of another one is not typed into: what was typed must be in it.
      if (!isFree(field) || window.typed.some((one) => one.field === field || one.label === label)) continue;
      const value = `7${window.typed.length}`;
      const { prototype } = field.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
      field.focus();
      Object.getOwnPropertyDescriptor(prototype, "value")!.set!.call(field, value);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      window.typed.push({ field, label, value });
      return;
    }
  }, 50);
}

const lost = (page: Page) =>
  page.evaluate(() => {
    const gone = window.typed.filter(({ field, value }) => !field.isConnected || field.value !== value);
    return { fields: window.typed.length, gone: gone.map(({ label }) => label) };
  });

for (const seed of [1, 2])
  test(`what is typed while a page arrives stays (order ${seed})`, async ({ visit }) => {
    const { mock, page, context } = await visit({ missions: true });
    await comesLate(context, seed);
    await page.addInitScript(typist);
    for (const [name, path] of Object.entries(formsOf(mock))) {
      await page.goto(mock.url + path);
      await settled(page);
      const { fields, gone } = await lost(page);
      expect(fields, `${name} has a field`).toBeGreaterThan(0);
      expect(gone, `lost from ${name}`).toStrictEqual([]);
    }
  });
