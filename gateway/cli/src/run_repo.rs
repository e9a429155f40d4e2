//! The repository of a run: `--repo`, `roost run repo`, `roost run diff` and `roost run push`.

use std::io::{Seek, SeekFrom};
use std::path::Path;

use anyhow::bail;

use crate::api::types::{
    PushRun, Repo, RepoId, RunBranch, RunFile, RunId, RunRepo, RunRepository, RunStepCommits,
    RunSupplies, TeamRepo, TeamRepository,
};
use crate::api::{Api, Parsed, routes};
use crate::named;
use crate::show::{self, Shown};
use crate::upload;

/// The repository of `--repo NAME[@BASE]`, or the files of `--from DIR`.
pub(super) async fn asked(
    api: &Api,
    asked: Option<String>,
    from: Option<&Path>,
) -> anyhow::Result<Option<RunRepo>> {
    if let Some(from) = from {
        return Ok(Some(upload::sent(api, from).await?));
    }
    let Some(asked) = asked else {
        return Ok(None);
    };
    let (name, base) = parted(&asked);
    Ok(Some(RunRepo {
        repo_id: Some(repo_id(api, name).await?),
        upload_id: None,
        base: base.map(str::to_owned),
    }))
}

/// The repository that `asked` names, for a team.
pub(super) async fn of_team(api: &Api, named: Option<String>) -> anyhow::Result<Option<TeamRepo>> {
    let Some(named) = named else {
        return Ok(None);
    };
    let (name, base) = parted(&named);
    Ok(Some(TeamRepo {
        repo_id: repo_id(api, name).await?,
        base: base.map(str::to_owned),
    }))
}

/// A team's repository in words.
pub(super) fn team_words(repo: Option<&TeamRepository>) -> String {
    let Some(repo) = repo else {
        return "none".to_owned();
    };
    let name = match &repo.full_name {
        Some(name) => name.shown(),
        None => "removed from the workspace".to_owned(),
    };
    match &repo.base {
        Some(base) => format!("{name} at {}", base.shown()),
        None => name,
    }
}

/// The id of the repository with this name or id.
///
/// # Errors
/// When none or several have the name.
pub(super) async fn repo_id(api: &Api, name: &str) -> anyhow::Result<RepoId> {
    if named::is_id(name) {
        return Ok(name.to_owned().into());
    }
    let found = api.ask(routes::repos(Some(name))).await?;
    Ok(the_one(name, &found)?.id.clone())
}

/// Name and base. The name of a repository has no `@`.
fn parted(asked: &str) -> (&str, Option<&str>) {
    match asked.split_once('@') {
        Some((name, base)) => (name, Some(base)),
        None => (asked, None),
    }
}

/// The repository with this full name, or the only one with this name.
fn the_one<'a>(name: &str, all: &'a [Repo]) -> anyhow::Result<&'a Repo> {
    if let Some(repo) = all.iter().find(|repo| repo.full_name == name) {
        return Ok(repo);
    }
    let found: Vec<&Repo> = all.iter().filter(|repo| repo.name == name).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => bail!(
            "no repository is called {name:?}; connect its code host on the page Repositories"
        ),
        several => bail!(
            "{} repositories are called {name:?}; say which one by its whole name:{}",
            several.len(),
            several
                .iter()
                .map(|repo| format!("\n  {}", repo.full_name.shown()))
                .collect::<String>()
        ),
    }
}

/// Shows the repository of a run.
pub(super) async fn show(api: &Api, run: &RunId) -> anyhow::Result<()> {
    let repo = api.ask(routes::run_repo(run)).await?;
    if api.json {
        show::json(repo.raw());
        return Ok(());
    }
    if repo.upload_id.is_some() {
        println!("{:<8} {} (no code host)", "upload", repo.full_name.shown());
        println!("{:<8} {}", "base", repo.base_commit.shown());
        println!("Get the files with `roost run repo {run} --get DIR`.");
    } else {
        let base = repo
            .base
            .as_ref()
            .map_or_else(|| "the default branch".to_owned(), Shown::shown);
        println!("{:<8} {}", "repo", repo.full_name.shown());
        println!("{:<8} {base} ({})", "base", repo.base_commit.shown());
    }
    repo.supplies.iter().for_each(supplies);
    if repo.branches.is_empty() {
        println!("\nNo commit has come out of its sandboxes yet.");
    }
    repo.branches.iter().for_each(branch);
    notes(&repo);
    Ok(())
}

/// How many packages of each lock file are in the sandboxes of a run, for its overview.
pub(super) async fn packages(api: &Api, run: &RunId) -> anyhow::Result<Vec<String>> {
    let repo = api.ask(routes::run_repo(run)).await?;
    let mut lines: Vec<String> = repo.supplies.iter().map(came).collect();
    let is_whole = |of: &RunSupplies| of.left_out_count == 0 && of.why.is_none();
    if !repo.supplies.iter().all(is_whole) {
        let run = run.shown();
        lines.push(format!(
            "{:<8} `roost run repo {run}` says what is missing, and why",
            ""
        ));
    }
    Ok(lines)
}

