//! The chapters of the manual: every file of `assets/help`, in reading order.

/// A chapter.
#[derive(Debug)]
pub(super) struct Topic {
    /// The name of the file without its extension.
    pub name: &'static str,
    /// The description in the list of topics.
    about: &'static str,
    /// The Markdown text.
    pub text: &'static str,
}

/// A row of [`TOPICS`]. The name of the topic is the name of the file.
macro_rules! topic {
    ($name:literal, $about:literal) => {
        Topic {
            name: $name,
            about: $about,
            text: include_str!(concat!("../../../../assets/help/", $name, ".md")),
        }
    };
}

/// All chapters.
static TOPICS: [Topic; 18] = [
    topic!("getting-started", "Install bgproc and run the first jobs"),
    topic!("dashboard", "The dashboard: what it shows, keys, colours"),
    topic!("command-line", "All verbs and their options"),
    topic!("targets", "How to name jobs: web, g:shop, 'web*', -"),
    topic!(
        "projects",
        "bgproc.toml, Procfiles, up; schedules, watches, queues"
    ),
    topic!("hosts", "Jobs on other machines, by ssh"),
    topic!("clusters", "Jobs that Slurm runs: run --on, launchers"),
    topic!("keys", "Key names for bgproc keys: C-c Up F5"),
    topic!("exit-codes", "What each exit code means"),
    topic!("agents", "The protocol of --serve: actions and replies"),
    topic!(
        "agent-guide",
        "The protocol on one page, to give to an agent"
    ),
    topic!("mcp", "The MCP server: its tools, and other sets"),
    topic!("clients", "Claude Code and others: setup, hooks, limits"),
    topic!("configuration", "config.toml, limits, files, retention"),
    topic!("recordings", "Export, replay and rewind a job"),
    topic!("reliability", "What survives which failure, and the tests"),
    topic!("performance", "Measurements"),
    topic!("troubleshooting", "Common problems and their solutions"),
];

/// Words that stand for a whole chapter.
const OTHER_NAMES: [(&[&str], &str); 8] = [
    (&["config", "config.toml", "settings"], "configuration"),
    (&["bgproc.toml", "project"], "projects"),
    (&["slurm", "cluster"], "clusters"),
    (&["ssh", "host"], "hosts"),
    (&["exit", "exit-code", "codes"], "exit-codes"),
    (&["client"], "clients"),
    (&["serve", "protocol"], "agents"),
    (&["target"], "targets"),
];

/// Words that have no chapter of their own: the chapter, and the heading of the part that explains them.
const PARTS: [(&[&str], &str, &str); 21] = [
    (
        &["install", "uninstall", "upgrade"],
        "getting-started",
        "Install",
    ),
    (&["retention"], "configuration", "Retention"),
    (&["files"], "configuration", "Files"),
    (&["names", "name"], "targets", "Names"),
    (
        &["themes", "theme", "colours", "colors"],
        "dashboard",
        "Colours",
    ),
    (&["readiness"], "projects", "Needs and phases"),
    (
        &["notifications", "notify"],
        "projects",
        "Shell lines and notices",
    ),
    (
        &["timeouts", "timeout"],
        "command-line",
        "`run COMMAND` (alias `add`)",
    ),
    (&["scope", "scopes"], "agents", "Start the server"),
    (&["claude"], "clients", "Claude Code"),
    (&["codex"], "clients", "Codex"),
    (
        &["schedule", "schedules", "cron", "timer", "timers"],
        "projects",
        "Schedules",
    ),
    (&["watch", "watches"], "projects", "Watches"),
    (&["queue", "queues", "parallel"], "projects", "Queues"),
    (&["limits", "limit", "memory"], "projects", "Limits of jobs"),
    (&["needs", "dependencies"], "projects", "Needs and phases"),
    (
        &["environment", "dotenv", ".env"],
        "projects",
        "Environment and ports",
    ),
    (
        &[
            "procfile", "Procfile", "overmind", "foreman", "hivemind", "honcho",
        ],
        "projects",
        "Procfile",
    ),
    (
        &[
            "mprocs",
            "dekit",
            "process-compose",
            "pitchfork",
            "vscode",
            "tasks.json",
        ],
        "projects",
        "A file from what is there",
    ),
    (&["boot", "reboot", "systemd"], "command-line", "`daemon`"),
    (
        &[
            "tmux",
            "docker",
            "pueue",
            "pm2",
            "systemctl",
            "supervisord",
            "supervisorctl",
        ],
        "command-line",
        "Verbs of other programs",
    ),
];

