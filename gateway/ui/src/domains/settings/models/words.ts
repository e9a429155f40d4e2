// What models, their prices and their tries are called.
import type { ModelProvider } from "~/api/models";
import type { components } from "~/api/schema";
import { microusdOf } from "~/ui/dollars";
import { money } from "~/ui/run-state";
import { duration } from "~/ui/time";

type Price = components["schemas"]["ModelPrice"];
type Tried = components["schemas"]["ModelTried"];

interface About {
  name: string;
  /** Where it is when no address is given. One of a person's own has none: whether it may be called is a setting. */
  base?: string;
  key: string;
  model: string;
}

export const PROVIDERS: Record<ModelProvider, About> = {
  openai: {
    name: "OpenAI-compatible",
    base: "https://api.openai.com/v1",
    key: "A server of your own may need none.",
    model: "gpt-5",
  },
  anthropic: {
    name: "Anthropic",
    base: "https://api.anthropic.com/v1",
    key: "Begins with sk-ant-.",
    model: "claude-sonnet-4-5",
  },
  gemini: {
    name: "Google Gemini",
    base: "https://generativelanguage.googleapis.com/v1beta",
    key: "From Google AI Studio.",
    model: "gemini-2.5-pro",
  },
  ollama: {
    name: "Ollama",
    key: "Ollama needs no key.",
    model: "qwen3:8b",
  },
};

export const providerName = (provider: ModelProvider | null | undefined) =>
  provider ? (PROVIDERS[provider]?.name ?? provider) : "a provider that this page does not know";

/** What a million tokens cost. */
export const priceWord = (price: Price | null | undefined): string =>
  price
    ? `${money(price.input_microusd)} in, ${money(price.output_microusd)} out for a million tokens`
    : "price not known";

/** Both sums or none: half a price is no price. */
export function priceOf(input: string, output: string): Price | null | "half" {
  const [into, out] = [microusdOf(input), microusdOf(output)];
  if (into === undefined && out === undefined) return null;
  if (into === undefined || out === undefined || Number.isNaN(into) || Number.isNaN(out)) return "half";
  return { input_microusd: into, output_microusd: out };
}

export const HALF = "Give both sums in dollars, or none. What costs nothing is 0.";

/** How a try went, in one line. */
export function triedWord(tried: Tried): string {
  const time = duration(tried.latency_ms);
  if (!tried.ok) return `Failed after ${time}.${tried.may_be_retried ? " It may be tried again." : ""}`;
  const cost = tried.cost_microusd == null ? "" : `, for ${money(tried.cost_microusd)}`;
  return `Answered in ${time}${cost}.`;
}
