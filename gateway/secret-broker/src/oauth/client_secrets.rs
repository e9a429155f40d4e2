//! OAuth client secrets in files of the deployment. Only this process reads them: the gateway knows the name of a file
//! and never its content.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use roost_secret_broker::wire::{DEPLOYMENT, Fault, FaultCode, RecordName, Secret};
use tokio::io::AsyncReadExt;
use zeroize::Zeroizing;

/// `NAME=FILE` from the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    pub name: String,
    pub file: PathBuf,
}

impl FromStr for NamedFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text
            .split_once('=')
            .filter(|(name, file)| !name.is_empty() && !file.is_empty())
            .ok_or("must look like oauth=/etc/roost/oauth-client-secret")?;
        Ok(Self {
            name: name.to_owned(),
            file: file.into(),
        })
    }
}

/// The files, by name of the client. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ClientSecrets(Arc<BTreeMap<String, PathBuf>>);

/// One file.
pub(super) struct File<'a>(&'a Path);

impl ClientSecrets {
    /// The files from the command line.
    pub fn new(files: &[NamedFile]) -> Self {
        let named = files.iter().map(|one| (one.name.clone(), one.file.clone()));
        Self(Arc::new(named.collect()))
    }

    /// The file of a name. Only names of the deployment have one.
    pub(super) fn of(&self, name: &RecordName) -> Option<File<'_>> {
        let client = name.connection().strip_prefix("client-secret/")?;
        let file = self.0.get(client).filter(|_| name.tenant() == DEPLOYMENT)?;
        Some(File(file))
    }

    /// Problems that an operator should know at the start, before the first sign-in fails.
    pub async fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for file in self.0.values() {
            if let Err(fault) = File(file).read().await {
                problems.push(fault.detail);
            }
        }
        problems
    }
}

impl File<'_> {
    /// The content of the file without the line end.
    pub(super) async fn read(&self) -> Result<Secret, Fault> {
        let shown = self.0.display();
        let refuse = |why: String| Fault::new(FaultCode::BadRequest, why);
        let unreadable = |error| {
            refuse(format!(
                "the client's secret in {shown} cannot be read: {error}"
            ))
        };
        let mut bytes = Zeroizing::new(Vec::with_capacity(Secret::MOST + 2));
        let file = tokio::fs::File::open(self.0).await.map_err(unreadable)?;
        let most = Secret::MOST as u64 + 2;
        file.take(most)
            .read_to_end(&mut bytes)
            .await
            .map_err(unreadable)?;
        let text = bytes.trim_ascii_end();
        if !(Secret::LEAST..=Secret::MOST).contains(&text.len()) {
            return Err(refuse(format!(
                "the client's secret in {shown} must have 8 to 16384 bytes"
            )));
        }
        Ok(Secret::new(text.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn file_is_found_by_deployment_name_only_and_read_on_each_use() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        std::fs::write(&file, "first secret\n").unwrap();
        let named = NamedFile::from_str(&format!("oauth={}", file.display())).unwrap();
        let secrets = ClientSecrets::new(&[named]);
        let name = |tenant, connection| RecordName::new(tenant, connection).unwrap();
        let ours = name(DEPLOYMENT, "client-secret/oauth");
        let read = async || secrets.of(&ours).unwrap().read().await;
        assert_eq!(read().await.unwrap().reveal(), b"first secret");
        std::fs::write(&file, "second secret").unwrap();
        assert_eq!(read().await.unwrap().reveal(), b"second secret");
        for other in [
            name("w1", "client-secret/oauth"),
            name(DEPLOYMENT, "client-secret/other"),
            name(DEPLOYMENT, "oauth"),
        ] {
            assert!(secrets.of(&other).is_none(), "{other}");
        }
        std::fs::write(&file, "short").unwrap();
        assert_eq!(secrets.problems().await.len(), 1);
        std::fs::remove_file(&file).unwrap();
        let problems = secrets.problems().await;
        assert!(
            problems[0].contains(&file.display().to_string()),
            "{problems:?}"
        );
    }

    #[test]
    fn option_without_a_name_or_a_file_is_refused() {
        for text in ["", "oauth", "=file", "oauth="] {
            assert!(NamedFile::from_str(text).is_err(), "{text}");
        }
    }
}
