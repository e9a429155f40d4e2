//! `roost model`: the language models that agents think with.

use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::api::types::{ModelBinding, ModelChange, ModelId, ModelPrice, ModelProvider, NewModel};
use crate::api::{Api, routes};
use crate::named;
use crate::show::{self, Shown};

/// Micro-dollars of a dollar.
const MICRO: f64 = 1e6;

/// Language models.
#[derive(Debug, clap::Subcommand)]
pub enum Model {
    /// List the models of the workspace
    #[command(visible_alias = "ls")]
    List,
    Add(Box<Add>),
    /// Ask a model for a sentence, and say how long it took
    Try {
        model: String,
    },
    /// Make a model the one that agents without a choice of their own think with
    Default {
        model: String,
    },
    /// Remove a model with its key
    #[command(visible_alias = "rm")]
    Remove {
        model: String,
    },
}

/// Add a model. Its key is read from stdin
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  roost model add anthropic claude-sonnet-4-5 --key-stdin --price 3,15 --default <key.txt\n  roost model add ollama qwen3:8b\n  roost model add openai llama-3.3-70b --base-url https://models.example.com/v1 --key-stdin <key.txt"
)]
pub struct Add {
    #[arg(value_parser = ["openai", "anthropic", "gemini", "ollama"])]
    provider: String,
    /// Its name at the provider
    model: String,
    /// Where it answers [default: the provider's own address]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Read the key from stdin
    #[arg(long)]
    key_stdin: bool,
    /// How many tokens of context it takes
    #[arg(long, value_name = "TOKENS")]
    context: Option<u32>,
    /// Dollars for a million tokens of input and of output
    #[arg(long, value_name = "INPUT,OUTPUT", value_parser = price)]
    price: Option<(f64, f64)>,
    /// Agents without a choice of their own think with it
    #[arg(long)]
    default: bool,
}

/// Reads `3,15`.
fn price(text: &str) -> Result<(f64, f64), String> {
    let wrong = || "must be two prices in dollars, such as 3,15".to_owned();
    let (input, output) = text.split_once(',').ok_or_else(wrong)?;
    let read = |part: &str| {
        let price = part.trim().parse::<f64>().ok();
        price
            .filter(|price| (0.0..=100_000.0).contains(price))
            .ok_or_else(wrong)
    };
    Ok((read(input)?, read(output)?))
}

impl Model {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::List => list(api).await?,
            Self::Add(add) => add.run(api).await?,
            Self::Try { model } => return attempt(api, &find(api, &model).await?).await,
            Self::Default { model } => {
                let change = ModelChange {
                    is_default: Some(true),
                };
                let id = find(api, &model).await?;
                let changed = api.ask(routes::change_model(&id, &change)).await?;
                match api.json {
                    true => show::json(changed.raw()),
                    false => println!(
                        "Agents without a choice of their own think with {}.",
                        changed.name.shown()
                    ),
                }
            }
            Self::Remove { model } => {
                let id = find(api, &model).await?;
                api.ask(routes::remove_model(&id)).await?;
                println!("The model and its key are removed.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Add {
    async fn run(self, api: &Api) -> anyhow::Result<()> {
        let mut key = String::new();
        if self.key_stdin {
            std::io::stdin()
                .read_to_string(&mut key)
                .context("cannot read the key from stdin")?;
        }
        let key = key.trim();
        if self.key_stdin && key.is_empty() {
            bail!("there was no key on stdin; for example: roost model add … --key-stdin <key.txt");
        }
        let micro = |dollars: f64| (dollars * MICRO).round() as u64;
        let new = NewModel {
            provider: ModelProvider::from(self.provider),
            model: self.model,
            base_url: self.base_url,
            api_key: self.key_stdin.then(|| key.to_owned()),
            context_tokens: self.context,
            price: self.price.map(|(input, output)| ModelPrice {
                input_microusd: micro(input),
                output_microusd: micro(output),
            }),
            is_default: Some(self.default),
        };
        let made = api.ask(routes::add_model(&new)).await?;
        if api.json {
            show::json(made.raw());
        } else {
            println!(
                "Added {}. `roost model try {}` asks it for a sentence.",
                made.name.shown(),
                made.name.shown()
            );
        }
        Ok(())
    }
}

async fn list(api: &Api) -> anyhow::Result<()> {
    let models = api.ask(routes::models()).await?;
    if api.json {
        show::json(models.raw());
        return Ok(());
    }
    let dollars = |micro: u64| format!("${:.2}", micro as f64 / MICRO);
    let row = |model: &ModelBinding| {
        let price = model.price.as_ref().map(|price| {
            format!(
                "{} / {}",
                dollars(price.input_microusd),
                dollars(price.output_microusd)
            )
        });
        vec![
            format!(
                "{}{}",
                model.name.shown(),
                if model.is_default { " (default)" } else { "" }
            ),
            model.model.shown(),
            model.base_url.shown(),
            model.window_tokens.to_string(),
            price.shown(),
            if model.has_key { "yes" } else { "no" }.to_owned(),
            named::short(&model.id),
        ]
    };
    let rows: Vec<_> = models.items.iter().map(row).collect();
    show::table(
        &[
            "NAME",
            "MODEL",
            "ADDRESS",
            "CONTEXT",
            "PRICE OF 1M",
            "KEY",
            "ID",
        ],
        &rows,
    );
    Ok(())
}

async fn attempt(api: &Api, id: &ModelId) -> anyhow::Result<ExitCode> {
    let tried = api.ask(routes::try_model(id)).await?;
    if api.json {
        show::json(tried.raw());
    } else if tried.ok {
        println!("{} ({} ms)", tried.text.shown(), tried.latency_ms);
    } else {
        eprintln!("roost: the model did not answer: {}", tried.error.shown());
    }
    Ok(match tried.ok {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

async fn find(api: &Api, wanted: &str) -> anyhow::Result<ModelId> {
    if named::is_id(wanted) {
        return Ok(wanted.to_owned().into());
    }
    let models = api.ask(routes::models()).await?;
    let named = |model: &&ModelBinding| model.name == wanted || model.model == wanted;
    let mut found: Vec<&ModelBinding> = models.items.iter().filter(named).collect();
    if found.is_empty() && named::is_short(wanted) {
        let ends = |model: &&ModelBinding| model.id.shown().ends_with(wanted);
        found = models.items.iter().filter(ends).collect();
    }
    match found.as_slice() {
        [one] => Ok(one.id.clone()),
        [] => bail!("no model is called {wanted:?}; see `roost model list`"),
        several => bail!(
            "{} models are called {wanted:?}; say which one by the end of its id, as `roost model list` shows it",
            several.len()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_is_two_amounts_of_dollars() {
        assert_eq!(price("3, 15.5"), Ok((3.0, 15.5)));
        for wrong in ["3", "a,b", "-1,2", "1,NaN", "1,1e9", ""] {
            assert!(price(wrong).is_err(), "{wrong}");
        }
    }
}
