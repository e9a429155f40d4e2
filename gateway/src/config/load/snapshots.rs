//! Reading `[snapshots]`: where the gateway keeps the chunks of snapshots.

use std::path::{Path, PathBuf};

use url::Url;

use super::Reader;
use roost_machines::sandboxes::{Bucket, BucketKey, ChunkPlace};

impl Reader {
    pub(super) fn snapshots(&mut self) -> ChunkPlace {
        let in_bucket = self.choice("snapshots.store", &[("folder", false), ("s3", true)]);
        let bucket: Option<String> = self.optional("snapshots.bucket");
        let region: String = self.get("snapshots.region", "us-east-1".to_owned());
        let prefix: String = self.get("snapshots.prefix", String::new());
        let prefix = prefix.trim_matches('/');
        let endpoint = self.endpoint();
        let file: Option<PathBuf> = self.optional("snapshots.credentials_file");
        if !in_bucket {
            if bucket.is_some() {
                self.wrong(
                    "snapshots.store",
                    "must be s3 when a bucket is named".into(),
                );
            }
            return ChunkPlace::Folder;
        }
        let Some(name) = bucket.filter(|name| !name.is_empty()) else {
            let problem = "is missing; snapshots.store = \"s3\" needs it".to_owned();
            self.wrong("snapshots.bucket", problem);
            return ChunkPlace::Folder;
        };
        match self.key(file.as_deref()) {
            Ok(key) => ChunkPlace::Bucket(Bucket {
                name,
                region,
                endpoint,
                prefix: (!prefix.is_empty()).then(|| prefix.to_owned()),
                key,
                credentials_file: file,
            }),
            Err(problem) => {
                self.wrong("snapshots.credentials_file", problem);
                ChunkPlace::Folder
            }
        }
    }

    /// Chunks and signed requests leave this host only by TLS.
    fn endpoint(&mut self) -> Option<Url> {
        const KEY: &str = "snapshots.endpoint";
        let url = self.address(KEY, "https://s3.example.com")?;
        if !url.username().is_empty() || url.password().is_some() {
            self.wrong(KEY, "must not contain a name or a password".into());
            return None;
        }
        if url.scheme() == "http" && !is_loopback(&url) {
            let problem =
                "must begin with https://; http:// is allowed for loopback addresses only";
            self.wrong(KEY, problem.into());
            return None;
        }
        Some(url)
    }

    /// The key in the file, or else in the environment with the names that AWS' own tools use.
    fn key(&self, file: Option<&Path>) -> Result<BucketKey, String> {
        let Some(file) = file else {
            return BucketKey::of(|name| self.environment(name)).map_err(|name| {
                format!(
                    "is missing, and so is {} in the environment; snapshots.store = \"s3\" needs one of both",
                    name.to_ascii_uppercase()
                )
            });
        };
        let shown = file.display();
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read {shown}: {error}"))?;
        BucketKey::parse(&text)
            .map_err(|name| format!("{shown} has no line `{name} = …` in its section [default]"))
    }

    fn environment(&self, name: &str) -> Option<String> {
        match self.without_environment {
            true => None,
            false => std::env::var(name.to_ascii_uppercase()).ok(),
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(v4)) => v4.is_loopback(),
        Some(url::Host::Ipv6(v6)) => v6.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::from;
    use super::*;
    use crate::config::show;

    const KEY: &str = "aws_access_key_id = AKIA1\naws_secret_access_key = planted\n";

    fn problems(toml: &str) -> String {
        from(toml, &[]).map_or_else(|errors| errors.to_string(), |_| String::new())
    }

    #[test]
    fn bucket_is_read_and_its_secret_is_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, KEY).unwrap();
        let toml = format!(
            "[snapshots]\nstore = \"s3\"\nbucket = \"roost\"\nprefix = \"/a/b/\"\nendpoint = \"http://127.0.0.1:9000\"\n\
             credentials_file = \"{}\"\n",
            file.display()
        );
        let (config, _) = from(&toml, &[]).unwrap();
        let ChunkPlace::Bucket(bucket) = &config.snapshots else {
            panic!("{:?}", config.snapshots);
        };
        assert_eq!(bucket.name, "roost");
        assert_eq!(bucket.prefix.as_deref(), Some("a/b"));
        assert_eq!(
            (bucket.region.as_str(), bucket.key.id.as_str()),
            ("us-east-1", "AKIA1")
        );
        let printed = show(&config);
        assert!(
            !printed.contains("planted") && !printed.contains("AKIA1"),
            "{printed}"
        );
        assert!(!format!("{config:?}").contains("planted"));
        let (again, _) = from(&printed, &[]).unwrap();
        assert_eq!(show(&again), printed);
    }

    #[test]
    fn each_mistake_of_a_bucket_says_what_to_do() {
        let s3 = "[snapshots]\nstore = \"s3\"\n";
        assert!(problems(s3).contains("snapshots.bucket: is missing"));
        let named = format!("{s3}bucket = \"roost\"\n");
        assert!(problems(&named).contains("AWS_ACCESS_KEY_ID in the environment"));
        let absent = format!("{named}credentials_file = \"/nowhere/key\"\n");
        assert!(problems(&absent).contains("cannot read /nowhere/key"));
        let plain = format!("{named}endpoint = \"http://s3.example.com\"\n");
        assert!(problems(&plain).contains("http:// is allowed for loopback"));
        let secret = format!("{named}endpoint = \"https://me:planted@s3.example.com\"\n");
        let said = problems(&secret);
        assert!(said.contains("a name or a password") && !said.contains("planted"));
        assert!(problems("[snapshots]\nbucket = \"roost\"\n").contains("must be s3"));
    }
}