/// What is shown for a word that is neither a chapter nor a verb: the chapter that it stands for, or the part of one
/// that explains it.
pub(super) fn about(word: &str) -> Option<String> {
    let mut names = OTHER_NAMES.iter();
    match names.find(|(words, _)| words.contains(&word)) {
        Some((_, topic)) => Some(find(topic)?.text.to_owned()),
        None => part(word),
    }
}

/// The names of the chapters that contain a text, whatever its case.
pub(super) fn with(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    let has_it = |topic: &&Topic| topic.text.to_lowercase().contains(&text);
    TOPICS
        .iter()
        .filter(has_it)
        .map(|topic| topic.name)
        .collect()
}

/// The part of a chapter that explains a word which has none of its own.
fn part(word: &str) -> Option<String> {
    let (_, topic, heading) = PARTS.iter().find(|(words, ..)| words.contains(&word))?;
    let text = section(find(topic)?.text, heading)?;
    Some(format!(
        "{text}\nThe whole chapter: `bgproc help {topic}`\n"
    ))
}

/// The lines from a heading to the next one that is not below it.
fn section(text: &str, heading: &str) -> Option<String> {
    let level = |line: &str| {
        line.split(' ')
            .next()
            .filter(|signs| signs.starts_with('#'))
            .map(str::len)
    };
    let is_it =
        |line: &&str| level(line).is_some() && line.trim_start_matches('#').trim() == heading;
    let mut lines = text.lines().skip_while(|line| !is_it(line));
    let first = lines.next()?;
    let mut in_code = false;
    let rest = lines.take_while(|line| {
        in_code ^= line.starts_with("```");
        // In code, it is a comment.
        in_code || level(line).is_none_or(|other| Some(other) > level(first))
    });
    let lines: Vec<&str> = std::iter::once(first).chain(rest).collect();
    Some(format!("{}\n", lines.join("\n").trim_end()))
}

/// The topic with this name, or `None`.
pub(super) fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

/// The names of all topics.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|topic| topic.name)
}

