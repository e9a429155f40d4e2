//! `roost routine`: work that begins by a schedule, and the journal of what it started.

use std::process::ExitCode;

use anyhow::bail;

use crate::api::types::{
    MissionTemplateKind, NewMission, NewRoutine, Routine as Brief, RoutineChange, RoutineCron,
    RoutineFiring, RoutineId, RoutineLoop, RoutineMissed, RoutineMissionRecipe, RoutineOverlap,
    RoutineRecipe, RoutineSchedule, RoutineTeamRecipe,
};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::live::{Listing, Live};
use crate::named::{self, Kind, Named};
use crate::show::{self, Shown};
use crate::{team, template};

/// Routines.
#[derive(Debug, clap::Subcommand)]
pub enum Routine {
    Create(Box<Create>),
    /// List routines, newest first, with the next due time of each
    List(Live),
    /// Show one routine with its next due times, by name or id
    Show {
        routine: String,
    },
    /// Pause a routine. What is due during the pause is not missed
    Pause {
        routine: String,
    },
    /// Resume a paused routine
    Resume {
        routine: String,
    },
    /// Fire a routine now, also when it is paused
    Fire {
        routine: String,
    },
    /// Show what each due time started, or why it started nothing, newest first
    Journal {
        /// The routine, by name or id. All routines when it is absent
        routine: Option<String>,
    },
    /// Delete a routine with its journal. What it started goes on
    Delete {
        routine: String,
    },
}

/// Make a routine
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  roost routine create \"Monday report\" --cron \"0 9 * * 1\" --zone Europe/Berlin --template papers_research --goal \"Read what is new\"\n  roost routine create \"Watch the queue\" --every 30 --times 10 --template rust_sdlc --goal \"Look at the queue\"\n  roost routine create \"Weekly mission\" --cron @weekly --mission research --template papers_research --goal \"Read the papers\""
)]
pub struct Create {
    name: String,
    /// When it is due: minute, hour, day of the month, month, day of the week
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "every")]
    cron: Option<String>,
    /// The time zone of the expression
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    zone: String,
    /// A loop: now, and again after so many minutes
    #[arg(long, value_name = "MINUTES", required_unless_present = "cron")]
    every: Option<u32>,
    /// How often the loop is due in all
    #[arg(long, value_name = "NUMBER", requires = "every")]
    times: Option<u32>,
    /// The team template, by its key or id. Its team works once for each firing, and is deleted after it
    #[arg(long, value_name = "KEY")]
    template: String,
    /// What the team or the mission is for; `-` reads it from standard input
    #[arg(long)]
    goal: String,
    /// Launch a mission of this kind in place of a team: research, development, benchmark, security or full_cycle
    #[arg(long, value_name = "KIND")]
    mission: Option<String>,
    /// What happens with due times at which no gateway worked
    #[arg(long, value_name = "POLICY", value_parser = ["once", "skip"], default_value = "once")]
    missed: String,
    /// What happens at a due time while an earlier firing still works
    #[arg(long, value_name = "POLICY", value_parser = ["skip", "allow"], default_value = "skip")]
    overlap: String,
    /// Go on although something is missing that the template needs
    #[arg(long)]
    accept_lacks: bool,
}

