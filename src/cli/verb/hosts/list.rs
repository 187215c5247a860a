//! `hosts ls`: the hosts, how they are reached, and whether they are connected.

use serde_json::json;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::table::{Cell, Column, Fit, draw};
use crate::cli::output::{note, words};
use crate::cli::settings::host::all;
use crate::client::{self, Running, greeting};
use crate::link::Host;
use crate::protocol::reply::{HostList, HostState, HostStatus};
use crate::protocol::{Action, params};
use crate::term::sanitize::clean;

pub(super) fn run(ctx: &mut Context) -> Result<Exit, Failure> {
    let hosts = all()?;
    let known = known()?;
    let status = |host: &Host| known.iter().find(|status| status.name == host.name);
    if ctx.json {
        for host in &hosts {
            let mut line = json!(status(host));
            if !line.is_object() {
                line = json!({ "name": host.name, "state": HostState::Idle });
            }
            line["reach"] = json!(host.reached());
            line["bgproc"] = json!(host.bgproc);
            line["home"] = json!(host.home);
            ctx.out.json(&line)?;
        }
        return Ok(Exit::OK);
    }
    if hosts.is_empty() {
        note("no other hosts; bgproc hosts add NAME [SSH] adds one");
        return Ok(Exit::OK);
    }
    let column = |title, fit, rank| Column {
        title,
        fit,
        right: false,
        rank,
    };
    let columns = [
        column("HOST", Fit::Middle(6), 3),
        column("STATE", Fit::End(12), 2),
        column("JOBS", Fit::Whole, 0),
        column("REACHED BY", Fit::End(20), 1),
    ];
    let rows = hosts.iter().map(|host| {
        let status = status(host);
        let jobs = status.map_or(0, |status| status.sessions);
        vec![
            Cell::plain(host.name.clone()),
            Cell::plain(status.map_or_else(|| "idle".to_owned(), state)),
            Cell::plain(jobs.to_string()),
            Cell::plain(clean(&host.reached())),
        ]
    });
    let rows: Vec<_> = rows.collect();
    for line in draw(&columns, &rows, ctx.out.width, ctx.out.paint) {
        ctx.out.line(&line)?;
    }
    Ok(Exit::OK)
}

/// What the daemon says of the hosts; nothing if none is running.
fn known() -> Result<Vec<HostStatus>, Failure> {
    let Running::Yes(mut daemon) = client::connect_running(&greeting::human())? else {
        return Ok(Vec::new());
    };
    // An older daemon does not know hosts.
    let list: Option<HostList> = daemon.call_as(Action::Hosts(params::Hosts {})).ok();
    Ok(list.map(|list| list.hosts).unwrap_or_default())
}

/// The state of a host in words.
fn state(status: &HostStatus) -> String {
    let word = status.state.as_str();
    match (&status.error, status.last_seen) {
        (Some(error), Some(seen)) => {
            let age = words::span(words::since(seen, words::now()));
            format!("{word}, seen {age} ago: {}", clean(&error.message))
        }
        (Some(error), None) => format!("{word}: {}", clean(&error.message)),
        (None, _) => word.to_owned(),
    }
}
