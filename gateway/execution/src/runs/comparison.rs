//! The result of a comparison: its candidates side by side, and the judge's verdict. It is computed from the rows of
//! the run and its children while they work. It is written into the run when the run ends.

use std::collections::{BTreeMap, HashMap};

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::commands::text_of;
use super::dto::outcome_of;
use super::entity::{child, record, run, step};
use super::limits::RunLimits;
use super::model::{Kind, Status, StepStatus};
use super::outcome::Outcome;
use super::store;
use crate::topology::{self, Graph, Node, NodeKind, Purpose};
use roost_platform::db::WriteTx;
use roost_platform::ids::{ClawId, RunId, TeamId};
use roost_web::json::{Check, Mistakes};

/// Teams that work on the same input.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewComparison {
    /// When it is absent, the gateway makes a title from the teams' names.
    #[schema(max_length = 200)]
    pub title: Option<String>,
    /// Each team gets exactly this input.
    #[schema(min_length = 1, max_length = 100_000)]
    pub input: String,
    #[schema(min_items = 2, max_items = 8)]
    pub candidates: Vec<NewCandidate>,
    /// The agent that judges the answers. It has no tools, and it does not learn which team gave which answer. There
    /// is no verdict when it is absent.
    pub judge_agent_id: Option<ClawId>,
    /// What the sandboxes of the candidates begin with. It may be absent when no candidate has files, or when all
    /// candidates are the same team.
    pub files: Option<FilesOf>,
    /// The cost limit for all candidates together, in millionths of a US dollar. Each candidate may spend an equal
    /// part.
    #[schema(minimum = 0)]
    pub cost_ceiling_microusd: Option<i64>,
    /// Limits for all candidates together.
    #[serde(default)]
    pub limits: RunLimits,
}

/// The files that the sandboxes of a comparison begin with.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ComparisonFiles)]
pub struct FilesOf {
    /// `step` when absent.
    #[serde(default)]
    pub from: FilesFrom,
    /// The run of the step.
    pub run_id: Option<RunId>,
    #[schema(max_length = 80)]
    pub step: Option<String>,
    /// 1 when absent.
    pub lap: Option<u32>,
}

/// Where the files come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ComparisonFilesFrom)]
pub enum FilesFrom {
    /// Each sandbox begins without files. The files that it has now are saved as a snapshot first.
    Empty,
    /// Each sandbox begins with the files that a step of an earlier run began with. The files that it has now are saved
    /// as a snapshot first.
    #[default]
    Step,
    /// Each sandbox keeps the files that it has, so the candidates do not begin alike.
    Own,
}

/// A team to compare. The same team twice works in the same sandboxes, so each of the two sees the other's files.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCandidate {
    pub team_id: TeamId,
    /// Another topology kind than the team's own, for the same agents. In a `single`, the first agent works alone.
    pub topology: Option<topology::Kind>,
}

impl Check for NewComparison {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/input", &self.input, 1, 100_000);
        if let Some(title) = &self.title {
            mistakes.name("/title", title, 200);
        }
        let fits = topology::MIN_CANDIDATES..=topology::MAX_CANDIDATES;
        if !fits.contains(&self.candidates.len()) {
            let (least, most) = (fits.start(), fits.end());
            mistakes.add("/candidates", format!("must be {least} to {most} teams"));
        }
        if self.cost_ceiling_microusd.is_some_and(|most| most < 0) {
            mistakes.add("/cost_ceiling_microusd", "must not be below 0");
        }
        self.limits.check("/limits", mistakes);
        if let Some(files) = &self.files {
            files.check(mistakes);
        }
    }
}

impl FilesOf {
    fn check(&self, mistakes: &mut Mistakes) {
        let given = [
            ("/files/run_id", self.run_id.is_some()),
            ("/files/step", self.step.is_some()),
        ];
        for (pointer, given) in given {
            match (self.from, given) {
                (FilesFrom::Step, false) => {
                    mistakes.add(pointer, "must name the step with the files");
                }
                (FilesFrom::Empty | FilesFrom::Own, true) => {
                    mistakes.add(pointer, "is only for the files of a step");
                }
                _ => {}
            }
        }
    }
}

