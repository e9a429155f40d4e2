//! Decisions of connecting an app: its issuer, the request to it, and where a token may go. No I/O.

use std::collections::BTreeMap;

use roost_secret_broker::wire::{Allow, BadName, RecordName};
use url::Url;

use super::AppError;
use super::settings::OAuth;
use roost_platform::ids::{AppConnectionId, ClawId};
use roost_tenancy::auth::WorkspaceScope;

/// The path to which an issuer sends the browser back.
pub const CALLBACK: &str = "/api/apps/oauth/callback";
/// Longest name of a provider.
const LONGEST_PROVIDER: usize = 63;
/// The methods that a connection may use at its provider's API.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// The database's word for a connection with a pasted token, besides the two words of [`AuthType`].
pub const TOKEN: &str = "token";
/// The provider whose connections each have their own address.
pub const WEBHOOK: &str = "webhook";

/// How an app is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthType {
    /// At the deployment's own issuer.
    OAuth,
    /// At the issuer of an MCP server, which the request names.
    McpOAuth,
}

impl AuthType {
    /// The word in requests and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OAuth => "oauth",
            Self::McpOAuth => "mcp_oauth",
        }
    }

    /// Parses the word of a request.
    ///
    /// # Errors
    /// [`AppError::NotPossible`].
    pub fn asked(word: Option<&str>) -> Result<Self, AppError> {
        match word {
            None | Some("oauth") => Ok(Self::OAuth),
            Some("mcp_oauth") => Ok(Self::McpOAuth),
            Some(_) => Err(AppError::NotPossible(
                "`authType` must be `oauth` or `mcp_oauth`.",
            )),
        }
    }
}

/// Whether a text can be a provider, and so part of a record's name.
pub fn is_provider(text: &str) -> bool {
    let mut bytes = text.bytes();
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= LONGEST_PROVIDER
        && bytes.next().is_some_and(plain)
        && bytes.all(|byte| plain(byte) || byte == b'_' || byte == b'-')
}

/// The issuer of a sign-in, and the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub auth_type: AuthType,
    /// As it was given.
    pub issuer: Url,
    pub client_id: String,
    /// Whether the client's secret belongs to this issuer.
    pub confidential: bool,
    pub redirect_uri: String,
}

/// Decides the issuer from the request and the configuration.
///
/// # Errors
/// [`AppError::NotPossible`], which names the missing setting.
pub fn plan(
    auth_type: AuthType,
    asked_issuer: Option<&Url>,
    oauth: &OAuth,
) -> Result<Plan, AppError> {
    let configured = oauth.issuer_url.as_ref();
    let issuer = match auth_type {
        AuthType::OAuth => configured.ok_or(AppError::NotPossible(
            "This deployment has no issuer for apps; its operator sets `oauth.issuer_url`.",
        ))?,
        AuthType::McpOAuth => asked_issuer.ok_or(AppError::NotPossible(
            "`mcp_oauth` needs `issuerUrl`, the issuer of the MCP server.",
        ))?,
    };
    let client_id = oauth.client_id.clone().ok_or(AppError::NotPossible(
        "This deployment has no client for apps; its operator sets `oauth.client_id`.",
    ))?;
    let base = oauth.redirect_base.as_ref().ok_or(AppError::NotPossible(
        "This deployment does not know its own address; its operator sets `oauth.redirect_base` or `public_url`.",
    ))?;
    // The client's secret is only for its own issuer. Another issuer must not get it.
    let own = configured.is_some_and(|own| without_slash(own) == without_slash(issuer));
    Ok(Plan {
        auth_type,
        confidential: own && oauth.client_secret_file.is_some(),
        issuer: issuer.clone(),
        client_id,
        redirect_uri: format!("{}{CALLBACK}", without_slash(base)),
    })
}

/// A URL in the form that issuers use for themselves.
pub fn without_slash(url: &Url) -> &str {
    url.as_str().trim_end_matches('/')
}

/// The address where a person allows the connection.
pub fn authorize_url(endpoint: &Url, plan: &Plan, state: &str, challenge: &str) -> Url {
    let mut url = endpoint.clone();
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", &plan.client_id)
        .append_pair("redirect_uri", &plan.redirect_uri)
        .append_pair("state", state)
        .append_pair("scope", "openid")
        .append_pair("code_challenge", challenge)
        .append_pair("code_challenge_method", "S256");
    url
}

/// The token's name in the broker. Each name is new, so the deletion of an old token never hits a new one.
///
/// # Errors
/// [`BadName`], which the gateway's own names never cause.
pub fn record_name(
    scope: WorkspaceScope,
    agent: ClawId,
    state: &str,
    provider: &str,
) -> Result<RecordName, BadName> {
    let connection = format!("{agent}/{state}/{provider}_oauth_token");
    RecordName::new(scope.workspace().to_string(), connection)
}

