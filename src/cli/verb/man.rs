//! `man`: writes the manual pages.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use serde_json::json;

use super::examples;
use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};

#[derive(Args, Debug)]
pub struct ManPages {
    /// Write a page for each verb to this directory; without it, print the page of bgproc
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl ManPages {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let mut grammar = (ctx.grammar)();
        grammar.build();
        let Some(dir) = self.dir else {
            ctx.out.bytes(&page(grammar, "bgproc").map_err(unmade)?)?;
            return Ok(Exit::OK);
        };
        let verbs = grammar.get_subcommands().filter(|verb| !verb.is_hide_set());
        let verbs: Vec<_> = verbs.cloned().collect();
        std::fs::create_dir_all(&dir).map_err(|error| cannot_write(&dir, &error))?;
        for (name, command) in std::iter::once((None, grammar)).chain(
            verbs
                .into_iter()
                .map(|verb| (Some(verb.get_name().to_owned()), verb)),
        ) {
            let name = name.map_or_else(|| "bgproc".to_owned(), |verb| format!("bgproc-{verb}"));
            let file = dir.join(format!("{name}.1"));
            let page = page(command, &name).map_err(unmade)?;
            std::fs::write(&file, page).map_err(|error| cannot_write(&file, &error))?;
            let path = file.display().to_string();
            ctx.result(&json!({ "path": path }), &path)?;
        }
        Ok(Exit::OK)
    }
}

fn unmade(error: io::Error) -> Failure {
    Failure::cannot("make the page")(error)
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let message = format!("{} cannot be written: {error}", path.display());
    Failure::with_message(Exit::FAILED, message)
}

/// The page of a verb, or of bgproc itself.
fn page(command: Command, name: &str) -> io::Result<Vec<u8>> {
    let verb = command.get_name().to_owned();
    let parts = parts_section(&command)?;
    let page = Man::new(command)
        .title(name)
        .source(format!("bgproc {}", crate::protocol::VERSION))
        .manual("bgproc");
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if verb == "bgproc" {
        page.render_subcommands_section(&mut text)?;
        let mut topics = Vec::new();
        page.render_extra_section(&mut topics)?;
        // clap names it EXTRA.
        text.extend(b".SH TOPICS\n");
        text.extend(below_heading(&topics));
    } else {
        text.extend(parts);
    }
    text.extend(examples_section(&verb).into_bytes());
    Ok(text)
}

/// The section with the parts of a verb, such as `daemon stop`, which have no pages of their own. Empty if it has none.
fn parts_section(verb: &Command) -> io::Result<Vec<u8>> {
    let parts = verb.get_subcommands().filter(|part| !part.is_hide_set());
    let parts: Vec<Command> = parts.cloned().collect();
    let mut section = Vec::new();
    if !parts.is_empty() {
        section.extend(b".SH SUBCOMMANDS\n");
    }
    for mut part in parts {
        let usage = part.render_usage().to_string();
        let usage = escaped(usage.trim_start_matches("Usage: "));
        let about = part
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        section.extend(format!(".SS \"{usage}\"\n{}\n", escaped(&about)).into_bytes());
        // The options of every verb are in the section above.
        let own = part.mut_args(|arg| {
            let is_shared = arg.is_global_set() || arg.get_id() == "help";
            arg.hide(is_shared)
        });
        if own.get_arguments().any(|arg| !arg.is_hide_set()) {
            let mut options = Vec::new();
            Man::new(own).render_options_section(&mut options)?;
            section.extend(below_heading(&options));
        }
    }
    Ok(section)
}

/// The lines of a section below its heading.
fn below_heading(section: &[u8]) -> Vec<u8> {
    let mut lines = section.split_inclusive(|byte| *byte == b'\n');
    lines.find(|line| line.starts_with(b".SH "));
    lines.flatten().copied().collect()
}

/// Text in the language of man(7).
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// The section with examples, in the language of man(7).
fn examples_section(verb: &str) -> String {
    let mut section = ".SH EXAMPLES\n".to_owned();
    for (command, meaning) in examples::of(verb) {
        let command = escaped(command);
        section.push_str(&format!(".TP\n\\fB{command}\\fR\n{meaning}\n"));
    }
    section
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn a_page_has_its_sections() {
        let verb = super::super::Verb::grammar("signal").unwrap_or_default();
        let page = String::from_utf8(page(verb, "bgproc-signal").unwrap_or_default());
        let page = page.unwrap_or_default();
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"] {
            assert!(page.contains(&format!(".SH {section}\n")), "{page}");
        }
        assert!(page.contains("\\fBbgproc signal web HUP\\fR"), "{page}");
        assert!(!page.contains(".SH SUBCOMMANDS"), "{page}");
    }

    #[test]
    fn the_page_of_all_verbs_lists_the_topics() {
        let page = page(crate::cli::Cli::command(), "bgproc");
        let page = String::from_utf8(page.unwrap_or_default()).unwrap_or_default();
        let (_, topics) = page.split_once(".SH TOPICS\n").unwrap_or_default();
        assert!(topics.contains("command\\-line"), "{page}");
        assert!(!page.contains(".SH EXTRA"), "{page}");
    }

    #[test]
    fn a_page_has_the_parts_of_its_verb_with_their_options() {
        let verb = crate::cli::Cli::command();
        let verb = {
            let mut all = verb;
            all.build();
            all.find_subcommand("daemon").cloned().unwrap_or_default()
        };
        let page = String::from_utf8(page(verb, "bgproc-daemon").unwrap_or_default());
        let page = page.unwrap_or_default();
        let (_, parts) = page.split_once(".SH SUBCOMMANDS\n").unwrap_or_default();
        let (parts, _) = parts.split_once(".SH EXAMPLES").unwrap_or_default();
        assert!(!parts.contains(".SH "), "{parts}");
        for words in [
            ".SS \"bgproc daemon stop [OPTIONS]\"",
            "\\-\\-kill",
            ".SS \"bgproc daemon upgrade",
        ] {
            assert!(parts.contains(words), "{words}: {page}");
        }
        assert!(!parts.contains("\\-\\-color"), "{parts}");
    }
}
