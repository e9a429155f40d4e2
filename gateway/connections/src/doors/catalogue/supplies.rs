//! Packages for the sandbox of a run. The agent names a lock file of its checkout; the gateway reads the packages from it.

use serde::Deserialize;
use utoipa::ToSchema;

use super::{Act, Work};
use roost_web::json::{Check, Mistakes};

/// The provider of this action: the registries that the operator allows.
pub const SUPPLIES: &str = "supplies";

/// Brings the packages that a changed lock file has more.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AddPackagesDoor)]
pub(super) struct AddPackages {
    /// The lock file in the checkout, such as `Cargo.lock` or `web/package-lock.json`.
    #[schema(min_length = 1, max_length = 1024)]
    path: String,
    /// Why the packages are needed, for the person who decides.
    #[schema(min_length = 1, max_length = 1000)]
    reason: String,
}

impl Check for AddPackages {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/path", &self.path, 1, 1_024);
        mistakes.text("/reason", &self.reason, 1, 1_000);
    }
}

impl Act for AddPackages {
    const NAME: &'static str = "supplies.packages.add";
    const PROVIDER: &'static str = SUPPLIES;
    const TITLE: &'static str = "Add packages";
    const DESCRIPTION: &'static str = "Brings the packages into the sandbox that a lock file of the run's repository has more than before. Change the lock file first.";

    fn target(&self) -> String {
        self.path.clone()
    }

    fn summary(&self) -> String {
        format!("Add the new packages of {}", self.path)
    }

    fn work(self) -> Work {
        Work::AddPackages { path: self.path }
    }
}
