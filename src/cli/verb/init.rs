//! `init`: writes `bgproc.toml` from the files of other programs, without a daemon.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::disk::{self, Disk};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{note, obeys};
use crate::project::find::NAMES;
use crate::project::import::{self, Imported, Seen};
use crate::project::{Fault, Files};

/// The file that is written.
const FILE: &str = "bgproc.toml";

#[derive(Args, Debug)]
pub struct Init {
    /// Take the jobs of this file; can be repeated. By default bgproc looks for files that it knows
    #[arg(long, value_name = "FILE")]
    from: Vec<String>,
    /// Print the new file, and write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl Init {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let dir = disk::here()?;
        if !self.dry_run {
            refuse_to_overwrite(&dir)?;
        }
        let from = if self.from.is_empty() {
            match found(ctx, &dir)? {
                Some(names) => names,
                None => {
                    note("nothing was written");
                    return Ok(Exit::FAILED);
                }
            }
        } else {
            self.from
        };
        let new = import::import(&Disk, &dir, &from).map_err(|faults| refused(&faults, &dir))?;
        if self.dry_run {
            if ctx.json {
                ctx.out
                    .json(&json!({ "from": from, "jobs": new.jobs, "text": new.text }))?
            } else {
                ctx.out.bytes(new.text.as_bytes())?
            }
            return Ok(Exit::OK);
        }
        write(&dir.join(FILE), &new)?;
        if ctx.json {
            let path = dir.join(FILE);
            let said = json!({ "path": path, "from": from, "jobs": new.jobs });
            ctx.out.json(&said)?;
            return Ok(Exit::OK);
        }
        let count = jobs(new.jobs.len());
        let from = from.join(", ");
        ctx.out.line(&format!("{FILE}  {count} from {from}"))?;
        ctx.out.flush()?;
        note("read its comments, then: bgproc up -n shows what would start, bgproc up starts it");
        Ok(Exit::OK)
    }
}

fn refuse_to_overwrite(dir: &Path) -> Result<(), Failure> {
    let own = NAMES.iter().filter(|name| name.ends_with(".toml"));
    for name in own {
        if dir.join(name).symlink_metadata().is_ok() {
            return Err(exists(name));
        }
    }
    Ok(())
}

fn exists(name: &str) -> Failure {
    let message = format!("{name} is there already; init never overwrites it");
    Failure::with_message(Exit::FAILED, message)
        .hint("bgproc init -n prints what it would write; bgproc up -n shows what the file means")
}

/// The files to take; `None` if the person wants none of them.
fn found(ctx: &mut Context, dir: &Path) -> Result<Option<Vec<String>>, Failure> {
    let seen = import::look(&Disk, dir).map_err(|faults| {
        let names = "write the name of another file after --from, or mend it";
        refused(&faults, dir).hint(names)
    })?;
    if seen.is_empty() {
        let message = "there is nothing here that says what to run";
        return Err(Failure::with_message(Exit::FAILED, message).hint(
            "init reads process-compose.yaml, mprocs.yaml, dekit.yaml, pitchfork.toml, Procfile, package.json, Cargo.toml, \
             compose.yaml, .vscode/tasks.json, justfile and Makefile; bgproc help projects shows how to write bgproc.toml",
        ));
    }
    let is_choice = seen.iter().any(|file| !file.is_chosen);
    let is_asked = !ctx.json && obeys() && io::stdin().is_terminal();
    if is_choice && is_asked {
        return ask(ctx, &seen);
    }
    let left: Vec<&str> = seen
        .iter()
        .filter(|file| !file.is_chosen)
        .map(|file| file.name.as_str())
        .collect();
    if !left.is_empty() {
        note(&format!(
            "not taken: {}; --from FILE takes it",
            left.join(", ")
        ));
    }
    Ok(Some(usual(&seen)))
}

fn usual(seen: &[Seen]) -> Vec<String> {
    let chosen = seen.iter().filter(|file| file.is_chosen);
    chosen.map(|file| file.name.clone()).collect()
}