/// How many packages of a lock file are there.
fn came(of: &RunSupplies) -> String {
    let approved = match of.approved {
        0 => String::new(),
        count => format!(", {count} approved during the run"),
    };
    format!(
        "{:<8} {}: {} ({} packages: {} fetched, {} from the store{approved})",
        "packages",
        of.path.shown(),
        of.state.shown(),
        of.wanted,
        of.fetched,
        of.stored
    )
}

/// The packages of a lock file.
fn supplies(of: &RunSupplies) {
    println!("{}", came(of));
    if let Some(why) = &of.why {
        println!("{:<8} {}", "", why.shown());
    }
    for left in &of.left_out {
        println!(
            "{:<8} left out: {}: {}",
            "",
            left.name.shown(),
            left.why.shown()
        );
    }
    let more = of
        .left_out_count
        .saturating_sub(u64::try_from(of.left_out.len()).unwrap_or(0));
    if more > 0 {
        println!("{:<8} and {more} more", "");
    }
}

fn branch(branch: &RunBranch) {
    let pushed = match &branch.pushed_at {
        Some(at) => format!("pushed {}", at.shown()),
        None => "not pushed".to_owned(),
    };
    println!("\n{:<8} {} ({pushed})", "branch", branch.branch.shown());
    println!(
        "{:<8} {} (commits: {}, files: {})",
        "commit",
        branch.commit.shown(),
        branch.commits,
        branch.files
    );
    if let Some(url) = &branch.pull_url {
        println!("{:<8} {}", "pull", url.shown());
    }
    let commits = branch.newest.iter().map(|commit| {
        let short = commit.commit.get(..12).unwrap_or_default();
        vec![short.shown(), commit.author.shown(), commit.subject.shown()]
    });
    show::table(
        &["COMMIT", "AUTHOR", "SUBJECT"],
        &commits.collect::<Vec<_>>(),
    );
    let files = branch.changed.iter().map(file);
    show::table(&["FILE", "ADDED", "REMOVED"], &files.collect::<Vec<_>>());
}

fn file(file: &RunFile) -> Vec<String> {
    vec![file.path.shown(), file.added.shown(), file.removed.shown()]
}

/// What did not come out of the sandboxes.
fn notes(repo: &Parsed<RunRepository>) {
    let steps: &[RunStepCommits] = &repo.steps;
    for step in steps {
        if let Some(why) = &step.refused {
            println!(
                "\n{}: its commits were not received. {}",
                step.step.shown(),
                why.shown()
            );
        } else if step.uncommitted > 0 {
            println!(
                "\n{}: {} changed files are in no commit; they stay in the sandbox.",
                step.step.shown(),
                step.uncommitted
            );
        }
    }
}

/// Puts the files of a run's newest commit into a new or empty folder.
pub(super) async fn get(
    api: &Api,
    run: &RunId,
    to: &Path,
    branch: Option<&str>,
) -> anyhow::Result<()> {
    let to = upload::must_be_empty(to)?;
    // Unpacked only when it is whole.
    let mut archive = tempfile::tempfile()?;
    api.download(routes::run_archive(run, branch), &mut archive)
        .await?;
    archive.seek(SeekFrom::Start(0))?;
    let place = to.clone();
    tokio::task::spawn_blocking(move || upload::unpacked(archive, &place)).await??;
    eprintln!("The files are in {}.", to.display());
    Ok(())
}

/// Shows what the commits of a run changed.
pub(super) async fn diff(api: &Api, run: &RunId, branch: Option<String>) -> anyhow::Result<()> {
    let diff = api
        .ask(routes::run_diff(run, branch.as_deref(), None))
        .await?;
    if api.json {
        show::json(diff.raw());
        return Ok(());
    }
    println!("{}", roost_protocol::text::visible_lines(&diff.text));
    if diff.cut {
        eprintln!("The diff is longer; its end is left out.");
    }
    Ok(())
}

/// Pushes a branch of a run.
pub(super) async fn push(
    api: &Api,
    run: &RunId,
    branch: Option<String>,
    commit: Option<String>,
) -> anyhow::Result<()> {
    let asked = PushRun { branch, commit };
    let pushed = api.ask(routes::push_run(run, &asked)).await?;
    match (api.json, pushed.unchanged) {
        (true, _) => show::json(pushed.raw()),
        (false, true) => println!("The code host had {} already.", pushed.branch.shown()),
        (false, false) => println!(
            "Pushed {} at {}.",
            pushed.branch.shown(),
            pushed.commit.shown()
        ),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_stands_after_the_name() {
        assert_eq!(parted("acme/tools"), ("acme/tools", None));
        assert_eq!(parted("tools@feature/a"), ("tools", Some("feature/a")));
        assert_eq!(parted("tools@a@b"), ("tools", Some("a@b")));
    }
}
