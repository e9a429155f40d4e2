//! The rules for changes of roles.

use crate::auth::{Role, Verb};

/// Why a role was not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The caller's role does not allow them to manage members.
    NotAllowed,
    /// The member's role or the new role is above the caller's own.
    AboveYou,
    /// The workspace would have no Owner.
    LastOwner,
}

/// A requested change.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// The role of the caller.
    pub by: Role,
    /// Whether the caller changes their own membership.
    pub own: bool,
    pub from: Role,
    /// Absent: the member leaves or is removed.
    pub to: Option<Role>,
    /// How many Owners the workspace has now.
    pub owners: u64,
}

/// Whether the change is allowed.
///
/// # Errors
/// Why not.
pub fn check(change: Change) -> Result<(), Refusal> {
    let leaving = change.own && change.to.is_none();
    if !leaving && !change.by.may(Verb::ManageMembers) {
        return Err(Refusal::NotAllowed);
    }
    if change.from > change.by || change.to.is_some_and(|to| to > change.by) {
        return Err(Refusal::AboveYou);
    }
    if change.from == Role::Owner && change.to != Some(Role::Owner) && change.owners <= 1 {
        return Err(Refusal::LastOwner);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 4] = [Role::Viewer, Role::Member, Role::Admin, Role::Owner];

    fn every_change() -> impl Iterator<Item = Change> {
        let targets = || ROLES.into_iter().map(Some).chain([None]);
        ROLES.into_iter().flat_map(move |by| {
            ROLES.into_iter().flat_map(move |from| {
                targets().flat_map(move |to| {
                    [true, false].into_iter().flat_map(move |own| {
                        [1, 2].map(|owners| Change {
                            by,
                            own,
                            from,
                            to,
                            owners,
                        })
                    })
                })
            })
        })
    }

    #[test]
    fn last_owner_stays_and_no_member_acts_above_their_role() {
        for change in every_change().filter(|change| check(*change).is_ok()) {
            let owners_after = change.owners - u64::from(change.from == Role::Owner)
                + u64::from(change.to == Some(Role::Owner));
            let had_one = change.from != Role::Owner || change.owners > 1;
            assert!(owners_after > 0 || !had_one, "{change:?}");
            assert!(
                change.from <= change.by && change.to.is_none_or(|to| to <= change.by),
                "{change:?}"
            );
            assert!(change.by >= Role::Admin || change.own, "{change:?}");
        }
    }

    #[test]
    fn everybody_may_leave_but_the_last_owner() {
        for role in ROLES {
            let leave = |owners| {
                check(Change {
                    by: role,
                    own: true,
                    from: role,
                    to: None,
                    owners,
                })
            };
            assert_eq!(leave(2), Ok(()), "{role:?}");
            if role == Role::Owner {
                assert_eq!(leave(1), Err(Refusal::LastOwner));
            }
        }
    }
}
