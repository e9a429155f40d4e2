// The pages against the mock gateway, in the Chromium of this machine: `npm run test:browser`.
import { defineConfig } from "@playwright/test";
import { ARGS, CHROMIUM } from "./test/kit.ts";

// Workers take this over. In CI, nobody looks at pictures of what passes.
if (process.env["CI"] === undefined) process.env["SHOTS"] ??= "test-results/shots";

export default defineConfig({
  testDir: "test/browser",
  outputDir: "test-results",
  workers: 2,
  fullyParallel: true,
  retries: 0,
  forbidOnly: process.env["CI"] !== undefined,
  // Each wait of a test ends by itself (`test/kit.ts`); a test has no end besides, so that a slow machine can run it.
  timeout: 0,
  reporter: "dot",
  use: {
    browserName: "chromium",
    headless: true,
    launchOptions: { executablePath: CHROMIUM, args: ARGS },
    screenshot: "only-on-failure",
    // A trace of every test costs nearly as much as the test itself; `--trace on` makes one when it is wanted.
    trace: "off",
  },
});
