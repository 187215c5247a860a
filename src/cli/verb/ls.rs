//! `ls`: lists the jobs.

use std::collections::HashSet;

use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::cause::cause;
use crate::cli::output::state::{self, Wanted};
use crate::cli::output::table::{Cell, Column, Fit, draw};
use crate::cli::output::{hosts, words};
use crate::cli::value::order::{self, Order};
use crate::config::LOCAL;
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::params::List;
use crate::protocol::reply::Listed;
use crate::protocol::{Action, Record, Status, Summary, Timestamp};

#[derive(Args, Debug, Default)]
pub struct Ls {
    /// Only jobs of this group
    #[arg(short, long, value_name = "GROUP")]
    group: Option<String>,
    /// Only jobs with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Only jobs in this state: a word of the STATE column (running, needs input, done, exit 1), or failed
    #[arg(long, value_name = "STATE", value_parser = state::parse)]
    status: Option<Wanted>,
    /// All jobs, those of all projects too (the default)
    #[arg(short, long, visible_alias = "all-projects")]
    all: bool,
    /// Sort by this column; -COLUMN turns the order around. By default the newest job comes last
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, value_parser = order::parse)]
    sort: Option<Order>,
    /// Print only the ids
    #[arg(short, long, conflicts_with = "output")]
    quiet: bool,
    /// Do not cut columns; add tags, ids and directories
    #[arg(short, long)]
    wide: bool,
    /// Format of the list; by default a table on a terminal, else tab-separated with a heading
    #[arg(short, long, value_name = "FORM")]
    output: Option<Form>,
    /// Do not print the heading
    #[arg(long)]
    no_header: bool,
    /// Only these jobs; in the directory of a project, '*' means those of the project
    #[arg(value_name = "JOB")]
    jobs: Vec<String>,
}

/// The formats of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// Aligned columns
    Table,
    /// All columns, separated by tabs and without a heading; `-` for an empty field
    Tsv,
    /// The same as --json
    Json,
}

impl Ls {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let form = match self.output {
            _ if ctx.json => Form::Json,
            Some(form) => form,
            None if ctx.out.is_terminal() => Form::Table,
            None => Form::Tsv,
        };
        let (only, exit) = match self.jobs.as_slice() {
            [] => (None, Exit::OK),
            targets => {
                let found = ctx.many_everywhere(targets)?;
                let ids = found.jobs.into_iter().map(|job| job.summary.session_id);
                (Some(ids.collect::<HashSet<_>>()), found.exit)
            }
        };
        let is_wanted = |job: &Summary| {
            let is_meant = only
                .as_ref()
                .is_none_or(|ids| ids.contains(&job.session_id));
            is_meant && self.status.as_ref().is_none_or(|wanted| wanted.is(job))
        };
        let list = self.request(ctx);
        if form == Form::Json {
            self.json(ctx, &list, is_wanted)?;
            return Ok(exit);
        }
        if only.as_ref().is_some_and(HashSet::is_empty) {
            // What is wrong has been said; a heading alone says nothing.
            return Ok(exit);
        }
        let mut listed: Listed<Record> = ctx.read(&list)?;
        listed.sessions.retain(|job| is_wanted(&job.summary));
        if let Some(order) = self.sort {
            order.sort_by(&mut listed.sessions, |job| Some(job.clone()));
        }
        if self.quiet {
            for job in &listed.sessions {
                ctx.out.line(job.summary.session_id.as_str())?;
            }
            return Ok(exit);
        }
        hosts::tell_missing(&listed.hosts);
        match form {
            Form::Table if listed.sessions.is_empty() => {
                if ctx.out.is_terminal() {
                    crate::cli::output::note("no jobs; bgproc run COMMAND starts one");
                }
            }
            Form::Table => self.table(ctx, &listed)?,
            Form::Tsv | Form::Json => self.tab_separated(ctx, &listed)?,
        }
        Ok(exit)
    }

    fn request(&self, ctx: &Context) -> Action {
        let tag = self.tag.as_deref();
        Action::List(List {
            status: self.status.as_ref().and_then(Wanted::status),
            group: self.group.clone(),
            tag: tag.map(|tag| tag.strip_prefix('+').unwrap_or(tag).to_owned()),
            limit: Some(ALL_SESSIONS),
            include_ports: Some(true),
            hosts: ctx.only_here.then(|| vec![LOCAL.to_owned()]),
            ..List::default()
        })
    }

    /// Prints the reply as it is, so that fields which this version does not know are kept.
    fn json(
        &self,
        ctx: &mut Context,
        list: &Action,
        is_wanted: impl Fn(&Summary) -> bool,
    ) -> Result<(), Failure> {
        let mut listed: Value = ctx.read(list)?;
        let is_filtered = self.status.is_some() || !self.jobs.is_empty();
        if let Some(jobs) = listed["sessions"].as_array_mut().filter(|_| is_filtered) {
            jobs.retain(|job| {
                let job = serde_json::from_value::<Record>(job.clone());
                job.is_ok_and(|job| is_wanted(&job.summary))
            });
        }
        if let (Some(order), Some(jobs)) = (self.sort, listed["sessions"].as_array_mut()) {
            order.sort_by(jobs, |job| serde_json::from_value(job.clone()).ok());
        }
        ctx.out.json(&listed)
    }

    fn table(&self, ctx: &mut Context, listed: &Listed<Record>) -> Result<(), Failure> {
        let jobs = &listed.sessions;
        let has_projects = jobs.iter().any(|job| project(&job.summary).is_some());
        // A column is there if it says something.
        let is_shown = |place: &usize| match COLUMNS[*place].title {
            "HOST" => !listed.hosts.is_empty(),
            "PROJECT" => has_projects,
            _ => self.wide || *place < FITTED,
        };
        let shown: Vec<usize> = (0..COLUMNS.len()).filter(is_shown).collect();
        let columns: Vec<Column> = shown.iter().map(|place| COLUMNS[*place]).collect();
        let now = words::now();
        let cells = |job: &Record| {
            let row = row(job, now);
            shown.iter().map(|place| row[*place].clone()).collect()
        };
        let rows: Vec<Vec<Cell>> = jobs.iter().map(cells).collect();
        let width = ctx.out.table_width().filter(|_| !self.wide);
        let lines = draw(&columns, &rows, width, ctx.out.paint);
        for line in lines.iter().skip(usize::from(self.no_header)) {
            ctx.out.line(line)?;
        }
        Ok(())
    }

    fn tab_separated(&self, ctx: &mut Context, listed: &Listed<Record>) -> Result<(), Failure> {
        // Scripts that request TSV know the columns.
        if !self.no_header && self.output != Some(Form::Tsv) {
            ctx.out.line(&TAB_SEPARATED.join("\t"))?;
        }
        for job in &listed.sessions {
            ctx.out.line(&tab_separated(job, words::now()))?;
        }
        Ok(())
    }
}

