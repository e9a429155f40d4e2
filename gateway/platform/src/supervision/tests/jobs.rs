//! Jobs and workers.

use std::sync::atomic::AtomicBool;

use super::*;

#[tokio::test]
async fn a_job_sends_its_outcome_back_whatever_it_is() {
    let cases = [
        (JobPlan::Returns(7), "Ok(7)"),
        (JobPlan::Panics, "Err(Panicked(\"a job's panic\"))"),
    ];
    for (plan, expected) in cases {
        let (diary, tree) = (Diary::default(), start(root()).await);
        let address = tree
            .root()
            .start_child(Script::new("a", &diary).spec())
            .await
            .unwrap();
        address.cast(Order::Job(plan)).unwrap();
        until(expected, || diary.lines().contains(&expected.to_owned())).await;
        assert_eq!(ping(&address).await, Ok(1), "its owner is not harmed");
        end(tree).await;
    }
}

#[tokio::test]
async fn a_task_has_no_row_sends_its_outcome_back_and_ends_with_its_actor() {
    let cases = [
        (JobPlan::Returns(7), "Ok(7)"),
        (JobPlan::Panics, "Err(Panicked(\"a job's panic\"))"),
    ];
    for (plan, expected) in cases {
        let (diary, tree) = (Diary::default(), start(root()).await);
        let spec = Script::new("a", &diary).spec();
        let address = tree.root().start_child(spec).await.unwrap();
        address.cast(Order::Task(plan)).unwrap();
        until(expected, || diary.lines().contains(&expected.to_owned())).await;
        address.cast(Order::Task(JobPlan::Hangs)).unwrap();
        assert_eq!(ping(&address).await, Ok(1), "its actor is not harmed");
        assert!(find(&tree, "roost/a").children.is_empty());
        let dropped = |diary: &Diary| {
            diary
                .lines()
                .iter()
                .filter(|line| *line == "the job is dropped")
                .count()
        };
        assert_eq!(dropped(&diary), 1, "the second one hangs");
        address.cast(Order::Fail("enough")).unwrap();
        until("it ended with its actor", || dropped(&diary) == 2).await;
        end(tree).await;
    }
}

#[tokio::test]
async fn a_job_hangs_below_its_owner_while_it_runs_and_a_failed_one_stays_visible() {
    let tree = start(root()).await;
    let spec = Script::new("a", &Diary::default())
        .spec()
        .tenant(Tenant::new("w1"));
    let address = tree.root().start_child(spec).await.unwrap();
    for plan in [JobPlan::Hangs, JobPlan::Panics, JobPlan::Returns(1)] {
        address.cast(Order::Job(plan)).unwrap();
        ping(&address).await.unwrap();
    }
    let jobs = || find(&tree, "roost/a").children;
    until("one runs, one failed, one left", || {
        jobs().len() == 2 && jobs()[1].state == ActorState::Failed
    })
    .await;
    let [running, failed] = jobs().try_into().expect("two");
    assert_eq!(
        (running.id.as_str(), running.kind, running.state),
        ("roost/a/work", ActorKind::Job, ActorState::Running)
    );
    assert_eq!(
        (running.tenant, running.mailbox),
        (Some(Tenant::new("w1")), None)
    );
    assert_eq!(
        (
            failed.name.as_str(),
            failed.last_failure.unwrap().text.as_str()
        ),
        ("work#1", "a job's panic")
    );
    end(tree).await;
}

#[tokio::test]
async fn a_job_dies_with_its_owner_however_that_ends() {
    for end_with in ["stop", "fail", "kill"] {
        let (diary, tree) = (Diary::default(), start(root()).await);
        let address = tree
            .root()
            .start_child(Script::new("a", &diary).spec().restart(Restart::Temporary))
            .await
            .unwrap();
        address.cast(Order::Job(JobPlan::Hangs)).unwrap();
        until("the job runs", || {
            find(&tree, "roost/a").children.len() == 1 && tree.context().living() == 3
        })
        .await;
        match end_with {
            "stop" => address.cast(Order::Leave).unwrap(),
            "fail" => address.cast(Order::Fail("oh")).unwrap(),
            _ => address.entry().incarnation().unwrap().cell.kill(),
        }
        until(end_with, || tree.context().living() == 1).await;
        end(tree).await;
    }
}

