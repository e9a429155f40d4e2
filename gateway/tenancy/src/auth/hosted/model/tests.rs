//! Linking, admission and roles, case by case.

use serde_json::json;

use super::*;

fn names() -> ClaimNames {
    ClaimNames {
        role: "role".to_owned(),
        organisation: Some("org_role".to_owned()),
        organisation_admin: vec!["admin".to_owned(), "org:admin".to_owned()],
    }
}

fn facts(claims: Value) -> Facts {
    let Value::Object(claims) = claims else {
        panic!("an object")
    };
    let token = Verified {
        subject: "s".to_owned(),
        expires_at: at(60),
        issued_at: Some(at(0)),
        claims: Claims(claims),
    };
    Facts::of(&token, &names())
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_000_000 + seconds, 0).unwrap()
}

#[test]
fn the_strongest_role_counts_and_an_organisations_admin_is_an_owner() {
    for (claims, role) in [
        (json!({ "role": "Admin" }), Some(Role::Admin)),
        (json!({ "role": ["viewer", "member"] }), Some(Role::Member)),
        (json!({ "role": "emperor" }), None),
        (json!({ "role": 7 }), None),
        (json!({ "role": { "owner": true } }), None),
        (json!({ "org_role": "org:admin" }), Some(Role::Owner)),
        (json!({ "org_role": "org:member" }), None),
        (
            json!({ "org_role": ["x", "admin"], "role": "viewer" }),
            Some(Role::Owner),
        ),
        (json!({}), None),
    ] {
        assert_eq!(facts(claims.clone()).claimed, role, "{claims}");
    }
}

#[test]
fn an_email_is_verified_only_by_true_itself() {
    for (verified, is) in [
        (json!(true), true),
        (json!("true"), false),
        (json!(1), false),
        (Value::Null, false),
    ] {
        let facts = facts(json!({ "email": " Ada@Example.COM ", "email_verified": verified }));
        assert_eq!(facts.email.as_ref().unwrap().address, "ada@example.com");
        assert_eq!(facts.verified_email().is_some(), is);
    }
    for odd in ["", "system", "a@b@c.d", "a b@c.d", "@c.d", "a@"] {
        assert_eq!(facts(json!({ "email": odd })).email, None, "{odd}");
    }
}

#[test]
fn verified_email_links_an_account_by_who_verified_its_address() {
    let account = |operator, linked, email_by| Account::Present {
        operator,
        linked,
        email_by,
    };
    let (person, issuer, deployment) = (EmailBy::Person, EmailBy::Issuer, EmailBy::Deployment);
    for (account, expected) in [
        (Account::None, Ok(Link::New)),
        (account(false, false, person), Ok(Link::TakeOver)),
        (account(false, false, deployment), Ok(Link::ToAccount)),
        (account(false, true, person), Ok(Link::Displace)),
        (account(false, true, issuer), Err(Stop::NotLinked)),
        (account(false, true, deployment), Err(Stop::NotLinked)),
        (account(true, false, person), Err(Stop::NotLinked)),
        (account(true, true, person), Err(Stop::NotLinked)),
        (account(true, false, deployment), Err(Stop::NotLinked)),
    ] {
        assert_eq!(link(account, true), expected, "{account:?}");
        let unverified = match account {
            Account::None => Ok(Link::New),
            Account::Present { .. } => Err(Stop::EmailNotVerified),
        };
        assert_eq!(link(account, false), unverified, "{account:?}");
    }
}

