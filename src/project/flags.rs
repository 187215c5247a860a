//! Reads the keys of a job with simple values.

use super::job::{Job, Per, PortBusy};
use super::names;
use super::node::Value;
use super::section::Section;
use crate::protocol::Notice;
use crate::protocol::bounds;

/// The keys with simple values.
pub(super) fn read(section: &Section<'_>, job: &mut Job) {
    let busy = [("fail", PortBusy::Fail), ("next", PortBusy::Next)];
    job.port_busy = section.word("port_busy", &busy).unwrap_or_default();
    let per = [("checkout", Per::Checkout), ("repo", Per::Repo)];
    job.per = section.word("per", &per).unwrap_or_default();
    job.autostart = section.boolean("autostart").unwrap_or(true);
    job.confirm = section.boolean("confirm").unwrap_or_default();
    job.pty = section.boolean("pty").unwrap_or(true);
    job.description = section.filled("description").map(|text| text.text);
    if let Some(text) = section
        .text_as("timeout", "a duration such as \"10s\", or \"none\"")
        .filter(|text| text.text != "none")
    {
        job.timeout_ms = section.duration_of(&text, "timeout").unwrap_or_default();
    }
    if let Some(text) = section.text_as("size", "columns and rows such as \"120x40\"") {
        match size(&text.text) {
            Some((cols, rows)) => (job.cols, job.rows) = (cols, rows),
            None => {
                let must = format!("columns and rows such as \"120x40\", not {:?}", text.text);
                section.wrong(&text.place, "size", &must);
            }
        }
    }
    for tag in section.texts("tags").unwrap_or_default() {
        if !names::is_valid(&tag.text) {
            let must = format!(
                "a list of tags, and {:?} is none; {}",
                tag.text,
                names::RULE
            );
            section.wrong(&tag.place, "tags", &must);
        } else if !job.tags.contains(&tag.text) {
            job.tags.push(tag.text);
        }
    }
    let events = [
        ("failed", Notice::Failed),
        ("ready", Notice::Ready),
        ("input", Notice::Input),
        ("done", Notice::Done),
    ];
    for event in section.texts("notify").unwrap_or_default() {
        let event = section.word_of(&event, "notify", &events);
        job.notify
            .extend(event.filter(|event| !job.notify.contains(event)));
    }
    ok_codes(section, job);
}

fn ok_codes(section: &Section<'_>, job: &mut Job) {
    let Some(node) = section.get("ok_codes") else {
        return;
    };
    match &node.value {
        Value::Array(items) if !items.is_empty() => {
            let codes = items
                .iter()
                .filter_map(|item| section.number_of(item, "ok_codes", 0..=255));
            job.ok_codes = codes.filter_map(|code| i32::try_from(code).ok()).collect();
        }
        _ => section.wrong(&node.place, "ok_codes", "a list of exit codes: [0]"),
    }
}

/// `120x40`.
fn size(text: &str) -> Option<(u16, u16)> {
    let (cols, rows) = text.split_once('x')?;
    let side = |text: &str| {
        let side = text.parse::<u16>().ok()?;
        (bounds::LEAST_SIDE..=bounds::MAX_SIDE)
            .contains(&side)
            .then_some(side)
    };
    Some((side(cols)?, side(rows)?))
}
