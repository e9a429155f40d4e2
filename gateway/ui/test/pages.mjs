// `npm run figure:pages`: every page in both themes, 390, 1440 and 1920 px wide: how far it moves by itself while it arrives,
// what axe finds, whether it scrolls sideways, and how many screens it is long. The page is the built one, the gateway is the
// mock, which answers after 120 ms so that parts arrive one after another. SHOTS keeps a picture of each, ONLY=name,name chooses.
import { join } from "node:path";
import { axe, drawn, launch, settled, shift, shots, visitor } from "./kit.ts";
import { startMock } from "./mock/server.ts";
import { allPagesOf } from "./browser/pages.ts";

const DELAY_MS = 120;
const HEIGHTS = { 390: 844, 1440: 900, 1920: 1080 };
const only = process.env.ONLY?.split(",");
const widths = Object.keys(HEIGHTS)
  .map(Number)
  .filter((width) => !process.env.WIDTHS || process.env.WIDTHS.split(",").includes(String(width)));
const themes = (process.env.THEMES ?? "dark,light").split(",");
const browser = await launch();
let pages = 0;
const bad = [];
const moved = [];
const long = [];

/** What moved, as beginnings of elements. */
const moving = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        new PerformanceObserver((list) => {
          const nodes = list.getEntries().flatMap(({ sources }) => sources.map(({ node }) => node));
          const name = (node) => (node?.outerHTML ?? node?.textContent ?? "").slice(0, 90);
          done([...new Set(nodes.map(name))].slice(0, 3).join(" | "));
        }).observe({ type: "layout-shift", buffered: true });
      }),
  );

for (const theme of themes)
  for (const width of widths) {
    const height = HEIGHTS[width];
    const mock = await startMock({ waiting: true, missions: true });
    const { page, context } = await visitor(browser, { theme, width, height });
    await page.goto(`${mock.url}/sign-in?next=%2Ffleet`);
    await page.getByLabel("E-mail").fill(mock.state.user.email);
    await page.getByLabel("Password", { exact: true }).fill(mock.state.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Fleet" }).waitFor();
    const all = allPagesOf(mock.state);
    mock.state.delayMs = DELAY_MS;
    for (const [name, path] of Object.entries(all)) {
      if (only && !only.includes(name)) continue;
      pages += 1;
      const what = `${name} (${theme}, ${width})`;
      // Each page is a visit of its own, with an empty store of answers.
      await page.goto("about:blank");
      await page.goto(mock.url + path);
      await drawn(page, what);
      if (name !== "lost") await settled(page);
      const far = await shift(page);
      moved.push({ what, far });
      if (far > 0) bad.push(`${what}: moved by ${far.toFixed(4)}, of ${await moving(page)}`);
      const [wide, tall] = await page.evaluate(() => {
        const { scrollWidth, clientWidth, scrollHeight } = document.documentElement;
        return [scrollWidth - clientWidth, scrollHeight];
      });
      if (wide > 0) bad.push(`${what}: scrolls sideways by ${wide} px`);
      long.push({ what, screens: tall / height });
      for (const found of await axe(page)) bad.push(`${what}: ${found}`);
      await page.screenshot({ path: join(shots, `${name}-${width}-${theme}.png`), fullPage: true });
    }
    await context.close();
    await mock.close();
  }
await browser.close();
const most = moved.toSorted((a, b) => b.far - a.far)[0];
console.log(`${pages} pages: the largest shift is ${most.far.toFixed(4)}, of ${most.what}`);
const over = long.filter(({ screens }) => screens > 2).toSorted((a, b) => b.screens - a.screens);
console.log(`longer than two screens: ${over.length}`);
for (const { what, screens } of over) console.log(`  ${screens.toFixed(1)} screens: ${what}`);
console.log(`findings: ${bad.length}`);
for (const line of bad) console.log(`  ${line}`);
console.log(`pictures: ${shots}`);
process.exitCode = bad.length > 0 ? 1 : 0;
