//! `doctor`: checks whether bgproc can work on this machine, and says how to fix problems.

mod elsewhere;
mod unread;

use clap::Args;
use serde_json::json;

use super::daemon::upgrade;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::consent;
use crate::cli::output::note;
use crate::cli::output::style::Tone;
use crate::cli::settings;
use crate::config::Config;
use crate::doctor::{Finding, Repair, Verdict, checkup};
use crate::protocol::bounds::USUAL_SESSIONS;
use crate::term::sanitize::clean;

#[derive(Args, Debug)]
pub struct Doctor {
    /// Repair what can be repaired without asking
    #[arg(short, long)]
    yes: bool,
}

/// The widest output, and the width if the terminal does not report one.
const WIDTH: usize = 80;

/// Columns before the text of a finding.
const INDENT: usize = 10;

impl Doctor {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let config = settings::configuration();
        let jobs = config.as_ref().ok().and_then(|config| config.max_sessions);
        let mut findings = checkup(jobs.unwrap_or(USUAL_SESSIONS));
        let configuration = configuration(config, &findings);
        findings.extend(configuration);
        let exit = report(ctx, &findings)?;
        // With `--json` nobody is asked.
        if ctx.json && !self.yes {
            return Ok(exit);
        }
        let repaired = self.repair(ctx, &findings)?;
        let is_left = |finding: &Finding| {
            let repair = finding.repair.as_ref();
            finding.verdict == Verdict::Problem && repair.is_none_or(|own| !repaired.contains(&own))
        };
        Ok(if findings.iter().any(is_left) {
            Exit::FAILED
        } else {
            Exit::OK
        })
    }

    /// Offers the possible repairs one by one. Returns those that were made.
    fn repair<'a>(
        &self,
        ctx: &mut Context,
        findings: &'a [Finding],
    ) -> Result<Vec<&'a Repair>, Failure> {
        let mut done: Vec<&Repair> = Vec::new();
        for repair in findings
            .iter()
            .filter_map(|finding| finding.repair.as_ref())
        {
            // Daemon and keeper may both need the same repair.
            if done.contains(&repair) || !self.agrees(ctx, repair)? {
                continue;
            }
            match repair {
                // It has said why not.
                Repair::Upgrade if upgrade::run(ctx)? != Exit::OK => continue,
                Repair::Upgrade => {}
                other => other.apply().map_err(Failure::cannot("repair it"))?,
            }
            done.push(repair);
            let told = format!("done: {}", clean(&repair.question()));
            if ctx.json {
                note(&told);
            } else {
                ctx.out.line(&told)?;
            }
        }
        Ok(done)
    }

    fn agrees(&self, ctx: &mut Context, repair: &Repair) -> Result<bool, Failure> {
        if self.yes {
            return Ok(true);
        }
        Ok(consent::ask(ctx, &clean(&repair.question()))? == Some(true))
    }
}

/// Prints findings under their subjects, and the verdict. The exit code is that of a failure if there is a problem.
pub(super) fn report(ctx: &mut Context, findings: &[Finding]) -> Result<Exit, Failure> {
    let count = |verdict| findings.iter().filter(|f| f.verdict == verdict).count();
    let (problems, warnings) = (count(Verdict::Problem), count(Verdict::Warning));
    let exit = if problems > 0 { Exit::FAILED } else { Exit::OK };
    if ctx.json {
        ctx.out.json(&json!({
            "findings": findings, "problems": problems, "warnings": warnings,
        }))?;
        return Ok(exit);
    }
    let mut subject = "";
    for finding in findings {
        if finding.subject != subject {
            subject = finding.subject;
            let heading = ctx.out.tint(Tone::Strong, subject);
            ctx.out.line(&heading)?;
        }
        print(ctx, finding)?;
    }
    let verdict = format!(
        "{}, {}",
        several(problems, "problem"),
        several(warnings, "warning")
    );
    ctx.out.line(&verdict)?;
    Ok(exit)
}

/// Checks the configuration, and what it names. Every verb reads it, so an error in it stops all of them.
/// `found` is what is known already.
fn configuration(config: Result<Config, Failure>, found: &[Finding]) -> Vec<Finding> {
    match config {
        Ok(config) => {
            let path = std::env::var("PATH").unwrap_or_default();
            let valid = Finding::ok("configuration", "config.toml is valid or absent");
            std::iter::once(valid)
                .chain(unread::check(&config, found))
                .chain(elsewhere::check(&config, &path))
                .collect()
        }
        Err(failure) => {
            let found = Finding::problem("configuration", failure.to_string());
            vec![found.advise(
                "correct the file or remove it; bgproc help configuration explains every key",
            )]
        }
    }
}

fn print(ctx: &mut Context, finding: &Finding) -> Result<(), Failure> {
    let (word, tone) = match finding.verdict {
        Verdict::Ok => ("ok", Tone::Good),
        Verdict::Warning => ("warning", Tone::Wants),
        Verdict::Problem => ("problem", Tone::Bad),
    };
    let width = ctx.out.width.unwrap_or(WIDTH).min(WIDTH);
    let room = width.saturating_sub(INDENT);
    let advice = finding
        .advice
        .as_deref()
        .map(|advice| format!("-> {advice}"));
    let found = wrap(&clean(&finding.text), room).into_iter();
    let lines = found.chain(advice.iter().flat_map(|advice| wrap(&clean(advice), room)));
    let lines: Vec<_> = lines.collect();
    let mut mark = ctx.out.tint(tone, &format!("  {word:<8}"));
    for line in lines {
        ctx.out.line(&format!("{mark}{line}"))?;
        mark = " ".repeat(INDENT);
    }
    Ok(())
}

fn several(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// Wraps `text` at `width` characters. A longer word, such as a path, is not broken.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrap("/a/very/long/path x", 4), ["/a/very/long/path", "x"]);
    }
}
