//! `send`: types text into a job.

use std::io::{IsTerminal, Read};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::{Arg, ArgAction, Args, Command};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::jobs::quiet;
use crate::cli::jobs::typing::report;
use crate::cli::output::note;
use crate::protocol::params::{Encoding, StatusParams, Write};
use crate::protocol::reply::Written;
use crate::protocol::status::InputState;
use crate::protocol::{Action, Mode, Record, SessionId, duration};
use crate::term::sanitize;

/// Bytes per request. Encoded as base64 they stay well below the longest line of the protocol.
const CHUNK: usize = 256 * 1024;

#[derive(Args, Debug)]
pub struct Send {
    /// The job
    #[arg(value_name = "JOB")]
    job: String,
    /// The text; several words are joined by blanks; without text, standard input is sent
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    text: Vec<String>,
    /// Do not press Enter
    #[arg(long)]
    no_enter: bool,
    /// Send the text as a bracketed paste, if the program has enabled that
    #[arg(long)]
    paste: bool,
    /// Close the input of the job afterwards; without TEXT, only close it
    #[arg(long)]
    eof: bool,
    /// Afterwards wait until the job has written nothing for this time
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    wait_quiet: Option<Duration>,
    /// Ask for the text without echo, and refuse to send it if the job would show it
    #[arg(long, conflicts_with = "text")]
    password: bool,
}

impl Send {
    /// An option among the words of the text, which somebody may have meant to give.
    fn swallowed(&self, grammar: fn() -> Command) -> Option<&str> {
        let words = self.text.iter().skip(1).map(String::as_str);
        let mut words = words.filter(|word| word.starts_with("--")).peekable();
        words.peek()?;
        let mut grammar = grammar();
        // Gives the verb its own options, and those that all verbs have.
        grammar.build();
        let own = grammar.find_subcommand("send")?;
        // A short one may be meant for the job, and these two for a program: `send sh ls --color`.
        words.find(|word| {
            let name = word
                .split('=')
                .next()
                .and_then(|name| name.strip_prefix("--"));
            let is_named = |option: &Arg| {
                option.get_long() == name && !matches!(option.get_action(), ArgAction::Help)
            };
            name != Some("color") && own.get_arguments().any(is_named)
        })
    }

    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let swallowed = self.swallowed(ctx.grammar);
        if let Some(option) = swallowed.filter(|_| !ctx.has_separator()) {
            let message = format!("{option} after the text would be typed");
            let failure = Failure::with_message(Exit::USAGE, message);
            return Err(failure.hint(
                "put options before the job; to type it all the same: bgproc send JOB -- TEXT",
            ));
        }
        let job = ctx.one(&self.job)?;
        if self.password && self.would_show(ctx, &job.summary.session_id)? {
            return Ok(Exit::STATE);
        }
        let data = self.data()?;
        // Check again: the prompt may have disappeared while the password was being typed.
        if self.password && self.would_show(ctx, &job.summary.session_id)? {
            return Ok(Exit::STATE);
        }
        if self.paste {
            check_paste(data.len())?;
        }
        let mut chunks: Vec<&[u8]> = data.chunks(CHUNK).collect();
        if chunks.is_empty() {
            chunks.push(b"");
        }
        let last = chunks.len() - 1;
        // Closing the input without text must not send an empty line.
        let no_enter = self.no_enter || (self.eof && data.is_empty());
        for (place, chunk) in chunks.into_iter().enumerate() {
            let enter = !no_enter && place == last;
            let written: Written = ctx.daemon()?.call_as(Action::Write(Write {
                session_id: job.summary.session_id.to_string(),
                data: Some(STANDARD.encode(chunk)),
                encoding: Some(Encoding::Base64),
                // A pipe has no terminal that translates Enter into a newline.
                newline: (enter && job.summary.mode == Mode::Pipe).then_some(true),
                submit: (enter && job.summary.mode == Mode::Pty).then_some(true),
                paste: self.paste.then_some(true),
                eof: (self.eof && place == last).then_some(true),
                ..Write::default()
            }))?;
            let exit = report(
                ctx,
                &job.summary.session_id,
                &written,
                chunk.len() as u64,
                place == last,
            )?;
            if exit != Exit::OK {
                return Ok(exit);
            }
        }
        if let Some(time) = self.wait_quiet {
            quiet::wait(ctx, &job.summary.session_id, time)?;
        }
        Ok(Exit::OK)
    }

    /// Whether the job would show a secret that is sent now. If so, prints a note.
    fn would_show(&self, ctx: &mut Context, id: &SessionId) -> Result<bool, Failure> {
        let status = Action::Status(StatusParams {
            session_id: id.to_string(),
            detail: None,
            full_env: None,
        });
        let record: Record = ctx.daemon()?.call_as(status)?;
        let shown = would_show(record.summary.input_state);
        if let Some(why) = shown {
            let name = sanitize::clean(&self.job);
            note(&format!("{name} {why}; nothing was sent"));
        }
        Ok(shown.is_some())
    }

    fn data(&self) -> Result<Vec<u8>, Failure> {
        if !self.text.is_empty() {
            return Ok(self.text.join(" ").into_bytes());
        }
        if self.eof && !self.password {
            return Ok(Vec::new());
        }
        let mut stdin = std::io::stdin();
        if self.password && stdin.is_terminal() {
            let typed = rpassword::prompt_password("Password: ");
            let typed = typed.map_err(Failure::cannot("read the password"))?;
            return Ok(typed.into_bytes());
        }
        if stdin.is_terminal() {
            let message = "no text to send; to press only Enter: bgproc keys JOB Enter";
            return Err(Failure::Usage(message.to_owned()));
        }
        let mut data = Vec::new();
        let read = stdin.read_to_end(&mut data);
        read.map_err(Failure::cannot("read standard input"))?;
        if !self.no_enter && data.last() == Some(&b'\n') {
            // Enter replaces the last newline of the input.
            data.pop();
        }
        if self.password && data.is_empty() {
            let message = "no password was given: without a terminal it is read from standard input, which is empty";
            return Err(Failure::Usage(message.to_owned()));
        }
        Ok(data)
    }
}

