//! `news`: what the agents of a scope have not been told of their jobs. Clients of agents run it as a hook, so that
//! their model learns at its next turn that a job has ended.

use clap::Args;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::interrupt;
use crate::cli::output::{note, words};
use crate::cli::settings::agent::greeting;
use crate::cli::value::hook::{self, Hook};
use crate::client::{self, AutoStart, Connection, Running};
use crate::protocol::bounds::MAX_WAIT_MS;
use crate::protocol::event::Completion;
use crate::protocol::params;
use crate::protocol::reply::Happened;
use crate::protocol::{Action, Event, EventKind};
use crate::serve;
use crate::term::sanitize::clean;

/// Events per request: the most that the daemon returns.
const PAGE: usize = 1000;

/// Lines that are printed; the others are counted. A model pays for each of them.
const LINES: usize = 20;

/// Length of a command, and of the last line of output, in characters.
const SHORT: usize = 80;

#[derive(Args, Debug)]
pub struct News {
    /// Scope of the agent (BGPROC_SCOPE)
    #[arg(long, value_name = "NAME")]
    scope: Option<String>,
    /// Print the form that a hook of this client has to print; always exit with 0
    #[arg(long, value_name = "CLIENT", conflicts_with = "follow")]
    hook: Option<Hook>,
    /// Continue with new lines until Ctrl-C
    #[arg(short, long)]
    follow: bool,
}

impl News {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let Some(hook) = self.hook else {
            return self.print(ctx);
        };
        // Some clients take another exit code for a refusal of the prompt.
        match self.answer(ctx, hook) {
            Ok(()) => {}
            Err(Failure::Output(error)) => return Err(Failure::Output(error)),
            Err(failure) => note(&failure.to_string()),
        }
        Ok(Exit::OK)
    }

    /// Prints the news as lines.
    fn print(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let Some(mut connection) = self.connect()? else {
            return Ok(Exit::OK);
        };
        if self.follow {
            interrupt::leave_with_reader();
        }
        let mut wait = 0;
        loop {
            let events = fetch(&mut connection, wait)?;
            if ctx.json {
                events.iter().try_for_each(|event| ctx.out.json(event))?
            } else {
                lines(&events)
                    .iter()
                    .try_for_each(|line| ctx.out.line(line))?
            }
            ctx.out.flush()?;
            if !self.follow {
                return Ok(Exit::OK);
            }
            wait = MAX_WAIT_MS;
        }
    }

    /// Answers a hook.
    fn answer(&self, ctx: &mut Context, hook: Hook) -> Result<(), Failure> {
        let asked = hook::asked()?;
        let Some(name) = asked["hook_event_name"].as_str() else {
            return Ok(());
        };
        // The turn goes on because of the last news. Later ones can wait for the next prompt, so that a job that
        // ends again and again does not keep a model busy.
        if asked["stop_hook_active"] == true {
            return Ok(());
        }
        let Some(mut connection) = self.connect()? else {
            return Ok(());
        };
        let text = lines(&fetch(&mut connection, 0)?).join("\n");
        if !text.is_empty() {
            ctx.out.json(&reply(hook, name, &text))?;
        }
        Ok(())
    }

    /// Connects as an agent of the scope. Only `--follow` starts a daemon: without one there is no news.
    fn connect(&self) -> Result<Option<Connection>, Failure> {
        let flags = serve::Flags {
            scope: self.scope.clone(),
            ..serve::Flags::default()
        };
        if flags.scope.is_none() && std::env::var_os("BGPROC_SCOPE").is_none() {
            let why = "news needs --scope NAME, as bgproc mcp has it";
            return Err(Failure::Usage(why.to_owned()));
        }
        let greeting = greeting(flags)?;
        if self.follow {
            return Ok(Some(client::connect(&greeting, AutoStart::Yes)?));
        }
        Ok(match client::connect_running(&greeting)? {
            Running::Yes(connection) => Some(*connection),
            Running::No(_) => None,
        })
    }
}

fn fetch(connection: &mut Connection, wait: u64) -> Result<Vec<Event>, Failure> {
    let news: Happened = connection.call_as(Action::Events(params::Events {
        wait_ms: Some(wait),
        limit: Some(PAGE),
        news: Some(true),
        ..params::Events::default()
    }))?;
    Ok(news.events)
}

/// The form in which a client passes text on to its model.
///
/// Codex and Gemini CLI go on with their turn if a hook at its end refuses the end.
fn reply(hook: Hook, name: &str, text: &str) -> Value {
    match (hook, name) {
        (Hook::Codex, "Stop") => json!({ "decision": "block", "reason": text }),
        (Hook::Gemini, "AfterAgent") => json!({ "decision": "deny", "reason": text }),
        _ => json!({
            "hookSpecificOutput": { "hookEventName": name, "additionalContext": text },
        }),
    }
}

