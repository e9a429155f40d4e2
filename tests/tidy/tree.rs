//! The repository's own files as text, without what is built or fetched.
use std::path::{Path, PathBuf};

/// Files by path relative to the repository.
pub struct Tree {
    pub files: Vec<File>,
}

/// One text file.
pub struct File {
    pub path: String,
    pub text: String,
}

const SKIPPED: [&str; 6] = ["target", "node_modules", ".git", "dist", ".roost", "corpus"];
const TEXT: [&str; 11] = [
    "rs", "toml", "ts", "tsx", "mjs", "md", "sh", "json", "css", "html", "yaml",
];

impl Tree {
    /// Every text file of this repository.
    pub fn of_repository() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .canonicalize()
            .expect("the repository is here");
        let mut files = Vec::new();
        walk(&root, &root, &mut files);
        assert!(
            files.len() > 20,
            "the tree was not found: {} files under {}",
            files.len(),
            root.display()
        );
        Self { files }
    }

    /// A tree of one file, to prove a rule.
    pub fn of_one(path: &str, text: &str) -> Self {
        Self {
            files: vec![File {
                path: path.to_owned(),
                text: text.to_owned(),
            }],
        }
    }

    /// The Rust sources.
    pub fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<File>) {
    let entries = std::fs::read_dir(folder).expect("a folder of the repository can be listed");
    for entry in entries {
        let path: PathBuf = entry.expect("a folder's entry can be read").path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                walk(root, &path, files);
            }
        } else if path
            .extension()
            .is_some_and(|ext| TEXT.iter().any(|text| ext == *text))
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            let path = path
                .strip_prefix(root)
                .expect("walked from the root")
                .to_string_lossy()
                .into_owned();
            files.push(File { path, text });
        }
    }
}

/// Fails with every fault at once.
pub fn fail_on(faults: Vec<String>) {
    assert!(
        faults.is_empty(),
        "{} fault(s):\n{}",
        faults.len(),
        faults.join("\n")
    );
}
