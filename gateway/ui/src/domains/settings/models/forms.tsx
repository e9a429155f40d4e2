import type { ReactNode } from "react";
import { MODELS, type ModelBinding } from "~/api/models";
import { Problem } from "~/api/problem";
import { ConnectForm, type Typed } from "~/ui/form-dialog";
import { typedOf } from "~/ui/dollars";
import { Field } from "~/ui/field";
import { isolate } from "~/ui/isolate";
import { SecretField } from "~/ui/secret-field";
import { visible } from "~/ui/visible";
import { change } from "./queries";
import { HALF, priceOf } from "./words";

/** The two sums as they were typed; half a price is refused here, as a fault of its field. */
export function priceIn(typed: Typed) {
  const price = priceOf(typed("input_microusd") ?? "", typed("output_microusd") ?? "");
  if (price !== "half") return price;
  throw new Problem({
    code: "validation",
    status: 400,
    title: "The price is not whole",
    fields: [{ pointer: "/input_microusd", detail: HALF }],
  });
}

interface PriceProps {
  problem: Problem | undefined;
  /** What is in the fields at first, in millionths of a dollar. */
  price: { input_microusd: number; output_microusd: number } | null | undefined;
  /** Where the price comes from. */
  note?: ReactNode;
}

export function PriceFields({ problem, price, note }: PriceProps) {
  const wrong = problem?.field("/input_microusd") ?? problem?.field("/price/input_microusd");
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-small text-fg-3">
        Price in USD for 1 million tokens. Without a price, costs are unknown and no spending limit can be
        kept.
      </legend>
      <div className="grid grid-cols-2 gap-3">
        <Field
          label="Input price"
          name="input_microusd"
          inputMode="decimal"
          autoComplete="off"
          placeholder="not known"
          defaultValue={typedOf(price?.input_microusd)}
          error={wrong}
        />
        <Field
          label="Output price"
          name="output_microusd"
          inputMode="decimal"
          autoComplete="off"
          placeholder="not known"
          defaultValue={typedOf(price?.output_microusd)}
          error={problem?.field("/price/output_microusd")}
        />
      </div>
      {note && <p className="text-small text-fg-3">{note}</p>}
    </fieldset>
  );
}

/** How much it takes in at once; a longer conversation is summarised by it. */
export function WindowField({
  problem,
  tokens,
  known = "as known by its name",
  hint,
}: {
  problem: Problem | undefined;
  tokens: number | null | undefined;
  known?: string;
  hint?: string;
}) {
  return (
    <Field
      label="Window in tokens (optional)"
      name="context_tokens"
      inputMode="numeric"
      autoComplete="off"
      pattern="[0-9]*"
      placeholder={known}
      defaultValue={tokens ? String(tokens) : ""}
      hint={`The most that it takes in at once. Older turns of a longer conversation are summarised.${hint ? ` ${hint}` : ""}`}
      error={problem?.field("/context_tokens")}
    />
  );
}
export const windowIn = (typed: Typed) => (typed("context_tokens") ? Number(typed("context_tokens")) : null);

/** Another key or another price. Another address would be another model: the key goes nowhere else. */
export function ChangeModel({ model, onClose }: { model: ModelBinding; onClose: () => void }) {
  return (
    <ConnectForm
      title={`Change ${isolate(visible(model.name).slice(0, 80))}`}
      lead="For another address or name, add another model."
      action="Save"
      renews={MODELS}
      onClose={onClose}
      connect={async (typed) => {
        const key = typed("api_key");
        return change(model.id, {
          price: priceIn(typed),
          context_tokens: windowIn(typed),
          ...(key && { api_key: key }),
        });
      }}
    >
      {(problem) => (
        <>
          <SecretField
            label="New API key (optional)"
            name="api_key"
            minLength={8}
            hint={
              model.has_key
                ? "Replaces the one that the secret broker keeps. Leave it empty to keep that one."
                : "No key is stored."
            }
            error={problem?.field("/api_key")}
          />
          <PriceFields problem={problem} price={model.price} />
          <WindowField problem={problem} tokens={model.context_tokens} known={String(model.window_tokens)} />
        </>
      )}
    </ConnectForm>
  );
}
