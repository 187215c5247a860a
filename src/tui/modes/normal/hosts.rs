//! The commands about other hosts in the palette: the same ones for each host.

use crate::protocol::Action as Request;
use crate::protocol::params::Disconnect;
use crate::protocol::reply::{HostState, HostStatus};
use crate::protocol::shell::quote;
use crate::tui::list::select;
use crate::tui::message::{Cmd, Effect, RequestKind};
use crate::tui::model::group_key::GroupKey;
use crate::tui::model::rows::Row;
use crate::tui::model::{Model, READ_ONLY, Selected};
use crate::tui::modes::form;
use crate::tui::modes::palette::Entry;

/// What can be done with a host.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Command {
    /// Selects its heading.
    Show,
    /// Opens the form for a job there.
    New,
    /// Connects it, in the person's terminal.
    Login,
    /// Ends the connection.
    Disconnect,
}

const COMMANDS: [Command; 4] = [
    Command::Show,
    Command::New,
    Command::Login,
    Command::Disconnect,
];

/// The commands of all hosts; the first one gets the number `first`.
pub(super) fn entries(model: &Model, first: usize) -> Vec<Entry> {
    let all = model
        .hosts
        .iter()
        .flat_map(|host| COMMANDS.map(|command| (host, command)));
    all.enumerate()
        .map(|(at, (host, command))| command.entry(model, host, first + at))
        .collect()
}

/// Runs the command with this number.
pub(super) fn run(model: &mut Model, at: usize, cmds: &mut Vec<Cmd>) {
    let command = COMMANDS.get(at % COMMANDS.len());
    let host = model.hosts.get(at / COMMANDS.len());
    let (Some(command), Some(host)) = (command, host.map(|host| host.name.clone())) else {
        return;
    };
    if model.options.read_only && command.changes() {
        return model.note(READ_ONLY);
    }
    match command {
        Command::Show => {
            if let Some(key) = heading(model, &host) {
                let key = key.clone();
                select::to(model, Selected::Group(key));
            }
        }
        Command::New => form::open_on(model, &host, cmds),
        Command::Login => cmds.push(Cmd::Effect(Effect::Login(host))),
        Command::Disconnect => cmds.push(Cmd::Request(
            RequestKind::Disconnect(host.clone()),
            Request::Disconnect(Disconnect { host }),
        )),
    }
}

impl Command {
    /// Whether it does more than show something.
    fn changes(self) -> bool {
        match self {
            Self::Show => false,
            Self::New | Self::Login | Self::Disconnect => true,
        }
    }

    /// Why it cannot be done now, in a sentence.
    fn obstacle(self, model: &Model, host: &HostStatus) -> Option<String> {
        if model.options.read_only && self.changes() {
            return Some(READ_ONLY.to_owned());
        }
        let name = &host.name;
        let is_up = host.state == HostState::Up;
        let why = match self {
            Self::Show if heading(model, name).is_none() => "has no jobs",
            Self::Login if is_up => "is connected",
            Self::Disconnect if !is_up => "is not connected",
            Self::Show | Self::New | Self::Login | Self::Disconnect => return None,
        };
        Some(format!("{name} {why}."))
    }

    fn entry(self, model: &Model, host: &HostStatus, index: usize) -> Entry {
        let name = &host.name;
        let word = quote(name);
        let (verb, title, synonyms, help, shell) = match self {
            Self::Show => (
                "show",
                format!("show {name}"),
                "host machine ssh jump go",
                "Select the heading of this host",
                Err("only in this view"),
            ),
            Self::New => (
                "new",
                format!("new job on {name}"),
                "host machine ssh run start command",
                "Start a job on this host",
                Ok(format!("bgproc -H {word} run COMMAND")),
            ),
            Self::Login => (
                "login",
                format!("log in to {name}"),
                "host machine ssh connect password",
                "Connect this host; ssh asks in this terminal",
                Ok(format!("bgproc hosts login {word}")),
            ),
            Self::Disconnect => (
                "disconnect",
                format!("disconnect {name}"),
                "host machine ssh close hang up",
                "End the connection to this host; its jobs go on",
                Ok(format!("bgproc hosts disconnect {word}")),
            ),
        };
        Entry {
            index,
            name: format!("{verb}-{name}"),
            title,
            synonyms,
            takes_text: false,
            key: String::new(),
            help: help.into(),
            shell,
            obstacle: self.obstacle(model, host),
            // Behind what can be done with jobs.
            fit: usize::MAX,
        }
    }
}

/// The key of the first heading of a host in the list.
fn heading<'a>(model: &'a Model, name: &str) -> Option<&'a GroupKey> {
    let rows = model.list.rows.iter();
    let mut keys = rows.filter_map(|row| match row {
        Row::Group(group) => Some(&group.key),
        Row::Job(_) => None,
    });
    keys.find(|key| key.host() == Some(name))
}
