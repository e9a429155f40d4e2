// How the mock's secret broker is at first.
import type { Schemas } from "./schema.ts";

export const makeBroker = (): Schemas["BrokerNow"] => ({
  reachable: true,
  detail: null,
  build: "0.1.0",
  started_at: new Date(Date.now() - 3 * 86_400_000).toISOString(),
  records: 42,
  needs_reauth: 3,
  root: "file",
  root_key: "88b22ba2f8a82fa6",
  to_rekey: 0,
  forwards: 1280,
  forwards_failed: 7,
  refreshes: 64,
  audit_entries: 1411,
  warnings: [],
});

/** How people sign in, as an operator is told; nobody but this Roost vouches for them. */
const SIGN_IN: Schemas["SignInNow"] = {
  mode: "local",
  issuer: null,
  audience: null,
  client_id: null,
  role_claim: null,
  organisation_claim: null,
  organisation_admin: [],
  admit_domains: [],
  per_signup_workspace: false,
  workspace: null,
  session_seconds: null,
};
export const makeSignIn = (more: Partial<Schemas["SignInNow"]> = {}): Schemas["SignInNow"] => ({
  ...SIGN_IN,
  ...more,
});
