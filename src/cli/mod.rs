//! The command line: one verb, one connection, one answer.
//!
//! clap parses the words into [`Cli`] and one struct for each verb ([`verb`]); without a verb,
//! [`front`] decides. Data goes to standard output, messages go to standard error after `bgproc: `
//! ([`output`]), and the result is the exit code ([`exit`]).
//!
//! Before that, [`completion`] answers shells that ask what may follow a word, and `there` hands verbs about a machine
//! to the bgproc of the host that `-H` names. `misread` explains what could not be parsed.
//!
//! Verbs share the modules below them: [`settings`] (flags, environment and `config.toml`), [`context`]
//! (the daemon, and the jobs that targets mean), [`disk`] (project files without a daemon), [`value`] (values on the
//! command line), [`start`], [`logs`], [`jobs`] and [`project`](mod@project); [`interrupt`]
//! (Ctrl-C, and readers of the output that go away), `beside` (work beside that of a command), `written` (files for
//! the output) and `elsewhere` (the verbs of other programs). No verb keeps state between calls except the last used
//! job of the terminal.

mod beside;
pub mod completion;
pub mod context;
pub mod disk;
mod elsewhere;
pub mod exit;
pub mod front;
pub mod interrupt;
pub mod jobs;
pub mod logs;
mod misread;
pub mod output;
pub mod project;
pub mod settings;
pub mod start;
mod there;
pub mod value;
pub mod verb;
mod written;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgAction, Args, CommandFactory, Parser};

use crate::client;
use crate::config::LOCAL;
use crate::protocol::{PROTOCOL, VERSION};
use context::Context;
use exit::{Exit, Failure};
use output::style::ColorChoice;
use output::{Output, complain, words};
use settings::host;
use verb::Place;

/// Run commands in the background, keep their output, and type into them.
///
/// Without a verb, opens the dashboard on a terminal, else lists the jobs.
#[derive(Parser, Debug)]
#[command(
    name = "bgproc",
    disable_version_flag = true,
    disable_help_subcommand = true
)]
#[command(after_help = verb::list_topics())]
pub struct Cli {
    #[command(subcommand)]
    verb: Option<verb::Verb>,
    #[command(flatten)]
    front: front::Front,
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::SetTrue)]
    version: bool,
    #[command(flatten)]
    shared: Shared,
}

/// Options of every verb.
#[derive(Args, Debug)]
pub struct Shared {
    /// Print results as JSON, one object per line
    #[arg(long, global = true)]
    json: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: ColorChoice,
    /// Show times in UTC, not in the local time zone
    #[arg(long, global = true)]
    utc: bool,
    /// Act on the jobs of this host (bgproc help hosts); local is this machine
    #[arg(
        short = 'H',
        long,
        global = true,
        value_name = "NAME",
        env = "BGPROC_HOST",
        hide_env = true
    )]
    host: Option<String>,
}

/// Parses `args`, which begin with the program's name, and runs the verb.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if let Some(answered) = completion::answer(&args, Cli::command) {
        // Nobody reads a message; without candidates the shell completes nothing.
        return answered.map_or(Exit::FAILED, |()| Exit::OK).into();
    }
    if let Some(failure) = misread::signals::as_option(&args) {
        complain(&failure);
        return failure.exit().into();
    }
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return misunderstood(&args, &error).into(),
    };
    if cli.shared.utc {
        words::show_utc();
    }
    let mut ctx = Context::new(Output::new(cli.shared.color), cli.shared.json, Cli::command);
    let outcome = dispatch(cli, &args, &mut ctx).and_then(|exit| {
        ctx.out.flush()?;
        Ok(exit)
    });
    let exit = outcome.unwrap_or_else(|failure| {
        // Output that was produced before the failure is still valid.
        let _ = ctx.out.flush();
        let failure = ctx.in_words(failure);
        complain(&failure);
        failure.exit()
    });
    exit.into()
}

