//! `diff`: what two runs of a job wrote differently.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::style::Tone;
use crate::cli::output::{note, words};
use crate::cli::value::run::{self, RunNumber};
use crate::protocol::params::Log;
use crate::protocol::reply::{LogLine, LogLines};
use crate::protocol::run::{Flaky, Run};
use crate::protocol::{Action, SessionId};
use crate::term::align::align;
use crate::term::sanitize::clean;
use crate::term::unified::{Hunk, Line, hunks};

/// Maximum number of lines of each run that are compared; more are slow to align and hard to read.
const LINES: u64 = 20_000;

#[derive(Args, Debug)]
pub struct Diff {
    /// The job
    #[arg(value_name = "JOB")]
    job: String,
    /// Two runs, such as 3 and 5: 0 is the newest one, -1 the one before. With one, the newest is the other.
    /// By default the last two
    #[arg(value_name = "RUN", num_args = 0..=2, allow_negative_numbers = true, value_parser = run::parse)]
    runs: Vec<RunNumber>,
    /// Print N lines around each difference
    #[arg(
        short = 'C',
        short_alias = 'U',
        long,
        value_name = "N",
        default_value_t = 3
    )]
    context: usize,
}

/// The output of a run.
struct Side {
    run: Run,
    lines: Vec<LogLine>,
    is_cut: bool,
}

impl Diff {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let job = ctx.one(&self.job)?;
        let record = ctx.record(&job.summary.session_id, true)?;
        let id = &record.summary.session_id;
        let name = words::name(&record.summary);
        let detail = record.detail.as_ref();
        let all = detail.map_or(&[][..], |detail| &detail.runs);
        let [left, right] = match self.runs.as_slice() {
            [] => [RunNumber::BEFORE, RunNumber::NEWEST],
            [one] => [*one, RunNumber::NEWEST],
            [left, right, ..] => [*left, *right],
        };
        let left = left.find(all, &name, || ctx.target_of(&record))?;
        let right = right.find(all, &name, || ctx.target_of(&record))?;
        let left = read(ctx, id, left)?;
        let right = read(ctx, id, right)?;
        let texts = |side: &Side| -> Vec<String> {
            side.lines.iter().map(|line| clean(&line.text)).collect()
        };
        let (old, new) = (texts(&left), texts(&right));
        let found = hunks(&align(&old, &new), self.context);
        let flaky = detail.and_then(|detail| detail.flaky);
        if ctx.json {
            ctx.out.json(&json!({
                "sessionId": id,
                "runs": [left.run, right.run],
                "equal": found.is_empty(),
                "cut": left.is_cut || right.is_cut,
                "hunks": found.iter().map(|hunk| in_json(hunk, &left, &right)).collect::<Vec<_>>(),
                "flaky": flaky,
            }))?;
        } else {
            print(ctx, &name, (&left, &right), (&old, &new), &found)?;
            ctx.out.flush()?;
            remark(&name, &left, &right, flaky, found.is_empty());
        }
        Ok(if found.is_empty() {
            Exit::OK
        } else {
            Exit::FAILED
        })
    }
}

/// Reads the newest lines of a run.
fn read(ctx: &mut Context, id: &SessionId, run: &Run) -> Result<Side, Failure> {
    let log: LogLines = ctx.read(&Action::Log(Log {
        session_id: Some(id.to_string()),
        run: Some(run.run),
        tail: Some(LINES),
        ..Log::default()
    }))?;
    let first = run.first_line.unwrap_or_default().max(log.first_line);
    let begins = log.lines.first().map(|line| line.n);
    let is_cut = log.omitted.lines > 0
        || run.first_line.is_some_and(|line| line < log.first_line)
        || (log.lines.len() as u64 == LINES && begins > Some(first));
    if is_cut && log.lines.is_empty() {
        let message = format!("nothing of run {} is kept any more", run.run);
        return Err(Failure::with_message(Exit::STATE, message));
    }
    Ok(Side {
        run: run.clone(),
        lines: log.lines,
        is_cut,
    })
}

/// What is said about the comparison.
fn remark(name: &str, left: &Side, right: &Side, flaky: Option<Flaky>, is_equal: bool) {
    if is_equal {
        let (left, right) = (left.run.run, right.run.run);
        note(&format!(
            "runs {left} and {right} of {name} wrote the same, apart from times, pids, ports and durations"
        ));
    }
    if left.is_cut || right.is_cut {
        note("only the newest lines were compared");
    }
    if let Some(flaky) = flaky {
        note(&format!("{name} is {}", words::flaky(flaky)));
    }
}

fn print(
    ctx: &mut Context,
    name: &str,
    (left, right): (&Side, &Side),
    (old, new): (&[String], &[String]),
    found: &[Hunk],
) -> Result<(), Failure> {
    if found.is_empty() {
        return Ok(());
    }
    for (sign, side) in [("---", left), ("+++", right)] {
        let title = format!("{sign} {name} run {}", words::run(&side.run));
        let title = ctx.out.tint(Tone::Strong, &title);
        ctx.out.line(&title)?;
    }
    for hunk in found {
        let place = format!(
            "@@ -{} +{} @@",
            range(&left.lines, &hunk.left),
            range(&right.lines, &hunk.right)
        );
        let place = ctx.out.tint(Tone::Faint, &place);
        ctx.out.line(&place)?;
        for line in &hunk.lines {
            let (sign, tone, text) = match line {
                Line::Both(at) => (' ', Tone::Normal, new.get(*at)),
                Line::Left(at) => ('-', Tone::Bad, old.get(*at)),
                Line::Right(at) => ('+', Tone::Good, new.get(*at)),
            };
            let text = text.map(String::as_str).unwrap_or_default();
            let line = ctx.out.tint(tone, &format!("{sign}{text}"));
            ctx.out.line(&line)?;
        }
    }
    Ok(())
}

/// Lines as `diff -u` names them, by their numbers in the log.
fn range(lines: &[LogLine], range: &std::ops::Range<usize>) -> String {
    let number = |at: usize| lines.get(at).map(|line| line.n);
    let first = if range.is_empty() {
        // The line before.
        range.start.checked_sub(1).and_then(number).unwrap_or(0)
    } else {
        number(range.start).unwrap_or(0)
    };
    format!("{first},{}", range.len())
}

fn in_json(hunk: &Hunk, left: &Side, right: &Side) -> Value {
    let lines = hunk.lines.iter().map(|line| {
        let (sign, side, at) = match line {
            Line::Both(at) => (" ", right, at),
            Line::Left(at) => ("-", left, at),
            Line::Right(at) => ("+", right, at),
        };
        let line = side.lines.get(*at);
        json!({
            "sign": sign,
            "n": line.map(|line| line.n),
            "text": line.map(|line| &line.text),
        })
    });
    json!({ "lines": lines.collect::<Vec<_>>() })
}
