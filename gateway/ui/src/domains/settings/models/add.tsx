import { useState } from "react";
import { MODELS } from "~/api/models";
import type { Problem } from "~/api/problem";
import { AddressField } from "~/ui/address-field";
import { textLink } from "~/ui/class";
import { Choice, Field, Tick } from "~/ui/field";
import { ConnectForm } from "~/ui/form-dialog";
import { GuideLink } from "~/ui/guide-link";
import { SecretField } from "~/ui/secret-field";
import { priceIn, PriceFields, WindowField, windowIn } from "./forms";
import { ALL, OLLAMA, OTHER, PRESETS, priceOn, PRICES_OF, type Preset, type Usual } from "./presets";
import { add } from "./queries";
import { laterWord, usualWord } from "./words";

/** The option below the usual models. */
const OWN = "";
/** The price of what runs on one's own hardware, also of a model that the list does not have. */
const FREE = { input: 0, output: 0 };

const today = () => new Date().toISOString().slice(0, 10);

/** Where the prices in the fields come from, and what they leave out. */
function PriceNote({ preset, usual }: { preset: Preset; usual: Usual | undefined }) {
  if (preset === OLLAMA) return <>It runs on your own hardware, so its tokens cost nothing.</>;
  if (!usual) return null;
  return (
    <>
      Prices of {PRICES_OF}, from public price lists. They may have changed.{" "}
      {[preset.remark, laterWord(usual, today())].filter(Boolean).map((word) => `${word} `)}
      <a href={preset.prices} target="_blank" rel="noreferrer noopener" className={textLink}>
        Prices of {preset.name}
      </a>
    </>
  );
}

interface FieldsProps {
  preset: Preset;
  problem: Problem | undefined;
  own: boolean;
  chosen: string;
  setChosen: (model: string) => void;
}

/** One of the provider's usual models, or the name of another. */
function ModelFields({ preset, problem, own, chosen, setChosen }: FieldsProps) {
  const wrong = problem?.field("/model");
  return (
    <>
      {preset.models.length > 0 && (
        <Choice
          label="Model"
          name={own ? "" : "model"}
          value={chosen}
          error={own ? undefined : wrong}
          onChange={(event) => setChosen(event.target.value)}
        >
          {preset.models.map((one) => (
            <option key={one.model} value={one.model}>
              {usualWord(one, today())}
            </option>
          ))}
          <option value={OWN}>Another model</option>
        </Choice>
      )}
      {own && (
        <Field
          label="Name of the model"
          name="model"
          required
          maxLength={150}
          autoComplete="off"
          spellCheck="false"
          hint="As the provider calls it."
          error={wrong}
        />
      )}
    </>
  );
}

interface Props {
  /** There is no other yet. */
  first: boolean;
  /** The added model is to be tried. */
  onTry: (id: string) => void;
  onClose: () => void;
}

/** A new model with its key, which goes to the secret broker and never comes back. */
export function AddModel({ first, onTry, onClose }: Props) {
  const [preset, setPreset] = useState<Preset>(PRESETS[0] ?? OTHER);
  const [chosen, setChosen] = useState(preset.models[0]?.model ?? OWN);
  const usual = preset.models.find(({ model }) => model === chosen);
  const price = usual ? priceOn(usual, today()) : preset === OLLAMA ? FREE : undefined;
  const change = (key: string) => {
    const next = ALL.find((one) => one.key === key) ?? OTHER;
    setPreset(next);
    setChosen(next.models[0]?.model ?? OWN);
  };
  // Other fields begin anew with another model.
  const place = `${preset.key}/${chosen}`;
  return (
    <ConnectForm
      title="Add a model"
      lead="Agents use it to work. Its key goes to the secret broker and is never shown again."
      action="Add model"
      renews={MODELS}
      onClose={onClose}
      connect={async (typed) => {
        const made = await add({
          provider: preset.provider,
          model: typed("model") ?? "",
          base_url: typed("base_url"),
          api_key: typed("api_key"),
          price: priceIn(typed),
          context_tokens: windowIn(typed),
          is_default: typed("is_default") === "on",
        });
        if (typed("try") === "on") onTry(made.id);
      }}
    >
      {(problem) => (
        <>
          <Choice
            label="Provider"
            value={preset.key}
            error={problem?.field("/provider")}
            onChange={(event) => change(event.target.value)}
          >
            <optgroup label="Well-known providers">
              {PRESETS.map(({ key, name }) => (
                <option key={key} value={key}>
                  {name}
                </option>
              ))}
            </optgroup>
            <optgroup label="Your own server">
              {[OLLAMA, OTHER].map(({ key, name }) => (
                <option key={key} value={key}>
                  {name}
                </option>
              ))}
            </optgroup>
          </Choice>
          <ModelFields {...{ preset, problem, chosen, setChosen }} own={!usual} />
          <SecretField
            key={`${preset.key} key`}
            label={preset.prices ? "API key" : "API key (optional)"}
            name="api_key"
            required={Boolean(preset.prices)}
            minLength={8}
            hint={preset.hint}
            error={problem?.field("/api_key")}
          />
          <AddressField
            key={preset.key}
            label={preset.base || preset === OTHER ? "Address" : "Address (optional)"}
            required={Boolean(preset.base) || preset === OTHER}
            initial={preset.base}
            placeholder={preset === OTHER ? "https://models.example/v1" : "the provider's own"}
            hint={
              preset === OLLAMA
                ? "Where this gateway reaches Ollama, with port and /v1. 127.0.0.1 is the gateway's own host."
                : "The key is sent to this address only."
            }
            problem={problem}
          />
          <PriceFields
            key={`${place} price`}
            problem={problem}
            price={price && { input_microusd: price.input * 1e6, output_microusd: price.output * 1e6 }}
            note={<PriceNote preset={preset} usual={usual} />}
          />
          <WindowField
            key={`${place} window`}
            problem={problem}
            tokens={usual?.window}
            {...(usual?.dearer && { hint: "Above this many tokens, the provider asks for a higher price." })}
          />
          <GuideLink to="models">your own models</GuideLink>
          <Tick label="Use as default model" name="is_default" defaultChecked={first} />
          <Tick
            label="Try it now"
            name="try"
            defaultChecked
            hint="It is asked one small question, so a wrong key or name shows at once."
          />
        </>
      )}
    </ConnectForm>
  );
}
