//! What subscribers get of a log that grows, is cut by retention, and is written by two gateways. On SQLite, and on
//! PostgreSQL where `ROOST_TEST_POSTGRES_URL` names a server.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures::{FutureExt, StreamExt};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use tokio::sync::Notify;

use super::events::EventFeed;
use super::send_queue::{self, SendQueue, SendQueueReader};
use crate::workspaces::{self, WorkspaceRow};
use roost_platform::WorkspaceScope;
use roost_platform::clock::SystemClock;
use roost_platform::db::{Access, Db, TenantEntity};
use roost_platform::events::{
    self, Event, EventId, Filter, Hub, NodeActivity, ResourceKind, Retention, cuts_entity,
    event_entity, relay,
};
use roost_platform::ids::{UuidV7, WorkspaceId, fresh};
use roost_test_database::Scratch;

/// A step of a story.
#[derive(Debug, Clone)]
enum Op {
    Append(Vec<Kind>),
    /// Another gateway appends. The hub of this one does not get these events.
    AppendElsewhere(Vec<Kind>),
    RelayPasses,
    HoursPass(i64),
    Sweep {
        facts: u64,
        kilobytes: u64,
        facts_hours: u64,
        ephemera_hours: u64,
    },
    /// A subscriber comes whose cursor is at this part of the log, in thousandths.
    Subscribe(i64),
    /// All subscribers read. Until then their queues fill.
    Read,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fact,
    Small,
    /// A few of these fill a subscriber's queue.
    Large,
}

fn op() -> impl Strategy<Value = Op> {
    let kind = prop_oneof![3 => Just(Kind::Fact), 3 => Just(Kind::Small), 2 => Just(Kind::Large)];
    let kinds = proptest::collection::vec(kind, 1..20);
    let sweep = (1u64..40, 1u64..200, 1u64..50, 1u64..10).prop_map(
        |(facts, kilobytes, facts_hours, ephemera_hours)| Op::Sweep {
            facts,
            kilobytes,
            facts_hours,
            ephemera_hours,
        },
    );
    prop_oneof![
        5 => kinds.clone().prop_map(Op::Append),
        2 => kinds.prop_map(Op::AppendElsewhere),
        1 => Just(Op::RelayPasses),
        2 => (1i64..6).prop_map(Op::HoursPass),
        2 => sweep,
        3 => (0i64..=1_000).prop_map(Op::Subscribe),
        2 => Just(Op::Read),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Event(i64),
    Trimmed(i64, i64),
    Reset(i64),
}

struct Subscriber {
    cursor: i64,
    reader: SendQueueReader,
    text: String,
    frames: Vec<Frame>,
}

impl Subscriber {
    async fn come(db: &Db, hub: &Hub, workspace: WorkspaceId, cursor: i64) -> Self {
        let (queue, reader) = send_queue::pair();
        let at = Some(EventId {
            epoch: 1,
            seq: cursor,
        });
        let filter = Filter::default();
        let feed = EventFeed::begin(db, hub, workspace, filter, at, &queue).await;
        #[expect(
            clippy::disallowed_methods,
            reason = "the test stands in for the actor that follows the log"
        )]
        tokio::spawn(follow(feed.unwrap(), queue));
        Self {
            cursor,
            reader,
            text: String::new(),
            frames: Vec::new(),
        }
    }

    fn read_waiting(&mut self) {
        while let Some(Some(bytes)) = self.reader.next().now_or_never() {
            self.take(std::str::from_utf8(&bytes).unwrap());
        }
    }

    async fn read_up_to(&mut self, last: i64) {
        while !matches!(self.frames.last(), Some(Frame::Event(seq) | Frame::Reset(seq)) if *seq == last)
        {
            let bytes = self.reader.next().await.unwrap();
            self.take(std::str::from_utf8(&bytes).unwrap());
        }
    }

    fn take(&mut self, text: &str) {
        self.text.push_str(text);
        while let Some(end) = self.text.find("\n\n") {
            let frame: String = self.text.drain(..end + 2).collect();
            self.frames.push(Frame::of(&frame));
        }
    }
}

/// What the stream's actor does with its feed: it reads the store whenever the connection is behind.
async fn follow(feed: EventFeed, queue: SendQueue) {
    let behind = Arc::new(Notify::new());
    let reports = behind.clone();
    queue.report_to(move |_| reports.notify_one());
    while feed.catch_up().await.unwrap().is_ok() {
        behind.notified().await;
    }
}

