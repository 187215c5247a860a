//! The line printed on the normal screen after the view closes: which jobs keep running, and how to
//! return.

use super::model::job::Job;
use super::model::{Attached, Model};
use super::shell;

/// Maximum number of names listed; the rest is counted.
const NAMED: usize = 3;

/// The text; `None` if all jobs have ended.
pub fn farewell(model: &Model) -> Option<String> {
    if let Attached::Yes(id) = &model.attached {
        let job = model.job(id)?;
        let name = &job.name;
        return Some(if job.is_going() {
            // Its command is no name of it, and some names do not identify it.
            let back = shell::Verb::Attach.on(&shell::name(model, id));
            format!("{name} keeps running. Back: {back}")
        } else {
            format!("{name} has ended ({}).", job.word())
        });
    }
    let alive = model.alive().len();
    if alive == 0 {
        return None;
    }
    let far = model
        .jobs
        .iter()
        .filter(|job| job.is_going() && job.host().is_some());
    let far = far.count();
    let waiting: Vec<&Job> = model
        .jobs
        .iter()
        .filter(|job| job.state().needs_input())
        .collect();
    let mut text = match (model.alive_counts().with_waiting(), alive) {
        (Some(words), 1) => format!("1 job stays: {words}"),
        (Some(words), n) => format!("{n} jobs stay: {words}"),
        (None, 1) => "1 job keeps running".to_owned(),
        (None, n) => format!("{n} jobs keep running"),
    };
    if !waiting.is_empty() {
        let names: Vec<&str> = waiting
            .iter()
            .take(NAMED)
            .map(|job| job.name.as_str())
            .collect();
        let verb = if waiting.len() == 1 { "needs" } else { "need" };
        let more = if waiting.len() > NAMED { ", …" } else { "" };
        text.push_str(&format!(
            " ({} {verb} input: {}{more})",
            waiting.len(),
            names.join(", ")
        ));
    }
    // The command stops the jobs of this machine only.
    let stop = shell::Verb::StopAll.on("");
    text.push_str(&match far {
        0 => format!(". Back: bgproc   Stop all: {stop}"),
        n if n == alive => ", on other hosts. Back: bgproc".to_owned(),
        n => format!(", {n} of them on other hosts. Back: bgproc   Stop all here: {stop}"),
    });
    Some(text)
}
