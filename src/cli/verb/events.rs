//! `events`: what happened to jobs, and who did it.

use clap::Args;
use serde::Deserialize as _;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::jobs::patience::Patience;
use crate::cli::output::{names, words};
use crate::cli::value::moment;
use crate::client::read_reply;
use crate::protocol::bounds::TURN_MS;
use crate::protocol::event::Completion;
use crate::protocol::params;
use crate::protocol::reply::Happened;
use crate::protocol::run::{EndedBy, EndedByKind};
use crate::protocol::{Action, Ending, Event, EventKind, Timestamp};
use crate::term::sanitize::clean;

/// Events per request: the most that the daemon returns.
const PAGE: usize = 1000;

#[derive(Args, Debug)]
pub struct Events {
    /// Continue with new events until Ctrl-C
    #[arg(short, long)]
    follow: bool,
    /// Print only events after this time, within the last TIME (10m), or after the event with this number
    #[arg(long, value_name = "TIME|NUMBER", value_parser = parse)]
    since: Option<Since>,
}

/// Where to begin.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Since {
    Seq(u64),
    Time(Timestamp),
}

impl Events {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        if self.follow {
            interrupt::leave_following("stopped following; the jobs keep running".to_owned())?;
        }
        let (mut after, from) = match self.since {
            Some(Since::Seq(seq)) => (seq, None),
            Some(Since::Time(at)) => (0, Some(at)),
            None => (0, None),
        };
        let mut wait = 0;
        let mut patience = Patience::until(None);
        loop {
            let action = Action::Events(params::Events {
                after_seq: Some(after),
                wait_ms: Some(wait),
                limit: Some(PAGE),
                ..params::Events::default()
            });
            // Only what is followed goes on when the way to its host is mended.
            let page: Happened = match wait {
                0 => ctx.read(&action)?,
                _ => match patience.ask(ctx, action)? {
                    Some(value) => read_reply(value)?,
                    None => continue,
                },
            };
            for event in &page.events {
                if from.is_none_or(|from| event.at >= Some(from)) {
                    print(ctx, event)?;
                }
            }
            ctx.out.flush()?;
            if page.events.is_empty() && !self.follow {
                return Ok(Exit::OK);
            }
            if page.events.is_empty() {
                wait = TURN_MS;
            }
            after = page.next_seq;
        }
    }
}

fn print(ctx: &mut Context, event: &Event) -> Result<(), Failure> {
    if ctx.json {
        return ctx.out.json(event);
    }
    let at = event.at.unwrap_or_default();
    let (name, what, by) = (name(event), what(event), by(event));
    let line = if ctx.out.is_terminal() {
        let (at, name) = (words::local(at), names::padded(&name, 12));
        format!("{at}  {name}  {what:<18}  {by}")
    } else {
        format!("{}\t{name}\t{what}\t{by}", words::stamp(at))
    };
    ctx.out.line(line.trim_end())
}

/// The name of the job at the time of the event; `shop/web` for a job of a project, `web@gpu1` for one of another
/// host. The name of the host, if the event is about the host itself.
fn name(event: &Event) -> String {
    let id = || event.session_id.as_ref().map(ToString::to_string);
    // Of a queue, its name is all there is.
    let label = event.data["label"].as_str();
    let label = label.or(event.data["queue"].as_str()).map(clean);
    let host = event.host.as_deref().map(clean);
    let name = match (label, &host) {
        (Some(label), Some(host)) => format!("{label}@{host}"),
        (Some(label), None) => label,
        (None, _) => id().or(host).unwrap_or_else(|| "-".to_owned()),
    };
    match event.data["project"].as_str() {
        Some(project) => format!("{}/{name}", clean(project)),
        None => name,
    }
}