impl Frame {
    fn of(text: &str) -> Self {
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let seq = |id: &str| id.parse::<EventId>().unwrap().seq;
        match (field("event: ").unwrap(), field("id: ")) {
            ("trimmed", None) => {
                let data: Value = serde_json::from_str(field("data: ").unwrap()).unwrap();
                let place = |name: &str| seq(data[name].as_str().unwrap());
                Self::Trimmed(place("from"), place("to"))
            }
            ("reset", Some(id)) => Self::Reset(seq(id)),
            (_, Some(id)) => Self::Event(seq(id)),
            (kind, None) => panic!("{kind} needs an id"),
        }
    }
}

/// The databases of two gateways and what a story did.
struct Story<'a> {
    db: &'a Db,
    elsewhere: &'a Db,
    hub: &'a Hub,
    workspace: WorkspaceId,
    now: DateTime<Utc>,
    /// The kind of each event; the first has sequence number 1.
    log: Vec<Kind>,
    subscribers: Vec<Subscriber>,
}

impl Story<'_> {
    async fn step(&mut self, op: Op) {
        match op {
            Op::Append(kinds) => self.append(self.db, &kinds).await,
            Op::AppendElsewhere(kinds) => self.append(self.elsewhere, &kinds).await,
            Op::RelayPasses => relay::deliver_missed(self.db, self.hub).await.unwrap(),
            Op::HoursPass(hours) => self.now += TimeDelta::hours(hours),
            Op::Sweep {
                facts,
                kilobytes,
                facts_hours,
                ephemera_hours,
            } => {
                let hours = |n: u64| Duration::from_secs(3_600 * n);
                let keep = Retention {
                    facts_age: hours(facts_hours),
                    facts,
                    ephemera_age: hours(ephemera_hours),
                    ephemera_bytes: kilobytes << 10,
                };
                events::sweep(self.db, self.now, &keep).await.unwrap();
            }
            Op::Subscribe(thousandths) => {
                let cursor = self.head() * thousandths / 1_000;
                let new = Subscriber::come(self.db, self.hub, self.workspace, cursor).await;
                self.subscribers.push(new);
            }
            Op::Read => self
                .subscribers
                .iter_mut()
                .for_each(Subscriber::read_waiting),
        }
    }

    fn head(&self) -> i64 {
        i64::try_from(self.log.len()).unwrap()
    }

    async fn append(&mut self, db: &Db, kinds: &[Kind]) {
        let size = |kind| if kind == Kind::Large { 30_000 } else { 10 };
        let batch = kinds.iter().map(|&kind| match kind {
            Kind::Fact => Event::changed(ResourceKind::Workspace, self.workspace, 1),
            _ => NodeActivity::on_machine(None, "x".repeat(size(kind)), 0.5),
        });
        let mut tx = db.write().await.unwrap();
        events::append(&mut tx, self.workspace, self.now, batch)
            .await
            .unwrap();
        tx.commit().await.unwrap();
        self.log.extend(kinds);
    }

    /// Every subscriber has read the whole log, without a silent gap and without a duplicate.
    async fn end(&mut self, seen: &mut Seen) {
        self.append(self.db, &[Kind::Fact]).await;
        relay::deliver_missed(self.db, self.hub).await.unwrap();
        let head = self.head();
        let cuts = self.stored_agrees_with_cuts().await;
        for subscriber in &mut self.subscribers {
            subscriber.read_up_to(head).await;
            seen.note(&subscriber.frames);
            check(&self.log, cuts, subscriber);
        }
    }

    /// What is stored is what the cuts say, and the retention's numbers are true.
    async fn stored_agrees_with_cuts(&self) -> i64 {
        let scope = WorkspaceScope::of_row(self.workspace);
        let row = cuts_entity::Entity::find_in(scope);
        let Some(cuts) = row.one(self.db.read()).await.unwrap() else {
            return 0;
        };
        let rows = event_entity::Entity::find_in(scope);
        let rows = rows.all(self.db.read()).await.unwrap();
        let mut stored: Vec<i64> = rows.iter().map(|row| row.seq).collect();
        stored.sort_unstable();
        let kept = |&seq: &i64| match self.kind(seq) {
            Kind::Fact => seq > cuts.facts_cut,
            _ => seq > cuts.ephemera_cut,
        };
        assert_eq!(stored, (1..=self.head()).filter(kept).collect::<Vec<_>>());
        let counted: Vec<_> = rows.iter().filter(|row| row.seq <= cuts.counted).collect();
        let bytes = counted.iter().filter_map(|row| row.ephemeral_bytes);
        assert_eq!(cuts.ephemera_bytes, bytes.map(i64::from).sum::<i64>());
        let facts = counted.iter().filter(|row| row.ephemeral_bytes.is_none());
        assert_eq!(cuts.facts, i64::try_from(facts.count()).unwrap());
        assert!(cuts.facts_cut <= cuts.ephemera_cut, "{cuts:?}");
        cuts.facts_cut
    }

    fn kind(&self, seq: i64) -> Kind {
        kind_of(&self.log, seq)
    }
}

