import { useState } from "react";
import { MODELS, type ModelBinding, type ModelProvider } from "~/api/models";
import { Problem } from "~/api/problem";
import { AddressField } from "~/ui/address-field";
import { ConnectForm, type Typed } from "~/ui/form-dialog";
import { typedOf } from "~/ui/dollars";
import { Choice, Field, Tick } from "~/ui/field";
import { isolate } from "~/ui/isolate";
import { SecretField } from "~/ui/secret-field";
import { visible } from "~/ui/visible";
import { add, change } from "./queries";
import { HALF, priceOf, PROVIDERS } from "./words";

/** The two sums as they were typed; half a price is refused here, as a fault of its field. */
function priceIn(typed: Typed) {
  const price = priceOf(typed("input_microusd") ?? "", typed("output_microusd") ?? "");
  if (price !== "half") return price;
  throw new Problem({
    code: "validation",
    status: 400,
    title: "The price is not whole",
    fields: [{ pointer: "/input_microusd", detail: HALF }],
  });
}

function PriceFields({ problem, model }: { problem: Problem | undefined; model?: ModelBinding }) {
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
          defaultValue={typedOf(model?.price?.input_microusd)}
          error={wrong}
        />
        <Field
          label="Output price"
          name="output_microusd"
          inputMode="decimal"
          autoComplete="off"
          placeholder="not known"
          defaultValue={typedOf(model?.price?.output_microusd)}
          error={problem?.field("/price/output_microusd")}
        />
      </div>
    </fieldset>
  );
}

/** How much it takes in at once; a longer conversation is summarised by it. */
function WindowField({ problem, model }: { problem: Problem | undefined; model?: ModelBinding }) {
  return (
    <Field
      label="Window in tokens (optional)"
      name="context_tokens"
      inputMode="numeric"
      autoComplete="off"
      pattern="[0-9]*"
      placeholder={model ? String(model.window_tokens) : "as known by its name"}
      defaultValue={model?.context_tokens ? String(model.context_tokens) : ""}
      hint="The most that it takes in at once. Older turns of a longer conversation are summarised."
      error={problem?.field("/context_tokens")}
    />
  );
}
const windowIn = (typed: Typed) => (typed("context_tokens") ? Number(typed("context_tokens")) : null);

/** A new model with its key, which goes to the secret broker and never comes back. */
export function AddModel({ first, onClose }: { first: boolean; onClose: () => void }) {
  const [provider, setProvider] = useState<ModelProvider>("openai");
  const about = PROVIDERS[provider];
  return (
    <ConnectForm
      title="Add a model"
      lead="Agents think with it. Its key goes to the secret broker and is never shown again."
      action="Add model"
      renews={MODELS}
      onClose={onClose}
      connect={async (typed) =>
        add({
          provider,
          model: typed("model") ?? "",
          base_url: typed("base_url"),
          api_key: typed("api_key"),
          price: priceIn(typed),
          context_tokens: windowIn(typed),
          is_default: typed("is_default") === "on",
        })
      }
    >
      {(problem) => (
        <>
          <Choice
            label="Provider"
            name="provider"
            value={provider}
            error={problem?.field("/provider")}
            onChange={(event) => setProvider(event.target.value as ModelProvider)}
          >
            {Object.entries(PROVIDERS).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Choice>
          <Field
            label="Model"
            name="model"
            required
            maxLength={150}
            autoComplete="off"
            spellCheck="false"
            hint={`The provider's own name for it, such as ${about.model}.`}
            error={problem?.field("/model")}
          />
          <AddressField
            key={provider}
            label={about.base ? "Address (optional)" : "Address"}
            required={!about.base}
            placeholder={about.base ?? "http://ollama.example:11434/v1"}
            hint={
              about.base
                ? "The key is sent to this address only."
                : "Where this gateway reaches Ollama, with port and /v1."
            }
            problem={problem}
          />
          <SecretField
            label="API key (optional)"
            name="api_key"
            minLength={8}
            hint={about.key}
            error={problem?.field("/api_key")}
          />
          <PriceFields problem={problem} />
          <WindowField problem={problem} />
          <Tick label="Use as default model" name="is_default" defaultChecked={first} />
        </>
      )}
    </ConnectForm>
  );
}

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
          <PriceFields problem={problem} model={model} />
          <WindowField problem={problem} model={model} />
        </>
      )}
    </ConnectForm>
  );
}
