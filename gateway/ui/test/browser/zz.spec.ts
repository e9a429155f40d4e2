import { drawn } from "../kit.ts";
import { test } from "./fixtures.ts";
test("zz", async ({ visit }) => {
  const { mock, page } = await visit({ signedIn: false, ownerReady: false, full: false,  width: 1440, height: 900 });
  await page.goto(`${mock.url}/sign-in#${mock.state.oneTime}`);
  await page.getByRole("heading", { name: "Welcome to Roost" }).waitFor();
  await drawn(page);
  console.log(JSON.stringify(await page.evaluate(() => new Promise((done) => {
    const out: unknown[] = [];
    new PerformanceObserver((l) => { for (const e of l.getEntries() as any[]) out.push([e.value, e.sources.map((s: any) => [s.node?.outerHTML?.slice(0, 120) ?? s.node?.nodeName+ s.node?.textContent, s.previousRect, s.currentRect])]); }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(out), 300);
  })), null, 0));
});
