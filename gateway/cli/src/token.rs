//! `roost token`: what programs work with.

use std::process::ExitCode;

use crate::api::types::{NewApiSession, Session, SessionId};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::named::{self, Kind, Named};
use crate::show::{self, Shown};

/// Tokens of programs.
#[derive(Debug, clap::Subcommand)]
pub enum Token {
    /// Make a token for a program, in the present workspace; it is shown once
    Create {
        /// What it is for
        label: String,
        /// When it ends [default: the longest that a session lives]
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
        /// What it may do at most, such as `runs.read`; may be given several times [default: all that you may]
        #[arg(long = "scope", value_name = "PERMISSION")]
        scopes: Vec<String>,
    },
    /// List your tokens
    #[command(visible_alias = "ls")]
    List,
    /// Revoke a token by its label or id. It is dead at once
    #[command(visible_alias = "rm")]
    Revoke { token: String },
}

impl Token {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Create {
                label,
                days,
                scopes,
            } => {
                let new = NewApiSession {
                    label,
                    expires_in_days: days,
                    scopes: (!scopes.is_empty()).then_some(scopes),
                };
                let made = api.ask(routes::create_session(&new)).await?;
                if api.json {
                    show::json(made.raw());
                } else {
                    // The token alone on stdout, so that a script can take it.
                    println!("{}", made.token.shown());
                    let end = made.expires_at.shown();
                    eprintln!("It is shown this once and ends {end}.");
                }
            }
            Self::List => {
                let tokens = mine(api).await?;
                if api.json {
                    show::json(&raw_list(&tokens));
                } else {
                    let row = |one: &Parsed<Session>| {
                        vec![
                            one.label.shown(),
                            scopes(one),
                            show::relative(Some(&one.last_seen_at)),
                            show::relative(Some(&one.expires_at)),
                            named::short(&one.id),
                        ]
                    };
                    let rows: Vec<_> = tokens.iter().map(row).collect();
                    show::table(&["LABEL", "MAY", "USED", "ENDS", "ID"], &rows);
                }
            }
            Self::Revoke { token } => {
                let id = match named::is_id(&token) {
                    true => SessionId::from(token),
                    false => named::the_one(&token, &mine(api).await?)?.id.clone(),
                };
                api.ask(routes::revoke_session(&id)).await?;
                println!("Revoked.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What a token may do at most.
fn scopes(one: &Session) -> String {
    match &one.scopes {
        Some(scopes) => scopes.join(" ").shown(),
        None => "all that you may".to_owned(),
    }
}

/// The person's tokens, without the sessions of browsers.
async fn mine(api: &Api) -> anyhow::Result<Vec<Parsed<Session>>> {
    let mut tokens = api.ask(routes::sessions()).await?.into_value().items;
    tokens.retain(|one| one.kind == "api");
    Ok(tokens)
}

impl Named for Session {
    type Id = SessionId;

    const KIND: Kind = Kind {
        one: "token",
        many: "tokens",
        list: "roost token list",
    };

    fn id(&self) -> &SessionId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.label.as_deref() == Some(name)
    }

    fn about(&self) -> Vec<String> {
        vec![
            scopes(self),
            format!("ends {}", show::relative(Some(&self.expires_at))),
        ]
    }
}