#[test]
fn person_without_a_claim_becomes_at_most_a_member() {
    let rules = Admission {
        per_signup_workspace: false,
        domains: vec!["example.com".to_owned()],
    };
    let mail =
        |email: &str, verified: bool| facts(json!({ "email": email, "email_verified": verified }));
    let claimed = facts(json!({ "role": "admin" }));
    let to = |role, home| Some(Invited { role, home });
    for (facts, invited, expected) in [
        (
            &claimed,
            to(Role::Owner, false),
            Ok(Place::Home(Role::Admin)),
        ),
        (
            &mail("a@x.org", true),
            to(Role::Owner, false),
            Ok(Place::Invited(Role::Member)),
        ),
        (
            &mail("a@x.org", true),
            to(Role::Viewer, true),
            Ok(Place::Invited(Role::Viewer)),
        ),
        // An invitation elsewhere does not take a colleague away. An invitation to the same workspace decides the
        // role.
        (
            &mail("a@example.com", true),
            to(Role::Member, false),
            Ok(Place::Home(Role::Member)),
        ),
        (
            &mail("a@example.com", true),
            to(Role::Viewer, true),
            Ok(Place::Invited(Role::Viewer)),
        ),
        (
            &mail("a@example.com", true),
            None,
            Ok(Place::Home(Role::Member)),
        ),
        (&mail("a@example.com", false), None, Err(Stop::NotAdmitted)),
        (
            &mail("a@sub.example.com", true),
            None,
            Err(Stop::NotAdmitted),
        ),
        (
            &mail("a@notexample.com", true),
            None,
            Err(Stop::NotAdmitted),
        ),
    ] {
        assert_eq!(admit(&rules, facts, invited), expected, "{facts:?}");
    }
    let own = Admission {
        per_signup_workspace: true,
        ..rules
    };
    assert_eq!(admit(&own, &claimed, None), Ok(Place::Own));
}

#[test]
fn a_role_follows_the_newest_token() {
    let rules = Admission::default();
    let noted = |claimed, role| Noted {
        claimed,
        at: Some(at(0)),
        role,
        last_owner: false,
    };
    let says = |role: Option<&str>, issued: i64| Facts {
        said_at: Some(at(issued)),
        ..facts(json!({ "role": role }))
    };
    let (member, admin) = (Some(Role::Member), Some(Role::Admin));
    for (before, said, expected) in [
        (
            noted(member, member),
            says(Some("member"), 1),
            Change::Nothing,
        ),
        (
            noted(member, member),
            says(Some("admin"), 1),
            Change::Role(Role::Admin),
        ),
        (
            noted(admin, admin),
            says(Some("viewer"), 0),
            Change::Role(Role::Viewer),
        ),
        // An old token, from before a demotion.
        (
            noted(member, member),
            says(Some("owner"), -1),
            Change::Nothing,
        ),
        // The role was changed here, and the issuer repeats its own.
        (
            noted(member, admin),
            says(Some("member"), 1),
            Change::Role(Role::Member),
        ),
        (
            noted(None, None),
            says(Some("member"), 1),
            Change::Join(Role::Member),
        ),
        // The member was removed here.
        (noted(member, None), says(Some("owner"), 1), Change::Nothing),
        (noted(member, member), says(None, 1), Change::Leave),
        (noted(member, None), says(None, 1), Change::Note),
        (noted(None, admin), says(None, 1), Change::Nothing),
        (noted(None, admin), says(Some("admin"), 1), Change::Note),
    ] {
        assert_eq!(
            recompute(before, &said, &rules),
            expected,
            "{before:?} {said:?}"
        );
    }
}

#[test]
fn missing_claim_leaves_the_role_of_the_domain() {
    let rules = Admission {
        per_signup_workspace: false,
        domains: vec!["example.com".to_owned()],
    };
    let said = facts(json!({ "email": "a@example.com", "email_verified": true }));
    for (role, expected) in [
        (Role::Admin, Change::Role(Role::Member)),
        (Role::Viewer, Change::Note),
    ] {
        let noted = Noted {
            claimed: Some(role),
            at: None,
            role: Some(role),
            last_owner: false,
        };
        assert_eq!(recompute(noted, &said, &rules), expected);
    }
}

#[test]
fn the_last_owner_stays_one() {
    let noted = Noted {
        claimed: Some(Role::Owner),
        at: None,
        role: Some(Role::Owner),
        last_owner: true,
    };
    for claims in [json!({ "role": "viewer" }), json!({})] {
        let said = facts(claims);
        assert_eq!(
            recompute(noted, &said, &Admission::default()),
            Change::Nothing
        );
    }
}
