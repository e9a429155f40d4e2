//! What the scanners of a sandbox report about the base commit and the branch.
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::benchmark::quoted;
use super::scanners::{NOT_THERE, NOTHING_TO_SCAN, Scanner};
use super::secrets::Scanned;
use super::settings::SecuritySettings;
use super::{BASE_FOLDER, PREPARE, PREPARE_S, Prepared, files};
use crate::cards::ToolUse;
use crate::findings::{
    self, Checkout, Format, Merged, Metrics, Report, SECRETS_TOOL, SUPPRESSIONS_FILE, Suppressed,
    Suppressions, Triage,
};
use crate::plain;
use roost_execution::runs::CommandMade;
use roost_execution::topology::Command;

/// The commit that a scan looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Base,
    Branch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Prepare,
    Suppressions,
    Scan(Scanner, Side),
    /// Print a SARIF file of the repository, by its place in the settings.
    Sarif(usize, Side),
}

/// What a tool did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRun {
    pub tool: String,
    /// It gave a report about the branch.
    pub ran: bool,
    /// Why it gave none, or what it scanned. For people.
    pub detail: String,
}

/// What the sandbox gave.
#[derive(Debug)]
pub struct Found {
    /// The base commit.
    pub before: String,
    /// The newest commit of the work.
    pub after: String,
    base: Vec<Report>,
    branch: Vec<Report>,
    tools: Vec<ToolRun>,
    suppressions: Option<String>,
    notes: Vec<String>,
    /// The scanners that gave no report of the base commit, with the reason.
    without_base: Vec<(String, String)>,
    /// The scanners that the mission names and that gave no report of the branch, with the reason.
    lacking: Vec<String>,
}

/// Why a scanner gave no report.
enum NoReport {
    /// The commit has nothing for it.
    Nothing,
    Failed(String),
}

/// A finding, and whether the work brought it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFinding {
    #[serde(flatten)]
    pub finding: Merged,
    /// The base commit does not have it.
    pub is_new: bool,
}

/// The findings of a security phase: the content of its artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    pub before: String,
    pub after: String,
    pub tools: Vec<ToolRun>,
    /// By severity, of the open findings.
    pub counts: Metrics,
    /// By severity, of those that the work brought.
    pub new: Metrics,
    pub open: Vec<OpenFinding>,
    pub suppressed: Vec<Suppressed>,
    /// What was left out, and why. For people.
    pub notes: Vec<String>,
}

/// The findings in each form.
pub struct Written {
    pub findings: Findings,
    pub markdown: String,
    pub sarif: Value,
    /// The scanners that the mission names and that gave no report, with the reason.
    pub lacking: Vec<String>,
}

impl SecuritySettings {
    fn turns(&self) -> Vec<Turn> {
        let mut turns = vec![Turn::Prepare, Turn::Suppressions];
        let all = match self.scanners.is_empty() {
            true => &Scanner::ALL[..],
            false => &self.scanners[..],
        };
        for scanner in all {
            turns.push(Turn::Scan(*scanner, Side::Base));
            turns.push(Turn::Scan(*scanner, Side::Branch));
        }
        for place in 0..self.sarif.len() {
            turns.push(Turn::Sarif(place, Side::Base));
            turns.push(Turn::Sarif(place, Side::Branch));
        }
        turns
    }

    /// The commands of the phase.
    pub fn commands(&self) -> Vec<Command> {
        let turns = self.turns().into_iter();
        turns.map(|turn| self.command(turn)).collect()
    }