/// Fails if a text is too long for one request: the program would see several pastes.
fn check_paste(length: usize) -> Result<(), Failure> {
    if length <= CHUNK {
        return Ok(());
    }
    let limit = CHUNK / 1024;
    let message = format!("a paste has at most {limit} KiB; this text has {length} bytes");
    let failure = Failure::with_message(Exit::USAGE, message);
    Err(failure.hint("without --paste it is typed, in parts"))
}

/// Why a secret that is sent now would be shown and recorded. `None` if it would not.
fn would_show(state: InputState) -> Option<&'static str> {
    match state {
        InputState::Line => Some("would show the text"),
        InputState::None => Some("is not asking for input"),
        InputState::Closed => Some("no longer reads input"),
        // A full-screen program or line editor decides itself what it shows.
        InputState::Password | InputState::Raw | InputState::Tui | InputState::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn a_paste_is_one_request() {
        assert!(check_paste(CHUNK).is_ok());
        let refused = check_paste(CHUNK + 1).map_err(|failure| failure.to_string());
        let message = "a paste has at most 256 KiB; this text has 262145 bytes";
        assert_eq!(refused, Err(message.to_owned()));
    }

    #[test]
    fn an_option_behind_the_text_is_found() {
        let send = |line: &str| Send {
            job: "cat".to_owned(),
            text: line.split(' ').map(str::to_owned).collect(),
            no_enter: false,
            paste: false,
            eof: false,
            wait_quiet: None,
            password: false,
        };
        for (line, option) in [
            ("ls --color never", None),
            ("hi --wait-quiet=1s", Some("--wait-quiet=1s")),
            ("hi --eof --json", Some("--eof")),
            ("hi --host gpu1", Some("--host")),
            ("ls -H", None),
            ("ls --all", None),
            ("ls --help", None),
            ("--eof", None),
        ] {
            assert_eq!(send(line).swallowed(Cli::command), option, "{line}");
        }
    }
}
