//! `roost template`: team templates, which say of which roles a team consists and what its agents need.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::api::types::{
    NewTemplate, TeamTemplate, TeamTemplateBrief, TemplateCategory, TemplateContent, TemplateId,
    TemplateImage, TemplateRole, TemplateSource, UpgradeRequest,
};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::named;
use crate::show::{self, Shown};

/// Team templates.
#[derive(Debug, clap::Subcommand)]
pub enum Template {
    /// List the templates with their images, and what is missing here for each
    #[command(visible_alias = "ls")]
    List {
        /// Only those for this kind of work: research, development, security or ops
        #[arg(long, value_name = "CATEGORY")]
        category: Option<String>,
    },
    /// Show a template with its roles, by key or id
    Show { template: String },
    /// Copy a template into the workspace, where it can be changed
    #[command(
        after_help = "Example:\n  roost template copy rust_sdlc our_rust --name \"Our Rust team\""
    )]
    Copy {
        template: String,
        /// The key of the copy: a-z, 0-9 and _
        key: String,
        /// The name of the copy [default: the name of the template]
        #[arg(long)]
        name: Option<String>,
    },
    /// Print the content of a template as JSON, to be kept in a repository
    Export { template: String },
    /// Make a template of the workspace from exported JSON, or a new version of it
    #[command(
        after_help = "Examples:\n  roost template export rust_sdlc >team.json\n  roost template import our_rust team.json"
    )]
    Import {
        /// The key of the template
        key: String,
        /// The file; `-` is standard input
        file: PathBuf,
    },
    /// Give the agents that were made from an older version of a template its newest prompts
    Upgrade { template: String },
    /// Delete a template of the workspace. Teams that were made from it stay
    #[command(visible_alias = "rm")]
    Delete { template: String },
}

