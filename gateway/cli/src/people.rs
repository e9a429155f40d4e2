//! `roost workspace`: where one works.

use std::process::ExitCode;

use crate::api::types::{
    AnyWorkspace, FilePolicy, PushPolicy, Switch, WorkflowPolicy, Workspace as Place,
    WorkspaceChange, WorkspaceId,
};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::named::{self, Kind, Named};
use crate::plan;
use crate::profile::Profile;
use crate::show::{self, Shown};

/// Workspaces.
#[derive(Debug, clap::Subcommand)]
pub enum Workspace {
    /// List the workspaces that you belong to
    List,
    /// Go on in another one, by id or name
    Switch { workspace: String },
    /// `roost plan give`
    #[command(
        hide = true,
        after_help = "A smaller plan deletes nothing. While more is in use than it allows, the gateway refuses what needs more.\n\nExample:\n  roost plan give \"Ada's workshop\" team"
    )]
    Plan {
        // Its name differs from the one of the global option `--workspace`, which would take its value.
        #[arg(value_name = "WORKSPACE")]
        which: String,
        plan: String,
    },
    /// `roost plan list`
    #[command(hide = true)]
    Plans,
    /// Show whether agents may push their branches without a decision, or set it: `ask` or `allow`
    #[command(
        after_help = "Only branches below roost/ are pushed, never over other commits, and never the default branch.\n\nExamples:\n  roost workspace pushes\n  roost workspace pushes allow"
    )]
    Pushes {
        #[arg(value_name = "POLICY", value_parser = ["ask", "allow"])]
        policy: Option<String>,
    },
    /// Show whether commits of agents may change the workflow files of code hosts, or set it: `refuse` or `allow`
    #[command(
        after_help = "Workflow files are .github/workflows, those of Gitea and Forgejo, and .gitlab-ci.yml. The code host runs them with its own secrets once they are pushed.\n\nExamples:\n  roost workspace workflows\n  roost workspace workflows allow"
    )]
    Workflows {
        #[arg(value_name = "POLICY", value_parser = ["refuse", "allow"])]
        policy: Option<String>,
    },
    /// Show whether machines send the saved files of sandboxes to the gateway, or set it: `upload` or `stay`
    #[command(
        after_help = "With `stay`, saved files are only on the machine that saved them: another machine cannot restore them, and the page cannot show them. What the gateway has already stays there until its retention ends.\n\nExamples:\n  roost workspace files\n  roost workspace files stay"
    )]
    Files {
        #[arg(value_name = "POLICY", value_parser = ["upload", "stay"])]
        policy: Option<String>,
    },
}

impl Named for Place {
    type Id = WorkspaceId;

    const KIND: Kind = Kind {
        one: "workspace of yours",
        many: "of your workspaces",
        list: "roost workspace list",
    };

    fn id(&self) -> &WorkspaceId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.id.to_string() == name
    }

    fn about(&self) -> Vec<String> {
        vec![self.role.shown(), self.plan.shown()]
    }
}

impl Named for AnyWorkspace {
    type Id = WorkspaceId;

    const KIND: Kind = Kind {
        one: "workspace of this deployment",
        many: "workspaces",
        list: "roost workspace list",
    };

    fn id(&self) -> &WorkspaceId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    fn about(&self) -> Vec<String> {
        vec![self.plan.shown(), named::made(&self.created_at)]
    }
}

async fn mine(api: &Api) -> anyhow::Result<Vec<Parsed<Place>>> {
    let page = api.ask(routes::workspaces()).await?;
    Ok(page.into_value().items)
}

/// The id of the workspace that `--workspace` names: an id, or a name that only one has.
pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<WorkspaceId> {
    if named::is_id(wanted) {
        return Ok(wanted.to_owned().into());
    }
    let items = mine(api).await?;
    Ok(named::the_one(wanted, &items)?.id.clone())
}