fn kind_of(log: &[Kind], seq: i64) -> Kind {
    log[usize::try_from(seq - 1).unwrap()]
}

fn check(log: &[Kind], facts_cut: i64, subscriber: &Subscriber) {
    let frames = &subscriber.frames;
    let (mut at, mut trimmed_to) = (subscriber.cursor, 0);
    for frame in frames {
        match *frame {
            Frame::Event(seq) => {
                assert!(seq > at, "{seq} came twice: {frames:?}");
                for missing in at + 1..seq {
                    let legal = missing <= trimmed_to && kind_of(log, missing) != Kind::Fact;
                    assert!(legal, "{missing} is missing: {frames:?}");
                }
                at = seq;
            }
            Frame::Trimmed(from, to) => {
                let expected = at.max(trimmed_to) + 1;
                assert_eq!(from, expected, "one frame for each cut part: {frames:?}");
                assert!(to >= from, "{frames:?}");
                trimmed_to = to;
            }
            Frame::Reset(head) => {
                let after = at.max(subscriber.cursor);
                assert!(after < facts_cut, "facts were kept: {frames:?}");
                at = head;
            }
        }
    }
    assert_eq!(at, i64::try_from(log.len()).unwrap());
}

/// What the stories reached, so that the test cannot pass without having tried it.
#[derive(Debug, Default)]
struct Seen {
    subscribers: usize,
    trimmed: usize,
    resets: usize,
    gaps: usize,
}

impl Seen {
    /// Whether the stories had enough of each case to say something.
    fn enough(&self) -> bool {
        self.subscribers > 50 && self.trimmed > 20 && self.resets > 5 && self.gaps > 20
    }
}

impl Seen {
    fn note(&mut self, frames: &[Frame]) {
        let count =
            |wanted: fn(&Frame) -> bool| frames.iter().filter(|frame| wanted(frame)).count();
        self.subscribers += 1;
        self.trimmed += count(|frame| matches!(frame, Frame::Trimmed(..)));
        self.resets += count(|frame| matches!(frame, Frame::Reset(_)));
        let gap = |pair: &&[Frame]| matches!(pair, [Frame::Event(a), Frame::Event(b)] if b - a > 1);
        self.gaps += frames.windows(2).filter(gap).count();
    }
}

async fn workspace(db: &Db, now: DateTime<Utc>) -> WorkspaceId {
    let row = WorkspaceRow::new(
        fresh(&UuidV7::shared(Arc::new(SystemClock))),
        "w".to_owned(),
        "free".to_owned(),
        now,
    );
    let id = row.id;
    let tx = db.write().await.unwrap();
    workspaces::insert(&tx, row).await.unwrap();
    tx.commit().await.unwrap();
    id
}

#[test]
fn subscribers_miss_no_kept_event_and_get_none_twice_when_retention_cuts_the_log() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for scratch in runtime.block_on(Scratch::all()) {
        let hub = Hub::default();
        let db = runtime
            .block_on(Db::open(&scratch.url, Access::Beside, hub.clone()))
            .unwrap();
        let seen = std::cell::RefCell::new(Seen::default());
        let stories = proptest::collection::vec(op(), 1..40);
        // Few of the chosen stories may have what is looked for. Then more are told.
        for _ in 0..4 {
            TestRunner::new(Config::with_cases(32))
                .run(&stories, |ops| {
                    runtime.block_on(async {
                        let now = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
                        let mut story = Story {
                            db: &db,
                            elsewhere: &scratch.db,
                            hub: &hub,
                            workspace: workspace(&db, now).await,
                            now,
                            log: Vec::new(),
                            subscribers: Vec::new(),
                        };
                        for op in ops {
                            story.step(op).await;
                        }
                        let mut so_far = seen.take();
                        story.end(&mut so_far).await;
                        seen.replace(so_far);
                    });
                    Ok(())
                })
                .unwrap();
            if seen.borrow().enough() {
                break;
            }
        }
        let seen = seen.into_inner();
        assert!(seen.enough(), "{seen:?}");
        runtime.block_on(async {
            db.close().await;
            scratch.remove().await;
        });
    }
}
