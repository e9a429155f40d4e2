// What a model costs and how much it reads at once, in words.
import type { ModelBinding } from "~/api/models";
import type { components } from "~/api/schema";
import { money } from "./run-state";

type Price = components["schemas"]["ModelPrice"];

/** What a million tokens cost. */
export const priceWord = (price: Price | null | undefined): string =>
  price
    ? `${money(price.input_microusd)} in, ${money(price.output_microusd)} out for a million tokens`
    : "price not known";

/** How many tokens a model reads at once. */
export function contextWord(tokens: number): string {
  const [size, unit] = tokens >= 999_500 ? [tokens / 1e6, "M"] : [tokens / 1e3, "k"];
  return `${unit === "M" ? Number(size.toFixed(1)) : Math.round(size)}${unit} context`;
}

const whole = (microusd: number) => money(microusd).replace(/\.0+$/, "");

/** Price and context in a list of models: `$3 in, $15 out · 200k context`. */
export const modelWord = ({ price, window_tokens }: Pick<ModelBinding, "price" | "window_tokens">): string =>
  [
    price ? `${whole(price.input_microusd)} in, ${whole(price.output_microusd)} out` : priceWord(price),
    contextWord(window_tokens),
  ].join(" · ");