impl Workspace {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Plan { which, plan } => return set_plan(api, &which, plan).await,
            Self::Plans => return plan::list(api).await,
            Self::Pushes { policy } => return pushes(api, policy).await,
            Self::Workflows { policy } => return workflows(api, policy).await,
            Self::Files { policy } => return files(api, policy).await,
            Self::List | Self::Switch { .. } => {}
        }
        let items = mine(api).await?;
        match self {
            Self::Plan { .. }
            | Self::Plans
            | Self::Pushes { .. }
            | Self::Workflows { .. }
            | Self::Files { .. } => {}
            Self::List if api.json => show::json(&raw_list(&items)),
            Self::List => {
                let row = |one: &Parsed<Place>| {
                    let (role, plan) = (one.role.shown(), one.plan.shown());
                    vec![one.name.shown(), role, plan, named::short(&one.id)]
                };
                let rows: Vec<_> = items.iter().map(row).collect();
                show::table(&["NAME", "ROLE", "PLAN", "ID"], &rows);
            }
            Self::Switch { workspace } => {
                let one = named::the_one(&workspace, &items)?;
                let switch = Switch {
                    workspace_id: one.id.clone(),
                };
                api.ask(routes::switch_workspace(&switch)).await?;
                let mut profile = Profile::load()?;
                profile.workspace = Some(one.id.to_string());
                profile.save()?;
                println!("You work in {} now.", one.name.shown());
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Sets the plan of any workspace of the deployment.
pub(super) async fn set_plan(api: &Api, workspace: &str, plan: String) -> anyhow::Result<ExitCode> {
    let list = |limit, cursor: Option<&str>| routes::all_workspaces(Some(workspace), limit, cursor);
    let id: WorkspaceId = named::find::<AnyWorkspace>(api, workspace, list).await?;
    let change = WorkspaceChange {
        plan: Some(plan),
        ..NO_CHANGE
    };
    let changed = api.ask(routes::change_workspace(&id, &change)).await?;
    if api.json {
        show::json(changed.raw());
    } else {
        let (name, plan) = (changed.name.shown(), changed.plan.shown());
        println!("{name} has the plan {plan} now.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows or sets whether agents of the present workspace may push without a decision.
async fn pushes(api: &Api, policy: Option<String>) -> anyhow::Result<ExitCode> {
    let change = policy.map(|policy| WorkspaceChange {
        push_policy: Some(PushPolicy::from(policy)),
        ..NO_CHANGE
    });
    match setting(api, change).await?.map(|place| place.push_policy) {
        Some(PushPolicy::Allow) => println!("Agents push their branches without a decision."),
        Some(policy) => println!("A person decides on each push ({}).", policy.shown()),
        None => println!("You are not a member of this workspace."),
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows or sets whether commits of agents of the present workspace may change workflow files.
async fn workflows(api: &Api, policy: Option<String>) -> anyhow::Result<ExitCode> {
    let change = policy.map(|policy| WorkspaceChange {
        workflow_policy: Some(WorkflowPolicy::from(policy)),
        ..NO_CHANGE
    });
    let place = setting(api, change).await?;
    match place.map(|place| place.workflow_policy) {
        Some(WorkflowPolicy::Allow) => println!("Commits of agents may change workflow files."),
        Some(policy) => println!(
            "Commits that change workflow files do not leave their sandbox ({}).",
            policy.shown()
        ),
        None => println!("You are not a member of this workspace."),
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows or sets whether machines send the files of the present workspace to the gateway.
async fn files(api: &Api, policy: Option<String>) -> anyhow::Result<ExitCode> {
    let change = policy.map(|policy| WorkspaceChange {
        file_policy: Some(FilePolicy::from(policy)),
        ..NO_CHANGE
    });
    match setting(api, change).await?.map(|place| place.file_policy) {
        Some(FilePolicy::Upload) => println!("Machines send saved files to the gateway."),
        Some(policy) => println!(
            "Saved files stay on the machine that saved them ({}).",
            policy.shown()
        ),
        None => println!("You are not a member of this workspace."),
    }
    Ok(ExitCode::SUCCESS)
}

/// A change that leaves everything as it is.
const NO_CHANGE: WorkspaceChange = WorkspaceChange {
    name: None,
    plan: None,
    push_policy: None,
    file_policy: None,
    workflow_policy: None,
};

/// The present workspace after a change of its settings; `None` for an operator who is not a member and changes nothing.
async fn setting(api: &Api, change: Option<WorkspaceChange>) -> anyhow::Result<Option<Place>> {
    let me = api.ask(routes::me()).await?;
    let Some(change) = change else {
        let own = mine(api).await?.into_iter();
        let mut own = own.map(Parsed::into_value);
        return Ok(own.find(|place| place.id == me.workspace.id));
    };
    let changed = api
        .ask(routes::change_workspace(&me.workspace.id, &change))
        .await?;
    Ok(Some(changed.into_value()))
}
