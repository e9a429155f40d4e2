//! Pure rules of models: names, addresses, keys, ceilings.

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use crate::providers::{Price, Provider};

/// The maximum number of models in a workspace.
pub const MOST_MODELS: u64 = 50;
/// Highest price of a million tokens, in millionths of a dollar: ten thousand dollars.
pub const MOST_PRICE: u64 = 10_000_000_000;
/// Highest ceiling, in millionths of a dollar: a thousand million dollars.
pub const MOST_CEILING: u64 = 1_000_000_000_000_000;
/// The placeholder that the broker stores when a model needs no key. The broker has no records without a secret.
pub const NO_KEY: &str = "no-key-is-needed";

/// `<provider>/<model>`, the form in which agents are bound to a model.
pub fn name(provider: &str, model: &str) -> String {
    format!("{provider}/{model}")
}

/// Whether the text is valid as a provider's model name: `gpt-5`, `claude-opus-4-5`, `qwen3:8b`, `org/name`.
pub fn is_model(text: &str) -> bool {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/@+".contains(&byte);
    (1..=150).contains(&text.len())
        && text.bytes().all(fine)
        && text
            .split('/')
            .all(|part| !part.is_empty() && !part.bytes().all(|byte| byte == b'.'))
}

/// Whether the text is valid as a key.
pub fn is_key(text: &str) -> bool {
    (8..=1_000).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The address of the API, as it is stored.
///
/// # Errors
/// Why the address is invalid.
pub fn base_url(provider: Provider, given: Option<&str>) -> Result<Url, String> {
    let text = given.unwrap_or_else(|| provider.default_base());
    let mut url = Url::parse(text.trim())
        .map_err(|_| "must be an address such as https://models.example.com/v1".to_owned())?;
    if !matches!(url.scheme(), "https" | "http") || !url.has_host() {
        return Err("must begin with https:// and name a host".to_owned());
    }
    let has_user = !url.username().is_empty() || url.password().is_some();
    if has_user || url.query().is_some() || url.fragment().is_some() {
        return Err(
            "must have no user, no query and no #; the key has a field of its own".to_owned(),
        );
    }
    let trimmed = url.path().trim_end_matches('/').to_owned();
    url.set_path(&trimmed);
    Ok(url)
}

/// The smallest and the largest window of a model, in tokens.
pub const WINDOWS: (u32, u32) = (4_096, 20_000_000);

/// The window of a model that nobody has set, in tokens: what its maker names, and a small one for an unknown model,
/// because a server cuts or refuses what exceeds its window.
pub fn default_window(provider: Option<Provider>, model: &str) -> u32 {
    const KNOWN: [(&str, u32); 12] = [
        ("claude-", 200_000),
        ("gemini-", 1_000_000),
        ("gpt-5", 272_000),
        ("gpt-4.1", 1_000_000),
        ("gpt-4o", 128_000),
        ("gpt-4-turbo", 128_000),
        ("o1", 200_000),
        ("o3", 200_000),
        ("o4", 200_000),
        ("deepseek-", 128_000),
        ("mistral-", 128_000),
        ("qwen3-", 128_000),
    ];
    if provider == Some(Provider::Ollama) {
        // A local server begins with a window of this size, whatever the model could take.
        return 8_192;
    }
    let name = model
        .rsplit('/')
        .next()
        .unwrap_or(model)
        .to_ascii_lowercase();
    let known = KNOWN.iter().find(|(begin, _)| name.starts_with(begin));
    known.map_or(32_768, |(_, tokens)| *tokens)
}

/// The price of a model's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// Millionths of a dollar for a million input tokens.
    #[schema(maximum = 10_000_000_000u64)]
    pub input_microusd: u64,
    /// Millionths of a dollar for a million output tokens.
    #[schema(maximum = 10_000_000_000u64)]
    pub output_microusd: u64,
}

impl ModelPrice {
    /// Whether the price is within the limit.
    pub fn is_fine(self) -> bool {
        self.input_microusd.max(self.output_microusd) <= MOST_PRICE
    }

    /// The price as the row stores it.
    pub fn stored(price: Option<Self>) -> (Option<i64>, Option<i64>) {
        let bounded = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        (
            price.map(|price| bounded(price.input_microusd)),
            price.map(|price| bounded(price.output_microusd)),
        )
    }

    /// The stored price. Unknown unless both parts are there.
    pub fn from_stored(input: Option<i64>, output: Option<i64>) -> Option<Self> {
        Some(Self {
            input_microusd: u64::try_from(input?).ok()?,
            output_microusd: u64::try_from(output?).ok()?,
        })
    }
}

impl From<ModelPrice> for Price {
    fn from(price: ModelPrice) -> Self {
        Self {
            input: price.input_microusd,
            output: price.output_microusd,
        }
    }
}

