//! `hosts install`: copies this program to a host, after a question.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::consent::{self, needs_yes};
use crate::cli::output::{note, words};
use crate::cli::settings::host::named;
use crate::client;
use crate::link::install::{Copy, DIRECTORY, Misfit, misfit};
use crate::link::spawn::program_there;
use crate::link::{Host, fault};
use crate::term::sanitize::clean;

#[derive(Args, Debug)]
pub(super) struct Install {
    /// The host
    #[arg(value_name = "HOST")]
    name: String,
    /// The program to copy, in place of this one
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

impl Install {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let host = named(&self.name)?;
        let path = match &self.from {
            Some(path) => path.clone(),
            None => client::own_program().map(PathBuf::from).ok_or_else(|| {
                let message = "the file of this program cannot be found";
                Failure::with_message(Exit::FAILED, message).hint("name one with --from FILE")
            })?,
        };
        let unreadable =
            |error| Failure::with_message(Exit::FAILED, format!("{}: {error}", path.display()));
        let program = std::fs::read(&path).map_err(unreadable)?;
        let copy = Copy::begin(&host, &program)?;
        if self.from.is_none()
            && let Some(misfit) = misfit(&program, &own_system(), &copy.system, &copy.libc)
        {
            let failure = refusal(&host, &misfit, &copy.system);
            copy.cancel();
            return Err(failure);
        }
        let size = words::bytes(u64::try_from(program.len()).unwrap_or(u64::MAX));
        let question = format!(
            "copy {} ({size}) to {DIRECTORY} on {} ({})",
            path.display(),
            host.name,
            copy.system
        );
        if !self.yes {
            let unasked = format!("a question has to be answered: {question}?");
            if let Err(refused) =
                consent::require(ctx, &question, "nothing was copied", needs_yes(unasked))
            {
                copy.cancel();
                return Err(refused);
            }
        }
        let version = copy.send(&host, &program)?;
        if ctx.json {
            ctx.out
                .json(&json!({ "host": host.name, "version": version }))?;
        } else {
            note(&format!("{version} is in {DIRECTORY} on {}", host.name));
        }
        // Another one may come before it.
        if let Ok(program) = program_there(&host)
            && let Some(runs) = fault::runs(&host, &program)
        {
            note(&format!(
                "{} is still run on {}; {runs}",
                clean(&program),
                host.name
            ));
        }
        Ok(Exit::OK)
    }
}

/// System and processor of this program, in the words of `uname`.
fn own_system() -> String {
    let system = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "Darwin",
        other => other,
    };
    let processor = match (system, std::env::consts::ARCH) {
        ("Darwin", "aarch64") => "arm64",
        (_, processor) => processor,
    };
    format!("{system}-{processor}")
}

fn refusal(host: &Host, misfit: &Misfit, system: &str) -> Failure {
    let name = &host.name;
    let message = match misfit {
        Misfit::System(ours) => {
            format!("this program is for {ours}, and {name} is {system}")
        }
        Misfit::Libc((major, minor), (there_major, there_minor)) => format!(
            "this program needs glibc {major}.{minor}, and {name} has {there_major}.{there_minor}"
        ),
    };
    Failure::with_message(Exit::FAILED, message).hint(
        "nothing was copied; --from FILE names a program for that machine, such as a static build",
    )
}
