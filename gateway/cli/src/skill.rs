//! `roost skill`: what agents can read to work better.

use std::process::ExitCode;

use crate::api::types::{NewSkill, Skill as Whole, SkillBrief, SkillId, SkillText};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::named::{self, Kind, Named};
use crate::show::{self, Shown};
use crate::team;

/// Skills of agents.
#[derive(Debug, clap::Subcommand)]
pub enum Skill {
    /// List the skills of the workspace and those that come with Roost
    #[command(visible_alias = "ls")]
    List,
    /// Show the text of a skill, by name or id
    Show { skill: String },
    /// Add a skill to the workspace
    #[command(
        after_help = "Example:\n  roost skill create our-releases --title \"Our releases\" --when \"Before a release\" - <skill.md"
    )]
    Create {
        /// Words of small letters and digits with hyphens between; it never changes
        name: String,
        #[arg(long)]
        title: String,
        /// When agents read it, in one line
        #[arg(long, value_name = "TEXT")]
        when: String,
        /// May be given several times
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// The text in Markdown; `-` reads it from standard input
        body: String,
    },
    /// Replace the text of a skill of the workspace: a new version
    #[command(
        after_help = "Example:\n  roost skill show handing-over-work --json | jq -r .body >skill.md\n  roost skill set handing-over-work - <skill.md"
    )]
    Set {
        skill: String,
        /// The new text; `-` reads it from standard input
        body: String,
    },
    /// Delete a skill of the workspace
    #[command(visible_alias = "rm")]
    Delete { skill: String },
}

impl Skill {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::List => list(api).await?,
            Self::Show { skill } => {
                let id = find(api, &skill).await?;
                print(api, &api.ask(routes::skill(&id)).await?);
            }
            Self::Create {
                name,
                title,
                when,
                tags,
                body,
            } => {
                let new = NewSkill {
                    name,
                    title,
                    when_to_use: when,
                    tags: Some(tags),
                    body: team::goal_text(body)?,
                };
                let made = api.ask(routes::create_skill(&new)).await?;
                match api.json {
                    true => show::json(made.raw()),
                    false => println!("Created {}.", made.name.shown()),
                }
            }
            Self::Set { skill, body } => {
                let id = find(api, &skill).await?;
                let now = api.ask(routes::skill(&id)).await?;
                let text = SkillText {
                    title: now.title.clone(),
                    when_to_use: now.when_to_use.clone(),
                    tags: Some(now.tags.clone()),
                    body: team::goal_text(body)?,
                };
                let changed = api.ask(routes::change_skill(&id, &text)).await?;
                match api.json {
                    true => show::json(changed.raw()),
                    false => println!(
                        "{} has version {} now.",
                        changed.name.shown(),
                        changed.current_version
                    ),
                }
            }
            Self::Delete { skill } => {
                let id = find(api, &skill).await?;
                api.ask(routes::delete_skill(&id)).await?;
                println!("The skill is deleted.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(api: &Api) -> anyhow::Result<()> {
    let items = api.all(routes::skills).await?;
    if api.json {
        show::json(&raw_list(&items));
        return Ok(());
    }
    let row = |skill: &Parsed<SkillBrief>| {
        vec![
            skill.name.shown(),
            skill.title.shown(),
            if skill.foundation {
                "Roost"
            } else {
                "workspace"
            }
            .to_owned(),
            skill.current_version.to_string(),
            show::relative(Some(&skill.updated_at)),
            show::clean(&skill.tags.join(", ")),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    show::table(
        &["NAME", "TITLE", "OF", "VERSION", "CHANGED", "TAGS"],
        &rows,
    );
    Ok(())
}

fn print(api: &Api, skill: &Parsed<Whole>) {
    if api.json {
        return show::json(skill.raw());
    }
    println!(
        "{} · version {}\n{}\n",
        skill.title.shown(),
        skill.current_version,
        skill.when_to_use.shown()
    );
    for line in skill.body.lines() {
        println!("{}", show::clean(line));
    }
}

async fn find(api: &Api, wanted: &str) -> anyhow::Result<SkillId> {
    named::find(api, wanted, routes::skills).await
}

impl Named for SkillBrief {
    type Id = SkillId;

    const KIND: Kind = Kind {
        one: "skill",
        many: "skills",
        list: "roost skill list",
    };

    fn id(&self) -> &SkillId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    fn about(&self) -> Vec<String> {
        vec![self.title.shown(), named::made(&self.updated_at)]
    }
}
