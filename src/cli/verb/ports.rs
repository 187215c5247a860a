//! `ports`: the ports on which jobs listen.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::cli::context::{Among, Context, only_here, target};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::table::{Cell, Column, Fit, draw};
use crate::cli::output::{note, words};
use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::params::List;
use crate::protocol::reply::{Listed, Listener};
use crate::protocol::{Action, Record};
use crate::term::sanitize::clean;
use crate::tui::outside::open::reachable;

#[derive(Args, Debug)]
pub struct Ports {
    /// Format of the list; by default a table on a terminal, else tab-separated with a heading
    #[arg(short, long, value_name = "FORM")]
    output: Option<Form>,
    /// Only the ports of these jobs
    #[arg(value_name = "JOB")]
    jobs: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// Aligned columns
    Table,
    /// Separated by tabs and without a heading
    Tsv,
}

/// A port on which a job listens.
struct Port {
    port: u16,
    job: Record,
    url: Option<String>,
}

impl Ports {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let (only, exit) = match self.jobs.as_slice() {
            [] => (None, Exit::OK),
            targets => {
                let found = ctx.many(targets, Among::Any)?;
                (Some(found.jobs), found.exit)
            }
        };
        if only.as_ref().is_some_and(Vec::is_empty) && !ctx.json {
            // What is wrong has been said; a heading alone says nothing.
            return Ok(exit);
        }
        let (ports, strangers) = in_use(ctx, only.as_deref())?;
        if ctx.json {
            let ports: Vec<_> = ports.iter().map(as_json).collect();
            ctx.out
                .json(&json!({ "ports": ports, "strangers": strangers }))?;
        } else if ports.is_empty() && strangers.is_empty() && ctx.out.is_terminal() {
            note("no job listens on a port");
        } else {
            let mut rows: Vec<Row> = ports.iter().map(row).collect();
            rows.extend(strangers.iter().map(row_of_stranger));
            rows.sort_by_key(|row| row[0].parse::<u16>().ok());
            match self.output {
                Some(Form::Tsv) => print_tsv(ctx, &rows)?,
                None if !ctx.out.is_terminal() => {
                    let heading = COLUMNS.map(|column| column.title.to_owned());
                    print_tsv(ctx, &[heading])?;
                    print_tsv(ctx, &rows)?;
                }
                Some(Form::Table) | None => print_table(ctx, &rows, !strangers.is_empty())?,
            }
        }
        Ok(exit)
    }
}

/// The ports on which jobs listen, and those that other programs have taken from jobs. With `only`, those of these jobs.
fn in_use(
    ctx: &mut Context,
    only: Option<&[Record]>,
) -> Result<(Vec<Port>, Vec<Listener>), Failure> {
    let hosts = only.into_iter().flatten();
    let hosts = hosts.filter_map(|job| job.summary.session_id.host());
    let mut ports = ports(ctx, hosts.map(str::to_owned).collect())?;
    let mut strangers = ctx.strangers(None)?;
    if let Some(jobs) = only {
        let id = |job: &Record| job.summary.session_id.clone();
        ports.retain(|port| jobs.iter().any(|job| id(job) == id(&port.job)));
        let names: Vec<String> = jobs.iter().filter_map(target::in_project).collect();
        strangers.retain(|one| one.reserved_for.iter().any(|name| names.contains(name)));
    }
    Ok((ports, strangers))
}

fn print_table(ctx: &mut Context, rows: &[Row], has_strangers: bool) -> Result<(), Failure> {
    let shown = COLUMNS.len() - usize::from(!has_strangers);
    let plain = |row: &Row| row[..shown].iter().cloned().map(Cell::plain).collect();
    let cells: Vec<_> = rows.iter().map(plain).collect();
    let (width, paint) = (ctx.out.table_width(), ctx.out.paint);
    for line in draw(&COLUMNS[..shown], &cells, width, paint) {
        ctx.out.line(&line)?;
    }
    Ok(())
}

fn print_tsv(ctx: &mut Context, rows: &[Row]) -> Result<(), Failure> {
    for row in rows {
        ctx.out.line(&row.join("\t"))?;
    }
    Ok(())
}

/// The text of each column.
type Row = [String; COLUMNS.len()];

const COLUMNS: [Column; 6] = [
    column("PORT", Fit::Whole, true),
    column("PROJECT", Fit::Middle(8), false),
    column("JOB", Fit::Middle(10), false),
    column("PID", Fit::Whole, true),
    column("URL", Fit::End(12), false),
    // Empty for jobs, so that a table without strangers does not have it.
    column("TAKEN BY", Fit::End(16), false),
];

const fn column(title: &'static str, fit: Fit, right: bool) -> Column {
    Column {
        title,
        fit,
        right,
        rank: 1,
    }
}

fn row(port: &Port) -> Row {
    let job = &port.job.summary;
    let none = || "-".to_owned();
    let project = job.project.as_ref();
    [
        port.port.to_string(),
        project.map_or_else(none, |of| clean(&of.project.name)),
        words::name(job),
        job.pid.map_or_else(none, |pid| pid.to_string()),
        port.url
            .as_deref()
            .map_or_else(none, |url| clean(&reachable(url))),
        none(),
    ]
}

/// A process that is no job and has the port of one.
fn row_of_stranger(stranger: &Listener) -> Row {
    let none = || "-".to_owned();
    let reserved = stranger.reserved_for.as_deref();
    let (project, job) = reserved
        .and_then(|name| name.rsplit_once('/'))
        .map_or_else(|| (none(), none()), |(of, job)| (clean(of), clean(job)));
    [
        stranger.port.to_string(),
        project,
        job,
        none(),
        none(),
        clean(&stranger.to_string()),
    ]
}

fn as_json(port: &Port) -> serde_json::Value {
    let job = &port.job.summary;
    json!({
        "port": port.port, "sessionId": job.session_id, "label": job.label, "pid": job.pid,
        "url": port.url, "project": job.project.as_ref().map(|of| &of.project.name),
    })
}

/// The ports of all jobs of this machine and of these hosts, in order.
fn ports(ctx: &mut Context, mut hosts: BTreeSet<String>) -> Result<Vec<Port>, Failure> {
    let here = only_here()?;
    hosts.extend(here.iter().flatten().cloned());
    let listed: Listed<Record> = ctx.read(&Action::List(List {
        include_ports: Some(true),
        limit: Some(ALL_SESSIONS),
        hosts: here.map(|_| hosts.into_iter().collect()),
        ..List::default()
    }))?;
    let mut ports = Vec::new();
    for job in listed.sessions {
        let summary = &job.summary;
        let printed = summary.urls.iter().flatten();
        let of_file = summary.project.iter().filter_map(|of| of.url.as_ref());
        let urls: Vec<&String> = printed.chain(of_file).collect();
        for port in summary.ports.as_deref().unwrap_or_default() {
            let url = urls.iter().find(|url| port_of(url) == Some(*port));
            ports.push(Port {
                port: *port,
                url: url.map(|url| (*url).clone()),
                job: job.clone(),
            });
        }
    }
    ports.sort_by_key(|port| port.port);
    Ok(ports)
}

/// The port in a URL, if it is written there.
fn port_of(url: &str) -> Option<u16> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    host.rsplit_once(':')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_a_url_is_found() {
        assert_eq!(port_of("http://localhost:3000/a:1"), Some(3000));
        assert_eq!(port_of("http://[::1]:80"), Some(80));
        assert_eq!(port_of("http://localhost/"), None);
        assert_eq!(port_of("x"), None);
    }
}