/// The current result of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunComparison)]
pub struct Comparison {
    /// In the order of the request.
    pub candidates: Vec<Compared>,
    /// The judge's verdict. Absent until the judge has given a valid verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<JudgesVerdict>,
    /// Why there is no verdict. Set when the judge has ended without a valid verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_verdict: Option<NoVerdict>,
}

/// One candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunComparedCandidate)]
pub struct Compared {
    /// `A` to `H`: the letter that the judge sees instead of the team's name. The letters are shuffled when the run
    /// is created.
    pub label: String,
    pub team_id: TeamId,
    /// The team's name when the run was created.
    pub name: String,
    /// The topology kind of the candidate's run. Absent until the run exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<topology::Kind>,
    /// The candidate's run. In a fork, a candidate that did not run again keeps the original's run. Absent until the
    /// run exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    pub status: Status,
    /// Whether the candidate met the goal, by its own checks. Absent until it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Millionths of a US dollar.
    pub cost_microusd: i64,
    pub tokens_in: i64,
    pub tokens_out: i64,
    /// From the start of the run to its end, in milliseconds. Absent until it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<i64>,
    /// The number of steps that are done.
    pub steps: i32,
}

/// The judge's verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunVerdict)]
pub struct JudgesVerdict {
    /// The label of the best candidate.
    pub best: String,
    /// A score from 0 to 10 for each label. Failed candidates have no score.
    pub scores: BTreeMap<String, f64>,
    /// The judge's explanation.
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_by: Option<ClawId>,
}

/// The judge ended without a valid verdict. Nothing replaces the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunNoVerdict)]
pub struct NoVerdict {
    pub why: String,
    /// The judge's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_by: Option<ClawId>,
}

/// The comparison of a run. `None` when the run is not a comparison.
///
/// # Errors
/// When the database fails.
pub(super) async fn of_run(
    db: &impl ConnectionTrait,
    row: &run::Model,
    steps: &[step::Model],
) -> Result<Option<Comparison>, DbErr> {
    if Kind::parse(&row.kind) != Some(Kind::Compare) {
        return Ok(None);
    }
    let kept = row.comparison.as_deref();
    if let Some(kept) = kept.and_then(|json| serde_json::from_str(json).ok()) {
        return Ok(Some(kept));
    }
    let links = store::children(db, row.id).await?;
    let ids = links.iter().map(|link| link.child_run_id);
    let children = store::some(db, row.workspace_id, ids).await?;
    Ok(Some(side_by_side(row, steps, &links, &children)))
}

/// Whether the run keeps its comparison when it ends with this status. Not a cancelled run: its candidates end later.
pub(super) fn is_kept(row: &run::Model, status: Status) -> bool {
    Kind::parse(&row.kind) == Some(Kind::Compare) && status != Status::Cancelled
}

/// Writes the comparison into the run, in the transaction that ends the run.
///
/// # Errors
/// When the database fails.
pub(super) async fn keep(tx: &WriteTx, row: &run::Model, status: Status) -> Result<(), DbErr> {
    let steps = store::steps(&**tx, row.id).await?;
    let ended = run::Model {
        status: status.as_str().to_owned(),
        ..row.clone()
    };
    let Some(comparison) = of_run(&**tx, &ended, &steps).await? else {
        return Ok(());
    };
    let json = serde_json::to_string(&comparison).expect("texts and finite numbers encode");
    record::Entity::update_many()
        .col_expr(record::Column::Comparison, Expr::value(json))
        .filter(record::Column::Id.eq(row.id))
        .exec(&**tx)
        .await?;
    Ok(())
}

