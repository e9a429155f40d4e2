//! The files around the steps of a run, and those that a fork of it begins with: the rows of the sandboxes, put beside the
//! steps.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr};

use super::entity::{run, step};
use super::model::{Status, StepStatus};
use super::progress::ref_of;
use super::tree_store::{self, Place};
use roost_machines::sandboxes::step_files::{
    self, Part, Start, StartFiles, StepFiles, StepFilesRow,
};
use roost_platform::ids::RunId;
use roost_tenancy::auth::WorkspaceScope;

/// The files of a run, for its page.
#[derive(Debug, Default)]
pub(super) struct RunFiles {
    /// By the step.
    pub around: HashMap<String, StepFiles>,
    /// What a fork from a step begins with, by the step and its lap. Empty while the run works.
    pub forks: HashMap<(String, i32), Vec<StartFiles>>,
    /// What the run itself begins with.
    pub starts: Vec<StartFiles>,
}

impl RunFiles {
    /// What a fork from this step begins with. A step in several parts is forked from its first one.
    pub(super) fn fork_of(&mut self, step: &step::Model) -> Vec<StartFiles> {
        match step.shard {
            0 => self.forks.remove(&(step.step_key.clone(), step.lap)),
            _ => None,
        }
        .unwrap_or_default()
    }
}

/// Reads the files of a run.
///
/// # Errors
/// When the database fails.
pub(super) async fn of_run(
    db: &impl ConnectionTrait,
    row: &run::Model,
    steps: &[step::Model],
) -> Result<RunFiles, DbErr> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let starts = step_files::starts_of(db, scope, row.root_run_id).await?;
    let mut files = RunFiles {
        starts: starts.into_iter().map(Into::into).collect(),
        ..RunFiles::default()
    };
    let tree = Tree::read(db, scope, row).await?;
    for around in tree.rows.iter().filter(|around| around.run_id == row.id) {
        files.around.insert(around.step.clone(), around.into());
    }
    if Status::parse(&row.status).is_some_and(Status::is_final) {
        for cut in steps.iter().filter(|step| step.shard == 0) {
            let starts = tree.starts(steps, cut).into_iter().map(Into::into);
            let key = (cut.step_key.clone(), cut.lap);
            files.forks.insert(key, starts.collect());
        }
    }
    Ok(files)
}

/// The recorded files of a run and of the runs that it started.
pub(super) struct Tree {
    from: RunId,
    rows: Vec<StepFilesRow>,
    places: HashMap<RunId, Place>,
}

impl Tree {
    /// Reads the rows.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn read(
        db: &impl ConnectionTrait,
        scope: WorkspaceScope,
        row: &run::Model,
    ) -> Result<Self, DbErr> {
        let rows = step_files::of_tree(db, scope, row.root_run_id).await?;
        let nested = rows.iter().any(|around| around.run_id != row.id);
        let places = match nested {
            true => tree_store::places(db, row.root_run_id).await?,
            false => Vec::new(),
        };
        Ok(Self {
            from: row.id,
            rows,
            places: places.into_iter().map(|place| (place.id, place)).collect(),
        })
    }

    /// What the sandboxes of a fork from this step begin with.
    pub(super) fn starts(&self, steps: &[step::Model], cut: &step::Model) -> Vec<Start> {
        let parts: HashMap<String, Part> = steps
            .iter()
            .map(|step| (ref_of(step).to_string(), part(step, cut)))
            .collect();
        let rows = self.rows.iter().filter_map(|row| {
            let step = self.step_of(row)?;
            let part = parts.get(&step).copied().unwrap_or(Part::Later);
            Some((row.clone(), part))
        });
        step_files::starts(&rows.collect::<Vec<_>>())
    }

    /// The step of the run that the row belongs to: its own, or the one that started the row's run. `None` for a row beside
    /// the run.
    fn step_of(&self, row: &StepFilesRow) -> Option<String> {
        let (mut run, mut step) = (row.run_id, row.step.clone());
        while run != self.from {
            let place = self.places.get(&run)?;
            (run, step) = (place.parent_run_id?, place.parent_step.clone()?);
        }
        Some(step)
    }
}

impl Tree {
    /// The rows of the run's own steps.
    pub(super) fn own(&self) -> impl Iterator<Item = &StepFilesRow> {
        self.rows.iter().filter(|row| row.run_id == self.from)
    }
}

fn part(step: &step::Model, cut: &step::Model) -> Part {
    if (&step.step_key, step.lap) == (&cut.step_key, cut.lap) {
        return Part::Cut;
    }
    match step.position < cut.position && StepStatus::parse(&step.status) == Some(StepStatus::Done)
    {
        true => Part::Kept,
        false => Part::Later,
    }
}
