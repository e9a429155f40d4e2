import { must, Refusal } from "./refusal.ts";
import type { AskedOf, Routes } from "./route.ts";
import type { Brain, Claw } from "./schema.ts";
import { makeVersion } from "./state.ts";

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7"><path fill="#245" d="M0 0h7v7h-7z"/><path fill="#8cf" d="M2 2h3v3h-3z"/></svg>';
const versions = ({ state, params }: AskedOf): Brain[] => state.brains.get(params.id) ?? [];
const present = (at: AskedOf): Brain => versions(at).at(-1) ?? { agent_md: "", version: 0, bytes: 0 };
const clawOf = ({ state, params }: AskedOf): Claw =>
  must(
    state.claws.find((claw) => claw.id === params.id),
    "There is no such agent",
  );
const versionOf = (at: AskedOf & { params: { version: string } }): Brain =>
  must(versions(at).find((one) => one.version === Number(at.params.version)));

function add(at: AskedOf, agent_md: string, more: Partial<Brain> = {}) {
  const before = present(at);
  const base = Number(at.request.headers["if-match"]?.replaceAll('"', ""));
  if (Number.isFinite(base) && base !== before.version)
    throw new Refusal(412, "precondition-failed", "The resource has changed", {
      detail: `The brain has version ${before.version} by now: somebody wrote it since.`,
    });
  const next = makeVersion(at.state, before.version + 1, agent_md, { at: new Date().toISOString(), ...more });
  at.state.brains.set(at.params.id, [...versions(at), next]);
  at.mock.hub.changed("claw", at.params.id, clawOf(at).version);
  return { body: next };
}

export const brainRoutes = {
  "GET /api/claws/{id}/brain": (at) => ({ body: present(at) }),
  "PUT /api/claws/{id}/brain": (at) => add(at, at.body.agent_md),
  "GET /api/claws/{id}/brain/history": (at) => ({
    body: {
      items: versions(at)
        .toReversed()
        .map(({ agent_md: _text, ...one }) => one),
    },
  }),
  "GET /api/claws/{id}/brain/history/{version}": (at) => ({
    body: versionOf(at),
  }),
  "POST /api/claws/{id}/brain/history/{version}/restore": (at) => {
    const { agent_md, version } = versionOf(at);
    return add(at, agent_md, { cause: "restore", restored_from: version });
  },
  "GET /api/claws/{id}/avatar": ({ response, state, params }) => {
    const picture = state.pictures.get(params.id);
    response.writeHead(200, {
      "content-type": picture?.type ?? "image/svg+xml",
      "cache-control": "no-store",
    });
    response.end(picture?.file ?? SVG);
  },
  "PUT /api/claws/{id}/avatar": (at) => {
    const claw = clawOf(at);
    at.state.pictures.set(claw.id, { type: at.request.headers["content-type"] ?? "", file: at.raw });
    claw.avatar = { url: `/api/claws/${claw.id}/avatar?v=${at.raw.length}`, uploaded: true };
    return { body: claw.avatar };
  },
  "DELETE /api/claws/{id}/avatar": (at) => {
    const claw = clawOf(at);
    at.state.pictures.delete(claw.id);
    claw.avatar = { url: `/api/claws/${claw.id}/avatar?v=drawn-1`, uploaded: false };
    return { status: 204 };
  },
} satisfies Routes;