/// What may be spent, in millionths of a dollar. Absent means no ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ceilings {
    /// For one run with all its descendants.
    pub run: Option<u64>,
    /// For all runs of the workspace in the last thirty days.
    pub month: Option<u64>,
}

impl Ceilings {
    /// Whether another turn may begin. The check happens before the money is spent: a turn is refused when the spent
    /// amount has reached the ceiling. The turn that crosses the ceiling is the last one. A model without a price
    /// cannot be used under a ceiling.
    ///
    /// # Errors
    /// A sentence for the people who read the run.
    pub fn allow(
        self,
        run_spent: u64,
        month_spent: u64,
        price: Option<Price>,
    ) -> Result<(), String> {
        if (self.run.is_some() || self.month.is_some()) && price.is_none() {
            return Err(
                "the workspace bounds what may be spent, and the price of this model is not known; give it one, or 0"
                    .to_owned(),
            );
        }
        let reached = |ceiling: Option<u64>, spent: u64| ceiling.is_some_and(|most| spent >= most);
        if reached(self.run, run_spent) {
            return Err(format!(
                "the run, with all that belongs to it, has spent {}, all that it may",
                dollars(run_spent)
            ));
        }
        if reached(self.month, month_spent) {
            return Err(format!(
                "the workspace has spent {} in thirty days, all that it may",
                dollars(month_spent)
            ));
        }
        Ok(())
    }
}

/// The amount in dollars, for people.
fn dollars(microusd: u64) -> String {
    let (whole, part) = (microusd / 1_000_000, microusd % 1_000_000);
    match part % 10_000 {
        0 => format!("${whole}.{:02}", part / 10_000),
        _ => format!("${whole}.{part:06}"),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("gpt-5", true)]
    #[case("qwen3:8b", true)]
    #[case("org/name", true)]
    #[case("", false)]
    #[case("../admin", false)]
    #[case("a//b", false)]
    #[case("a b", false)]
    #[case("a?b", false)]
    #[case("mödel", false)]
    fn names_are_plain(#[case] text: &str, #[case] fine: bool) {
        assert_eq!(is_model(text), fine);
    }

    #[rstest]
    #[case(None, Ok("https://api.openai.com/v1"))]
    #[case(Some("https://models.example/v1//"), Ok("https://models.example/v1"))]
    #[case(Some("ftp://models.example"), Err(()))]
    #[case(Some("https://me:word@models.example"), Err(()))]
    #[case(Some("https://models.example/?key=x"), Err(()))]
    #[case(Some("models.example"), Err(()))]
    fn addresses_are_whole(#[case] given: Option<&str>, #[case] wanted: Result<&str, ()>) {
        let url = base_url(Provider::Openai, given).map(String::from);
        assert_eq!(url.as_deref().map_err(|_| ()), wanted);
    }

    const PRICE: Option<Price> = Some(Price {
        input: 1,
        output: 1,
    });

    #[test]
    fn a_ceiling_is_reached_when_all_of_it_is_spent() {
        let ceilings = Ceilings {
            run: Some(1_500_000),
            month: Some(10_000_000),
        };
        assert_eq!(ceilings.allow(1_499_999, 9_999_999, PRICE), Ok(()));
        let run = ceilings.allow(1_500_000, 0, PRICE).unwrap_err();
        assert!(run.contains("$1.50"), "{run}");
        let month = ceilings.allow(0, 10_000_000, PRICE).unwrap_err();
        assert!(month.contains("$10.00"), "{month}");
        assert!(ceilings.allow(0, 0, None).is_err());
        assert_eq!(Ceilings::default().allow(u64::MAX, u64::MAX, None), Ok(()));
    }

    #[test]
    fn zero_ceiling_refuses_every_turn() {
        let ceilings = Ceilings {
            run: Some(0),
            month: None,
        };
        assert!(ceilings.allow(0, 0, PRICE).is_err());
    }

    #[rstest]
    #[case(Provider::Anthropic, "claude-opus-4-5", 200_000)]
    #[case(Provider::Openai, "anthropic/claude-opus-4-5", 200_000)]
    #[case(Provider::Openai, "GPT-5-mini", 272_000)]
    #[case(Provider::Openai, "something-own", 32_768)]
    #[case(Provider::Ollama, "qwen3-coder", 8_192)]
    fn window_follows_from_the_name_when_nobody_has_set_it(
        #[case] provider: Provider,
        #[case] model: &str,
        #[case] tokens: u32,
    ) {
        assert_eq!(default_window(Some(provider), model), tokens);
        assert!((WINDOWS.0..=WINDOWS.1).contains(&tokens));
    }

    #[test]
    fn incomplete_price_is_absent() {
        assert_eq!(ModelPrice::from_stored(Some(1), None), None);
        let price = ModelPrice {
            input_microusd: 3,
            output_microusd: 0,
        };
        let (input, output) = ModelPrice::stored(Some(price));
        assert_eq!(ModelPrice::from_stored(input, output), Some(price));
    }
}