impl Routine {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Create(create) => create.run(api).await?,
            Self::List(live) => return live.show(api, async || list(api).await).await,
            Self::Show { routine } => {
                let id = find(api, &routine).await?;
                print(api, &api.ask(routes::routine(&id)).await?);
            }
            Self::Pause { routine } => enable(api, &routine, false).await?,
            Self::Resume { routine } => enable(api, &routine, true).await?,
            Self::Fire { routine } => {
                let id = find(api, &routine).await?;
                let fired = api.ask(routes::fire_routine(&id)).await?;
                match api.json {
                    true => show::json(fired.raw()),
                    false => println!("fired: {}", started(&fired)),
                }
            }
            Self::Journal { routine } => {
                let id = match routine {
                    Some(routine) => Some(find(api, &routine).await?),
                    None => None,
                };
                journal(api, id).await?;
            }
            Self::Delete { routine } => {
                let id = find(api, &routine).await?;
                api.ask(routes::delete_routine(&id)).await?;
                println!("deleted");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Create {
    async fn run(self, api: &Api) -> anyhow::Result<()> {
        let schedule = match (self.cron, self.every) {
            (Some(expression), _) => RoutineSchedule::Cron(RoutineCron {
                expression,
                time_zone: Some(self.zone),
            }),
            (None, Some(every_minutes)) => RoutineSchedule::Loop(RoutineLoop {
                every_minutes,
                times: self.times,
            }),
            (None, None) => bail!("name a schedule with --cron or --every"),
        };
        let template_id = template::id(api, &self.template).await?;
        let goal = team::goal_text(self.goal)?;
        let accept_lacks = self.accept_lacks.then_some(true);
        let recipe = match self.mission {
            None => RoutineRecipe::Team(RoutineTeamRecipe {
                template_id,
                goal,
                accept_lacks,
            }),
            Some(kind) => RoutineRecipe::Mission(RoutineMissionRecipe {
                mission: NewMission {
                    template_kind: MissionTemplateKind::from(kind),
                    title: None,
                    goal: Some(goal),
                    config: None,
                    team_template_id: Some(template_id),
                    repo_id: None,
                    base_ref: None,
                    runtime_kind: None,
                    target_node_id: None,
                    budget_usd: None,
                    model: None,
                },
                accept_lacks,
            }),
        };
        let new = NewRoutine {
            name: self.name,
            schedule,
            recipe,
            missed: Some(RoutineMissed::from(self.missed)),
            overlap: Some(RoutineOverlap::from(self.overlap)),
        };
        print(api, &api.ask(routes::create_routine(&new)).await?);
        Ok(())
    }
}

async fn enable(api: &Api, routine: &str, enabled: bool) -> anyhow::Result<()> {
    let id = find(api, routine).await?;
    let change = RoutineChange {
        enabled: Some(enabled),
    };
    print(api, &api.ask(routes::change_routine(&id, &change)).await?);
    Ok(())
}

async fn list(api: &Api) -> anyhow::Result<Listing> {
    let items = api.all(routes::routines).await?;
    let row = |routine: &Parsed<Brief>| {
        vec![
            routine.name.shown(),
            routine.words.shown(),
            routine.state.shown(),
            show::relative(routine.next_due.first()),
            routine.last.as_ref().map(|last| last.state.shown()).shown(),
            named::short(&routine.id),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    let head = ["NAME", "SCHEDULE", "STATE", "NEXT DUE", "LAST", "ID"];
    Ok(Listing {
        text: show::columns(&head, &rows),
        json: raw_list(&items),
    })
}

async fn journal(api: &Api, id: Option<RoutineId>) -> anyhow::Result<()> {
    let lines = api.all(|limit, cursor| routes::routine_runs(limit, cursor, id.as_ref()));
    let lines = lines.await?;
    if api.json {
        show::json(&raw_list(&lines));
        return Ok(());
    }
    let row = |line: &Parsed<RoutineFiring>| {
        vec![
            show::relative(Some(&line.due_at)),
            line.routine_name.shown(),
            line.cause.shown(),
            line.state.shown(),
            line.due_times.shown(),
            started(line),
        ]
    };
    let rows: Vec<_> = lines.iter().map(row).collect();
    let head = ["DUE", "ROUTINE", "CAUSE", "STATE", "TIMES", "WHAT"];
    show::table(&head, &rows);
    Ok(())
}

/// What a firing started, and why it failed or started nothing.
fn started(line: &RoutineFiring) -> String {
    let run = line
        .run_id
        .as_ref()
        .map(|run| format!("run {}", run.shown()));
    let mission = line.mission_id.as_ref();
    let mission = mission.map(|mission| format!("mission {}", mission.shown()));
    let reason = line.reason.as_ref().map(Shown::shown);
    let parts: Vec<String> = [run, mission, reason].into_iter().flatten().collect();
    parts.join(": ")
}

fn print(api: &Api, routine: &Parsed<Brief>) {
    if api.json {
        show::json(routine.raw());
        return;
    }
    println!("{}  {}", routine.name.shown(), routine.id.shown());
    println!("schedule: {}", routine.words.shown());
    println!("state: {}", routine.state.shown());
    for due in &routine.next_due {
        println!("due: {}", due.shown());
    }
    println!(
        "missed: {}   overlap: {}",
        routine.missed.shown(),
        routine.overlap.shown()
    );
    if let Some(last) = &routine.last {
        println!("last: {} {}", last.state.shown(), started(last));
    }
}

/// The id of a routine by its name or id.
async fn find(api: &Api, wanted: &str) -> anyhow::Result<RoutineId> {
    named::find(api, wanted, routes::routines).await
}

impl Named for Brief {
    type Id = RoutineId;

    const KIND: Kind = Kind {
        one: "routine",
        many: "routines",
        list: "roost routine list",
    };

    fn id(&self) -> &RoutineId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    fn about(&self) -> Vec<String> {
        vec![self.words.shown(), self.state.shown()]
    }
}
