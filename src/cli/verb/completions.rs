//! `completions`: prints or installs the script with which a shell completes bgproc's command line.

use std::io;
use std::path::Path;

use clap::Args;
use directories::BaseDirs;
use serde_json::json;

use crate::cli::completion::script::Shell;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;

#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
    /// Write the script to the directory in which the shell looks for it
    #[arg(long)]
    install: bool,
}

impl Completions {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let program = program();
        if !self.install {
            let script = self.shell.script(&program).map_err(unmade)?;
            ctx.out.bytes(&script)?;
            return Ok(Exit::OK);
        }
        let dirs = BaseDirs::new().ok_or_else(|| {
            let failure = Failure::with_message(Exit::FAILED, "the home directory is not known");
            failure.hint("set HOME, or print the script without --install")
        })?;
        let file = self.shell.file(&dirs);
        let script = self.shell.installed(&program).map_err(unmade)?;
        let is_new = std::fs::read(&file).map_or(true, |known| known != script);
        if is_new {
            write(&file, &script)?;
        }
        let path = file.display().to_string();
        ctx.result(&json!({ "path": path, "changed": is_new }), &path)?;
        ctx.out.flush()?;
        let step = self.shell.next_step(&file);
        if let Some(step) = &step {
            note(step);
        }
        note(if is_new && step.is_some() {
            "new shells complete bgproc after that"
        } else if is_new {
            "new shells complete bgproc from now on"
        } else {
            "nothing has changed: the file is there already"
        });
        note(&format!("to undo this: rm {}", quoted(&file)));
        Ok(Exit::OK)
    }
}

fn unmade(error: io::Error) -> Failure {
    Failure::cannot("make the script")(error)
}

/// A path as a word of a shell.
fn quoted(file: &Path) -> String {
    let path = file.display().to_string();
    shlex::try_quote(&path).map_or_else(|_| path.clone(), |word| word.into_owned())
}

fn write(file: &Path, script: &[u8]) -> Result<(), Failure> {
    let written = file
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(file, script));
    written.map_err(|error| {
        let message = format!("{} cannot be written: {error}", file.display());
        Failure::with_message(Exit::FAILED, message)
    })
}

/// How a script calls this program: as it was called now, with its whole path if that was a path.
fn program() -> String {
    let called = std::env::args_os().next().unwrap_or_default();
    let called = Path::new(&called);
    let path = match called.components().count() {
        0 | 1 => return "bgproc".to_owned(),
        _ => std::path::absolute(called),
    };
    path.map_or_else(|_| "bgproc".to_owned(), |path| path.display().to_string())
}
