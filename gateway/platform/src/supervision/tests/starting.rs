//! Starts: order, errors, names, limits.

use super::*;

#[tokio::test]
async fn static_children_start_in_order_and_the_tree_is_up_when_all_are() {
    let diary = Diary::default();
    let spec = ["one", "two", "three"].iter().fold(root(), |spec, name| {
        spec.child(Script::new(name, &diary).spec())
    });
    let tree = start(spec).await;
    assert_eq!(diary.lines(), ["one starts", "two starts", "three starts"]);
    end(tree).await;
}

#[tokio::test]
async fn a_static_child_that_does_not_start_ends_the_tree_backwards_and_is_the_error() {
    let diary = Diary::default();
    let inner = SupervisorSpec::new("fleet").child(Script::new("good", &diary).spec());
    let inner = inner.child(Script::new("bad", &diary).failing_at([1]).spec());
    let spec = root()
        .child(Script::new("first", &diary).spec())
        .child(inner);
    let error = Tree::start(options(), spec)
        .await
        .expect_err("a child did not start");
    assert_eq!(
        failure::chain_text(&error),
        "roost did not start: roost/fleet did not start: roost/fleet/bad did not start: no luck at start 1"
    );
    assert_eq!(
        diary.lines(),
        [
            "first starts",
            "good starts",
            "bad fails to start",
            "good stops",
            "first stops"
        ]
    );
}

#[tokio::test]
async fn error_of_a_first_start_goes_to_the_caller_once() {
    let tree = start(root()).await;
    let script = Script::new("bad", &Diary::default()).failing_at([1]);
    let error = tree
        .root()
        .start_child(script.spec())
        .await
        .expect_err("its start fails");
    assert_eq!(
        failure::chain_text(&error),
        "roost/bad did not start: no luck at start 1"
    );
    assert_eq!(script.born(), 1, "one attempt only");
    assert!(
        tree.root().is_empty(),
        "a child that never was leaves no trace: {:?}",
        tree.root().names()
    );
    tree.root()
        .start_child(script.spec())
        .await
        .expect("the second start of this script works");
    end(tree).await;
}

#[tokio::test]
async fn a_panic_in_start_is_an_error_like_any_other() {
    struct Panics;
    impl Serve for Panics {
        type Msg = ();
        type Args = ();
        async fn start((): (), _: &Context<()>) -> Result<Self, Failure> {
            panic!("words of the panic")
        }
        async fn handle(&mut self, (): (), _: &Context<()>) -> Result<(), Failure> {
            Ok(())
        }
    }
    let tree = start(root()).await;
    let error = tree
        .root()
        .start_child(ChildSpec::actor::<Panics>("p", ActorKind::Worker, || ()))
        .await
        .expect_err("it panics");
    assert_eq!(
        failure::chain_text(&error),
        "roost/p did not start: words of the panic"
    );
    end(tree).await;
}

#[tokio::test]
async fn a_start_that_does_not_end_is_cut_off_at_its_limit() {
    struct Endless;
    impl Serve for Endless {
        type Msg = ();
        type Args = ();
        async fn start((): (), _: &Context<()>) -> Result<Self, Failure> {
            std::future::pending().await
        }
        async fn handle(&mut self, (): (), _: &Context<()>) -> Result<(), Failure> {
            Ok(())
        }
    }
    let tree = start(root()).await;
    let spec = ChildSpec::actor::<Endless>("e", ActorKind::Worker, || ())
        .start_within(Duration::from_millis(5));
    let error = tree
        .root()
        .start_child(spec)
        .await
        .expect_err("it never starts");
    assert!(
        matches!(&error, StartError::TooSlow { path, .. } if path == "roost/e"),
        "{error:?}"
    );
    end(tree).await;
}

#[tokio::test]
async fn names_must_be_free_and_fit_into_a_path() {
    let (diary, tree) = (Diary::default(), start(root()).await);
    tree.root()
        .start_child(Script::new("node:1", &diary).spec())
        .await
        .expect("the name is free");
    let cases: [(&'static str, &str); 5] = [
        ("node:1", "roost/node:1 already exists"),
        (
            "",
            "\"\" cannot name an actor: use 1 to 160 visible characters without `/`",
        ),
        (
            "a/b",
            "\"a/b\" cannot name an actor: use 1 to 160 visible characters without `/`",
        ),
        (
            "a b",
            "\"a b\" cannot name an actor: use 1 to 160 visible characters without `/`",
        ),
        (
            "a\u{1b}",
            "\"a\\u{1b}\" cannot name an actor: use 1 to 160 visible characters without `/`",
        ),
    ];
    for (name, expected) in cases {
        let error = tree
            .root()
            .start_child(Script::new(name, &diary).spec())
            .await
            .expect_err(name);
        assert_eq!(error.to_string(), expected);
    }
    end(tree).await;
}

#[tokio::test]
async fn ensure_child_starts_once_however_many_ask_at_once() {
    let tree = start(root()).await;
    let script = Script::new("node:1", &Diary::default());
    let asks = (0..50).map(|_| tree.root().ensure_child(script.spec()));
    for answer in futures::future::join_all(asks).await {
        assert_eq!(
            answer.expect("everybody gets an address").path(),
            "roost/node:1"
        );
    }
    assert_eq!(script.born(), 1);
    end(tree).await;
}

#[tokio::test]
async fn a_slow_start_holds_up_no_other_child() {
    struct Slow;
    impl Serve for Slow {
        type Msg = ();
        type Args = ();
        async fn start((): (), cx: &Context<()>) -> Result<Self, Failure> {
            cx.cancelled().await;
            std::future::pending().await
        }
        async fn handle(&mut self, (): (), _: &Context<()>) -> Result<(), Failure> {
            Ok(())
        }
    }
    let tree = start(root()).await;
    let handle = tree.root().clone();
    let slow = tokio::spawn(async move {
        handle
            .start_child(ChildSpec::actor::<Slow>("slow", ActorKind::Worker, || ()))
            .await
    });
    until("the slow one is being started", || {
        tree.root().names() == ["slow"]
    })
    .await;
    tree.root()
        .start_child(Script::new("quick", &Diary::default()).spec())
        .await
        .expect("it does not wait");
    end(tree).await;
    slow.await
        .unwrap()
        .expect_err("the shutdown cut its start off");
}
