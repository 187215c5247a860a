//! Changes of `config.toml` that keep everything else in it as a person has written it. Commands that change it at the
//! same time wait for each other.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::error::ConfigError;
use super::hosts::HostEntry;
use super::{load, parse};
use crate::protocol::reply::HostConnect;

/// Adds a host. The file and its directory are created if need be.
///
/// # Errors
///
/// If the file is invalid already, or cannot be written.
pub fn add_host(path: &Path, name: &str, host: &HostEntry) -> Result<(), ConfigError> {
    let mut table = Table::new();
    for (key, text) in [
        ("ssh", &host.ssh),
        ("bgproc", &host.bgproc),
        ("home", &host.home),
        ("session", &host.session),
    ] {
        if let Some(text) = text {
            table.insert(key, value(text));
        }
    }
    match host.connect {
        HostConnect::Demand => {}
        HostConnect::Always => drop(table.insert("connect", value("always"))),
        HostConnect::Manual => drop(table.insert("connect", value("manual"))),
    }
    if host.agents {
        table.insert("agents", value(true));
    }
    if let Some(words) = &host.command {
        table.insert("command", value(words.iter().collect::<Array>()));
    }
    change(path, |document| {
        let hosts = document.entry("hosts").or_insert_with(|| {
            let mut hosts = Table::new();
            // Only `[hosts.NAME]` is written.
            hosts.set_implicit(true);
            Item::Table(hosts)
        });
        if let Some(hosts) = hosts.as_table_like_mut() {
            hosts.insert(name, Item::Table(table));
        }
    })
}

/// Removes a host.
///
/// # Errors
///
/// As for [`add_host`].
pub fn remove_host(path: &Path, name: &str) -> Result<(), ConfigError> {
    change(path, |document| {
        let hosts = document.get_mut("hosts");
        if let Some(hosts) = hosts.and_then(Item::as_table_like_mut) {
            hosts.remove(name);
        }
    })
}

fn change(path: &Path, edit: impl FnOnce(&mut DocumentMut)) -> Result<(), ConfigError> {
    let broken = |source| ConfigError::Unwritable {
        path: path.to_owned(),
        source,
    };
    let real = real(path).map_err(broken)?;
    // Held until the end, so that no other command changes what was read here.
    let _lock = lock(&real).map_err(broken)?;
    let before = load(path)?.text;
    let invalid = |error: toml_edit::TomlError| broken(io::Error::other(error));
    let mut document: DocumentMut = before.parse().map_err(invalid)?;
    edit(&mut document);
    let after = document.to_string();
    let (_, wrong) = parse(&after);
    let wrong = wrong.into_iter().map(|wrong| wrong.at(path, &after));
    if let Some(error) = ConfigError::all(wrong.collect()) {
        return Err(error);
    }
    write(&real, &after).map_err(broken)
}

/// The file that a link leads to. Its directory is created if need be.
fn real(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let Some(dir) = real.parent() {
        std::fs::create_dir_all(dir)?;
    }
    Ok(real)
}

/// Waits until no other command changes the file. The lock is in a file beside it, which stays: the file itself is
/// replaced.
fn lock(real: &Path) -> io::Result<File> {
    let beside = real.with_extension("toml.lock");
    let file = File::options().create(true).append(true).open(beside)?;
    // Some file systems have no locks; the change is still made as a whole.
    let _ = rustix::io::retry_on_intr(|| flock(&file, FlockOperation::LockExclusive));
    Ok(file)
}

/// Replaces the file as a whole.
fn write(real: &Path, text: &str) -> io::Result<()> {
    let beside = real.with_extension(format!("toml.{}", std::process::id()));
    let written = std::fs::write(&beside, text)
        .and_then(|()| match std::fs::metadata(real) {
            Ok(before) => std::fs::set_permissions(&beside, before.permissions()),
            Err(_) => Ok(()),
        })
        .and_then(|()| std::fs::rename(&beside, real));
    if written.is_err() {
        // The error of the write says more.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn ssh(words: &str) -> HostEntry {
        HostEntry {
            ssh: Some(words.to_owned()),
            ..HostEntry::default()
        }
    }

    #[test]
    fn hosts_that_are_added_at_the_same_time_are_all_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::thread::scope(|scope| {
            for n in 0..8 {
                let path = &path;
                scope.spawn(move || add_host(path, &format!("h{n}"), &ssh("x")).unwrap());
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("[hosts.h").count(), 8, "{text}");
    }

    #[test]
    fn the_rest_of_the_file_stays_as_it_is() {
        let dir = std::env::temp_dir().join(format!("bgproc-edit-{}", std::process::id()));
        let path = dir.join("config.toml");
        add_host(&path, "gpu1", &ssh("me@gpu1")).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "[hosts.gpu1]\nssh = \"me@gpu1\"\n");
        let own = "# mine\ntheme = \"paper\" # why\n\n[hosts.old]  # gone soon\nssh = 'x'\n\n[retention]\n# days\n";
        std::fs::write(&path, own).unwrap();
        std::os::unix::fs::symlink(&path, dir.join("link.toml")).unwrap();
        let pod = HostEntry {
            command: Some(vec!["kubectl".to_owned(), "exec".to_owned()]),
            home: Some("/scratch".to_owned()),
            ..HostEntry::default()
        };
        add_host(&dir.join("link.toml"), "pod", &pod).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("# mine\ntheme = \"paper\" # why\n"), "{text}");
        assert!(
            text.contains("[hosts.old]  # gone soon\nssh = 'x'\n"),
            "{text}"
        );
        assert!(text.contains("command = [\"kubectl\", \"exec\"]"), "{text}");
        remove_host(&path, "pod").unwrap();
        remove_host(&path, "old").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("hosts"), "{text}");
        assert!(text.contains("[retention]\n# days\n"), "{text}");
        assert!(dir.join("link.toml").is_symlink());
        std::fs::write(&path, "theme = 7\n").unwrap();
        assert!(add_host(&path, "x", &ssh("x")).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theme = 7\n");
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