/// The columns. Those from [`FITTED`] on are shown only with `--wide`.
const COLUMNS: [Column; 14] = [
    column("HOST", Fit::Middle(6), 8),
    column("NAME", Fit::Middle(10), 10),
    column("STATE", Fit::Whole, 9),
    column("PROJECT", Fit::Middle(6), 5),
    column("GROUP", Fit::Middle(6), 2),
    number("PORT", 3),
    column("TIME", Fit::Whole, 7),
    number("CPU", 3),
    number("MEM", 4),
    column("COMMAND", Fit::End(12), 6),
    column("TAGS", Fit::Whole, 1),
    column("ID", Fit::Whole, 1),
    column("DIR", Fit::Whole, 1),
    column("WHY", Fit::Whole, 1),
];

/// The number of columns without `--wide`.
const FITTED: usize = 10;

const fn column(title: &'static str, fit: Fit, rank: u8) -> Column {
    Column {
        title,
        fit,
        right: false,
        rank,
    }
}

const fn number(title: &'static str, rank: u8) -> Column {
    Column {
        title,
        fit: Fit::Whole,
        right: true,
        rank,
    }
}

fn row(record: &Record, now: Timestamp) -> Vec<Cell> {
    let job = &record.summary;
    let (state, tone) = words::dated_state(job, now);
    let percent = job.cpu_percent.map(|percent| format!("{percent:.0}%"));
    vec![
        Cell::plain(field(job.session_id.host())),
        Cell::plain(words::bare_name(job)),
        Cell::toned(state, tone),
        Cell::plain(field(project(job))),
        Cell::plain(field(job.group.as_deref())),
        Cell::plain(ports(job.ports.as_deref().unwrap_or_default())),
        Cell::plain(words::time(job, now)),
        Cell::plain(percent.unwrap_or_else(none)),
        Cell::plain(job.memory_bytes.map_or_else(none, words::bytes)),
        command(record),
        Cell::plain(tags(job)),
        Cell::plain(job.session_id.as_str()),
        Cell::plain(field(Some(&job.cwd))),
        Cell::plain(field(why(job).as_deref())),
    ]
}

fn project(job: &Summary) -> Option<&str> {
    Some(&job.project.as_ref()?.project.name)
}

