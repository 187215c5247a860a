//! Says that the connection to a host is cut while a command waits for jobs there: otherwise a quiet job and a dead
//! connection look the same.

use std::collections::BTreeSet;

use crate::cli::beside;
use crate::cli::logs::told::Told;
use crate::cli::output::note;
use crate::protocol::{Event, EventKind, Record};
use crate::term::sanitize::clean;

/// Says so from now on, until this process ends. Starts a thread for that, if any of the jobs is on another host.
pub(in crate::cli) fn tell<'a>(jobs: impl IntoIterator<Item = &'a Record>) {
    let hosts = jobs
        .into_iter()
        .filter_map(|job| job.summary.session_id.host());
    let hosts: BTreeSet<String> = hosts.map(str::to_owned).collect();
    if hosts.is_empty() {
        return;
    }
    // Without the thread nothing is said, and the command waits all the same.
    let _ = beside::start(move || {
        let Ok(mut told) = Told::of(&[EventKind::HostDown]) else {
            return;
        };
        while let Ok(event) = told.next() {
            let cut = event.filter(|event| {
                let host = event.host.as_deref();
                host.is_some_and(|host| hosts.contains(host))
            });
            if let Some(event) = cut {
                note(&said(&event));
            }
        }
    });
}

/// What has happened to the host of an event.
fn said(event: &Event) -> String {
    let host = clean(event.host.as_deref().unwrap_or_default());
    match event.data["error"]["message"].as_str() {
        Some(why) => format!("{}; trying again", clean(why)),
        None => format!("host {host} is disconnected; bgproc hosts login {host} connects it"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cut_and_a_disconnected_host_are_told() {
        let event = |error| Event {
            host: Some("gpu1".into()),
            data: json!({ "host": "gpu1", "error": error }),
            ..Event::of(EventKind::HostDown)
        };
        assert_eq!(
            said(&event(
                json!({ "message": "host gpu1 cannot be reached: Connection refused" })
            )),
            "host gpu1 cannot be reached: Connection refused; trying again"
        );
        assert_eq!(
            said(&event(json!(null))),
            "host gpu1 is disconnected; bgproc hosts login gpu1 connects it"
        );
    }
}
