// What models, their prices and their tries are called.
import type { ModelBinding, ModelProvider } from "~/api/models";
import type { components } from "~/api/schema";
import { microusdOf } from "~/ui/dollars";
import { money } from "~/ui/run-state";
import { duration } from "~/ui/time";
import { presetOf, priceOn, type Usual } from "./presets";

type Price = components["schemas"]["ModelPrice"];
type Tried = components["schemas"]["ModelTried"];

const PROVIDERS: Record<ModelProvider, string> = {
  openai: "OpenAI-compatible",
  anthropic: "Anthropic",
  gemini: "Google Gemini",
  ollama: "Ollama",
};

export const providerName = (model: Pick<ModelBinding, "provider" | "base_url">) =>
  presetOf(model)?.name ??
  (model.provider
    ? (PROVIDERS[model.provider] ?? model.provider)
    : "a provider that this page does not know");

const sum = (dollars: number) => money(Math.round(dollars * 1e6));

/** A usual model with its price of a day, in a list. */
export function usualWord(one: Usual, day: string): string {
  const { input, output } = priceOn(one, day);
  return input + output === 0 ? one.model : `${one.model} (${sum(input)} in, ${sum(output)} out)`;
}

/** What a provider has announced, when that day is still to come. */
export const laterWord = ({ later }: Usual, day: string): string | undefined =>
  later && day < later.from
    ? `From ${later.from} on it costs ${sum(later.input)} in and ${sum(later.output)} out.`
    : undefined;

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