fn dispatch(cli: Cli, args: &[OsString], ctx: &mut Context) -> Result<Exit, Failure> {
    if cli.version {
        return version(ctx);
    }
    ctx.words = args.to_vec();
    ctx.only_here = cli.shared.host.as_deref() == Some(LOCAL);
    if let Some(name) = cli
        .shared
        .host
        .as_deref()
        .filter(|name| !host::is_local(name))
    {
        let place = cli.verb.as_ref().map_or(Place::Daemon, verb::Verb::place);
        if matches!(place, Place::Daemon | Place::There) {
            host::check_held(name)?;
        }
        match place {
            Place::Here => {}
            Place::Daemon => client::host::choose(host::named(name)?),
            Place::There => {
                let is_export = matches!(cli.verb, Some(verb::Verb::Export(_)));
                return there::run(&host::named(name)?, args, is_export);
            }
            Place::Never(why) => return Err(Failure::Usage(why.to_owned())),
        }
    }
    match cli.verb {
        Some(verb) => {
            cli.front.refuse_with_a_verb()?;
            verb.run(ctx)
        }
        None => cli.front.run(ctx),
    }
}

fn version(ctx: &mut Context) -> Result<Exit, Failure> {
    if ctx.json {
        let version = serde_json::json!({ "version": VERSION, "protocol": PROTOCOL });
        ctx.out.json(&version)?;
    } else {
        ctx.out.line(&format!("bgproc {VERSION}"))?;
    }
    Ok(Exit::OK)
}

