//! Three examples for each verb, for its manual page.

/// A command, and what it does.
type Example = (&'static str, &'static str);

/// The examples of a verb; of bgproc itself for any other name.
pub(super) fn of(verb: &str) -> &'static [Example; 3] {
    let found = TABLE.iter().find(|(name, _)| *name == verb);
    found.map_or(&BGPROC, |(_, examples)| examples)
}

const BGPROC: [Example; 3] = [
    ("bgproc", "Opens the dashboard."),
    ("bgproc run -n web npm run dev", "Starts a job with a name."),
    (
        "bgproc --filter '!failed'",
        "Opens the dashboard on failed jobs.",
    ),
];

/// By verb, in the order of `bgproc help`.
const TABLE: &[(&str, [Example; 3])] = &[
    (
        "run",
        [
            (
                "bgproc run -n web npm run dev",
                "Starts a job and returns at once.",
            ),
            (
                "bgproc run -w 'make && make test'",
                "Prints the output and ends with the exit code.",
            ),
            (
                "bgproc run --restart on-failure --ready-port 8080 ./server",
                "Restarts it if it fails; it is ready when it listens.",
            ),
        ],
    ),
    (
        "ls",
        [
            ("bgproc ls", "Lists the jobs."),
            ("bgproc ls 'shop/*'", "Lists the jobs of a project."),
            ("bgproc ls --status failed", "Lists the jobs that failed."),
        ],
    ),
    (
        "status",
        [
            ("bgproc status web", "Shows one job."),
            ("bgproc status -", "Shows the job that was used last."),
            ("bgproc status web --json", "Prints its record."),
        ],
    ),
    (
        "init",
        [
            ("bgproc init", "Writes bgproc.toml from what is here."),
            (
                "bgproc init --from mprocs.yaml",
                "Takes the jobs of this file.",
            ),
            ("bgproc init -n", "Prints the file only."),
        ],
    ),
    (
        "up",
        [
            ("bgproc up", "Brings up all jobs of the project."),
            (
                "bgproc up api -f",
                "Brings up one job with what it needs, and follows the logs.",
            ),
            ("bgproc up -n", "Prints what would be done."),
        ],
    ),
    (
        "hosts",
        [
            ("bgproc hosts add gpu1 me@gpu1.example.org", "Names a host."),
            (
                "bgproc hosts doctor gpu1",
                "Checks the way to it, and what answers there.",
            ),
            ("bgproc -H gpu1 run -n train ./train", "Starts a job there."),
        ],
    ),
    (
        "down",
        [
            ("bgproc down", "Stops all jobs of the project."),
            ("bgproc down --now", "Kills them."),
            (
                "bgproc down --file deploy/bgproc.toml",
                "Stops those of another project.",
            ),
        ],
    ),
    (
        "reload",
        [
            ("bgproc reload", "Applies the changed project file."),
            ("bgproc reload -n", "Prints what would be done."),
            (
                "bgproc reload --prune",
                "Also stops jobs that are not in it any more.",
            ),
        ],
    ),
    (
        "exec",
        [
            (
                "bgproc exec api -- npm test",
                "Runs a command in the environment of a job.",
            ),
            ("bgproc exec api", "Opens a shell in it."),
            (
                "bgproc exec api -- printenv PORT",
                "Prints the port of the job.",
            ),
        ],
    ),
    (
        "env",
        [
            ("bgproc env api", "Prints what the project sets for a job."),
            ("bgproc env api --all", "Also what comes from this shell."),
            ("bgproc env api --json", "Prints a line for each variable."),
        ],
    ),
    (
        "logs",
        [
            ("bgproc logs -f web", "Prints the output and follows it."),
            (
                "bgproc logs -n 100 web api",
                "Prints the last lines of two jobs.",
            ),
            (
                "bgproc logs --since 10m -t web",
                "Prints the last ten minutes with times.",
            ),
        ],
    ),
    (
        "find",
        [
            ("bgproc find TypeError", "Searches the output of all jobs."),
            (
                "bgproc find --since 1h 'timeout|refused'",
                "Searches the last hour.",
            ),
            ("bgproc find --jobs web,api 500", "Searches two jobs."),
        ],
    ),
    (
        "attach",
        [
            ("bgproc attach web", "Shows the screen and types into it."),
            ("bgproc attach --read-only web", "Only shows it."),
            ("bgproc attach -", "Attaches to the job that was used last."),
        ],
    ),
    (
        "send",
        [
            (
                "bgproc send repl 'print(1)'",
                "Types a line and presses Enter.",
            ),
            (
                "bgproc send --password migrate",
                "Asks for a password without showing it.",
            ),
            ("bgproc send --no-enter repl yes", "Types without Enter."),
        ],
    ),
    (
        "keys",
        [
            ("bgproc keys web C-c", "Presses Ctrl-C."),
            (
                "bgproc keys menu Down Down Enter",
                "Selects the third entry of a menu.",
            ),
            (
                "bgproc keys vim Escape : w q Enter",
                "Writes the file and quits.",
            ),
        ],
    ),
    (
        "share",
        [
            ("bgproc share web read", "Lets agents read the job."),
            ("bgproc share web write", "Lets agents type into it."),
            ("bgproc share web none", "Ends that."),
        ],
    ),
    (
        "report",
        [
            (
                "bgproc report --state blocked -m 'needs the VPN'",
                "Says, in a script that runs as a job, that it cannot go on.",
            ),
            (
                "bgproc report --hook claude",
                "Reports what a hook of Claude Code says.",
            ),
            (
                "bgproc report --job web --clear",
                "Forgets what a job has reported.",
            ),
        ],
    ),
    (
        "decline",
        [
            (
                "bgproc decline migrate",
                "Declines what an agent has asked about the job.",
            ),
            (
                "bgproc decline -",
                "The same for the job that was used last.",
            ),
            ("bgproc decline --json migrate", "Prints what was declined."),
        ],
    ),
    (
        "capture",
        [
            ("bgproc capture web", "Prints the screen as text."),
            (
                "bgproc capture --png -o screen.png htop",
                "Writes a picture.",
            ),
            ("bgproc capture -e htop", "Prints it with colours."),
        ],
    ),
    (
        "replay",
        [
            ("bgproc replay build", "Plays what the screen showed."),
            (
                "bgproc replay --speed 4 build",
                "Plays it four times as fast.",
            ),
            (
                "bgproc replay --at 5m build",
                "Shows the screen of five minutes ago.",
            ),
        ],
    ),
    (
        "export",
        [
            (
                "bgproc export -o build.cast build",
                "Writes a recording for asciinema.",
            ),
            ("bgproc export -o build.html build", "Writes a page."),
            ("bgproc export -o build.txt build", "Writes plain text."),
        ],
    ),
    (
        "stop",
        [
            ("bgproc stop web", "Ends a job and its processes."),
            ("bgproc stop g:shop", "Ends the jobs of a group."),
            ("bgproc stop -t 30s db", "Waits 30 seconds before SIGKILL."),
        ],
    ),
    (
        "kill",
        [
            ("bgproc kill web", "Ends a job at once."),
            ("bgproc kill 'test-*'", "Ends all jobs whose names match."),
            (
                "bgproc kill -s INT web",
                "Only sends SIGINT, as bgproc signal does.",
            ),
        ],
    ),
    (
        "signal",
        [
            ("bgproc signal web HUP", "Sends SIGHUP and nothing else."),
            ("bgproc signal web api USR1", "Sends it to two jobs."),
            ("bgproc signal g:shop TERM", "Sends it to a group."),
        ],
    ),
    (
        "restart",
        [
            ("bgproc restart web", "Ends the job and runs it again."),
            ("bgproc restart g:shop", "Restarts a group."),
            (
                "bgproc restart -t 1s web",
                "Waits one second before SIGKILL.",
            ),
        ],
    ),
    (
        "pause",
        [
            ("bgproc pause build", "Stops its processes for now."),
            ("bgproc pause g:batch", "Pauses a group."),
            ("bgproc resume build", "Lets it continue."),
        ],
    ),
    (
        "resume",
        [
            ("bgproc resume build", "Lets a paused job continue."),
            ("bgproc resume g:batch", "Lets a group continue."),
            (
                "bgproc resume 'b*'",
                "Lets all jobs continue whose names match.",
            ),
        ],
    ),
    (
        "wait",
        [
            (
                "bgproc wait build",
                "Waits for the end; the exit code is that of the job.",
            ),
            (
                "bgproc wait --for ready --timeout 1m web",
                "Waits until the job is ready.",
            ),
            (
                "bgproc wait --for 'match:listening on' web",
                "Waits for a line.",
            ),
        ],
    ),
    (
        "rename",
        [
            ("bgproc rename 7k2m web", "Names a job."),
            ("bgproc rename web web-old", "Changes its name."),
            ("bgproc rename - web", "Names the job that was used last."),
        ],
    ),
    (
        "rm",
        [
            ("bgproc rm build", "Removes an ended job and its log."),
            ("bgproc rm 'test-*'", "Removes all whose names match."),
            ("bgproc rm -f web", "Ends it first."),
        ],
    ),
    (
        "clean",
        [
            ("bgproc clean", "Removes all ended jobs."),
            ("bgproc clean --dry-run", "Shows which jobs would go."),
            ("bgproc clean --failed", "Removes only those that failed."),
        ],
    ),
    (
        "clear",
        [
            ("bgproc clear web", "Drops the output of a job so far."),
            ("bgproc clear g:shop", "Drops that of all jobs of a group."),
            (
                "bgproc clear web --json",
                "Prints how many bytes were dropped.",
            ),
        ],
    ),
    (
        "events",
        [
            ("bgproc events", "Lists what happened to jobs."),
            ("bgproc events -f", "Follows it."),
            ("bgproc events --since 1h", "Only the last hour."),
        ],
    ),
    (
        "daemon",
        [
            ("bgproc daemon status", "Shows the daemon and its keeper."),
            (
                "bgproc daemon upgrade",
                "Replaces them by this version; jobs go on.",
            ),
            ("bgproc daemon stop", "Ends the daemon; jobs go on."),
        ],
    ),
    (
        "doctor",
        [
            ("bgproc doctor", "Checks whether bgproc can work here."),
            ("bgproc doctor --json", "Prints the findings."),
            ("bgproc doctor --utc", "Shows times in UTC."),
        ],
    ),
    (
        "help",
        [
            ("bgproc help", "Lists the verbs and chapters."),
            ("bgproc help agents", "Shows a chapter of the manual."),
            ("bgproc help run", "Shows the options of a verb."),
        ],
    ),
    (
        "mcp",
        [
            (
                "claude mcp add bgproc -- bgproc mcp",
                "Adds bgproc to Claude Code.",
            ),
            (
                "bgproc mcp --scope web",
                "Serves an agent in a scope of its own.",
            ),
            (
                "bgproc mcp --read-only",
                "Serves an agent that may only look.",
            ),
        ],
    ),
    (
        "news",
        [
            ("bgproc news", "Prints what an agent has not been told."),
            ("bgproc news --json", "Prints it as JSON."),
            ("bgproc news --utc", "Shows times in UTC."),
        ],
    ),
    (
        "schema",
        [
            ("bgproc schema", "Prints the JSON Schema of the protocol."),
            ("bgproc schema requests", "Prints that of requests."),
            ("bgproc schema events", "Prints that of events."),
        ],
    ),
    (
        "completions",
        [
            (
                "bgproc completions bash --install",
                "Installs the completions of bash.",
            ),
            ("bgproc completions zsh", "Prints those of zsh."),
            (
                "bgproc completions fish --install",
                "Installs those of fish.",
            ),
        ],
    ),
    (
        "man",
        [
            ("bgproc man", "Prints the page of bgproc."),
            (
                "bgproc man ~/.local/share/man/man1",
                "Installs the pages of all verbs.",
            ),
            ("bgproc man | man -l -", "Shows the page of bgproc."),
        ],
    ),
    (
        "ports",
        [
            ("bgproc ports", "Lists the ports on which jobs listen."),
            ("bgproc ports --json", "Prints them as JSON."),
            ("bgproc ports -o tsv", "Prints them separated by tabs."),
        ],
    ),
    (
        "open",
        [
            ("bgproc open web", "Opens the URL that the job serves."),
            ("bgproc open -", "The same for the job that was used last."),
            ("bgproc open --print web", "Prints the URL."),
        ],
    ),
    (
        "start",
        [
            ("bgproc start web", "Runs a job again that has ended."),
            ("bgproc start g:shop", "Runs the ended jobs of a group."),
            (
                "bgproc start 'test-*'",
                "Runs all ended jobs whose names match.",
            ),
        ],
    ),
    (
        "group",
        [
            (
                "bgproc group web api shop",
                "Puts two jobs into the group shop.",
            ),
            ("bgproc group web ''", "Takes a job out of its group."),
            ("bgproc stop g:shop", "Ends the jobs of a group."),
        ],
    ),
    (
        "move",
        [
            ("bgproc move lint --first", "Lets it start next."),
            (
                "bgproc move g:nightly --last",
                "Lets the jobs of a group start last.",
            ),
            ("bgproc move lint --to 3", "Moves it to the third place."),
        ],
    ),
    (
        "tag",
        [
            ("bgproc tag web +slow", "Gives the job a tag."),
            (
                "bgproc tag g:shop +slow -old",
                "Adds a tag and removes one.",
            ),
            ("bgproc stop +slow", "Stops all jobs with the tag."),
        ],
    ),
    (
        "pin",
        [
            ("bgproc pin build", "Keeps a job and its log for ever."),
            ("bgproc pin --off build", "Ends that."),
            ("bgproc pin g:release", "Keeps the jobs of a group."),
        ],
    ),
    (
        "why",
        [
            ("bgproc why web", "Says why a job is in its state."),
            ("bgproc why -", "The same for the job that was used last."),
            ("bgproc why --json web", "Prints it as JSON."),
        ],
    ),
    (
        "diff",
        [
            (
                "bgproc diff web",
                "Shows what the last run wrote differently from the one before.",
            ),
            ("bgproc diff web 3 5", "Compares these two runs."),
            ("bgproc diff web -C 0", "Shows only the lines that differ."),
        ],
    ),
    (
        "top",
        [
            ("bgproc top", "Shows the processes of all jobs."),
            ("bgproc top --once", "Prints them once."),
            ("bgproc top web", "Shows those of one job."),
        ],
    ),
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_verb_has_examples_that_can_be_parsed() {
        let mut grammar = Cli::command();
        grammar.build();
        for verb in grammar.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let name = verb.get_name();
            assert!(TABLE.iter().any(|(known, _)| *known == name), "{name}");
        }
        let mut wrong = Vec::new();
        for (name, examples) in TABLE {
            assert!(grammar.find_subcommand(name).is_some(), "{name}");
            for (command, _) in examples {
                let mut words = shlex::split(command).unwrap();
                if words[0] != "bgproc" {
                    continue;
                }
                words.truncate(
                    words
                        .iter()
                        .position(|word| word == "|")
                        .unwrap_or(words.len()),
                );
                let parsed = Cli::try_parse_from(&words);
                wrong.extend(parsed.err().map(|error| format!("{command}: {error}")));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
