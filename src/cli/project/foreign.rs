//! Files of other programs where a project file is needed: `init` makes one of them.

use std::path::Path;

use crate::cli::disk::Disk;
use crate::cli::exit::{Exit, Failure};
use crate::client::host;
use crate::project::import::{self, Seen};
use crate::protocol::ErrorCode;
use crate::protocol::shell::quote;

/// Extensions that no project file has.
const EXTENSIONS: [&str; 7] = ["yaml", "yml", "json", "js", "cjs", "mjs", "ts"];

/// Fails if one of these paths is the file of another program.
pub fn refuse(paths: &[String]) -> Result<(), Failure> {
    paths.iter().map(Path::new).try_for_each(|path| {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let (is_known, shown) = (import::is_known(path), path.display());
        if !is_known && !EXTENSIONS.contains(&extension.as_ref()) {
            return Ok(());
        }
        let message = format!("{shown} is the file of another program, not a project file");
        Err(
            Failure::with_message(Exit::USAGE, message).hint(if is_known {
                let from = path.to_string_lossy();
                format!(
                    "bgproc init --from {} writes bgproc.toml from it",
                    quote(&from)
                )
            } else {
                "bgproc help projects shows how to write bgproc.toml".to_owned()
            }),
        )
    })
}

/// What else may be meant where no project file is found.
const ELSEWHERE: &str = "--file FILE names a project file that is elsewhere";

/// If there is no project file, names those of other programs that are here, and the option for one that is elsewhere.
pub fn named(failure: Failure) -> Failure {
    let is_missing =
        matches!(&failure, Failure::Refused(error) if error.code == ErrorCode::ProjectNotFound);
    let here = std::env::current_dir().ok();
    let here = here.filter(|_| is_missing && host::chosen().is_none());
    // A file that cannot be read is a matter of `init`.
    let seen = here.and_then(|here| import::look(&Disk, &here).ok());
    // Without a hint, it is about a directory that cannot be read.
    let known = failure.hint_text().filter(|_| is_missing);
    let hint = lead(&seen.unwrap_or_default()).or_else(|| known.map(str::to_owned));
    match hint {
        Some(hint) => failure.hint(format!("{hint}; {ELSEWHERE}")),
        None => failure,
    }
}

fn lead(seen: &[Seen]) -> Option<String> {
    let chosen = seen.iter().filter(|file| file.is_chosen);
    let names: Vec<&str> = chosen.map(|file| file.name.as_str()).collect();
    (!names.is_empty()).then(|| format!("bgproc init writes bgproc.toml from {}", names.join(", ")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn refused(path: &str) -> Option<String> {
        let failure = refuse(&[path.to_owned()]).err()?;
        assert_eq!(failure.exit(), Exit::USAGE);
        failure.hint_text().map(str::to_owned)
    }

    #[test]
    fn files_of_other_programs_are_refused_with_what_to_do() {
        for path in [
            "docker-compose.yml",
            "dev/mprocs.yaml",
            "package.json",
            ".vscode/tasks.json",
        ] {
            let hint = format!("bgproc init --from {path} writes bgproc.toml from it");
            assert_eq!(refused(path), Some(hint));
        }
        let hint = "bgproc init --from 'my compose.yaml' writes bgproc.toml from it";
        assert_eq!(refused("my compose.yaml").as_deref(), Some(hint));
        let help = "bgproc help projects shows how to write bgproc.toml";
        assert_eq!(refused("ecosystem.config.js").as_deref(), Some(help));
        for path in ["bgproc.toml", "dev.toml", "Procfile", "Procfile.test", "x"] {
            assert_eq!(refused(path), None);
        }
    }

    #[test]
    fn what_init_would_take_is_named() {
        let seen = |name: &str, is_chosen| Seen {
            name: name.to_owned(),
            jobs: 1,
            is_chosen,
        };
        let all = [
            seen("package.json", true),
            seen("compose.yaml", true),
            seen("Makefile", false),
        ];
        let said = "bgproc init writes bgproc.toml from package.json, compose.yaml";
        assert_eq!(lead(&all).as_deref(), Some(said));
        assert_eq!(lead(&[]), None);
    }
}
