//! Which project a verb means.

use std::path::Path;

use clap::Args;

use crate::cli::disk;
use crate::cli::exit::Failure;
use crate::client::host;
use crate::protocol::params::Project;
use crate::protocol::shell::quote;
use crate::term::sanitize::clean;

// Which project is meant. Not a doc comment, because clap would show it as help.
#[allow(missing_docs)]
#[derive(Args, Clone, Debug, Default)]
pub struct Source {
    /// Use this project file instead of the nearest one; several are merged from left to right
    #[arg(short, long, value_name = "FILE")]
    pub file: Vec<String>,
}

impl Source {
    /// Its files as they are typed behind a verb: ` --file a.toml`.
    pub fn words(&self) -> String {
        let files = self.file.iter();
        let files = files.map(|file| format!(" --file {}", quote(&clean(file))));
        files.collect()
    }

    /// A verb about the same project, as a person types it here: `bgproc down --file ../shop/bgproc.toml`.
    pub fn command(&self, verb: &str) -> String {
        format!("bgproc {verb}{}", self.words())
    }

    /// A request about the project, with absolute paths. On another host they begin at the directory of a login.
    ///
    /// # Errors
    ///
    /// Those of [`disk::here`]: the daemon would otherwise take its own directory.
    pub fn request(&self) -> Result<Project, Failure> {
        if host::chosen().is_some() {
            let files = Some(self.file.clone()).filter(|files| !files.is_empty());
            return Ok(Project {
                files,
                ..Project::default()
            });
        }
        let absolute = |file: &String| -> Result<String, Failure> {
            let path = disk::absolute(Path::new(file))?;
            Ok(path.display().to_string())
        };
        let files = self.file.iter().map(absolute);
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let here = files.is_empty().then(disk::here).transpose()?;
        Ok(Project {
            dir: here.map(|here| here.display().to_string()),
            files: Some(files).filter(|files| !files.is_empty()),
            ..Project::default()
        })
    }
}

/// What the words after `-f` mean, which names a file or asks to follow the logs: `-f FILE` is a file that exists,
/// `-f JOB` and a bare `-f` follow.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meant {
    /// Project files.
    pub files: Vec<String>,
    /// Names of jobs.
    pub jobs: Vec<String>,
    /// Whether the logs are followed.
    pub follow: bool,
}

/// Sorts the words after each `-f`; a bare one is an empty word.
pub fn meant(words: &[String], is_file: impl Fn(&Path) -> bool) -> Meant {
    let mut meant = Meant::default();
    for word in words {
        match word.as_str() {
            "" => meant.follow = true,
            path if is_path(path) || is_file(Path::new(path)) => meant.files.push(word.clone()),
            _ => {
                meant.follow = true;
                meant.jobs.push(word.clone());
            }
        }
    }
    meant
}

/// Whether a word is a file, although there may be none.
fn is_path(word: &str) -> bool {
    let is_named_so = word.ends_with(".toml") || word.starts_with("Procfile");
    word.contains('/') || is_named_so
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_files_that_were_given() {
        assert_eq!(Source::default().command("down"), "bgproc down");
        let file = ["../b/bgproc.toml", "my file"].map(str::to_owned).to_vec();
        let said = "bgproc up --file ../b/bgproc.toml --file 'my file'";
        assert_eq!(Source { file }.command("up"), said);
    }

    #[test]
    fn a_word_after_f_is_a_file_if_there_is_one_or_if_it_looks_so() {
        let words = ["", "api", "dev", "../x", "typo.toml", "Procfile.x"].map(str::to_owned);
        let meant = meant(&words, |path| path == Path::new("dev"));
        assert_eq!(meant.files, ["dev", "../x", "typo.toml", "Procfile.x"]);
        assert_eq!(meant.jobs, ["api"]);
        assert!(meant.follow);
    }
}
