// A certified OpenID provider (oidc-provider) on loopback for the tests in tests/it/identity/provider.rs and
// tests/it/apps/certified.rs: a client that signs people in, one that connects apps and may renew its tokens, both with a
// secret; people by name, and a sign-in that asks nobody anything. Says `ready` when it listens.
import { generateKeyPairSync } from "node:crypto";
import { Provider } from "oidc-provider";

const [port, redirectUri] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" });

// What an administrator of the provider has changed, by person.
const roles = new Map();

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "roost",
      client_secret: "a secret of the client & its = signs",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    },
    {
      client_id: "apps",
      client_secret: "a secret of the apps & its = signs",
      token_endpoint_auth_method: "client_secret_post",
      redirect_uris: [new URL("/api/apps/oauth/callback", redirectUri).href],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    },
  ],
  // `brief` gets no refresh token, so nobody can ask about them again.
  issueRefreshToken: (_, client, code) =>
    client.grantTypeAllowed("refresh_token") && code.accountId !== "brief",
  // Shorter than the minute that the broker wants a token to last yet, so that every use renews it.
  ttl: { AccessToken: 50 },
  jwks: { keys: [{ ...key, use: "sig", alg: "RS256", kid: "certified" }] },
  pkce: { required: () => true },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "role"] },
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true },
    revocation: { enabled: true },
  },
  cookies: { keys: ["only for tests"] },
  // The cookie `person` of the test's browser names the person who signs in.
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      name: `The ${id}`,
      email: `${id}@example.com`,
      email_verified: true,
      ...(roles.has(id) ? { role: roles.get(id) } : id === "guest" ? {} : { role: "admin" }),
    }),
  }),
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
});

provider.use(async (ctx, next) => {
  if (ctx.path !== "/role") return next();
  roles.set(ctx.query.person, ctx.query.role);
  ctx.status = 204;
});

// Everybody takes back what they agreed to.
const grants = [];
provider.use(async (ctx, next) => {
  if (ctx.path !== "/withdraw") return next();
  await Promise.all(grants.splice(0).map((grant) => provider.RefreshToken.revokeByGrantId(grant)));
  ctx.status = 204;
});

// Signing in and agreeing at once, as a person would by two clicks; `nobody` refuses.
provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith("/interaction/")) return next();
  const { prompt, params, session } = await provider.interactionDetails(ctx.req, ctx.res);
  const person = ctx.cookies.get("person", { signed: false }) ?? "ada";
  let result;
  if (person === "nobody") {
    result = { error: "access_denied", error_description: "<b>not</b> today" };
  } else if (prompt.name === "login") {
    result = { login: { accountId: person } };
  } else {
    const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope("openid email profile");
    const grantId = await grant.save();
    grants.push(grantId);
    result = { consent: { grantId } };
  }
  await provider.interactionFinished(ctx.req, ctx.res, result);
});

provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
process.stdin.resume().on("end", () => process.exit(0));
