// The account of the person in the mock: name, address, picture, and the set-up of a new deployment.
import { must, Refusal } from "./refusal.ts";
import type { Routes } from "./route.ts";
import type { Schemas } from "./schema.ts";
import type { State } from "./state.ts";

type Me = Schemas["Me"];
interface Opened {
  headers: Record<string, string>;
  body: Schemas["SignedIn"];
}

/** What a person may change of themselves. */
function change(state: State, body: Schemas["AccountChange"]): void {
  const email = body.email?.trim().toLowerCase();
  if (email && email !== state.user.email) {
    if (!state.mustSetPassword && body.password !== state.password)
      throw new Refusal(403, "forbidden", "Your role does not allow this", {
        detail: "The password is wrong. Type your present password.",
      });
    if (state.people.members.some(({ user }) => user.email === email))
      throw new Refusal(409, "conflict", "This conflicts with the present state", {
        detail: `Another account has the address ${email}.`,
      });
    if (state.mails) state.pendingEmail = email;
    else state.user.email = email;
  }
  if (typeof body.mail_notices === "boolean") state.mailNotices = body.mail_notices;
  if (body.name) state.user.name = body.name.trim();
}

export const accountRoutes = (
  me: (state: State) => Me,
  open: (state: State, agent: string | undefined) => Opened,
) =>
  ({
    "PATCH /api/auth/me": ({ state, body }) => {
      change(state, body);
      return { body: me(state) };
    },
    "POST /api/auth/confirm-address": ({ state, body }) => {
      if (body.token !== "known" || !state.pendingEmail)
        throw new Refusal(404, "not-found", "The link is not good any more", {
          detail: "Ask for the change again on the account page.",
        });
      state.user.email = state.pendingEmail;
      delete state.pendingEmail;
      return { body: { email: state.user.email } };
    },
    "POST /api/ops/public-address/check": ({ state, body }) => ({
      body: {
        reachable: state.addressProblem === undefined,
        reason: state.addressProblem && `${body.url}: ${state.addressProblem}`,
      },
    }),
    "PUT /api/auth/me/avatar": ({ state, raw, request }) => {
      const type = request.headers["content-type"] ?? "";
      if (raw.length > 262_144) throw new Refusal(413, "payload-too-large", "This is too large");
      state.pictures.set(state.user.id, { type, file: raw });
      state.user.avatar = `v${raw.length}`;
      return { status: 204 };
    },
    "DELETE /api/auth/me/avatar": ({ state }) => {
      state.pictures.delete(state.user.id);
      state.user.avatar = null;
      return { status: 204 };
    },
    "GET /api/users/{id}/avatar": ({ state, response, params }) => {
      const picture = must(state.pictures.get(params.id));
      response.writeHead(200, { "content-type": picture.type, "cache-control": "no-store" });
      response.end(picture.file);
    },
    "POST /api/setup": ({ state, body, request }) => {
      if (state.ownerReady)
        throw new Refusal(409, "conflict", "This conflicts with the present state", {
          detail: "This Roost is set up already. Sign in with e-mail and password.",
        });
      if (body.one_time !== state.oneTime)
        throw new Refusal(401, "invalid-credentials", "That did not fit", {
          detail: "The one-time login is wrong or was used. Restart Roost to get a new one.",
        });
      Object.assign(state.user, { name: body.name, email: body.email });
      Object.assign(state, { password: body.password, mustSetPassword: false, ownerReady: true });
      return open(state, request.headers["user-agent"]);
    },
  }) satisfies Routes;
