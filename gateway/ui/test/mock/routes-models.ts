// Models of the mock, over HTTP: keys are taken and never given back.
import { ago, newId } from "./ids.ts";
import { basedOn, Refusal } from "./refusal.ts";
import type { Routes } from "./route.ts";
import { found } from "./routes-teams.ts";
import type { Model, Schemas } from "./schema.ts";

type Provider = NonNullable<Model["provider"]>;

export interface Models {
  list: Model[];
  settings: Schemas["ModelSettings"];
  keys: string[];
  tried: Schemas["ModelTried"] | undefined;
  asked?: Schemas["NewModel"];
  changed?: Schemas["ModelChange"];
}

export function makeModel(provider: Provider, model: string, more: Partial<Model> = {}): Model {
  const made: Model = {
    id: newId(),
    provider,
    model,
    name: `${provider}/${model}`,
    base_url: `https://${provider}.example/v1`,
    has_key: true,
    is_default: false,
    price: { input_microusd: 1_250_000, output_microusd: 10_000_000 },
    context_tokens: null,
    window_tokens: 32_768,
    created_at: ago(9000),
    created_by: null,
    version: 1,
  };
  return { ...made, ...more };
}

export const makeModels = (): Models => ({
  list: [
    makeModel("ollama", "small", { base_url: "http://127.0.0.1:11434/v1", has_key: false, price: null }),
    makeModel("openai", "gpt-large", { is_default: true }),
  ],
  settings: { run_ceiling_microusd: 2_000_000, month_ceiling_microusd: null },
  keys: [],
  tried: undefined,
});

const refuse = (pointer: string, detail: string) =>
  new Refusal(400, "validation", "The request is not valid", { errors: [{ pointer, detail }] });

/** Only one is the default. */
function prefer(models: Models, one: Model, on: boolean) {
  if (on) for (const other of models.list) other.is_default = false;
  one.is_default = on;
}

export const modelRoutes = {
  "GET /api/models": ({ state }) => ({ body: { items: state.models.list } }),
  "POST /api/models": ({ state: { models }, body }) => {
    const name = `${body.provider}/${body.model}`;
    if (body.model.includes(" ")) throw refuse("/model", "must have no blanks");
    // As the gateway does without `outbound.allow_private`.
    if (/\/\/(127\.|localhost)/.test(body.base_url ?? ""))
      throw refuse("/base_url", "the address of 127.0.0.1 cannot be used");
    if (models.list.some((one) => one.name === name))
      throw new Refusal(409, "conflict", "That does not fit", {
        detail: `There is already a model ${name} in this workspace.`,
      });
    if (body.api_key) models.keys.push(body.api_key);
    models.asked = { ...body, api_key: body.api_key && "taken" };
    const made = makeModel(body.provider, body.model, { has_key: Boolean(body.api_key), price: body.price });
    if (body.base_url) made.base_url = body.base_url;
    models.list.push(made);
    prefer(models, made, body.is_default ?? false);
    return { status: 201, body: made };
  },
  "GET /api/models/settings": ({ state }) => ({ body: state.models.settings }),
  "PUT /api/models/settings": ({ state, body }) => {
    state.models.settings = body;
    return { body };
  },
  "PATCH /api/models/{id}": ({ state: { models }, params, body, request }) => {
    const one = found(models.list, params.id, "model");
    basedOn(one.version, request.headers);
    one.version += 1;
    models.changed = body;
    if (body.api_key) models.keys.push(body.api_key);
    if (body.price !== undefined) one.price = body.price;
    if (body.context_tokens !== undefined) {
      one.context_tokens = body.context_tokens;
      one.window_tokens = body.context_tokens ?? 32_768;
    }
    if (typeof body.is_default === "boolean") prefer(models, one, body.is_default);
    return { body: one };
  },
  "DELETE /api/models/{id}": ({ state: { models }, params }) => {
    models.list = models.list.filter(({ id }) => id !== params.id);
    return { status: 204 };
  },
  "POST /api/models/{id}/try": ({ state: { models } }) => ({
    body: models.tried ?? {
      ok: true,
      text: "I am a model.",
      latency_ms: 840,
      cost_microusd: 210,
      may_be_retried: false,
    },
  }),
} satisfies Routes;
