//! The closed list of API routes that answer without a session, each with its reason. The authorisation test fails for
//! every other route that does.

/// A route that anybody may call.
#[derive(Debug, Clone, Copy)]
pub struct PublicRoute {
    /// Upper case.
    pub method: &'static str,
    /// As in the OpenAPI document.
    pub path: &'static str,
    /// Why the route needs no session.
    pub reason: &'static str,
}

/// All of them.
pub const PUBLIC_ROUTES: &[PublicRoute] = &[
    PublicRoute {
        method: "POST",
        path: "/api/auth/login",
        reason: "it is how one signs in; rate-limited by account and address",
    },
    PublicRoute {
        method: "GET",
        path: "/api/setup",
        reason: "the sign-in page says where the first one-time login is; it tells one bit",
    },
    PublicRoute {
        method: "POST",
        path: "/api/setup",
        reason: "the one-time login of the gateway's host is the credential; rate-limited by address",
    },
    PublicRoute {
        method: "POST",
        path: "/api/auth/confirm-address",
        reason: "the link is the credential, and it is opened where mail is read; guesses are rate-limited",
    },
    PublicRoute {
        method: "GET",
        path: "/api/auth/oidc/start",
        reason: "it is how one signs in by the identity provider; bounded by address",
    },
    PublicRoute {
        method: "GET",
        path: "/api/auth/oidc/callback",
        reason: "the identity provider sends browsers there; the state and the browser's cookie are the credential",
    },
    PublicRoute {
        method: "POST",
        path: "/api/auth/device",
        reason: "a terminal that is not signed in begins to wait; bounded by address",
    },
    PublicRoute {
        method: "POST",
        path: "/api/auth/device/token",
        reason: "the terminal's secret is the credential; it works only after a person confirms its code",
    },
    PublicRoute {
        method: "POST",
        path: "/api/invitations/look",
        reason: "the link is the credential, and a person who opens it may have no account yet; guesses are rate-limited",
    },
    PublicRoute {
        method: "POST",
        path: "/api/invitations/accept",
        reason: "the link is the credential, and it creates the person's account; rate-limited like a sign-in",
    },
    PublicRoute {
        method: "GET",
        path: "/api/apps/oauth/callback",
        reason: "an issuer sends a browser here; the one-time state is the credential",
    },
    PublicRoute {
        method: "POST",
        path: "/mcp/skills",
        reason: "an agent's own token is the credential; rate-limited by agent",
    },
    PublicRoute {
        method: "POST",
        path: "/mcp/sandbox",
        reason: "an agent's own token is the credential; rate-limited by agent",
    },
    PublicRoute {
        method: "POST",
        path: "/mcp/repo",
        reason: "an agent's own token is the credential; rate-limited by agent",
    },
    PublicRoute {
        method: "GET",
        path: "/problems/{code}",
        reason: "error codes are documentation",
    },
    PublicRoute {
        method: "GET",
        path: "/api/gateway",
        reason: "a gateway asks itself there, at its public address; it tells a hash",
    },
    PublicRoute {
        method: "GET",
        path: "/healthz",
        reason: "probes have no credentials; it tells one bit",
    },
    PublicRoute {
        method: "GET",
        path: "/readyz",
        reason: "probes have no credentials; it tells one bit",
    },
    PublicRoute {
        method: "POST",
        path: "/api/nodes/join",
        reason: "the single-use join code is the credential",
    },
    PublicRoute {
        method: "POST",
        path: "/api/nodes/leave",
        reason: "the node token is the credential; a machine may remove itself and nothing else",
    },
    PublicRoute {
        method: "GET",
        path: "/api/nodes/agent",
        reason: "the node token is the credential, checked before the upgrade",
    },
    PublicRoute {
        method: "POST",
        path: "/api/nodes/snapshots/{digest}/missing",
        reason: "the node token is the credential; rate-limited by machine",
    },
    PublicRoute {
        method: "POST",
        path: "/api/nodes/snapshots/{digest}/uploaded",
        reason: "the node token is the credential; rate-limited by machine",
    },
    PublicRoute {
        method: "GET",
        path: "/api/nodes/images",
        reason: "the node token is the credential; it lists the deployment's images, which belong to no workspace",
    },
    PublicRoute {
        method: "GET",
        path: "/dl/images/{digest}",
        reason: "the node token is the credential; the deployment's images belong to no workspace, and few are sent at once",
    },
    PublicRoute {
        method: "PUT",
        path: "/api/nodes/chunks/{hash}",
        reason: "the node token is the credential, checked before the body is read; rate-limited by machine",
    },
    PublicRoute {
        method: "GET",
        path: "/api/nodes/chunks/{hash}",
        reason: "the node token is the credential; a machine reads only what it is asked to restore",
    },
    PublicRoute {
        method: "GET",
        path: "/dl/roostd/{target}",
        reason: "the daemon is free software; a machine that joins has no session",
    },
];
