//! Strings of the API that have a type: ids, moments and enums.

use serde::{Deserialize, Serialize};

/// A moment as the API writes it (RFC 3339).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(String);

impl Moment {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn parsed(&self) -> Option<chrono::DateTime<chrono::FixedOffset>> {
        chrono::DateTime::parse_from_rfc3339(&self.0).ok()
    }
}

impl From<String> for Moment {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Defines an id type. The gateway checks ids; the client does not.
macro_rules! id {
    ($name:ident) => {
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl crate::show::Shown for $name {
            fn shown(&self) -> String {
                crate::show::clean(&self.0)
            }
        }
    };
}

/// Defines an enum of strings. It keeps an unknown string as it is: a newer gateway may send one, and a person may type
/// one.
macro_rules! string_enum {
    ($name:ident { $($variant:ident = $word:literal,)* }) => {
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        pub enum $name {
            $($variant,)*
            /// A string that this version does not know.
            Other(String),
        }

        impl $name {
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Other(word) => word,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> Self {
                match word.as_str() {
                    $($word => Self::$variant,)*
                    _ => Self::Other(word),
                }
            }
        }

        impl From<$name> for String {
            fn from(word: $name) -> Self {
                word.as_str().to_owned()
            }
        }

        impl crate::show::Shown for $name {
            fn shown(&self) -> String {
                crate::show::clean(self.as_str())
            }
        }
    };
}

pub(super) use {id, string_enum};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::api::types::{RunStatus, TopologyKind};
    use crate::show::Shown;

    #[test]
    fn an_unknown_string_of_an_enum_is_kept() {
        let status: RunStatus = serde_json::from_value(json!("completed")).unwrap();
        assert_eq!(status, RunStatus::Completed);
        let newer: RunStatus = serde_json::from_value(json!("re\u{1b}sting")).unwrap();
        assert_eq!(
            serde_json::to_value(&newer).unwrap(),
            json!("re\u{1b}sting")
        );
        assert_eq!(newer.shown(), "re\\x1bsting");
        let typed = TopologyKind::from("hub_spoke".to_owned());
        assert_eq!(typed, TopologyKind::HubSpoke);
    }
}
