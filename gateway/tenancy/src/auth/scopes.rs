//! The scopes of a program's token: verbs that limit what the token may do. Pure code.
//!
//! A token with scopes may do what both its scopes and its person's role allow, at each request. It never operates the
//! deployment, and it changes nothing about the account, its sessions and its memberships.

use super::{Role, Verb};

/// The scopes of a token, in the order of [`Verb::ALL`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scopes(Vec<Verb>);

impl Scopes {
    /// Scopes from the words of a request.
    ///
    /// # Errors
    /// The place of the first word that is not a verb.
    pub fn read(words: &[String]) -> Result<Self, usize> {
        let place = words
            .iter()
            .position(|word| !Verb::ALL.iter().any(|verb| verb.name() == word));
        match place {
            Some(place) => Err(place),
            None => Ok(Self::known(words)),
        }
    }

    /// Scopes from the database. A word that this version does not know allows nothing, and neither does a text that is
    /// not a list.
    pub fn from_stored(text: &str) -> Self {
        let words: Vec<String> = serde_json::from_str(text).unwrap_or_default();
        Self::known(&words)
    }

    fn known(words: &[String]) -> Self {
        let all = Verb::ALL.iter().copied();
        Self(
            all.filter(|verb| words.iter().any(|word| word == verb.name()))
                .collect(),
        )
    }

    /// The text in the database.
    pub fn to_stored(&self) -> String {
        serde_json::Value::from(self.names()).to_string()
    }

    /// The verbs' names.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|verb| verb.name().to_owned()).collect()
    }

    /// Whether the scopes contain a verb.
    pub fn allow(&self, verb: Verb) -> bool {
        self.0.contains(&verb)
    }

    /// The first scope that a role does not have.
    pub fn beyond(&self, role: Role) -> Option<Verb> {
        self.0.iter().copied().find(|verb| !role.may(*verb))
    }

    /// The strongest role, up to a person's, of which the scopes have every verb that a Viewer lacks. Code that decides
    /// by a role sees this one, so that it never allows a change that the scopes do not.
    pub fn role_within(&self, role: Role) -> Role {
        let whole = |role: &Role| {
            let of_role = Verb::ALL.iter().filter(|verb| role.may(**verb));
            let beyond_viewer = of_role.filter(|verb| !Role::Viewer.may(**verb));
            beyond_viewer.copied().all(|verb| self.allow(verb))
        };
        let weaker = [Role::Owner, Role::Admin, Role::Member].into_iter();
        weaker
            .filter(|one| *one <= role)
            .find(whole)
            .unwrap_or(Role::Viewer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(verbs: impl Iterator<Item = Verb>) -> Vec<String> {
        verbs.map(|verb| verb.name().to_owned()).collect()
    }

    #[test]
    fn scopes_read_back_what_they_store_and_unknown_words_allow_nothing() {
        let given = ["runs.start", "runs.read", "runs.read"].map(str::to_owned);
        let scopes = Scopes::read(&given).unwrap();
        assert_eq!(scopes.names(), ["runs.read", "runs.start"]);
        assert_eq!(Scopes::from_stored(&scopes.to_stored()), scopes);
        assert!(scopes.allow(Verb::ReadRuns) && !scopes.allow(Verb::ReadClaws));
        let unknown = ["runs.read", "runs.write"].map(str::to_owned);
        assert_eq!(Scopes::read(&unknown), Err(1));
        let newer = Scopes::from_stored(r#"["moons.read","runs.read"]"#);
        assert_eq!(newer.names(), ["runs.read"]);
        for broken in ["", "null", "{}", "runs.read"] {
            assert_eq!(Scopes::from_stored(broken).names(), [""; 0], "{broken}");
        }
    }

    #[test]
    fn role_of_scopes_never_allows_a_change_that_the_scopes_do_not() {
        let roles = [Role::Viewer, Role::Member, Role::Admin, Role::Owner];
        for role in roles {
            let of_role = words(Verb::ALL.iter().copied().filter(|verb| role.may(*verb)));
            let all = Scopes::read(&of_role).unwrap();
            assert_eq!(all.role_within(role), role);
            assert_eq!(all.beyond(role), None);
            for missing in Verb::ALL {
                let fewer: Vec<String> = of_role
                    .iter()
                    .filter(|name| *name != missing.name())
                    .cloned()
                    .collect();
                let fewer = Scopes::read(&fewer).unwrap();
                let within = fewer.role_within(role);
                assert!(within <= role);
                for verb in Verb::ALL.iter().filter(|verb| !Role::Viewer.may(**verb)) {
                    assert!(
                        !within.may(*verb) || fewer.allow(*verb),
                        "{role:?} without {missing:?}: {verb:?}"
                    );
                }
            }
        }
        let starts = Scopes::read(&["runs.start".to_owned()]).unwrap();
        assert_eq!(starts.beyond(Role::Viewer), Some(Verb::StartRuns));
    }
}
