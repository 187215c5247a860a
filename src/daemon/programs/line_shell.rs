//! The shell that runs lines beside jobs: probes, stop lines and hooks.

use super::program::{SHELL, SHELL_ARGV};

/// A shell, and the flags before a line.
#[derive(Clone, Debug)]
pub(crate) struct LineShell {
    /// Its path, or a name that is searched in the PATH of the job.
    pub(crate) program: String,
    pub(crate) flags: Vec<String>,
}

impl LineShell {
    /// The one of these words, as a project file has them.
    pub(crate) fn of(words: &[String]) -> Self {
        match words {
            [program, flags @ ..] => Self {
                program: program.clone(),
                flags: flags.to_vec(),
            },
            [] => Self::default(),
        }
    }
}

impl Default for LineShell {
    /// The one for lines that say nothing else.
    fn default() -> Self {
        Self {
            program: SHELL.to_owned(),
            flags: vec![SHELL_ARGV[1].to_owned()],
        }
    }
}