/// Why a job waits, was skipped, could not be started or was stopped.
fn why(job: &Summary) -> Option<String> {
    let of_project = job.project.as_ref().and_then(|of| of.why.clone());
    of_project.or_else(|| words::waits_for(job))
}

/// The command, with what the job waits for, why it failed, or what its program says of itself.
fn command(record: &Record) -> Cell {
    let job = &record.summary;
    let message = job.reported().and_then(|report| report.message.as_deref());
    let message = message.map(crate::term::sanitize::clean);
    let note = words::waits_for(job).or(words::of_engine(job));
    let command = Cell::plain(words::command(job));
    match note.or_else(|| cause(record)).or(message) {
        Some(note) => command.with_note(format!("({note})")),
        None => command,
    }
}

/// The columns for programs. New ones are appended at the end.
const TAB_SEPARATED: [&str; 20] = [
    "NAME", "STATUS", "EXIT", "PID", "ID", "GROUP", "COMMAND", "STATE", "PORT", "TIME", "CPU",
    "MEM", "STARTED", "DIR", "PROJECT", "PHASE", "WHY", "TAGS", "HOST", "SEEN",
];

/// Formats a job as one line with as many fields as the heading. Cleaned fields contain neither tabs nor
/// newlines.
fn tab_separated(record: &Record, now: Timestamp) -> String {
    let job = &record.summary;
    let exit = match (job.exit_code, &job.signal) {
        // How it ended before does not count.
        _ if job.status == Status::Queued => none(),
        (Some(code), _) => code.to_string(),
        (None, Some(signal)) => signal.clone(),
        (None, None) => none(),
    };
    [
        words::name(job),
        job.status.as_str().to_owned(),
        exit,
        job.pid.map_or_else(none, |pid| pid.to_string()),
        job.session_id.to_string(),
        field(job.group.as_deref()),
        words::command(job),
        words::state(job).0,
        ports(job.ports.as_deref().unwrap_or_default()),
        words::time(job, now),
        job.cpu_percent
            .map_or_else(none, |percent| format!("{percent:.0}%")),
        job.memory_bytes.map_or_else(none, words::bytes),
        job.started_at.map_or_else(none, words::local),
        field(Some(&job.cwd)),
        field(project(job)),
        field(job.project.as_ref().map(|of| of.phase.as_str())),
        field(why(job).as_deref()),
        tags(job),
        field(job.session_id.host()),
        job.seen_at.map_or_else(none, words::local),
    ]
    .join("\t")
}

/// The tags, separated by commas.
fn tags(job: &Summary) -> String {
    field(Some(&job.tags.join(",")))
}

/// The first port, and the number of further ones.
fn ports(ports: &[u16]) -> String {
    match ports {
        [] => none(),
        [one] => one.to_string(),
        [first, rest @ ..] => format!("{first}+{}", rest.len()),
    }
}

fn field(text: Option<&str>) -> String {
    let text = text.map(crate::term::sanitize::clean);
    text.filter(|text| !text.is_empty()).unwrap_or_else(none)
}

fn none() -> String {
    "-".to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::Status;

    #[test]
    fn a_job_without_a_project_says_what_it_waits_for() {
        let mut job = record("a", Some("web"), Status::Queued);
        let waiting = serde_json::json!({"why": "needs db ready"});
        job.summary.waiting = Some(serde_json::from_value(waiting).unwrap());
        let place = TAB_SEPARATED.iter().position(|title| *title == "WHY");
        let line = tab_separated(&job, Timestamp(0));
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!(fields[place.unwrap()], "needs db ready");
    }

    #[test]
    fn a_narrow_list_keeps_the_project_longer_than_the_usage() {
        let rank = |title: &str| {
            let column = COLUMNS.iter().find(|column| column.title == title);
            column.unwrap().rank
        };
        for usage in ["CPU", "MEM"] {
            assert!(rank("PROJECT") > rank(usage), "{usage}");
        }
    }

    #[test]
    fn a_row_is_one_line_of_as_many_fields_as_the_heading_whatever_the_names_hold() {
        let mut job = record("a", Some("we\tb\n\x1b[2J"), Status::Error);
        job.summary.exit_code = Some(1);
        job.summary.command = "printf 'a\tb\n'".to_owned();
        let line = tab_separated(&job, Timestamp(0));
        assert_eq!(line.split('\t').count(), TAB_SEPARATED.len(), "{line:?}");
        assert!(!line.contains(['\n', '\x1b']));
        assert!(line.contains("\terror\t1\t-\ta00000000000\t-\t"), "{line}");
    }
}