/// Asks which of the files are taken.
fn ask(ctx: &mut Context, seen: &[Seen]) -> Result<Option<Vec<String>>, Failure> {
    ctx.out.line("These files say what to run:")?;
    for (number, file) in (1..).zip(seen) {
        let count = jobs(file.jobs);
        ctx.out
            .line(&format!("  {number}  {}  ({count})", file.name))?;
    }
    let usual = usual(seen);
    loop {
        let question = format!(
            "Which are taken? [{}; numbers such as 1,2; q = none] ",
            usual.join(", ")
        );
        ctx.out.bytes(question.as_bytes())?;
        ctx.out.flush()?;
        let mut answer = String::new();
        if io::stdin()
            .read_line(&mut answer)
            .map_err(Failure::cannot("read the answer"))?
            == 0
        {
            return Ok(None);
        }
        match chosen(&answer, seen) {
            Answer::Usual => return Ok(Some(usual)),
            Answer::None => return Ok(None),
            Answer::These(names) => return Ok(Some(names)),
            Answer::Unclear => note("write numbers from the list, Enter, or q"),
        }
    }
}

fn jobs(count: usize) -> String {
    match count {
        1 => "1 job".to_owned(),
        count => format!("{count} jobs"),
    }
}

/// What was answered.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Answer {
    Usual,
    None,
    These(Vec<String>),
    Unclear,
}

fn chosen(answer: &str, seen: &[Seen]) -> Answer {
    let answer = answer.trim();
    match answer {
        "" | "y" | "yes" => return Answer::Usual,
        "q" | "n" | "no" => return Answer::None,
        _ => {}
    }
    let numbers = answer
        .split([',', ' '])
        .filter(|word| !word.is_empty())
        .map(|word| {
            let number = word.parse::<usize>().ok()?.checked_sub(1)?;
            Some(seen.get(number)?.name.clone())
        });
    match numbers.collect::<Option<Vec<String>>>() {
        Some(mut names) if !names.is_empty() => {
            let mut unique = Vec::new();
            names.retain(|name| {
                !unique.contains(name) && {
                    unique.push(name.clone());
                    true
                }
            });
            Answer::These(names)
        }
        _ => Answer::Unclear,
    }
}

/// Faults in the files that were read. Their paths are shown as seen from here.
fn refused(faults: &[Fault], dir: &Path) -> Failure {
    let here = Disk.canonical(dir).unwrap_or_else(|_| dir.to_owned());
    let lines = faults
        .iter()
        .map(|fault| fault.seen_from(dir).seen_from(&here).to_string());
    let message = lines.collect::<Vec<_>>().join("\n");
    Failure::with_message(Exit::USAGE, message)
}

/// Writes a file that does not exist yet.
fn write(path: &Path, new: &Imported) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = file.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(FILE),
        _ => unwritable(&error),
    })?;
    let written = file
        .write_all(new.text.as_bytes())
        .and_then(|()| file.sync_all());
    written.map_err(|error| {
        // It is ours, and half of it is worse than nothing.
        let _ = std::fs::remove_file(path);
        unwritable(&error)
    })
}

fn unwritable(error: &io::Error) -> Failure {
    let message = format!("{FILE} cannot be written: {error}");
    Failure::with_message(Exit::FAILED, message).hint("bgproc init -n prints it without writing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_choose_files() {
        let seen = |name: &str| Seen {
            name: name.to_owned(),
            jobs: 1,
            is_chosen: false,
        };
        let seen = [seen("a"), seen("b")];
        let these = |names: &[&str]| Answer::These(names.iter().map(|&n| n.to_owned()).collect());
        for (answer, expected) in [
            ("\n", Answer::Usual),
            ("q\n", Answer::None),
            ("2\n", these(&["b"])),
            ("2, 1 2\n", these(&["b", "a"])),
            ("3\n", Answer::Unclear),
            ("0\n", Answer::Unclear),
            ("x\n", Answer::Unclear),
            (",\n", Answer::Unclear),
        ] {
            assert_eq!(chosen(answer, &seen), expected, "{answer:?}");
        }
    }
}
