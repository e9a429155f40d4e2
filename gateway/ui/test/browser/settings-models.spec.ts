// Settings of models: keys go in and never come out, a try says how it went, sums are bounded.
import type { Page } from "@playwright/test";
import { axe, choose, drawn, hasFocus, shot, tryAgain, until } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { expect, test } from "./fixtures.ts";

const KEY = "sk-ant-planted-0123456789";

const rowOf = (page: Page, name: string) => page.locator("main [data-row]").filter({ hasText: name });

const fits = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

test.describe("settings: models", () => {
  for (const [theme, width] of [
    ["dark", 1280],
    ["light", 390],
  ] as const)
    test(`a first model is added by keyboard and tried (${theme}, ${width})`, async ({ visit }) => {
      const { mock, page } = await visit({ theme, width, height: 860 });
      mock.state.models.list = [];
      await page.goto(`${mock.url}/settings/models`);
      await page.getByText("There is no model yet").waitFor();
      await page.getByText("Used because no default model is set").waitFor();
      await page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
      await drawn(page);
      expect(await axe(page)).toStrictEqual([]);
      expect(await fits(page)).toBeTruthy();
      await shot(page, `models-none-${width}-${theme}`);
      await page.getByRole("button", { name: "Add a model" }).focus();
      await page.keyboard.press("Enter");
      await hasFocus(page.getByLabel("Provider"));
      await choose(page.getByLabel("Provider"), "anthropic");
      await page.getByText(/Prices of 2026-11-28, from public price lists/).waitFor();
      expect(await page.getByLabel("Output price").inputValue()).toBe("10");
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `models-preset-${width}-${theme}`);
      await choose(page.getByLabel("Model", { exact: true }), { label: "Another model" });
      await page.getByLabel("Name of the model").fill("claude sonnet");
      expect(await page.getByLabel("Window in tokens (optional)").inputValue()).toBe("");
      await page.getByLabel("Try it now").uncheck();
      await page.getByLabel("API key").fill(KEY);
      await page.getByLabel("Input price").fill("3");
      await page.keyboard.press("Enter");
      await page.getByText("Give both sums in dollars, or none.").waitFor();
      await page.getByLabel("Output price").fill("15");
      await page.keyboard.press("Enter");
      await page.getByText("must have no blanks").waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `models-add-${width}-${theme}`);
      await page.getByLabel("Name of the model").fill("claude-sonnet");
      await page.keyboard.press("Enter");
      await rowOf(page, "anthropic/claude-sonnet").getByText("Default", { exact: true }).waitFor();
      expect(mock.state.models.keys).toStrictEqual([KEY]);
      expect(mock.state.models.asked).toStrictEqual({
        provider: "anthropic",
        model: "claude-sonnet",
        base_url: null,
        api_key: "taken",
        price: { input_microusd: 3_000_000, output_microusd: 15_000_000 },
        context_tokens: null,
        is_default: true,
      });
      const kept = await page.evaluate(() => document.documentElement.outerHTML);
      expect(!kept.includes(KEY), "the key is nowhere on the page any more").toBeTruthy();
      await page.getByText("$3.00 in, $15.00 out for a million tokens").waitFor();
      expect(await page.getByText("Used because no default").count()).toBe(0);
      const answer = mock.hold("POST /api/models/{id}/try");
      await page.getByRole("button", { name: "Try anthropic/claude-sonnet" }).click();
      await page.getByText(/Waiting for its answer/).waitFor();
      answer();
      await page.getByText(/Answered in .*, for \$0\.00021\./).waitFor();
      await page.getByText("“I am a model.”").waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `models-tried-${width}-${theme}`);
    });

  test("a preset fills in address, price and window, and the new model is tried at once", async ({
    visit,
  }) => {
    const { mock, page } = await visit({ width: 1440, theme: "light" });
    await page.goto(`${mock.url}/settings/models`);
    await page.getByRole("button", { name: "Add a model" }).click();
    await choose(page.getByLabel("Provider"), "xai");
    const price = page.getByLabel("Input price");
    expect(await price.inputValue()).toBe("2");
    await page.getByText("the provider asks for a higher price").waitFor();
    await choose(page.getByLabel("Model", { exact: true }), "grok-4.3");
    expect(await price.inputValue()).toBe("1.25");
    await price.fill("1.5");
    await page.getByLabel("API key").fill(KEY);
    await shot(page, "models-preset-1440-light");
    await page.getByRole("button", { name: "Add model" }).click();
    await rowOf(page, "openai/grok-4.3")
      .getByText(/Answered in/)
      .waitFor();
    await rowOf(page, "openai/grok-4.3").getByText(/xAI/).waitFor();
    expect(mock.state.models.asked).toStrictEqual({
      provider: "openai",
      model: "grok-4.3",
      base_url: "https://api.x.ai/v1",
      api_key: "taken",
      price: { input_microusd: 1_500_000, output_microusd: 2_500_000 },
      context_tokens: 199_999,
      is_default: false,
    });
  });

  test("Ollama on this host is a preset, and a refused address names the setting that allows it", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/settings/models`);
    await page.getByRole("button", { name: "Add a model" }).click();
    const address = page.getByRole("textbox", { name: /^Address/ });
    expect(await address.inputValue()).toBe("");
    await choose(page.getByLabel("Provider"), "ollama");
    await page.getByText("its tokens cost nothing").waitFor();
    // So does a model that the list does not have. Without a price, a limit of the workspace would stop it.
    await choose(page.getByLabel("Model", { exact: true }), { label: "Another model" });
    expect(await page.getByLabel("Input price").inputValue()).toBe("0");
    await page.getByText("its tokens cost nothing").waitFor();
    await choose(page.getByLabel("Model", { exact: true }), "qwen3:8b");
    expect(await address.evaluate((field: HTMLInputElement) => field.required)).toBeTruthy();
    expect(await address.inputValue()).toBe("http://127.0.0.1:11434/v1");
    await page.getByRole("button", { name: "Add model" }).click();
    await page.getByText("the address of 127.0.0.1 cannot be used").waitFor();
    await page.getByText("outbound.allow_private").waitFor();
    expect(await address.inputValue()).toBe("http://127.0.0.1:11434/v1");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "models-ollama-refused");
    await address.fill("http://ollama.lan:11434/v1");
    await page.keyboard.press("Enter");
    await rowOf(page, "ollama/qwen3:8b")
      .getByText(/\$0 in, \$0 out/)
      .waitFor();
  });

  test("a failed try says why, and default, price and key change and a model is removed", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    const { models } = mock.state;
    await page.goto(`${mock.url}/settings/models`);
    const [small, large] = ["ollama/small", "openai/gpt-large"];
    await rowOf(page, large).getByText("Default", { exact: true }).waitFor();
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
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("button", { name: `Set as default: ${small}` }).click();
    await rowOf(page, small).getByText("Default", { exact: true }).waitFor();
    await until(
      "only one to be it",
      async () => (await page.getByText("Default", { exact: true }).count()) === 1,
    );
    await page.getByRole("button", { name: `Change ${large}` }).click();
    await hasFocus(page.getByLabel("New API key (optional)"));
    expect(await page.getByLabel("Output price").inputValue()).toBe("10");
    await page.getByLabel("Input price").fill("");
    await page.getByLabel("Output price").fill("");
    await page.getByLabel("Window in tokens (optional)").fill("64000");
    await page.keyboard.press("Enter");
    await until("both prices unknown", async () => (await page.getByText(/price not known/).count()) === 2);
    expect(models.changed, "the key stays").toStrictEqual({
      price: null,
      context_tokens: 64_000,
    });
    await page.getByRole("button", { name: `Remove ${large}` }).click();
    await hasFocus(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }));
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await until("it to be gone", async () => (await rowOf(page, large).count()) === 0);
  });

  test("spending ceilings are set, guarded and removed", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/settings/models`);
    const run = page.getByLabel("Limit per run, in dollars");
    await run.waitFor();
    expect(await run.inputValue()).toBe("2");
    await run.fill("much");
    await page.getByText("A sum in dollars, such as 2.50.").waitFor();
    await run.fill("");
    await page.getByLabel("Limit for 30 days, in dollars").fill("12,5");
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByText("Leave without saving the limits?").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Save limits" }).click();
    await until("it to be kept", () => mock.state.models.settings.month_ceiling_microusd === 12_500_000);
    expect(mock.state.models.settings.run_ceiling_microusd).toBe(null);
    await until("it to be saved", async () => (await page.getByText("Not saved yet").count()) === 0);
    await page.getByRole("link", { name: "Quotas" }).click();
    await page.getByRole("heading", { name: "Quotas" }).waitFor();
  });

  test("the page handles loading, failures, hostile names and viewers", async ({ visit }) => {
    const { mock, page } = await visit({ width: 390 });
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
    expect(await page.locator("main b").count()).toBe(0);
    for (const name of [/^Try/, /^Remove/, "Add a model"])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    expect(await fits(page), "it scrolls sideways").toBeTruthy();
    expect(await axe(page)).toStrictEqual([]);
  });
});
