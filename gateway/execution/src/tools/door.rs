//! The bundle `door`: actions outside, which a person approves or denies.

use serde_json::{Value, json};

use super::error::ToolError;
use super::model::{Capability, EffectKey, ToolResult};
use super::sandbox::{refused, text_result};
use super::toolbox::agent_of;
use roost_connections::checkouts::CheckoutError;
use roost_connections::doors::{self, Asked, DoorError, DoorsContext};

/// The actions of the agent's own connections, and of the repository that its run works on.
pub(super) async fn actions(
    doors: &DoorsContext,
    may: &Capability,
) -> Result<ToolResult, ToolError> {
    let own = doors::actions_of(doors, may.scope, agent_of(may)?, may.tree()).await?;
    if own.is_empty() {
        let none = "You have no connection, and you work on no repository, so you can request nothing outside.";
        return Ok(text_result(none.to_owned(), false));
    }
    let shown: Vec<Value> = own
        .into_iter()
        .map(|(action, schema)| {
            json!({ "action": action.name, "what": action.description, "params": schema })
        })
        .collect();
    Ok(text_result(Value::from(shown).to_string(), false))
}

/// Requests an action. In a run, the call waits for the end of the door. Outside of a run there is nothing that could
/// wait, so the result says that a person decides.
pub(super) async fn ask(
    doors: &DoorsContext,
    may: &Capability,
    key: EffectKey,
    action: String,
    params: Value,
) -> Result<ToolResult, ToolError> {
    let id = key.door();
    let asked = Asked {
        agent: agent_of(may)?,
        action,
        params,
        place: may.place.clone(),
    };
    let door = match doors::ask(doors, may.scope, may.user, id, asked).await {
        Ok(door) => door,
        Err(DoorError::Db(error)) => return Err(error.into()),
        // The step waits for the machine, as for any other call.
        Err(DoorError::Checkout(CheckoutError::Sandbox(error))) => return Err(error.into()),
        Err(DoorError::RunIsOver) => return Err(ToolError::RunIsOver),
        Err(DoorError::BadParams(wrong)) => {
            let wrong: Vec<String> = wrong
                .iter()
                .map(|field| format!("{} {}", field.pointer, field.detail))
                .collect();
            let why = format!("The parameters are wrong: {}.", wrong.join("; "));
            return Ok(refused(&why));
        }
        Err(DoorError::NoAction) => {
            return Ok(refused(
                "There is no such action; door.actions lists yours.",
            ));
        }
        Err(error) => return Ok(refused(&format!("It was not requested: {error}."))),
    };
    match doors::result_text(&door) {
        Some((text, is_error)) => Ok(ToolResult {
            is_error,
            door: Some(id),
            ..text_result(text, false)
        }),
        None if may.about.run.is_some() => Err(ToolError::Waits(id)),
        None => Ok(ToolResult {
            door: Some(id),
            ..text_result(
                format!("Requested as {id}. A person decides; nothing was sent so far."),
                false,
            )
        }),
    }
}