/// As [`record_name`], for a pasted token.
///
/// # Errors
/// [`BadName`], which the gateway's own names never cause.
pub fn token_name(
    scope: WorkspaceScope,
    agent: ClawId,
    id: AppConnectionId,
    provider: &str,
) -> Result<RecordName, BadName> {
    let connection = format!("{agent}/{id}/{provider}_token");
    RecordName::new(scope.workspace().to_string(), connection)
}

/// The methods that a connection may use at its provider.
pub fn methods(provider: &str) -> Vec<String> {
    match provider {
        WEBHOOK => vec!["POST".to_owned()],
        _ => METHODS.map(str::to_owned).to_vec(),
    }
}

/// The part of an API that a connection may use, from the base address.
pub fn prefix(base: &Url) -> String {
    match base.path().trim_end_matches('/') {
        "" => "/".to_owned(),
        path => path.to_owned(),
    }
}

/// Where the token may be sent: the provider's API, or the MCP server; nowhere when neither is known.
pub fn allowed(plan: &Plan, provider: &str, apis: &BTreeMap<String, Url>) -> Vec<Allow> {
    let base = match plan.auth_type {
        AuthType::OAuth => apis.get(provider),
        AuthType::McpOAuth => Some(&plan.issuer),
    };
    base.map(|base| Allow {
        origin: base.origin().ascii_serialization(),
        methods: methods(provider),
        path_prefix: prefix(base),
    })
    .into_iter()
    .collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    fn oauth() -> OAuth {
        OAuth {
            issuer_url: Some(url("https://login.example/tenant/")),
            client_id: Some("roost & co".into()),
            client_secret_file: Some("s".into()),
            redirect_base: Some(url("https://roost.example/")),
            apis: BTreeMap::from([("ghe".to_owned(), url("https://git.example/api/v3/"))]),
        }
    }

    #[rstest]
    #[case("github", true)]
    #[case("9-x_y", true)]
    #[case("", false)]
    #[case("../../x", false)]
    #[case("_x", false)]
    #[case("Git", false)]
    #[case("a/b", false)]
    fn providers_are_plain_words(#[case] text: &str, #[case] fine: bool) {
        assert_eq!(is_provider(text), fine);
        assert!(is_provider(&"a".repeat(63)) && !is_provider(&"a".repeat(64)));
    }

    #[test]
    fn the_client_s_secret_is_for_its_own_issuer_only() {
        let own = url("https://login.example/tenant");
        let plan_of = |kind, issuer: Option<&Url>| plan(kind, issuer, &oauth()).unwrap();
        assert!(plan_of(AuthType::OAuth, None).confidential);
        assert!(plan_of(AuthType::McpOAuth, Some(&own)).confidential);
        let other = url("https://login.example.evil.example/tenant");
        assert!(!plan_of(AuthType::McpOAuth, Some(&other)).confidential);
    }

    #[rstest]
    #[case::issuer(|o: &mut OAuth| o.issuer_url = None, "issuer_url")]
    #[case::client(|o: &mut OAuth| o.client_id = None, "client_id")]
    #[case::base(|o: &mut OAuth| o.redirect_base = None, "redirect_base")]
    fn missing_part_is_named(#[case] take: fn(&mut OAuth), #[case] named: &str) {
        let mut oauth = oauth();
        take(&mut oauth);
        let refused = plan(AuthType::OAuth, None, &oauth).unwrap_err();
        assert!(refused.to_string().contains(named), "{refused}");
    }

    #[test]
    fn the_authorize_address_has_what_is_specified_and_nothing_else() {
        let plan = plan(AuthType::OAuth, None, &oauth()).unwrap();
        let url = authorize_url(&url("https://login.example/auth"), &plan, "0af", "ch");
        assert_eq!(
            url.as_str(),
            "https://login.example/auth?response_type=code&client_id=roost+%26+co\
             &redirect_uri=https%3A%2F%2Froost.example%2Fapi%2Fapps%2Foauth%2Fcallback\
             &state=0af&scope=openid&code_challenge=ch&code_challenge_method=S256"
        );
    }

    #[test]
    fn a_token_goes_to_its_provider_s_api_and_nowhere_else() {
        let oauth = oauth();
        let own = plan(AuthType::OAuth, None, &oauth).unwrap();
        let to = allowed(&own, "ghe", &oauth.apis);
        assert_eq!(
            (&*to[0].origin, &*to[0].path_prefix),
            ("https://git.example", "/api/v3")
        );
        assert!(allowed(&own, "unheard-of", &oauth.apis).is_empty());
        let server = url("https://mcp.example/v1/");
        let mcp = plan(AuthType::McpOAuth, Some(&server), &oauth).unwrap();
        let to = allowed(&mcp, "ghe", &oauth.apis);
        assert_eq!(
            (&*to[0].origin, &*to[0].path_prefix),
            ("https://mcp.example", "/v1")
        );
    }
}