/// Prints help to standard output. Other parse errors are explained on standard error.
fn misunderstood(args: &[OsString], error: &clap::Error) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A closed pipe is not an error.
            let _ = error.print();
            Exit::OK
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Exit::USAGE
        }
        _ => {
            let failure = misread::explain(args, error);
            complain(&failure);
            // A client that runs a hook may take another code for a refusal, and the hook may be one of a newer version.
            let has = |word: &str| args.iter().any(|arg| arg == word);
            if has("news") && has("--hook") {
                Exit::OK
            } else {
                failure.exit()
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use crate::tui;

    #[test]
    fn the_grammar_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_shows_which_values_are_lists() {
        let mut cli = Cli::command();
        cli.build();
        let verbs = cli
            .get_subcommands()
            .flat_map(|verb| verb.get_subcommands().chain([verb]));
        for verb in verbs.chain([&cli]) {
            for argument in verb.get_arguments() {
                let name = argument.get_value_names().and_then(<[_]>::first);
                let is_list = argument.get_value_delimiter() == Some(',');
                let is_shown = name.is_some_and(|name| name.ends_with(",…"));
                assert_eq!(
                    is_shown,
                    is_list,
                    "{} {}",
                    verb.get_name(),
                    argument.get_id()
                );
            }
        }
    }

    #[test]
    fn a_launcher_runs_a_job_or_is_asked_for_a_host() {
        let mut cli = Cli::command();
        cli.build();
        let help = |path: &[&str]| {
            let verb = path
                .iter()
                .try_fold(&cli, |verb, part| verb.find_subcommand(part));
            let on = verb?
                .get_arguments()
                .find(|argument| argument.get_id() == "on")?;
            on.get_help().map(ToString::to_string)
        };
        let run = help(&["run"]).expect("an option");
        assert!(run.starts_with("Have a batch system run the job"), "{run}");
        let add = help(&["hosts", "add"]).expect("an option");
        assert!(
            add.starts_with("Request a node from this launcher"),
            "{add}"
        );
    }

    #[test]
    fn a_report_about_a_named_job_goes_to_the_host_that_is_named() {
        for (line, place) in [
            ("report --state idle", Place::Here),
            ("report --hook claude", Place::Here),
            ("report --hook claude --job web", Place::Here),
            ("report --state blocked --job web", Place::Daemon),
        ] {
            let words = ["bgproc", "-H", "gpu1"].into_iter().chain(line.split(' '));
            let cli = Cli::try_parse_from(words).expect(line);
            assert_eq!(cli.verb.map(|verb| verb.place()), Some(place), "{line}");
        }
    }

    #[test]
    fn a_hint_names_no_host_for_verbs_that_act_here() {
        let mut tried = 0;
        for verb in Cli::command().get_subcommands() {
            let name = verb.get_name();
            // Some verbs need arguments to be understood; what they are does not matter.
            let mut lines = [&[][..], &["x"], &["bash"], &["x", "x"]].into_iter();
            let parsed = lines.find_map(|words| {
                let words = ["bgproc", name].into_iter().chain(words.iter().copied());
                Cli::try_parse_from(words).ok()?.verb
            });
            // `report` acts where the job is that it is about.
            let Some(parsed) = parsed.filter(|_| !verb.is_hide_set() && name != "report") else {
                continue;
            };
            tried += 1;
            let is_here = parsed.place() == Place::Here;
            assert_eq!(is_here, output::OF_HERE.contains(&name), "{name}");
        }
        assert!(tried > 30, "{tried}");
    }

    #[test]
    fn a_verb_is_described_by_one_line() {
        let listed = Cli::command();
        let mut built = Cli::command();
        built.build();
        for (listed, built) in listed.get_subcommands().zip(built.get_subcommands()) {
            let about = |verb: &clap::Command| verb.get_about().map(ToString::to_string);
            assert_eq!(about(listed), about(built), "{}", listed.get_name());
            assert_eq!(built.get_long_about(), None, "{}", listed.get_name());
        }
    }

    /// Splits a command into words with a shell.
    fn words(command: &str) -> Vec<String> {
        let script = format!("printf '%s\\0' {command}");
        let ran = std::process::Command::new("sh")
            .args(["-c", &script])
            .output();
        let text = String::from_utf8(ran.expect("a shell").stdout).expect("text");
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    #[test]
    fn every_row_of_the_palette_shows_a_command_that_exists_or_says_why_there_is_none() {
        let rows = tui::tests::rows::all();
        let mut commands = std::collections::BTreeSet::new();
        for (title, shell) in &rows {
            match shell {
                Ok(command) => drop(commands.insert(command)),
                Err(why) => assert!(!why.is_empty(), "{title}"),
            }
        }
        let verbs = Cli::command();
        for command in &commands {
            let words = words(command);
            assert_eq!(words.first().map(String::as_str), Some("bgproc"));
            assert!(verbs.find_subcommand(&words[1]).is_some(), "{command}");
            let parsed = Cli::try_parse_from(&words);
            assert!(parsed.is_ok(), "{command}: {parsed:?}");
        }
        let shown = |command: &str| commands.iter().any(|one| *one == command);
        for command in [
            "bgproc signal db SIG",
            "bgproc signal migrate agent paused SIG",
            "bgproc kill web",
            "bgproc resume paused",
            "bgproc pause migrate agent paused",
            "bgproc stop g:shop",
            "bgproc rm lint",
            "bgproc clean",
            "bgproc up",
            "bgproc up api",
            "bgproc up api migrate",
            "bgproc down",
            "bgproc reload",
            "bgproc exec db",
        ] {
            assert!(shown(command), "{command} of {commands:#?}");
        }
        assert!(!commands.iter().any(|command| command.contains("kill -s")));
    }

    #[test]
    fn commands_that_the_dashboard_shows_can_be_parsed() {
        let mut taught = 0;
        for verb in tui::shell::Verb::ALL {
            for target in ["web", "'it'\\''s odd'", "g:shop", "web api"] {
                let command = verb.on(target);
                taught += 1;
                let parsed = Cli::try_parse_from(words(&command));
                // These verbs take one job only.
                let one = [
                    "attach", "send", "status", "decline", "find", "share", "export", "replay",
                    "rename",
                ];
                let single = one.iter().any(|verb| command.contains(verb));
                if target != "web api" || !single {
                    assert!(parsed.is_ok(), "{command}: {parsed:?}");
                }
            }
        }
        assert!(taught > 20, "{taught}");
        let command = "bgproc send web 'a b'";
        assert!(Cli::try_parse_from(words(command)).is_ok(), "{command}");
    }
}