    fn command(&self, turn: Turn) -> Command {
        let (name, script, deadline_s, may_fail) = match turn {
            Turn::Prepare => (
                "Check out the base commit".to_owned(),
                PREPARE.to_owned(),
                PREPARE_S,
                false,
            ),
            Turn::Suppressions => (
                "Read the suppressions".to_owned(),
                suppressions_script(),
                60,
                true,
            ),
            Turn::Scan(scanner, side) => (
                format!("Scan {} with {}", side.words(), scanner.format().tool()),
                scanner.script(side.folder()),
                self.deadline_s,
                true,
            ),
            Turn::Sarif(place, side) => (
                format!("Read SARIF file {} of {}", place + 1, side.words()),
                sarif_script(&self.sarif[place], side.folder()),
                60,
                true,
            ),
        };
        Command {
            name,
            script,
            deadline_s,
            may_fail,
        }
    }

    /// How often each scanner ran. One that is missing or has nothing to scan did not run.
    pub fn used(&self, made: &[CommandMade]) -> Vec<ToolUse> {
        let mut used: Vec<ToolUse> = Vec::new();
        for (turn, made) in self.turns().into_iter().zip(made) {
            let Turn::Scan(scanner, _) = turn else {
                continue;
            };
            if matches!(made.exit_code, Some(NOT_THERE | NOTHING_TO_SCAN)) {
                continue;
            }
            let name = scanner.format().tool();
            if used.last().is_none_or(|last| last.name != name) {
                used.push(ToolUse::of_tool(name));
            }
            if let Some(last) = used.last_mut() {
                last.add(made.exit_code != Some(0));
            }
        }
        used
    }

    /// Reads what the commands wrote.
    ///
    /// # Errors
    /// Why nothing can be said, in a sentence for people.
    pub fn read(&self, made: &[CommandMade]) -> Result<Found, String> {
        let mut all = self.turns().into_iter().zip(made);
        let prepared = match all.next() {
            Some((Turn::Prepare, made)) => Prepared::read(&made.text),
            _ => None,
        };
        let prepared = prepared.ok_or("The commits that were scanned are not known.")?;
        let mut found = Found {
            before: prepared.before,
            after: prepared.after,
            base: Vec::new(),
            branch: Vec::new(),
            tools: Vec::new(),
            suppressions: None,
            notes: Vec::new(),
            without_base: Vec::new(),
            lacking: Vec::new(),
        };
        for (turn, made) in all {
            match turn {
                Turn::Prepare => {}
                Turn::Suppressions => {
                    let parts = files::parts(&made.text);
                    let file = parts.files.first();
                    found.suppressions =
                        file.map(|file| String::from_utf8_lossy(file.bytes).into_owned());
                }
                Turn::Scan(scanner, side) => {
                    let report = report_of(scanner, made, side.root(&prepared.folder));
                    let is_named = self.scanners.contains(&scanner);
                    found.add_scan(scanner.format().tool(), (side, is_named), report);
                }
                Turn::Sarif(place, side) => {
                    let report = sarif_of(made, side.root(&prepared.folder));
                    found.add_sarif(&self.sarif[place], side, report);
                }
            }
        }
        Ok(found)
    }
}

impl Found {
    fn add_scan(
        &mut self,
        tool: &str,
        (side, is_named): (Side, bool),
        result: Result<Report, NoReport>,
    ) {
        if let Err(NoReport::Failed(why)) = &result {
            match side {
                Side::Base => self.without_base.push((tool.to_owned(), why.clone())),
                Side::Branch if is_named => self.lacking.push(format!("{tool}: {why}")),
                Side::Branch => {}
            }
        }
        let before = self.without_base.iter().find(|(name, _)| name == tool);
        if let (Side::Branch, Ok(_), Some((_, why))) = (side, &result, before) {
            self.notes.push(format!(
                "{tool} gave no report of the base commit, so each of its findings counts as new: {why}"
            ));
        }
        self.add(tool, side, result.map_err(NoReport::words));
    }

    fn add(&mut self, tool: &str, side: Side, result: Result<Report, String>) {
        if side == Side::Base {
            // What is missing here is said once, about the branch.
            self.base.extend(result.ok());
            return;
        }
        let tool = tool.to_owned();
        let (ran, detail) = match result {
            Ok(report) => {
                let detail = counted(report.findings.len());
                self.notes.extend(report.notes.iter().cloned());
                self.branch.push(report);
                (true, detail)
            }
            Err(why) => (false, why),
        };
        self.tools.push(ToolRun { tool, ran, detail });
    }

