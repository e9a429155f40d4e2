import { Refusal } from "./server.mjs";
import { makeVersion } from "./state.mjs";

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7"><path fill="#245" d="M0 0h7v7h-7z"/><path fill="#8cf" d="M2 2h3v3h-3z"/></svg>';
const versions = ({ state, params }) => state.brains.get(params.id) ?? [];
const present = (at) => versions(at).at(-1) ?? { agent_md: "", version: 0, bytes: 0 };
const clawOf = ({ state, params }) => state.claws.find((claw) => claw.id === params.id);

function add(at, agent_md, more) {
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

export const brainRoutes = (signedIn) => ({
  "GET /api/claws/:id/brain": signedIn((at) => ({ body: present(at) })),
  "PUT /api/claws/:id/brain": signedIn((at) => add(at, at.body.agent_md)),
  "GET /api/claws/:id/brain/history": signedIn((at) => ({
    body: {
      items: versions(at)
        .toReversed()
        .map((one) => ({ ...one, agent_md: undefined })),
    },
  })),
  "GET /api/claws/:id/brain/history/:version": signedIn((at) => ({
    body: versions(at).find((one) => one.version === Number(at.params.version)),
  })),
  "POST /api/claws/:id/brain/history/:version/restore": signedIn((at) => {
    const from = Number(at.params.version);
    const earlier = versions(at).find((one) => one.version === from);
    return add(at, earlier.agent_md, { cause: "restore", restored_from: from });
  }),
  "GET /api/claws/:id/avatar": signedIn(({ response, state, params }) => {
    const picture = state.claws.find((claw) => claw.id === params.id)?.picture;
    response.writeHead(200, {
      "content-type": picture?.type ?? "image/svg+xml",
      "cache-control": "no-store",
    });
    response.end(picture?.file ?? SVG);
  }),
  "PUT /api/claws/:id/avatar": signedIn((at) => {
    const claw = clawOf(at);
    claw.picture = { type: at.request.headers["content-type"], file: at.raw };
    claw.avatar = { url: `/api/claws/${claw.id}/avatar?v=${at.raw.length}`, uploaded: true };
    return { body: claw.avatar };
  }),
  "DELETE /api/claws/:id/avatar": signedIn((at) => {
    const claw = clawOf(at);
    delete claw.picture;
    claw.avatar = { url: `/api/claws/${claw.id}/avatar?v=drawn-1`, uploaded: false };
    return { status: 204 };
  }),
});