fn what(event: &Event) -> String {
    let data = &event.data;
    let text = |key: &str| data[key].as_str().unwrap_or_default();
    match event.event {
        EventKind::Exited => {
            let Ok(end) = Completion::deserialize(data) else {
                return "ended".to_owned();
            };
            let how = Ending::from(&end).known().or(end.reason);
            let how = how.map_or_else(String::new, |how| format!(", {}", clean(&how)));
            let stop = end.stop_failure.as_deref().map(clean);
            let stop = stop.map(|why| format!("; its stop line failed: {why}"));
            format!("ended{how}{}", stop.unwrap_or_default())
        }
        EventKind::Restarted if data["because"].is_string() => {
            format!("restarted, {}", clean(text("because")))
        }
        // Its end is no event of its own.
        EventKind::Restarted if data["reason"].is_string() && data["by"].is_null() => {
            format!("restarted after {}", clean(text("reason")))
        }
        EventKind::Limit if data["reason"].is_string() => clean(text("reason")),
        EventKind::HumanAsked => format!("asks: {}", clean(text("message"))),
        EventKind::Reported => match (data["state"].as_str(), data["message"].as_str()) {
            (Some(state), Some(message)) => format!("reports {}: {}", clean(state), clean(message)),
            (Some(state), None) => format!("reports {}", clean(state)),
            (None, _) => "takes its report back".to_owned(),
        },
        EventKind::HumanAnswered => format!("question {}", clean(text("outcome"))),
        EventKind::HostDown => match data["error"]["message"].as_str() {
            Some(message) => format!("host down: {}", clean(message)),
            None => "host down".to_owned(),
        },
        EventKind::Gap => "events are missing".to_owned(),
        EventKind::CommandChanged => format!("command changed: {}", clean(text("command"))),
        EventKind::QueuePaused if data["why"].is_string() => {
            format!("queue paused: {}", clean(text("why")))
        }
        EventKind::QueueChanged => match data["parallel"].as_u64() {
            Some(0) => "is no longer a queue".to_owned(),
            Some(parallel) if text("onFailure") == "pause" => {
                format!("queue, {parallel} at once, pauses after a failure")
            }
            Some(parallel) => format!("queue, {parallel} at once"),
            None => "queue changed".to_owned(),
        },
        kind => {
            let word = serde_json::to_value(kind).unwrap_or_default();
            word.as_str().unwrap_or_default().replace('_', " ")
        }
    }
}

fn by(event: &Event) -> String {
    let data = &event.data;
    let actor = data.get("by").or_else(|| data.get("endedBy"));
    let actor = actor.and_then(|actor| serde_json::from_value::<EndedBy>(actor.clone()).ok());
    let engine = || data["engine"].as_str().map(clean);
    let Some(actor) = actor else {
        return match event.event {
            EventKind::Held | EventKind::HumanInput => "a person".to_owned(),
            EventKind::Reported => "itself".to_owned(),
            EventKind::Restarted => engine().unwrap_or_else(|| "its restart policy".to_owned()),
            EventKind::Exited => engine().unwrap_or_else(|| "-".to_owned()),
            _ => "-".to_owned(),
        };
    };
    match (actor.kind, actor.scope) {
        (EndedByKind::Human, _) => "a person".to_owned(),
        (EndedByKind::Agent, Some(scope)) => format!("agent {scope}"),
        (EndedByKind::Agent, None) => "an agent".to_owned(),
        (EndedByKind::Timeout, _) => "its time limit".to_owned(),
        (EndedByKind::Limit, _) => "a limit".to_owned(),
        (EndedByKind::Unready, _) => "its restart policy".to_owned(),
        (EndedByKind::Watch, _) => "its watch".to_owned(),
        (EndedByKind::Schedule, _) => "its schedule".to_owned(),
        (EndedByKind::Project, _) => "its project".to_owned(),
        (EndedByKind::Itself, _) => engine().unwrap_or_else(|| "itself".to_owned()),
    }
}

