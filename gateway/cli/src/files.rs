//! `roost files`: what is saved of the workspace of an agent or a team.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::api::types::{FileChange, FileEntry, NewSandbox, Snapshot};
use crate::api::{Api, Owner, Parsed, routes};
use crate::show::{self, Shown};
use crate::{files_patch, owners, put, sandbox, take};

/// Files of agents and teams.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "Examples:\n  roost files history ada\n  roost files ls ada src\n  roost files get ada src/main.rs -o main.rs\n  roost files get ada src --recursive\n  roost files put ada ./notes docs\n  roost files diff ada 3ef71724\n  roost files restore ada 3ef71724\n  roost files ls team:Ledger"
)]
pub enum Files {
    /// List the snapshots of the files, newest first
    History {
        /// Id or name of the agent, team:NAME or mission:TITLE
        #[arg(value_name = "OWNER")]
        owner: String,
    },
    /// List a folder of a snapshot
    Ls {
        /// Id or name of the agent, team:NAME or mission:TITLE
        #[arg(value_name = "OWNER")]
        owner: String,
        /// Folder, relative to the workspace
        #[arg(default_value = "")]
        folder: String,
        /// The snapshot, by the beginning of its digest [default: the newest on the gateway]
        #[arg(long, value_name = "DIGEST")]
        at: Option<String>,
    },
    /// Write a file of a snapshot to stdout or to a file, or copy a folder with all that is in it
    Get {
        /// Id or name of the agent, team:NAME or mission:TITLE
        #[arg(value_name = "OWNER")]
        owner: String,
        /// File or folder, relative to the workspace; `.` is the whole workspace
        #[arg(value_name = "PATH")]
        file: String,
        /// The snapshot, by the beginning of its digest [default: the newest on the gateway]
        #[arg(long, value_name = "DIGEST")]
        at: Option<String>,
        /// Copy a folder
        #[arg(short, long)]
        recursive: bool,
        /// Write there; what exists is not overwritten [default: stdout, or the folder's name here]
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
    /// Copy a local file or folder into the sandbox; a snapshot follows
    Put {
        /// Id or name of the agent, team:NAME or mission:TITLE
        #[arg(value_name = "OWNER")]
        owner: String,
        /// A local file or folder; links stay links
        local: PathBuf,
        /// The folder of the workspace that it goes into
        #[arg(default_value = "")]
        folder: String,
        /// Replace files that exist
        #[arg(long)]
        force: bool,
    },
    /// Make the next sandbox from an earlier snapshot; its present sandbox must have ended
    Restore {
        /// Id or name of the agent, team:NAME or mission:TITLE
        #[arg(value_name = "OWNER")]
        owner: String,
        /// The snapshot, by the beginning of its digest
        digest: String,
    },
    /// Show which files differ from an earlier snapshot
    Diff {
        /// Id or name of the agent, team:NAME or mission:TITLE
        #[arg(value_name = "OWNER")]
        owner: String,
        /// The earlier snapshot, by the beginning of its digest
        before: String,
        /// The later snapshot, by the beginning of its digest [default: the newest on the gateway]
        #[arg(long, value_name = "DIGEST")]
        at: Option<String>,
        /// Show the changed lines of texts
        #[arg(short, long)]
        patch: bool,
    },
}

impl Files {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::History { owner } => {
                let owner = owners::find(api, &owner).await?;
                history(api, &all(api, &owner).await?);
            }
            Self::Ls { owner, folder, at } => {
                let owner = owners::find(api, &owner).await?;
                let snapshot = find(api, &owner, at.as_deref()).await?;
                let list = routes::snapshot_files(&owner, &snapshot.id, Some(&folder));
                let list = api.ask(list).await?;
                if api.json {
                    show::json(list.raw());
                } else {
                    let rows: Vec<_> = list.entries.iter().map(entry).collect();
                    show::table(&["MODE", "SIZE", "CHANGED", "NAME"], &rows);
                    more(list.more);
                }
            }
            Self::Get {
                owner,
                file,
                at,
                recursive,
                output,
            } => {
                let owner = owners::find(api, &owner).await?;
                let snapshot = find(api, &owner, at.as_deref()).await?;
                if recursive {
                    take::folder(api, &owner, &snapshot.id, &file, output).await?;
                    return Ok(ExitCode::SUCCESS);
                }
                let call = routes::snapshot_file(&owner, &snapshot.id, Some(&file));
                match output {
                    None => api.download(call, &mut std::io::stdout().lock()).await?,
                    Some(path) => {
                        let new = std::fs::File::options()
                            .write(true)
                            .create_new(true)
                            .open(&path);
                        let mut new =
                            new.with_context(|| format!("cannot make {}", path.display()))?;
                        api.download(call, &mut new).await?;
                        new.sync_all()?;
                    }
                }
            }
            Self::Put {
                owner,
                local,
                folder,
                force,
            } => {
                let owner = owners::find(api, &owner).await?;
                return put::put(api, &owner, &local, &folder, force).await;
            }
            Self::Restore { owner, digest } => {
                let owner = owners::find(api, &owner).await?;
                let snapshot = find(api, &owner, Some(&digest)).await?;
                let wanted = NewSandbox {
                    image: None,
                    limits: None,
                    restore: Some(snapshot.into_value().id),
                };
                let made = routes::provision_sandbox(&owner, &wanted);
                let made = sandbox::waiting("restoring the files", api.ask(made)).await?;
                sandbox::one(api, &made);
            }
            Self::Diff {
                owner,
                before,
                at,
                patch,
            } => {
                let owner = owners::find(api, &owner).await?;
                let after = find(api, &owner, at.as_deref()).await?;
                let before = find(api, &owner, Some(&before)).await?;
                let changes = routes::snapshot_diff(&owner, &after.id, Some(&before.id));
                let changes = api.ask(changes).await?;
                if api.json {
                    show::json(changes.raw());
                } else if patch {
                    files_patch::show(api, &owner, (&before.id, &after.id), &changes.changes)
                        .await?;
                    more(changes.more);
                } else {
                    let rows: Vec<_> = changes.changes.iter().map(change).collect();
                    show::table(&["", "BEFORE", "AFTER", "FILE"], &rows);
                    more(changes.more);
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn all(api: &Api, owner: &Owner) -> anyhow::Result<Vec<Parsed<Snapshot>>> {
    api.all(|limit, cursor| routes::snapshots(owner, limit, cursor))
        .await
}

/// A snapshot by the beginning of its digest; without one, the newest that the gateway has.
async fn find(api: &Api, owner: &Owner, digest: Option<&str>) -> anyhow::Result<Parsed<Snapshot>> {
    let all = all(api, owner).await?;
    let Some(wanted) = digest else {
        return all
            .into_iter()
            .find(|snapshot| snapshot.uploaded)
            .with_context(|| format!(
                "nothing of this {}'s files is on the gateway; `roost files history` shows what its machine has",
                owners::noun(owner)
            ));
    };
    let mut found = all
        .into_iter()
        .filter(|snapshot| snapshot.digest.starts_with(wanted));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => bail!("no snapshot begins with {wanted:?}; `roost files history` lists them"),
        (Some(_), Some(_)) => bail!("several snapshots begin with {wanted:?}; give more digits"),
    }
}

fn history(api: &Api, all: &[Parsed<Snapshot>]) {
    if api.json {
        return show::json(&crate::api::raw_list(all));
    }
    let row = |snapshot: &Parsed<Snapshot>| {
        vec![
            snapshot.digest.get(..12).unwrap_or_default().to_owned(),
            show::relative(Some(&snapshot.taken_at)),
            snapshot.files.to_string(),
            show::bytes(Some(snapshot.bytes)),
            match snapshot.uploaded {
                true => "gateway".to_owned(),
                false => "its machine".to_owned(),
            },
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    show::table(&["DIGEST", "SAVED", "FILES", "SIZE", "ON"], &rows);
}

fn entry(entry: &FileEntry) -> Vec<String> {
    let mut name = entry.name.shown();
    if let Some(target) = &entry.target {
        name = format!("{name} -> {}", target.shown());
    } else if entry.kind.as_str() == "folder" {
        name.push('/');
    }
    vec![
        entry.mode.shown(),
        show::bytes(entry.bytes),
        entry.modified_at.shown(),
        name,
    ]
}

fn change(change: &FileChange) -> Vec<String> {
    vec![
        change.difference.as_str().to_owned(),
        show::bytes(change.bytes_before),
        show::bytes(change.bytes_after),
        change.path.shown(),
    ]
}

fn more(more: bool) {
    if more {
        println!("There are more than these.");
    }
}