fn side_by_side(
    row: &run::Model,
    steps: &[step::Model],
    links: &[child::Model],
    children: &[run::Model],
) -> Comparison {
    let Ok(graph) = serde_json::from_str::<Graph>(&row.graph) else {
        return Comparison {
            candidates: Vec::new(),
            verdict: None,
            no_verdict: None,
        };
    };
    let children: HashMap<RunId, &run::Model> =
        children.iter().map(|child| (child.id, child)).collect();
    let over = Status::parse(&row.status).is_some_and(Status::is_final);
    let mut candidates = Vec::new();
    let mut answered = Vec::new();
    for node in &graph.nodes {
        let (NodeKind::Team, Some(team)) = (node.kind, node.attributes.team) else {
            continue;
        };
        let step = steps.iter().find(|step| step.node == node.id);
        let child = step
            .and_then(|step| links.iter().find(|link| is_of(link, step)))
            .and_then(|link| children.get(&link.child_run_id).copied());
        if step.is_some_and(|step| StepStatus::parse(&step.status) == Some(StepStatus::Done)) {
            answered.push(topology::label(node));
        }
        candidates.push(compared(node, TeamId(team), step, child, over));
    }
    answered.sort();
    let (verdict, no_verdict) = match judged(&graph, steps, &answered) {
        Some(Ok(verdict)) => (Some(verdict), None),
        Some(Err(none)) => (None, Some(none)),
        None => (None, None),
    };
    Comparison {
        candidates,
        verdict,
        no_verdict,
    }
}

/// Whether a call of this step started the run.
pub(super) fn is_of(link: &child::Model, step: &step::Model) -> bool {
    (&link.step_key, link.lap, link.shard) == (&step.step_key, step.lap, step.shard)
}

/// The judge's result for the candidates that answered. `None` until the judge has ended.
fn judged(
    graph: &Graph,
    steps: &[step::Model],
    answered: &[String],
) -> Option<Result<JudgesVerdict, NoVerdict>> {
    let judge = graph.nodes.iter().find(|node| node.kind == NodeKind::Agent);
    let judged_by = judge.and_then(|node| node.attributes.agent).map(ClawId);
    let none = |why: String, text| NoVerdict {
        why,
        text,
        judged_by,
    };
    let verdict = Purpose::Verdict.as_str();
    let step = steps.iter().find(|step| step.purpose == verdict)?;
    match StepStatus::parse(&step.status)? {
        StepStatus::Done => {
            // The output is past its retention. That is not a failure of the judge.
            let text = step.output.clone()?;
            Some(match topology::verdict(&text, answered) {
                Ok(verdict) => Ok(JudgesVerdict {
                    best: verdict.best,
                    scores: verdict.scores,
                    reason: verdict.reason,
                    judged_by,
                }),
                Err(why) => Err(none(why, Some(text))),
            })
        }
        StepStatus::Failed => Some(Err(none(step.error.clone().unwrap_or_default(), None))),
        _ => None,
    }
}

/// The state of a candidate, from its step and its run.
fn compared(
    node: &Node,
    team_id: TeamId,
    step: Option<&step::Model>,
    child: Option<&run::Model>,
    over: bool,
) -> Compared {
    let of_step = step.and_then(|step| StepStatus::parse(&step.status));
    let status = match (child, of_step) {
        // The step's status decides: a step may be given up while its run is still ending.
        (_, Some(StepStatus::Done)) => Status::Completed,
        (None, Some(StepStatus::Failed)) => Status::Failed,
        (Some(child), step) => match Status::parse(&child.status) {
            Some(status) if status.is_final() || step != Some(StepStatus::Failed) => status,
            _ => Status::Failed,
        },
        (None, _) if over => Status::Cancelled,
        (None, _) => Status::Queued,
    };
    let error = match status {
        Status::Failed | Status::Cancelled => step
            .filter(|_| of_step == Some(StepStatus::Failed))
            .and_then(|step| step.error.clone())
            .or_else(|| child.and_then(|child| child.error.clone())),
        _ => None,
    };
    let graph = child.and_then(|child| serde_json::from_str::<Graph>(&child.graph).ok());
    Compared {
        label: topology::label(node),
        team_id,
        name: node.name().to_owned(),
        topology: graph.map(|graph| graph.kind),
        run_id: child.map(|child| child.id),
        status,
        outcome: child.filter(|_| status.is_final()).and_then(outcome_of),
        output: step
            .and_then(|step| step.output.clone())
            .or_else(|| child.and_then(text_of)),
        error,
        cost_microusd: child.map_or(0, |child| child.cost_microusd),
        tokens_in: child.map_or(0, |child| child.tokens_in),
        tokens_out: child.map_or(0, |child| child.tokens_out),
        took_ms: child.and_then(|child| Some(child.ended_ms? - child.started_ms?)),
        steps: child.map_or(0, |child| child.steps_done),
    }
}
