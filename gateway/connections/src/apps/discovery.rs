//! Reads an issuer's authorization and token endpoints.

use serde::Deserialize;
use url::Url;

use super::AppError;
use super::model::{AuthType, without_slash};
use roost_platform::outbound::{Outbound, OutboundError};

/// An issuer's metadata (OpenID Connect Discovery, RFC 8414).
#[derive(Debug, Deserialize)]
struct Metadata {
    issuer: Option<String>,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    revocation_endpoint: Option<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    code_challenge_methods_supported: Option<Vec<String>>,
}

/// An MCP server's metadata (RFC 9728).
#[derive(Debug, Deserialize)]
struct Protected {
    authorization_servers: Option<Vec<String>>,
}

/// The endpoints of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints {
    /// The issuer's name that the callback's `iss` must have.
    pub issuer: String,
    pub authorization: Url,
    pub token: Url,
    pub revocation: Option<Url>,
    /// The issuer announces that it always sends `iss`.
    pub names_itself: bool,
}

/// Reads the issuer's metadata. If an MCP server has no OpenID metadata, its authorization server is read.
///
/// # Errors
/// [`AppError::BadIssuer`], [`AppError::Discovery`], [`AppError::Metadata`].
pub async fn discover(
    outbound: &Outbound,
    auth_type: AuthType,
    issuer: &Url,
) -> Result<Endpoints, AppError> {
    outbound.check(issuer).map_err(AppError::BadIssuer)?;
    let openid = appended(issuer, "openid-configuration")?;
    match outbound.get_json::<Metadata>(&openid).await {
        Ok(metadata) => understood(outbound, metadata, issuer),
        Err(error) if error.is_not_found() && auth_type == AuthType::McpOAuth => {
            let server = authorization_server(outbound, issuer).await?;
            outbound.check(&server).map_err(AppError::Discovery)?;
            let metadata = of_server(outbound, &server).await?;
            understood(outbound, metadata, &server)
        }
        Err(error) => Err(AppError::Discovery(error)),
    }
}

/// The authorization server of an MCP server; the server itself when it names none.
async fn authorization_server(outbound: &Outbound, resource: &Url) -> Result<Url, AppError> {
    let place = inserted(resource, "oauth-protected-resource")?;
    match outbound.get_json::<Protected>(&place).await {
        Ok(said) => said
            .authorization_servers
            .and_then(|servers| servers.first()?.parse().ok())
            .ok_or(AppError::Metadata(
                "the server names no authorization server",
            )),
        Err(error) if error.is_not_found() => Ok(resource.clone()),
        Err(error) => Err(AppError::Discovery(error)),
    }
}

async fn of_server(outbound: &Outbound, server: &Url) -> Result<Metadata, AppError> {
    let place = inserted(server, "oauth-authorization-server")?;
    let found: Result<Metadata, OutboundError> = outbound.get_json(&place).await;
    match found {
        Err(error) if error.is_not_found() => {
            let openid = appended(server, "openid-configuration")?;
            outbound
                .get_json(&openid)
                .await
                .map_err(AppError::Discovery)
        }
        found => found.map_err(AppError::Discovery),
    }
}

fn understood(outbound: &Outbound, metadata: Metadata, asked: &Url) -> Result<Endpoints, AppError> {
    let bad = |why| Err(AppError::Metadata(why));
    let Some(issuer) = metadata.issuer else {
        return bad("they name no issuer");
    };
    // With another issuer's metadata the code would go to that issuer.
    if issuer.trim_end_matches('/') != without_slash(asked) {
        return bad("they are another issuer's");
    }
    let parsed = |endpoint: Option<String>| endpoint.and_then(|text| text.parse::<Url>().ok());
    let (Some(authorization), Some(token)) = (
        parsed(metadata.authorization_endpoint),
        parsed(metadata.token_endpoint),
    ) else {
        return bad("an endpoint is missing");
    };
    if authorization.fragment().is_some() {
        return bad("the authorization endpoint has a fragment");
    }
    for endpoint in [&authorization, &token] {
        outbound.check(endpoint).map_err(AppError::Discovery)?;
    }
    if let Some(methods) = metadata.code_challenge_methods_supported
        && !methods.iter().any(|method| method == "S256")
    {
        return bad("the issuer knows no PKCE with S256");
    }
    Ok(Endpoints {
        issuer,
        authorization,
        token,
        revocation: parsed(metadata.revocation_endpoint)
            .filter(|endpoint| outbound.check(endpoint).is_ok()),
        names_itself: metadata.authorization_response_iss_parameter_supported,
    })
}

/// `{issuer}/.well-known/{name}`, as OpenID defines it.
fn appended(issuer: &Url, name: &str) -> Result<Url, AppError> {
    format!("{}/.well-known/{name}", without_slash(issuer))
        .parse()
        .map_err(|_| AppError::Metadata("the issuer's address has a query or a fragment"))
}

/// `{origin}/.well-known/{name}{path}`, as RFC 8414 and RFC 9728 define it.
fn inserted(issuer: &Url, name: &str) -> Result<Url, AppError> {
    let path = issuer.path().trim_end_matches('/');
    issuer
        .join(&format!("/.well-known/{name}{path}"))
        .map_err(|_| AppError::Metadata("the issuer's address cannot be used"))
}
