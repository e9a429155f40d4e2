//! Asks the model: once, and once more with the mistakes when its answer does not have the form.

use std::time::Duration;

use super::answer::{self, Answer, MOST_FAULTS};
use super::facts::Facts;
use super::material::Material;
use super::model::Basis;
use super::schema::Fault;
use super::{LevelUpError, LevelUpsContext, prompt, store};
use crate::cards;
use roost_execution::models::{ModelsError, Resolved, SCRIPTED, ceilings};
use roost_execution::providers::{Message, Purpose, Reply, Request, Usage};
use roost_execution::runs;
use roost_platform::ids::LevelUpId;
use roost_tenancy::auth::WorkspaceScope;

/// How long both answers may take together.
const DEADLINE: Duration = Duration::from_secs(5 * 60);
/// The maximum number of tokens of an answer.
const ANSWER_TOKENS: u32 = 32_000;
/// The size of the material, in bytes: at least, and at most.
const MATERIAL_BYTES: (usize, usize) = (16 << 10, 160 << 10);
/// How much of a wrong answer the model sees again, in bytes.
const AGAIN_BYTES: usize = 16 << 10;

/// An answer that has the form.
pub struct Answered {
    pub answer: Answer,
    /// Without the agents.
    pub basis: Basis,
    pub model: String,
}

/// The model of proposals: that of the operator's setting, else the workspace's default.
///
/// # Errors
/// [`LevelUpError::NoModel`].
pub async fn model(
    state: &LevelUpsContext,
    scope: WorkspaceScope,
) -> Result<Resolved, LevelUpError> {
    match state.models.resolve(scope, state.model.as_deref()).await {
        Ok(model) => Ok(model),
        Err(ModelsError::NotBound { name }) => Err(LevelUpError::NoModel { name }),
        Err(other) => Err(LevelUpError::Models(other)),
    }
}

/// The material for this model: as much as it takes in beside its answer.
pub fn material(model: &Resolved, facts: &Facts) -> Material {
    let tokens = model.window.saturating_sub(answer_tokens(model));
    // A token is at least two bytes. The rules and the schema need some of the room, and a second question too.
    let room = usize::try_from(tokens)
        .unwrap_or(usize::MAX)
        .saturating_sub(8_000);
    Material::new(facts, room.clamp(MATERIAL_BYTES.0, MATERIAL_BYTES.1))
}

fn answer_tokens(model: &Resolved) -> u32 {
    ANSWER_TOKENS.min(model.window / 4).max(1)
}

/// Asks for an answer.
///
/// # Errors
/// [`LevelUpError::BadAnswer`], [`LevelUpError::Model`], [`LevelUpError::OverCeiling`], [`LevelUpError::TooSlow`].
pub async fn ask(
    state: &LevelUpsContext,
    scope: WorkspaceScope,
    id: LevelUpId,
    model: &Resolved,
    facts: &Facts,
    material: &Material,
) -> Result<Answered, LevelUpError> {
    let asking = Conversation {
        state,
        scope,
        model,
        used: Used::default(),
        request: Request {
            model: model.provider_name.clone(),
            system: prompt::SYSTEM.to_owned(),
            messages: vec![Message::User(prompt::question(facts, material))],
            tools: Vec::new(),
            max_tokens: answer_tokens(model),
            slot: None,
            purpose: Purpose::LevelUp,
            step: format!("level-up {id}"),
        },
    };
    tokio::time::timeout(DEADLINE, asking.answered(material))
        .await
        .unwrap_or(Err(LevelUpError::TooSlow))
}

/// What the answers used so far.
#[derive(Debug, Clone, Copy, Default)]
struct Used {
    usage: Usage,
    cost: Option<u64>,
}

struct Conversation<'a> {
    state: &'a LevelUpsContext,
    scope: WorkspaceScope,
    model: &'a Resolved,
    request: Request,
    used: Used,
}

impl Conversation<'_> {
    async fn answered(mut self, material: &Material) -> Result<Answered, LevelUpError> {
        let reply = self.turn().await?;
        let (answer, repaired) = match answer::read(&reply) {
            Ok(answer) => (answer, false),
            Err(faults) => {
                self.show(&reply, &faults);
                let second = self.turn().await?;
                let answer = answer::read(&second).map_err(|faults| self.given_up(faults))?;
                (answer, true)
            }
        };
        let basis = Basis {
            runs: material.runs.clone(),
            scripted: self.model.name == SCRIPTED,
            repaired,
            tokens_in: self.used.usage.input,
            tokens_out: self.used.usage.output,
            cost_microusd: self.used.cost,
            ..Basis::default()
        };
        Ok(Answered {
            answer,
            basis,
            model: self.model.name.clone(),
        })
    }

    /// One answer. It counts what the answer used.
    async fn turn(&mut self) -> Result<Reply, LevelUpError> {
        self.within_ceiling().await?;
        let reply = self.model.model.turn(&self.request, &mut |_| {}).await;
        let reply = reply.map_err(LevelUpError::Model)?;
        let usage = &mut self.used.usage;
        usage.input = usage.input.saturating_add(reply.usage.input);
        usage.output = usage.output.saturating_add(reply.usage.output);
        if let Some(cost) = reply.cost_microusd {
            self.used.cost = Some(self.used.cost.unwrap_or(0).saturating_add(cost));
        }
        Ok(reply)
    }

    /// Adds the wrong answer and its mistakes to the conversation.
    fn show(&mut self, reply: &Reply, faults: &[Fault]) {
        let end = reply.text.floor_char_boundary(AGAIN_BYTES);
        let text = match reply.text[..end].trim() {
            // Some providers refuse a message without text.
            "" => "(no text)".to_owned(),
            text => text.to_owned(),
        };
        let faults = &faults[..faults.len().min(MOST_FAULTS)];
        self.request.messages.push(Message::Assistant {
            text,
            calls: Vec::new(),
        });
        let repair = prompt::repair(faults);
        self.request.messages.push(Message::User(repair));
    }

    fn given_up(&self, faults: Vec<Fault>) -> LevelUpError {
        LevelUpError::BadAnswer {
            model: self.model.name.clone(),
            faults,
            cost_microusd: self.used.cost,
        }
    }

    /// The workspace's monthly ceiling counts runs, earlier proposals and this one, with the most that the next answer
    /// may cost.
    async fn within_ceiling(&self) -> Result<(), LevelUpError> {
        let db = self.state.db.read();
        let Some(month) = ceilings(db, self.scope).await?.month else {
            return Ok(());
        };
        let of_runs = runs::spent_lately(db, self.scope).await?;
        let since = self.state.clock.now() - chrono::TimeDelta::days(30);
        let of_proposals = store::spent_since(db, self.scope, since).await?;
        let of_narratives = cards::spent_since(db, self.scope, since).await?;
        let of_all = of_runs
            .saturating_add(of_proposals)
            .saturating_add(of_narratives);
        let spent = u64::try_from(of_all).unwrap_or(0);
        let next = self.model.price.map_or(0, |price| {
            price.of(Usage {
                input: self.request.bytes().div_ceil(2) as u64,
                output: u64::from(self.request.max_tokens),
                cached: 0,
            })
        });
        let all = spent
            .saturating_add(self.used.cost.unwrap_or(0))
            .saturating_add(next);
        match all > month {
            true => Err(LevelUpError::OverCeiling { month, spent, next }),
            false => Ok(()),
        }
    }
}