/// A line for each event, the newest ones if there are many.
fn lines(events: &[Event]) -> Vec<String> {
    let skipped = events.len().saturating_sub(LINES);
    let mut lines = Vec::new();
    if skipped > 0 {
        lines.push(format!("{skipped} earlier news of jobs are left out"));
    }
    lines.extend(events[skipped..].iter().map(line));
    lines
}

fn line(event: &Event) -> String {
    let data = &event.data;
    let word = |name: &str| clean(data[name].as_str().unwrap_or_default());
    let id = event.session_id.as_ref();
    let id = id.map(ToString::to_string).unwrap_or_default();
    let name = match (word("label"), word("command")) {
        (label, _) if !label.is_empty() => format!("{} ({id})", short(&label)),
        (_, command) if !command.is_empty() => format!("{id} ({})", short(&command)),
        _ => id,
    };
    match event.event {
        EventKind::Exited => {
            let Ok(end) = Completion::deserialize(data) else {
                return format!("{name} has ended");
            };
            let how = match (end.exit_code, end.signal) {
                (Some(code), _) if code != 0 => format!("has failed with exit code {code}"),
                (None, Some(signal)) => format!("was ended by {}", clean(&signal)),
                _ => "has ended".to_owned(),
            };
            let after = words::span(end.runtime_ms);
            let mut lines = end.output.lines().rev();
            let last = lines.find(|line| !line.trim().is_empty());
            let last = match last {
                Some(line) => format!("; last line: {}", short(&clean(line))),
                None => String::new(),
            };
            format!("{name} {how} after {after}{last}")
        }
        EventKind::Ready => format!("{name} is ready"),
        EventKind::InputNeeded => match (word("inputState").as_str(), word("prompt")) {
            ("password", prompt) => format!("{name} asks for a password: {}", short(&prompt)),
            (_, prompt) => format!("{name} waits for input: {}", short(&prompt)),
        },
        _ => format!("{name} is lost"),
    }
}

/// The beginning of a text.
fn short(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn event(kind: &str, data: Value) -> Event {
        let event = json!({"event": kind, "seq": 1, "sessionId": "000000000001", "data": data});
        serde_json::from_value(event).unwrap()
    }

    #[test]
    fn each_kind_is_one_line() {
        for (kind, data, said) in [
            (
                "exited",
                json!({"label": "build", "command": "make", "status": "error", "exitCode": 2,
                    "runtimeMs": 134_000, "output": "a\nerror: b\n\n"}),
                "build (000000000001) has failed with exit code 2 after 2m14s; last line: error: b",
            ),
            (
                "exited",
                json!({"label": null, "command": "make all", "status": "done", "exitCode": 0,
                    "runtimeMs": 1000, "output": ""}),
                "000000000001 (make all) has ended after 1s",
            ),
            (
                "exited",
                json!({"label": "web", "command": "serve", "status": "killed", "signal": "SIGTERM",
                    "runtimeMs": 1000, "output": ""}),
                "web (000000000001) was ended by SIGTERM after 1s",
            ),
            (
                "ready",
                json!({"label": "web"}),
                "web (000000000001) is ready",
            ),
            (
                "input_needed",
                json!({"label": "deploy", "inputState": "line", "prompt": "Continue? [y/N] "}),
                "deploy (000000000001) waits for input: Continue? [y/N]",
            ),
        ] {
            assert_eq!(lines(&[event(kind, data)]), [said]);
        }
        let many = vec![event("ready", json!({})); 25];
        let many = lines(&many);
        assert_eq!(many.len(), 21);
        assert_eq!(many[0], "5 earlier news of jobs are left out");
    }

    #[test]
    fn each_client_has_its_form() {
        let added = |name: &str| json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "x"}});
        for (hook, name, form) in [
            (Hook::Claude, "UserPromptSubmit", added("UserPromptSubmit")),
            (Hook::Claude, "Stop", added("Stop")),
            (Hook::Codex, "PostToolUse", added("PostToolUse")),
            (
                Hook::Codex,
                "Stop",
                json!({"decision": "block", "reason": "x"}),
            ),
            (Hook::Gemini, "BeforeAgent", added("BeforeAgent")),
            (
                Hook::Gemini,
                "AfterAgent",
                json!({"decision": "deny", "reason": "x"}),
            ),
        ] {
            assert_eq!(reply(hook, name, "x"), form);
        }
    }
}