    /// Adds a SARIF file. One that cannot be read is in the notes, with what follows from that.
    fn add_sarif(&mut self, path: &str, side: Side, result: Result<Report, String>) {
        if let Err(why) = &result {
            let words = side.words();
            self.notes.push(match side {
                Side::Base => format!(
                    "The SARIF file {path} of {words} was not read, so each of its findings counts as new: {why}"
                ),
                Side::Branch => format!("The SARIF file {path} of {words} was not read: {why}"),
            });
        }
        self.add(&format!("SARIF file {path}"), side, result);
    }

    /// Adds the scan for secrets of a commit. `scanned` is the reason when there is none.
    pub fn add_secrets(&mut self, side: Side, scanned: Result<Scanned, String>) {
        match (side, scanned) {
            (Side::Base, Ok(scanned)) => self.base.push(scanned.report),
            (Side::Base, Err(why)) => self.notes.push(format!(
                "The base commit was not scanned for secrets, so each secret counts as new: {why}"
            )),
            (Side::Branch, Ok(scanned)) => {
                let found = counted(scanned.report.findings.len());
                self.notes.extend(scanned.report.notes.iter().cloned());
                self.branch.push(scanned.report);
                self.tools.push(ToolRun {
                    tool: SECRETS_TOOL.to_owned(),
                    ran: true,
                    detail: format!("{found} in {} files", scanned.files),
                });
            }
            (Side::Branch, Err(why)) => self.tools.push(ToolRun {
                tool: SECRETS_TOOL.to_owned(),
                ran: false,
                detail: why,
            }),
        }
    }

    /// The findings of the phase.
    ///
    /// # Errors
    /// Why there are none, in a sentence for people: no tool gave a report.
    pub fn written(mut self, today: NaiveDate) -> Result<Written, String> {
        if !self.tools.iter().any(|tool| tool.ran) {
            let why = self.tools.iter();
            let why: Vec<String> = why
                .map(|tool| format!("{}: {}", tool.tool, tool.detail))
                .collect();
            return Err(format!("No scanner gave a report. {}", why.join(" ")));
        }
        let base = findings::merge(&self.base);
        let branch = findings::merge(&self.branch);
        let suppressions = self.suppressions.as_deref().map(Suppressions::parse);
        let suppressions = match suppressions {
            None => Suppressions::default(),
            Some(Ok(suppressions)) => suppressions,
            Some(Err(error)) => {
                self.notes
                    .push(format!("No suppression was applied: {error}"));
                Suppressions::default()
            }
        };
        let triage: Triage = suppressions.apply(branch, today);
        self.notes.extend(triage.notes.iter().cloned());
        let mut markdown = format!("{}\n\n", reports(&self.tools));
        markdown.push_str(&findings::markdown(&triage, Some(&base), &self.notes));
        markdown.push_str(&scanners_table(&self.tools));
        let sarif = findings::write_sarif(&triage.open, &triage.suppressed);
        let new: Vec<String> = findings::new_since(&base, &triage.open)
            .into_iter()
            .map(|new| new.finding.fingerprint.clone())
            .collect();
        let open: Vec<OpenFinding> = triage
            .open
            .into_iter()
            .map(|finding| OpenFinding {
                is_new: new.contains(&finding.finding.fingerprint),
                finding,
            })
            .collect();
        let count = |only_new: bool| {
            let fits = open.iter().filter(|open| open.is_new || !only_new);
            findings::metrics(fits.map(|open| &open.finding))
        };
        let findings = Findings {
            before: self.before,
            after: self.after,
            tools: self.tools,
            counts: count(false),
            new: count(true),
            suppressed: triage.suppressed,
            notes: self.notes,
            open,
        };
        Ok(Written {
            findings,
            markdown,
            sarif,
            lacking: self.lacking,
        })
    }
}

