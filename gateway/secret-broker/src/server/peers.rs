//! Access control: the kernel reports a peer's user, and a list says what that user may do.

use std::collections::BTreeMap;

use roost_secret_broker::wire::{Fault, FaultCode, Request};

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The gateway: everything except verbs that change or copy the whole store.
    Use,
    Administer,
}

/// The peer, as the kernel reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    pub user: u32,
    pub process: i32,
    pub role: Role,
}

/// The list of users.
#[derive(Debug, Default)]
pub struct Peers {
    roles: BTreeMap<u32, Role>,
}

impl Peers {
    /// `users` may use the broker; `administrators` may also administer it.
    pub fn new(users: &[u32], administrators: &[u32]) -> Self {
        let mut roles: BTreeMap<u32, Role> = users.iter().map(|user| (*user, Role::Use)).collect();
        roles.extend(administrators.iter().map(|user| (*user, Role::Administer)));
        Self { roles }
    }

    /// A user's role; `None` when it is not on the list.
    pub fn role(&self, user: u32) -> Option<Role> {
        self.roles.get(&user).copied()
    }
}

impl Peer {
    /// Checks whether this peer may send that request.
    ///
    /// # Errors
    /// [`FaultCode::Forbidden`].
    pub fn may(&self, request: &Request) -> Result<(), Fault> {
        if request.is_administration() && self.role < Role::Administer {
            return Err(Fault::new(
                FaultCode::Forbidden,
                format!(
                    "user {} may not {}: run it as root or as the broker's user, or start the broker with --admin",
                    self.user,
                    request.verb()
                ),
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlisted_users_have_no_role_and_users_cannot_administer() {
        let peers = Peers::new(&[1000, 1001], &[1001, 0]);
        assert_eq!(peers.role(1000), Some(Role::Use));
        assert_eq!(peers.role(1001), Some(Role::Administer));
        assert_eq!(peers.role(1002), None);
        let peer = |role| Peer {
            user: 1000,
            process: 1,
            role,
        };
        for request in [
            Request::Rekey,
            Request::Backup,
            Request::Restore,
            Request::VerifyAudit,
        ] {
            let refused = peer(Role::Use).may(&request).unwrap_err();
            assert_eq!(refused.code, FaultCode::Forbidden);
            assert!(peer(Role::Administer).may(&request).is_ok());
        }
        assert!(peer(Role::Use).may(&Request::Status).is_ok());
    }
}
