//! Checks that the manual's chapter on the dashboard lists the keys of the table.

use std::fmt::Write;
use std::path::PathBuf;

use crate::protocol::tests::golden::blesses;
use crate::tui::keymap::{Bound, Keymap, LEAVE_KEY};
use crate::tui::modes::CONTEXTS;

const START: &str = "<!-- keys: written by `BGPROC_BLESS=1 cargo test --lib manual` -->\n";
const END: &str = "<!-- /keys -->\n";

/// The keys of one binding.
fn keys(bound: &Bound) -> String {
    if bound.shown() == "1..9" {
        return "`1`–`9`".to_owned();
    }
    if bound.keys.is_empty() {
        return "none".to_owned();
    }
    let keys = bound.keys.iter().map(|key| format!("`{key}`"));
    keys.collect::<Vec<_>>().join(" ")
}

/// A heading and a table for each context.
fn tables() -> String {
    let keymap = Keymap::new(&CONTEXTS, &[LEAVE_KEY.to_owned()], &[]);
    let mut text = String::new();
    for bindings in keymap.contexts() {
        let (title, name) = (bindings.context.title, bindings.context.name);
        write!(text, "\n### {title}\n\nSection `[keys.{name}]`:\n\n").unwrap();
        text.push_str("| Key | Action | Meaning |\n|---|---|---|\n");
        for bound in &bindings.bound {
            let (keys, line) = (keys(bound), bound.binding);
            let help = line.help.replace('|', "\\|");
            writeln!(text, "| {keys} | `{}` | {help} |", line.name).unwrap();
        }
    }
    text.push('\n');
    text
}

#[test]
fn the_manual_lists_every_key() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/help/dashboard.md");
    let chapter = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = chapter
        .split_once(START)
        .expect("the mark where the keys begin");
    let (kept, after) = rest.split_once(END).expect("the mark where the keys end");
    let tables = tables();
    if blesses() {
        std::fs::write(&path, format!("{before}{START}{tables}{END}{after}")).unwrap();
        return;
    }
    assert!(
        kept == tables,
        "BGPROC_BLESS=1 cargo test --lib manual writes the tables anew"
    );
}