#[tokio::test]
async fn job_without_an_owner_runs_below_its_supervisor_until_it_ends() {
    let tree = start(root()).await;
    let (go, wait) = tokio::sync::oneshot::channel::<()>();
    let job = tree
        .root()
        .spawn_job("import", None, |_| async move { Ok(wait.await?) })
        .await
        .unwrap();
    assert_eq!(find(&tree, "roost/import").state, ActorState::Running);
    go.send(()).unwrap();
    until("it left", || tree.root().is_empty()).await;
    assert_eq!(job.state(), ActorState::Stopped);
    tree.root()
        .spawn_job("import", None, |_| async { Err("no such file".into()) })
        .await
        .unwrap();
    until("its failure is visible", || {
        find(&tree, "roost/import").state == ActorState::Failed
    })
    .await;
    assert_eq!(
        find(&tree, "roost/import").last_failure.unwrap().text,
        "no such file"
    );
    end(tree).await;
}

#[tokio::test]
async fn worker_is_restarted_after_a_failure_and_dropped_when_it_must_stop() {
    let rounds = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&rounds);
    let worker = ChildSpec::worker("w", ActorKind::Worker, move |_| {
        let round = counted.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            match round {
                1 => Err("first".into()),
                2 => panic!("second"),
                _ => std::future::pending().await,
            }
        }
    });
    let tree = start(root().child(worker)).await;
    until("the third round", || rounds.load(Ordering::SeqCst) == 3).await;
    assert_eq!(find(&tree, "roost/w").restarts, 2);
    assert_eq!(
        end(tree).await,
        ShutdownReport::default(),
        "no kill was needed"
    );
}

#[tokio::test]
async fn a_worker_that_winds_down_finishes_what_it_must_within_its_grace() {
    let finished = Arc::new(AtomicBool::new(false));
    let (flag, nothing) = (Arc::clone(&finished), ());
    let worker = ChildSpec::worker_that_winds_down("w", ActorKind::Worker, move |cx| {
        let flag = Arc::clone(&flag);
        async move {
            cx.cancelled().await;
            tokio::task::yield_now().await;
            flag.store(true, Ordering::SeqCst);
            Ok(nothing)
        }
    });
    let tree = start(root().child(worker)).await;
    assert_eq!(end(tree).await, ShutdownReport::default());
    assert!(finished.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_periodic_worker_runs_at_the_start_on_its_period_and_at_a_nudge() {
    let (nudge, runs) = (Nudge::default(), Arc::new(AtomicU32::new(0)));
    let count = |runs: &Arc<AtomicU32>| {
        let runs = Arc::clone(runs);
        move |_: JobContext| {
            runs.fetch_add(1, Ordering::SeqCst);
            async { Ok(()) }
        }
    };
    let often = Arc::new(AtomicU32::new(0));
    let rare = ChildSpec::periodic(
        "rare",
        ActorKind::Worker,
        Duration::from_secs(3_600),
        &nudge,
        count(&runs),
    );
    let busy = ChildSpec::periodic(
        "often",
        ActorKind::Worker,
        Duration::from_millis(1),
        &Nudge::default(),
        count(&often),
    );
    let tree = start(root().child(rare).child(busy)).await;
    until("the run at the start", || runs.load(Ordering::SeqCst) == 1).await;
    nudge.nudge();
    until("the run at the nudge", || runs.load(Ordering::SeqCst) == 2).await;
    until("runs on the period", || often.load(Ordering::SeqCst) > 5).await;
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    end(tree).await;
}

#[tokio::test]
async fn a_timer_brings_its_message_unless_it_is_cancelled() {
    struct Timed(Diary);
    impl Serve for Timed {
        type Msg = &'static str;
        type Args = Diary;
        async fn start(diary: Diary, cx: &Context<&'static str>) -> Result<Self, Failure> {
            cx.cast_self_after(Duration::from_millis(2), "late");
            cx.cast_self_after(Duration::ZERO, "never").cancel();
            cx.cast_self("early")?;
            Ok(Self(diary))
        }
        async fn handle(
            &mut self,
            word: &'static str,
            _: &Context<&'static str>,
        ) -> Result<(), Failure> {
            self.0.note(word);
            Ok(())
        }
    }
    let (diary, tree) = (Diary::default(), start(root()).await);
    let args = diary.clone();
    tree.root()
        .start_child(ChildSpec::actor::<Timed>(
            "t",
            ActorKind::Worker,
            move || args.clone(),
        ))
        .await
        .unwrap();
    until("the late one", || diary.lines() == ["early", "late"]).await;
    end(tree).await;
}