impl Side {
    fn words(self) -> &'static str {
        match self {
            Self::Base => "the base",
            Self::Branch => "the branch",
        }
    }

    /// The folder to go to. The commands begin in that of the branch.
    fn folder(self) -> Option<&'static str> {
        (self == Self::Base).then_some(BASE_FOLDER)
    }

    /// The folder of the commit, when the checkout is in this one.
    fn root(self, checkout: &str) -> &str {
        self.folder().unwrap_or(checkout)
    }
}

/// Prints the suppressions of the branch.
fn suppressions_script() -> String {
    format!(
        "[ -f {SUPPRESSIONS_FILE} ] || exit {NOTHING_TO_SCAN}\n\
         echo '--- roost file {SUPPRESSIONS_FILE}'\ncat {SUPPRESSIONS_FILE}\nprintf '\\n--- roost end\\n'\n"
    )
}

/// Prints a SARIF file of the repository.
fn sarif_script(path: &str, folder: Option<&str>) -> String {
    let cd = folder.map(|folder| format!("cd {folder}\n"));
    let path = quoted(&format!("./{path}"));
    format!(
        "{}[ -f {path} ] || exit {NOTHING_TO_SCAN}\ncat {path}\n",
        cd.unwrap_or_default()
    )
}

fn sarif_of(made: &CommandMade, root: &str) -> Result<Report, String> {
    if made.exit_code == Some(NOTHING_TO_SCAN) {
        return Err("The commit has no such file.".to_owned());
    }
    read_report(Format::Sarif, made, root)
}

fn report_of(scanner: Scanner, made: &CommandMade, root: &str) -> Result<Report, NoReport> {
    match made.exit_code {
        Some(NOT_THERE) => Err(NoReport::Failed(scanner.absent().to_owned())),
        Some(NOTHING_TO_SCAN) => Err(NoReport::Nothing),
        _ => read_report(scanner.format(), made, root).map_err(NoReport::Failed),
    }
}

impl NoReport {
    fn words(self) -> String {
        match self {
            Self::Nothing => "The repository has nothing for it.".to_owned(),
            Self::Failed(why) => why,
        }
    }
}

/// How many scanners gave a report, in a sentence.
pub fn reports(tools: &[ToolRun]) -> String {
    let ran = tools.iter().filter(|tool| tool.ran).count();
    match tools.len() {
        1 => "The only scanner gave a report.".to_owned(),
        all => format!("{ran} of {all} scanners gave a report."),
    }
}

fn scanners_table(tools: &[ToolRun]) -> String {
    let mut out =
        "\n## Scanners\n\n| Scanner | Report | What it gave |\n|---|---|---|\n".to_owned();
    for tool in tools {
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            plain::cell(&tool.tool, 100),
            if tool.ran { "yes" } else { "no" },
            plain::cell(&tool.detail, 400),
        ));
    }
    out
}

/// The most characters of what a scanner said when it failed.
const MOST_SAID: usize = 300;

fn read_report(format: Format, made: &CommandMade, root: &str) -> Result<Report, String> {
    match made.exit_code {
        Some(0) => {}
        Some(code) => {
            let last = made.text.lines().rfind(|line| !line.trim().is_empty());
            let said = last.map(|line| line.chars().take(MOST_SAID).collect::<String>());
            return Err(match said {
                Some(said) => format!("It failed with exit code {code}: {said}"),
                None => format!("It failed with exit code {code}."),
            });
        }
        None => return Err("It did not run to its end.".to_owned()),
    }
    if made.cut {
        return Err("Its report is too large: the beginning was left out.".to_owned());
    }
    let read = findings::read(format, made.text.as_bytes(), Checkout { root });
    read.map_err(|error| format!("Its report cannot be read: {error}."))
}

fn counted(count: usize) -> String {
    match count {
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    }
}

#[cfg(test)]
#[path = "security_tests.rs"]
mod tests;
