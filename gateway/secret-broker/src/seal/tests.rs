//! Sealing: which bytes open, and all those that must not.

use proptest::prelude::*;

use super::*;
use crate::root::Root;

fn name(tenant: &str, connection: &str) -> RecordName {
    RecordName::new(tenant, connection).unwrap()
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(work)
}

#[test]
fn sealed_bytes_open_only_under_their_own_name() {
    block_on(async {
        let root = Root::of_test(1);
        let mine = name("w1", "agent/github_oauth_token");
        let sealed = seal(&root, &mine, 3, b"secret words").await.unwrap();
        assert_eq!(
            &**open(&root, &mine, &sealed).await.unwrap(),
            b"secret words"
        );
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
        for other in [
            name("w2", "agent/github_oauth_token"),
            name("w1", "agent/gitlab_oauth_token"),
        ] {
            let opened = open(&root, &other, &sealed).await;
            assert!(matches!(opened, Err(SealError::Misplaced { found }) if found == mine));
        }
    });
}

#[test]
fn record_with_rewritten_names_does_not_open() {
    block_on(async {
        let root = Root::of_test(1);
        let (mine, theirs) = (name("w1", "token"), name("w2", "token"));
        let sealed = seal(&root, &mine, 1, b"secret words").await.unwrap();
        // The lengths are equal, so the forged file is well formed.
        let mut forged = context(&theirs, 1);
        forged.extend_from_slice(&sealed[forged.len()..]);
        assert_eq!(parse(&forged).unwrap().name, theirs);
        assert!(matches!(
            open(&root, &theirs, &forged).await,
            Err(SealError::Root(RootError::Tampered))
        ));
    });
}

#[test]
fn record_with_any_flipped_bit_does_not_open() {
    block_on(async {
        let root = Root::of_test(1);
        let mine = name("w1", "token");
        let sealed = seal(&root, &mine, 1, b"secret words").await.unwrap();
        for bit in 0..sealed.len() * 8 {
            let mut changed = sealed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(
                open(&root, &mine, &changed).await.is_err(),
                "bit {bit} of {}",
                sealed.len() * 8
            );
        }
        for length in 0..sealed.len() {
            assert!(
                open(&root, &mine, &sealed[..length]).await.is_err(),
                "cut to {length}"
            );
        }
    });
}

#[test]
fn error_names_the_other_root_key() {
    block_on(async {
        let mine = name("w1", "token");
        let sealed = seal(&Root::of_test(1), &mine, 1, b"secret words")
            .await
            .unwrap();
        let error = open(&Root::of_test(2), &mine, &sealed).await.unwrap_err();
        assert!(matches!(error, SealError::Root(_)));
        assert!(error.to_string().contains("root key"), "{error}");
    });
}

#[test]
fn equal_secrets_have_different_ciphertexts() {
    block_on(async {
        let root = Root::of_test(1);
        let mine = name("w1", "token");
        let first = seal(&root, &mine, 1, b"secret words").await.unwrap();
        let second = seal(&root, &mine, 1, b"secret words").await.unwrap();
        let (head, again) = (parse(&first).unwrap(), parse(&second).unwrap());
        assert_ne!(head.nonce, again.nonce);
        assert_ne!(head.wrapped, again.wrapped);
    });
}

proptest! {
    #[test]
    fn parser_does_not_panic_on_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut marked = b"ROOSTSB1".to_vec();
        marked.extend_from_slice(&bytes);
        prop_assert!(parse(&bytes).is_err() || bytes.starts_with(b"ROOSTSB1"));
        // Any result is fine; only a panic is not.
        let _ = parse(&marked);
    }
}
