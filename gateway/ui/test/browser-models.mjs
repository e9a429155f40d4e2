// Settings of models: keys go in and never come out, a try says how it went, sums are bounded.
import assert from "node:assert/strict";
import { axe, drawn, hasFocus, shot, tryAgain, until } from "./browser-kit.mjs";
import { Refusal } from "./mock/server.mjs";

const KEY = "sk-ant-planted-0123456789";
const rowOf = (page, name) => page.locator("main [data-row]").filter({ hasText: name });
const fits = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

export const modelTests = (scene) => ({
  ...Object.fromEntries(
    [
      ["dark", 1280],
      ["light", 390],
    ].map(([theme, width]) => [
      `models: none yet, then one is added by keyboard and tried (${theme}, ${width})`,
      () =>
        scene({ theme, width, height: 860 }, async ({ mock, page }) => {
          mock.state.models.list = [];
          await page.goto(`${mock.url}/settings/models`);
          await page.getByText("There is no model yet").waitFor();
          await page.getByText("Used now, because no model is the default").waitFor();
          await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
          await drawn(page);
          assert.deepEqual(await axe(page), []);
          assert.ok(await fits(page));
          await shot(page, `models-none-${width}-${theme}`);
          await page.getByRole("button", { name: "Add a model" }).focus();
          await page.keyboard.press("Enter");
          await hasFocus(page.getByLabel("Provider"));
          await page.getByLabel("Provider").selectOption("anthropic");
          await page.getByLabel("Model", { exact: true }).fill("claude sonnet");
          await page.getByLabel("API key (optional)").fill(KEY);
          await page.getByLabel("Input price").fill("3");
          await page.keyboard.press("Enter");
          await page.getByText("Give both sums in dollars, or none.").waitFor();
          await page.getByLabel("Output price").fill("15");
          await page.keyboard.press("Enter");
          await page.getByText("must have no blanks").waitFor();
          assert.deepEqual(await axe(page), []);
          await shot(page, `models-add-${width}-${theme}`);
          await page.getByLabel("Model", { exact: true }).fill("claude-sonnet");
          await page.keyboard.press("Enter");
          await rowOf(page, "anthropic/claude-sonnet").getByText("The default", { exact: true }).waitFor();
          assert.deepEqual(mock.state.models.keys, [KEY]);
          assert.deepEqual(mock.state.models.asked, {
            provider: "anthropic",
            model: "claude-sonnet",
            base_url: null,
            api_key: "taken",
            price: { input_microusd: 3_000_000, output_microusd: 15_000_000 },
            is_default: true,
          });
          const kept = await page.evaluate(() => document.documentElement.outerHTML);
          assert.ok(!kept.includes(KEY), "the key is nowhere on the page any more");
          await page.getByText("$3.00 in, $15.00 out for a million tokens").waitFor();
          assert.equal(await page.getByText("Used now, because no model").count(), 0);
          const answer = mock.hold("POST /api/models/:id/try");
          await page.getByRole("button", { name: "Try anthropic/claude-sonnet" }).click();
          await page.getByText(/Asked it a small question/).waitFor();
          answer();
          await page.getByText(/Answered in .*, for \$0\.00021\./).waitFor();
          await page.getByText("“I am a model.”").waitFor();
          assert.deepEqual(await axe(page), []);
          await shot(page, `models-tried-${width}-${theme}`);
        }),
    ]),
  ),

  "models: Ollama is asked for its address, and a refused one says which setting allows it": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/settings/models`);
      await page.getByRole("button", { name: "Add a model" }).click();
      const address = page.getByRole("textbox", { name: /^Address/ });
      assert.equal(await address.getAttribute("placeholder"), "https://api.openai.com/v1");
      await page.getByLabel("Provider").selectOption("ollama");
      await page.getByLabel("Model", { exact: true }).fill("qwen3:8b");
      assert.ok(await address.evaluate((field) => field.required));
      assert.doesNotMatch(await address.getAttribute("placeholder"), /127\.|localhost/);
      await address.fill("http://127.0.0.1:11434/v1");
      await page.keyboard.press("Enter");
      await page.getByText("the address of 127.0.0.1 cannot be used").waitFor();
      await page.getByText("outbound.allow_private").waitFor();
      assert.equal(await address.inputValue(), "http://127.0.0.1:11434/v1");
      assert.deepEqual(await axe(page), []);
      await shot(page, "models-ollama-refused");
      await address.fill("http://ollama.lan:11434/v1");
      await page.keyboard.press("Enter");
      await rowOf(page, "ollama/qwen3:8b").waitFor();
    }),

  "models: a try that fails says why; default, price and key change; one is removed": () =>
    scene({}, async ({ mock, page }) => {
      const { models } = mock.state;
      await page.goto(`${mock.url}/settings/models`);
      const [small, large] = ["ollama/small", "openai/gpt-large"];
      await rowOf(page, large).getByText("The default", { exact: true }).waitFor();
      models.tried = {
        ok: false,
        text: "",
        error: "the provider did not take the key; give the model another",
        latency_ms: 120,
        may_be_retried: true,
      };
      await page.getByRole("button", { name: `Try ${small}` }).click();
      await page.getByText("did not take the key").waitFor();
      await page.getByText("It may be tried again.").waitFor();
      assert.deepEqual(await axe(page), []);
      await page.getByRole("button", { name: `Make the default: ${small}` }).click();
      await rowOf(page, small).getByText("The default", { exact: true }).waitFor();
      await until(
        "only one to be it",
        async () => (await page.getByText("The default", { exact: true }).count()) === 1,
      );
      await page.getByRole("button", { name: `Change ${large}` }).click();
      await hasFocus(page.getByLabel("New API key (optional)"));
      assert.equal(await page.getByLabel("Output price").inputValue(), "10");
      await page.getByLabel("Input price").fill("");
      await page.getByLabel("Output price").fill("");
      await page.keyboard.press("Enter");
      await until("both prices unknown", async () => (await page.getByText(/price not known/).count()) === 2);
      assert.deepEqual(models.changed, { price: null }, "the key stays");
      await page.getByRole("button", { name: `Remove ${large}` }).click();
      await hasFocus(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }));
      assert.deepEqual(await axe(page), []);
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await until("it to be gone", async () => (await rowOf(page, large).count()) === 0);
    }),

  "models: ceilings are set, guarded and taken away": () =>
    scene({}, async ({ mock, page }) => {
      await page.goto(`${mock.url}/settings/models`);
      const run = page.getByLabel("One run with all that it starts, in dollars");
      await run.waitFor();
      assert.equal(await run.inputValue(), "2");
      await run.fill("much");
      await page.getByText("A sum in dollars, such as 2.50.").waitFor();
      await run.fill("");
      await page.getByLabel("All runs within thirty days, in dollars").fill("12,5");
      await page.getByRole("link", { name: "Quotas" }).click();
      await page.getByText("Leave without setting the ceilings?").waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Set the ceilings" }).click();
      await until("it to be kept", () => mock.state.models.settings.month_ceiling_microusd === 12_500_000);
      assert.equal(mock.state.models.settings.run_ceiling_microusd, null);
      await until("it to be saved", async () => (await page.getByText("Not saved yet").count()) === 0);
      await page.getByRole("link", { name: "Quotas" }).click();
      await page.getByRole("heading", { name: "Quotas" }).waitFor();
    }),

  "models: loading, a failure with a way on, hostile names, a role that only looks": () =>
    scene({ width: 390 }, async ({ mock, page }) => {
      const answer = mock.hold("GET /api/models");
      await page.goto(`${mock.url}/settings/models`);
      await page.getByText("Loading models").waitFor({ state: "attached" });
      answer();
      await page.getByText("ollama/small").waitFor();
      mock.state.failNext.set("GET /api/models", new Refusal(500, "internal", "Something failed"));
      await page.goto(`${mock.url}/settings/models`);
      await page.getByText("Something failed").first().waitFor();
      await tryAgain(page, mock);
      await page.getByText("ollama/small").waitFor();
      const evil = `<b>x</b>\u202E${"long".repeat(60)}`;
      Object.assign(mock.state.models.list[0], { name: evil, base_url: evil, provider: null });
      mock.state.role = "viewer";
      await page.goto(`${mock.url}/settings/models`);
      await page.getByText(/You may not add, change or try models: .* role Admin/).waitFor();
      await page.getByText("no limit").waitFor();
      await drawn(page);
      assert.equal(await page.locator("main b").count(), 0);
      for (const name of [/^Try/, /^Remove/, "Add a model"])
        assert.equal(await page.getByRole("button", { name }).count(), 0);
      assert.ok(await fits(page), "it scrolls sideways");
      assert.deepEqual(await axe(page), []);
    }),
});
