import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { MODELS, modelsQuery, type ModelBinding } from "~/api/models";
import { Problem } from "~/api/problem";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
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

/** What is in a field, where the form keeps it. Elsewhere the field does. */
interface Keeps {
  typed?: ModelDraft;
  onType?: (change: Partial<ModelDraft>) => void;
}

const kept = ({ typed, onType }: Keeps, name: keyof ModelDraft, first: string) =>
  typed && onType
    ? {
        value: typed[name],
        onChange: (event: { target: { value: string } }) => onType({ [name]: event.target.value }),
      }
    : { defaultValue: first };

interface PriceProps extends Keeps {
  problem: Problem | undefined;
  /** What is in the fields at first, in millionths of a dollar. */
  price: { input_microusd: number; output_microusd: number } | null | undefined;
  /** Where the price comes from. */
  note?: ReactNode;
}

export function PriceFields({ problem, price, note, ...keeps }: PriceProps) {
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
          {...kept(keeps, "input_microusd", typedOf(price?.input_microusd))}
          error={wrong}
        />
        <Field
          label="Output price"
          name="output_microusd"
          inputMode="decimal"
          autoComplete="off"
          placeholder="not known"
          {...kept(keeps, "output_microusd", typedOf(price?.output_microusd))}
          error={problem?.field("/price/output_microusd")}
        />
      </div>
      {note && <p className="text-small text-fg-3 empty:hidden">{note}</p>}
    </fieldset>
  );
}

/** How much it takes in at once; a longer conversation is summarised by it. */
export function WindowField({
  problem,
  tokens,
  known = "as known by its name",
  hint,
  ...keeps
}: Keeps & {
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
      {...kept(keeps, "context_tokens", tokens ? String(tokens) : "")}
      hint={`The most that it takes in at once. Older turns of a longer conversation are summarised.${hint ? ` ${hint}` : ""}`}
      error={problem?.field("/context_tokens")}
    />
  );
}
export const windowIn = (typed: Typed) => (typed("context_tokens") ? Number(typed("context_tokens")) : null);

const LABELS = {
  input_microusd: "Input price",
  output_microusd: "Output price",
  context_tokens: "Window in tokens",
};
type ModelDraft = Record<keyof typeof LABELS, string>;

const draftOf = ({ price, context_tokens }: ModelBinding): ModelDraft => ({
  input_microusd: typedOf(price?.input_microusd),
  output_microusd: typedOf(price?.output_microusd),
  context_tokens: context_tokens ? String(context_tokens) : "",
});

/** Another key or another price. Another address would be another model: the key goes nowhere else. */
export function ChangeModel({ model, onClose }: { model: ModelBinding; onClose: () => void }) {
  const client = useQueryClient();
  const edit = useEdit(model, draftOf, {
    read: async () => {
      const { items } = await client.fetchQuery({ ...modelsQuery, staleTime: 0 });
      return items.find(({ id }) => id === model.id) ?? model;
    },
  });
  const keeps = { typed: edit.draft, onType: edit.set };
  return (
    <ConnectForm
      title={`Change ${isolate(visible(model.name).slice(0, 80))}`}
      lead="For another address or name, add another model."
      action="Save"
      renews={MODELS}
      onClose={onClose}
      connect={async (typed) => {
        const key = typed("api_key");
        return edit.send((to, from) => {
          const of: Typed = (name) => to[name as keyof ModelDraft].trim() || null;
          const body = { price: priceIn(of), context_tokens: windowIn(of), ...(key && { api_key: key }) };
          return change(model.id, body, from.version);
        });
      }}
      clashes={edit.clash !== undefined}
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
          <PriceFields problem={problem} price={model.price} {...keeps} />
          <WindowField
            problem={problem}
            tokens={model.context_tokens}
            known={String(model.window_tokens)}
            {...keeps}
          />
          <ClashPart clash={edit.clash} what="model" id={model.id} labels={LABELS} onTheirs={edit.take} />
        </>
      )}
    </ConnectForm>
  );
}
