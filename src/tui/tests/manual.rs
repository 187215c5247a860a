//! The keys in the README are those of the table.

use std::fmt::Write;
use std::path::PathBuf;

use crate::tui::keymap::{Bound, Keymap, LEAVE_KEY, Place};

const START: &str = "<!-- keys: written by `BGPROC_BLESS=1 cargo test --lib readme` -->\n";
const END: &str = "<!-- /keys -->\n";

/// A line's keys.
fn keys(bound: &Bound) -> String {
    if bound.shown() == "1..9" {
        return "`1`–`9`".to_owned();
    }
    let keys = bound.keys.iter().map(|key| format!("`{key}`"));
    keys.collect::<Vec<_>>().join(" ")
}

/// The table, a part a place; NORMAL is open, the others unfold.
fn tables() -> String {
    let keymap = Keymap::standard(&[LEAVE_KEY.to_owned()]);
    let mut text = String::new();
    for place in Place::ALL {
        let (title, name) = (place.title(), place.name());
        let open = if place == Place::Normal { " open" } else { "" };
        write!(
            text,
            "\n<details{open}>\n<summary>{title} (<code>[keys.{name}]</code>)</summary>\n\n"
        )
        .unwrap();
        text.push_str("| key | action | what it does |\n|---|---|---|\n");
        for bound in keymap.lines().filter(|bound| bound.binding.place == place) {
            let (keys, line) = (keys(bound), bound.binding);
            writeln!(
                text,
                "| {keys} | `{}` | {} |",
                line.name,
                line.help.replace('|', "\\|")
            )
            .unwrap();
        }
        text.push_str("\n</details>\n");
    }
    text.push('\n');
    text
}

#[test]
fn the_readme_has_every_key() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme
        .split_once(START)
        .expect("the mark where the keys begin");
    let (kept, after) = rest.split_once(END).expect("the mark where the keys end");
    let tables = tables();
    if std::env::var_os("BGPROC_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, format!("{before}{START}{tables}{END}{after}")).unwrap();
        return;
    }
    assert!(
        kept == tables,
        "BGPROC_BLESS=1 cargo test --lib readme writes them anew"
    );
}