/// The list of topics, shown below the list of verbs.
pub(crate) fn list() -> String {
    let width = names().map(str::len).max().unwrap_or(0);
    let lines = TOPICS
        .iter()
        .map(|topic| format!("  {:width$}  {}", topic.name, topic.about));
    let lines: Vec<_> = lines.collect();
    format!("Topics (bgproc help TOPIC):\n{}", lines.join("\n"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::path::Path;

    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;
    use crate::cli::exit::Exit;
    use crate::protocol::Action;

    fn chapter(name: &str) -> &'static str {
        find(name).unwrap().text
    }

    #[test]
    fn every_file_is_a_topic() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/help");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let mut topics: Vec<String> = names().map(|name| format!("{name}.md")).collect();
        topics.sort();
        assert_eq!(files, topics);
    }

    #[test]
    fn the_readme_links_every_topic_and_the_list_fits_a_terminal() {
        let readme = include_str!("../../../../README.md");
        for name in names() {
            assert!(
                readme.contains(&format!("](assets/help/{name}.md)")),
                "{name}"
            );
        }
        for line in list().lines() {
            assert!(line.len() <= 80, "{line}");
        }
    }

    #[test]
    fn words_without_a_chapter_open_the_part_that_explains_them() {
        for (words, topic, heading) in PARTS {
            for word in words {
                assert!(find(word).is_none(), "{word} is a chapter");
                let text = part(word).unwrap_or_else(|| panic!("{word}: {topic} has no {heading}"));
                let first = text.lines().next().unwrap();
                assert!(
                    first.trim_start_matches('#').trim() == heading,
                    "{word}: {first}"
                );
                let end = format!("\n\nThe whole chapter: `bgproc help {topic}`\n");
                assert!(text.ends_with(&end), "{word}: {text}");
            }
        }
        let queues = part("queues").unwrap();
        assert!(!queues.contains("\n## "), "{queues}");
        assert_eq!(
            section("# A\n\na\n\n## B\n\n```sh\n# c\n```\n\n## D\n", "B").unwrap(),
            "## B\n\n```sh\n# c\n```\n"
        );
        assert_eq!(part("nosuch"), None);
    }

    #[test]
    fn other_names_of_chapters_open_them() {
        for (words, topic) in OTHER_NAMES {
            for word in words {
                assert!(find(word).is_none(), "{word} is a chapter");
                assert_eq!(about(word).as_deref(), Some(chapter(topic)), "{word}");
            }
        }
        assert_eq!(about("queues"), part("queues"));
        assert!(with("FULL-screen program").contains(&"troubleshooting"));
        assert!(with("no chapter says this").is_empty());
    }

    #[test]
    fn links_between_chapters_lead_somewhere() {
        for topic in &TOPICS {
            for link in topic.text.split("](").skip(1) {
                let link = link.split(')').next().unwrap();
                let (file, heading) = link.split_once('#').unwrap_or((link, ""));
                let text = match file.strip_suffix(".md") {
                    Some(name) => find(name).unwrap_or_else(|| panic!("{link}")).text,
                    None if file.is_empty() => topic.text,
                    None => continue,
                };
                // The anchor is the heading in lower case, without punctuation.
                let anchor = |line: &str| {
                    let words = line.trim_start_matches('#').trim().to_lowercase();
                    let kept = words
                        .chars()
                        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                    kept.collect::<String>().replace(' ', "-")
                };
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                assert!(
                    heading.is_empty() || headings.any(|line| anchor(line) == heading),
                    "{}: {link}",
                    topic.name
                );
            }
        }
    }

    #[test]
    fn every_verb_and_option_is_explained() {
        let text = chapter("command-line");
        let mut cli = Cli::command();
        cli.build();
        let of_all = cli.get_arguments();
        let mut options: Vec<_> = of_all.filter_map(|option| option.get_long()).collect();
        for verb in cli.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            for name in [verb.get_name()]
                .into_iter()
                .chain(verb.get_visible_aliases())
            {
                let is_there =
                    text.contains(&format!("`{name}`")) || text.contains(&format!("`{name} "));
                assert!(is_there, "{name}");
            }
            let parts = std::iter::once(verb).chain(verb.get_subcommands());
            let arguments = parts.flat_map(clap::Command::get_arguments);
            options.extend(arguments.filter_map(|option| option.get_long()));
        }
        for option in options.into_iter().filter(|option| *option != "help") {
            assert!(text.contains(&format!("--{option}")), "--{option}");
        }
    }

    #[test]
    fn every_action_and_parameter_is_explained() {
        let text = chapter("agents");
        let schema = include_str!("../../../../assets/schema.json");
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        for action in Action::NAMES {
            let heading = format!("`{action}`");
            let mut headings = text.lines().filter(|line| line.starts_with("### "));
            assert!(headings.any(|line| line.contains(&heading)), "{action}");
            let request = &schema["$defs"][format!("{action}.request")]["properties"];
            for name in request.as_object().unwrap().keys() {
                let is_there = text.contains(&format!("`{name}`"));
                assert!(is_there || name == "action", "{action}: {name}");
            }
        }
        let kinds = schema["$defs"].as_object().unwrap().keys();
        for kind in kinds.filter_map(|name| name.strip_suffix(".event")) {
            assert!(text.contains(&format!("`{kind}`")), "{kind}");
        }
    }

    #[test]
    fn every_error_code_is_explained() {
        let schema = include_str!("../../../../assets/schema.json");
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        let codes = schema["$defs"]["ErrorCode"]["oneOf"].as_array().unwrap();
        let mut codes: Vec<_> = codes
            .iter()
            .map(|code| code["const"].as_str().unwrap())
            .collect();
        let table = section(chapter("agents"), "Error codes").unwrap();
        let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
        let mut explained: Vec<_> = rows.map(|row| row.split('`').next().unwrap()).collect();
        codes.sort_unstable();
        explained.sort_unstable();
        assert_eq!(explained, codes);
    }

    #[test]
    fn every_exit_code_is_explained() {
        for exit in [
            Exit::OK,
            Exit::FAILED,
            Exit::USAGE,
            Exit::STATE,
            Exit::NO_JOB,
            Exit::AMBIGUOUS,
            Exit::UNAVAILABLE,
            Exit::TIMED_OUT,
            Exit::BROKEN,
            Exit::NOT_EXECUTABLE,
            Exit::NOT_FOUND,
            Exit::INTERRUPTED,
        ] {
            let row = format!("\n| {} | ", exit.0);
            assert!(chapter("exit-codes").contains(&row), "{exit:?}");
        }
    }
}