impl Template {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::List { category } => list(api, category).await?,
            Self::Show { template } => print(api, &whole(api, &template).await?),
            Self::Copy {
                template,
                key,
                name,
            } => {
                let new = NewTemplate {
                    from: Some(id(api, &template).await?),
                    name,
                    ..named_only(key)
                };
                made(api, &api.ask(routes::create_template(&new)).await?);
            }
            Self::Export { template } => {
                let now = whole(api, &template).await?;
                let version = routes::template_version(&now.id, &now.version);
                let stored = api.ask(version).await?;
                show::json(&serde_json::to_value(&stored.content)?);
            }
            Self::Import { key, file } => import(api, key, file).await?,
            Self::Upgrade { template } => upgrade(api, &template).await?,
            Self::Delete { template } => {
                api.ask(routes::delete_template(&id(api, &template).await?))
                    .await?;
                println!("The template is deleted.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The id of a template by its key.
pub(super) async fn id(api: &Api, wanted: &str) -> anyhow::Result<TemplateId> {
    if named::is_id(wanted) {
        return Ok(wanted.to_owned().into());
    }
    let items = all(api, None).await?;
    match items.iter().find(|template| template.key == wanted) {
        Some(template) => Ok(template.id.clone()),
        None => bail!("no team template has the key {wanted:?}; see `roost template list`"),
    }
}

async fn all(
    api: &Api,
    category: Option<&TemplateCategory>,
) -> anyhow::Result<Vec<Parsed<TeamTemplateBrief>>> {
    api.all(|limit, cursor| routes::team_templates(limit, cursor, category))
        .await
}

async fn whole(api: &Api, wanted: &str) -> anyhow::Result<Parsed<TeamTemplate>> {
    api.ask(routes::team_template(&id(api, wanted).await?))
        .await
}

/// Prints the templates, and below them what this gateway lacks for each.
pub(super) async fn list(api: &Api, category: Option<String>) -> anyhow::Result<()> {
    let category = category.map(TemplateCategory::from);
    let items = all(api, category.as_ref()).await?;
    if api.json {
        show::json(&raw_list(&items));
        return Ok(());
    }
    let row = |template: &Parsed<TeamTemplateBrief>| {
        vec![
            template.key.shown(),
            template.category.shown(),
            template.default_topology.shown(),
            template.risk_profile.shown(),
            template.image.kind.shown(),
            origin(&template.source).to_owned(),
            template.version.shown(),
            template.name.shown(),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    show::table(
        &[
            "KEY", "FOR", "TOPOLOGY", "PROFILE", "IMAGE", "OF", "VERSION", "NAME",
        ],
        &rows,
    );
    for template in &items {
        lacks(&template.key, &template.image);
    }
    Ok(())
}

fn origin(source: &TemplateSource) -> &'static str {
    match source {
        TemplateSource::Workspace => "workspace",
        _ => "Roost",
    }
}

fn lacks(key: &str, image: &TemplateImage) {
    for lack in &image.lacks {
        let (key, detail) = (key.shown(), lack.detail.shown());
        println!("{key}: {detail} {}", lack.remedy.shown());
    }
}

fn print(api: &Api, template: &Parsed<TeamTemplate>) {
    if api.json {
        return show::json(template.raw());
    }
    println!(
        "{} ({}) · version {} · of {}\n{}\n",
        template.name.shown(),
        template.key.shown(),
        template.version,
        origin(&template.source),
        template.description.shown()
    );
    println!(
        "{} ({}) · {} · profile {} · tools {} · image {}",
        template.category.shown(),
        template.stack.shown(),
        template.default_topology.shown(),
        template.risk_profile.shown(),
        show::clean(&template.mcp_bundles.join(", ")),
        template.image.kind.shown()
    );
    for need in &template.needs {
        println!("It needs: {}", need.shown());
    }
    println!();
    let row = |role: &TemplateRole| {
        let skills = role.skills.iter().flatten().cloned();
        vec![
            role.slot.shown(),
            role.title.shown(),
            role.seat.shown(),
            show::clean(&skills.collect::<Vec<_>>().join(", ")),
        ]
    };
    let rows: Vec<_> = template.roles.iter().map(row).collect();
    show::table(&["ROLE", "TITLE", "SEAT", "SKILLS"], &rows);
    for skill in &template.missing_skills {
        println!(
            "The role {} names the skill {}, which does not exist.",
            skill.slot.shown(),
            skill.name.shown()
        );
    }
    lacks(&template.key, &template.image);
}

fn made(api: &Api, template: &Parsed<TeamTemplate>) {
    match api.json {
        true => show::json(template.raw()),
        false => println!(
            "{} ({}) has version {} now.",
            template.name.shown(),
            template.key.shown(),
            template.version
        ),
    }
}

/// A new template without content of its own.
fn named_only(key: String) -> NewTemplate {
    NewTemplate {
        key,
        from: None,
        name: None,
        description: None,
        category: None,
        stack: None,
        default_topology: None,
        risk_profile: None,
        mcp_bundles: None,
        image: None,
        needs: None,
        roles: None,
    }
}

async fn import(api: &Api, key: String, file: PathBuf) -> anyhow::Result<()> {
    let shown = file.display().to_string();
    let text = match file.as_os_str() == "-" {
        true => std::io::read_to_string(std::io::stdin()).context("cannot read stdin")?,
        false => std::fs::read_to_string(&file).with_context(|| format!("cannot read {shown}"))?,
    };
    let content: TemplateContent = serde_json::from_str(&text).with_context(|| {
        format!("{shown} is not the content of a template; `roost template export` prints one")
    })?;
    let items = all(api, None).await?;
    let now = items.iter().find(|template| template.key == key);
    let template = match now {
        Some(now) if now.source == TemplateSource::Workspace => {
            api.ask(routes::change_template(&now.id, &content)).await?
        }
        Some(_) => bail!(
            "{key} comes with Roost and cannot be changed; choose another key, such as our_{key}"
        ),
        None => {
            let new = NewTemplate {
                key,
                from: None,
                name: Some(content.name),
                description: Some(content.description),
                category: content.category,
                stack: Some(content.stack),
                default_topology: Some(content.default_topology),
                risk_profile: Some(content.risk_profile),
                mcp_bundles: Some(content.mcp_bundles),
                image: content.image,
                needs: content.needs,
                roles: Some(content.roles),
            };
            api.ask(routes::create_template(&new)).await?
        }
    };
    made(api, &template);
    Ok(())
}

async fn upgrade(api: &Api, wanted: &str) -> anyhow::Result<()> {
    let everyone = UpgradeRequest { agent_ids: None };
    let report = api
        .ask(routes::upgrade_template(&id(api, wanted).await?, &everyone))
        .await?;
    if api.json {
        show::json(report.raw());
        return Ok(());
    }
    if report.upgraded.is_empty() && report.kept.is_empty() {
        println!("All agents have version {} already.", report.version);
    }
    for agent in &report.upgraded {
        println!(
            "{} has version {} now (was {}).",
            agent.name.shown(),
            report.version,
            agent.from_version
        );
    }
    for agent in &report.kept {
        println!("{}: {}", agent.name.shown(), agent.why.shown());
    }
    Ok(())
}
