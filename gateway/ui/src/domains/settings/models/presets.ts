// The well-known providers of models: their addresses, usual models and prices. All of it is typed into the form, where a
// person changes it; nothing of it is kept but what the form sends.
import type { ModelBinding, ModelProvider } from "~/api/models";

/** The day of the prices below. They were read from LiteLLM 1.110.2 and genai-prices 0.2.3, which agree on them. */
export const PRICES_OF = "2026-11-28";

interface Price {
  /** US dollars for a million tokens. */
  input: number;
  output: number;
}

export interface Usual extends Price {
  model: string;
  /** The most tokens that it takes in at this price. */
  window: number;
  /** Above the window, the provider asks for a higher price. */
  dearer?: true;
  /** The provider has announced another price. */
  later?: Price & { from: string };
}

export interface Preset {
  key: string;
  name: string;
  provider: ModelProvider;
  /** Typed into the field of the address. Without it, the provider's own address applies. */
  base?: string;
  /** What is known about its key. */
  hint: string;
  /** Its own list of prices. */
  prices?: string;
  /** Part of its prices that no figure has. */
  remark?: string;
  models: readonly Usual[];
}

const usual = (
  model: string,
  input: number,
  output: number,
  window: number,
  more: Pick<Usual, "dearer" | "later"> = {},
): Usual => ({ model, input, output, window, ...more });

const dearer = true as const;

export const PRESETS: readonly Preset[] = [
  {
    key: "openai",
    name: "OpenAI",
    provider: "openai",
    hint: "Begins with sk-.",
    prices: "https://platform.openai.com/docs/pricing",
    models: [
      usual("gpt-6.1-sol", 2, 10, 272_000, { dearer }),
      usual("gpt-6.1-terra", 1, 5, 272_000, { dearer }),
      usual("gpt-6-luna", 0.1, 0.5, 272_000, { dearer }),
      usual("gpt-6-astra", 10, 50, 272_000, { dearer }),
    ],
  },
  {
    key: "anthropic",
    name: "Anthropic",
    provider: "anthropic",
    hint: "Begins with sk-ant-.",
    prices: "https://www.anthropic.com/pricing#api",
    models: [
      usual("claude-sonnet-5-5", 2, 10, 1_000_000),
      usual("claude-opus-5-5", 4, 20, 1_000_000),
      usual("claude-haiku-5-5", 0.1, 0.5, 100_000, { dearer }),
    ],
  },
  {
    key: "gemini",
    name: "Google Gemini",
    provider: "gemini",
    hint: "From Google AI Studio.",
    prices: "https://ai.google.dev/gemini-api/docs/pricing",
    models: [
      usual("gemini-3.8-flash", 0.75, 3.75, 1_000_000, {
        later: { from: "2027-01-01", input: 1.5, output: 7.5 },
      }),
      usual("gemini-4-argon", 2, 10, 1_000_000, { later: { from: "2026-12-01", input: 4, output: 20 } }),
      usual("gemini-3.5-flash-lite", 0.3, 2.5, 1_000_000),
    ],
  },
  {
    key: "mistral",
    name: "Mistral",
    provider: "openai",
    base: "https://api.mistral.ai/v1",
    hint: "From Mistral's console.",
    prices: "https://mistral.ai/pricing/api",
    models: [
      usual("mistral-large-4", 0.7, 2.1, 1_000_000),
      usual("mistral-medium-latest", 1.5, 7.5, 262_144),
      usual("mistral-small-latest", 0.15, 0.6, 262_144),
    ],
  },
  {
    key: "deepseek",
    name: "DeepSeek",
    provider: "openai",
    base: "https://api.deepseek.com/v1",
    hint: "From DeepSeek's platform.",
    prices: "https://api-docs.deepseek.com/quick_start/pricing",
    remark: "These are the prices of its busy hours. At other times it asks for half.",
    models: [usual("deepseek-flash", 0.3, 1.2, 1_000_000), usual("deepseek-v4-pro", 1.32, 3.96, 1_000_000)],
  },
  {
    key: "xai",
    name: "xAI",
    provider: "openai",
    base: "https://api.x.ai/v1",
    hint: "Begins with xai-.",
    prices: "https://docs.x.ai/docs/models",
    models: [usual("grok-4.7", 2, 6, 199_999, { dearer }), usual("grok-4.3", 1.25, 2.5, 199_999, { dearer })],
  },
  {
    key: "groq",
    name: "Groq",
    provider: "openai",
    base: "https://api.groq.com/openai/v1",
    hint: "Begins with gsk_.",
    prices: "https://groq.com/pricing",
    models: [
      usual("openai/gpt-oss-120b", 0.15, 0.6, 131_072),
      usual("openai/gpt-oss-20b", 0.075, 0.3, 131_072),
      usual("qwen/qwen3.8-27b", 0.8, 4, 131_072),
    ],
  },
  {
    key: "moonshot",
    name: "Moonshot AI",
    provider: "openai",
    base: "https://api.moonshot.ai/v1",
    hint: "From the Kimi platform.",
    prices: "https://platform.kimi.ai/docs/pricing/chat.md",
    models: [usual("kimi-k3.1-pro", 2, 10, 1_048_576), usual("kimi-k2.7-code", 0.95, 4, 262_144)],
  },
];

/** A model of a person's own: no key, and no price of anybody. Its window is that of the server. */
export const OLLAMA: Preset = {
  key: "ollama",
  name: "Ollama on this host",
  provider: "ollama",
  base: "http://127.0.0.1:11434/v1",
  hint: "Ollama needs no key.",
  models: ["qwen3:8b", "gpt-oss:20b", "llama3.1:8b"].map((model) => usual(model, 0, 0, 8_192)),
};

/** A server that this list does not have. */
export const OTHER: Preset = {
  key: "other",
  name: "Another OpenAI-compatible server",
  provider: "openai",
  hint: "A server of your own may need none.",
  models: [],
};

export const ALL = [...PRESETS, OLLAMA, OTHER] as const;

/** The price on a day, such as 2026-12-01. */
export const priceOn = ({ later, input, output }: Usual, day: string): Price =>
  later && day >= later.from ? later : { input, output };

/** What people call the provider of a model, when its address is known. */
export const presetOf = (model: Pick<ModelBinding, "provider" | "base_url">): Preset | undefined =>
  PRESETS.find(({ provider, base }) => provider === model.provider && base === model.base_url);
