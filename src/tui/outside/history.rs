//! Suggestions for a new job: the shell history, and the project files of a directory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::tui::later::Later;
use crate::tui::message::{Done, Event};
use crate::tui::suggest;

/// Number of bytes read from the end of a history file.
const HISTORY_BYTES: u64 = 256 * 1024;
/// Maximum number of bytes read from a project file.
const FILE_BYTES: u64 = 256 * 1024;
/// Maximum number of commands from the history.
const COMMANDS: usize = 500;

/// Maximum number of files in a folder of sources that are looked at.
const SOURCES: usize = 200;

/// Which file belongs to which package manager.
const LOCKS: [(&str, &str); 6] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
];

/// Project files that define commands.
const FILES: [&str; 8] = [
    "package.json",
    "Procfile",
    "justfile",
    "Justfile",
    ".justfile",
    "GNUmakefile",
    "makefile",
    "Makefile",
];

/// Reads both in a thread of its own, because a directory may be on a file system that does not answer, and sends them to
/// `later`. Without a thread there are no suggestions.
pub(super) fn suggest(dir: String, later: &Later) {
    let later = later.clone();
    let _ = std::thread::Builder::new()
        .name("suggestions".to_owned())
        .spawn(move || {
            // The view may have closed in the meantime.
            later.send(Event::Done(suggestions(&dir)));
        });
}

/// Files that cannot be read are skipped.
fn suggestions(dir: &str) -> Done {
    let mut targets = Vec::new();
    let place = Path::new(dir);
    for name in FILES {
        let Some(text) = read(&place.join(name), FILE_BYTES) else {
            continue;
        };
        let runner = match name {
            "package.json" => runner(place, &text),
            _ => "",
        };
        for target in suggest::targets(name, &text, runner) {
            // On a case-insensitive file system two of the names may be the same file.
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
    }
    if let Some(text) = read(&place.join("Cargo.toml"), FILE_BYTES) {
        targets.extend(suggest::cargo(&text, &sources(place)));
    }
    Done::Suggested {
        dir: dir.to_owned(),
        targets,
        history: history().unwrap_or_default(),
    }
}

/// The source files of a Cargo package that may be binaries or tests, relative to it, sorted.
fn sources(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["src/bin", "tests"] {
        let entries = std::fs::read_dir(dir.join(folder));
        let entries = entries.into_iter().flatten().flatten().take(SOURCES);
        for entry in entries {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let is_folder = entry.path().join("main.rs").is_file();
            let rest = if is_folder { "/main.rs" } else { "" };
            found.push(format!("{folder}/{name}{rest}"));
        }
    }
    if dir.join("src/main.rs").is_file() {
        found.push("src/main.rs".to_owned());
    }
    found.sort();
    found
}

/// What runs the scripts of a `package.json`, as `bgproc init` finds it: what the file says, or what the nearest lock file
/// belongs to. That of a monorepo is in its topmost directory.
fn runner(dir: &Path, package: &str) -> &'static str {
    if let Some(manager) = suggest::manager(package) {
        return manager;
    }
    let is_top = |dir: &&Path| dir.join(".git").exists();
    let top = dir.ancestors().find(is_top).unwrap_or(dir);
    let mut dirs = dir.ancestors().take_while(|dir| dir.starts_with(top));
    let of = |dir: &Path| {
        let found = LOCKS.iter().find(|(lock, _)| dir.join(lock).exists());
        found.map(|(_, manager)| *manager)
    };
    dirs.find_map(of).unwrap_or("npm")
}

/// The history of the current shell, or else of any shell that has one.
fn history() -> Option<Vec<String>> {
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let mut files = vec![
        home.join(".bash_history"),
        home.join(".zsh_history"),
        home.join(".local/share/fish/fish_history"),
    ];
    let shell = std::env::var("SHELL").unwrap_or_default();
    let shell = shell.rsplit('/').next().unwrap_or_default().to_owned();
    files.sort_by_key(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        shell.is_empty() || !name.contains(&shell)
    });
    files.splice(0..0, std::env::var_os("HISTFILE").map(PathBuf::from));
    files.iter().find_map(|file| {
        let text = read(file, HISTORY_BYTES)?;
        let name = file.file_name()?.to_string_lossy();
        Some(suggest::history(&name, &text, COMMANDS))
    })
}

/// Reads the end of a regular file. Other files might block or never end.
fn read(path: &Path, most: u64) -> Option<String> {
    let length = std::fs::metadata(path)
        .ok()
        .filter(std::fs::Metadata::is_file)?
        .len();
    let mut file = File::open(path).ok()?;
    let cut = length.saturating_sub(most);
    file.seek(SeekFrom::Start(cut)).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // The first line may be incomplete.
    match text.split_once('\n') {
        Some((_, rest)) if cut > 0 => Some(rest.to_owned()),
        _ => Some(text),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::tui::later::later;

    /// The directory that suggestions are for, and what they offer.
    fn offered(of: &Path) -> (String, Vec<String>) {
        let (send, mut results) = later().unwrap();
        suggest(of.to_str().unwrap().to_owned(), &send);
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            match results.take().next() {
                Some(Event::Done(Done::Suggested { dir, targets, .. })) => return (dir, targets),
                Some(other) => panic!("{other:?}"),
                None => assert!(Instant::now() < until, "nothing has come"),
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn suggestions_come_later() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Makefile"), "build:\n").unwrap();
        let of = dir.path().to_str().unwrap().to_owned();
        assert_eq!(offered(dir.path()), (of, vec!["make build".to_owned()]));
    }

    #[test]
    fn scripts_run_with_the_package_manager_of_the_monorepo() {
        let dir = tempfile::tempdir().unwrap();
        let web = dir.path().join("repo/apps/web");
        std::fs::create_dir_all(&web).unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        let offered = || offered(&web).1;
        let package = r#"{"scripts": {"dev": "vite"}}"#;
        write("repo/apps/web/package.json", package);
        write("pnpm-lock.yaml", "");
        assert_eq!(offered(), ["npm run dev"], "no repository");
        std::fs::create_dir(dir.path().join("repo/.git")).unwrap();
        write("repo/yarn.lock", "");
        assert_eq!(offered(), ["yarn run dev"]);
        write("repo/apps/web/package-lock.json", "");
        assert_eq!(offered(), ["npm run dev"], "the nearest one");
        let said = package.replacen('{', r#"{"packageManager": "bun@1.2.0", "#, 1);
        write("repo/apps/web/package.json", &said);
        assert_eq!(offered(), ["bun run dev"]);
    }
}