fn parse(text: &str) -> Result<Since, String> {
    match text.parse() {
        Ok(seq) => Ok(Since::Seq(seq)),
        Err(_) => moment::parse(text).map(Since::Time),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn words(kind: &str, data: Value) -> [String; 3] {
        let event = json!({"event": kind, "seq": 1, "sessionId": "000000000001", "data": data});
        let event = serde_json::from_value(event).unwrap();
        [name(&event), what(&event), by(&event)]
    }

    /// The data of `exited` with these fields.
    fn ended(fields: Value) -> Value {
        let mut data = json!({"command": "x", "status": "error", "runtimeMs": 1000, "output": ""});
        let fields = fields.as_object().unwrap().clone();
        data.as_object_mut().unwrap().extend(fields);
        data
    }

    #[test]
    fn events_are_described_in_words() {
        let agent = json!({"kind": "agent", "scope": "a"});
        let reporter = agent.clone();
        let itself = json!({"kind": "itself", "scope": null});
        for (kind, data, expected) in [
            (
                "started",
                json!({"label": "w\u{1b}[1meb", "by": agent}),
                ["web", "started", "agent a"],
            ),
            (
                "ready",
                json!({"label": "web", "project": "shop@cart"}),
                ["shop@cart/web", "ready", "-"],
            ),
            (
                "restarted",
                json!({"label": "web", "restarts": 1, "reason": null}),
                ["web", "restarted", "its restart policy"],
            ),
            (
                "restarted",
                json!({"label": "rq1", "restarts": 1, "reason": null, "engine": "Slurm"}),
                ["rq1", "restarted", "Slurm"],
            ),
            (
                "exited",
                ended(json!({"exitCode": 3, "endedBy": itself})),
                ["000000000001", "ended, exit 3", "itself"],
            ),
            (
                "exited",
                ended(
                    json!({"label": "x", "signal": "SIGTERM", "endedBy": itself, "engine": "Slurm"}),
                ),
                ["x", "ended, SIGTERM", "Slurm"],
            ),
            (
                "exited",
                ended(json!({"label": "x", "signal": "SIGTERM"})),
                ["x", "ended, SIGTERM", "-"],
            ),
            (
                "exited",
                ended(json!({"label": "x", "signal": "SIGTERM", "stopFailure": "exit code 3"})),
                [
                    "x",
                    "ended, SIGTERM; its stop line failed: exit code 3",
                    "-",
                ],
            ),
            (
                "exited",
                ended(json!({"label": "x", "reason": "it could not be started: gone"})),
                ["x", "ended, it could not be started: gone", "-"],
            ),
            (
                "host_down",
                json!({"error": {"message": "no route"}}),
                ["000000000001", "host down: no route", "-"],
            ),
            (
                "reported",
                json!({"label": "c", "state": "blocked", "message": "wants\u{7} Bash"}),
                ["c", "reports blocked: wants Bash", "itself"],
            ),
            (
                "reported",
                json!({"label": "c", "state": null, "message": null, "by": reporter}),
                ["c", "takes its report back", "agent a"],
            ),
            (
                "command_changed",
                json!({"label": "w", "command": "make -j2", "by": {"kind": "human", "scope": null}}),
                ["w", "command changed: make -j2", "a person"],
            ),
            (
                "queue_paused",
                json!({"queue": "heavy", "project": "shop", "parallel": 1, "why": "build failed"}),
                ["shop/heavy", "queue paused: build failed", "-"],
            ),
            (
                "queue_resumed",
                json!({"queue": "q", "parallel": 1, "why": null}),
                ["q", "queue resumed", "-"],
            ),
            (
                "queue_changed",
                json!({"queue": "q", "parallel": 2, "onFailure": "pause"}),
                ["q", "queue, 2 at once, pauses after a failure", "-"],
            ),
            (
                "queue_changed",
                json!({"queue": "q", "parallel": 0, "onFailure": "continue"}),
                ["q", "is no longer a queue", "-"],
            ),
            (
                "output_dropped",
                Value::Null,
                ["000000000001", "output dropped", "-"],
            ),
        ] {
            assert_eq!(words(kind, data), expected);
        }
    }

    #[test]
    fn since_is_a_number_or_a_time() {
        assert_eq!(parse("812"), Ok(Since::Seq(812)));
        let at = Timestamp::parse("2026-11-21T20:00:00Z").unwrap();
        assert_eq!(parse("2026-11-21T20:00:00Z"), Ok(Since::Time(at)));
        assert!(matches!(parse("10m"), Ok(Since::Time(_))));
        assert!(parse("soon").is_err());
    }
}
