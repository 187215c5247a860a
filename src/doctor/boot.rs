//! Checks whether bgproc starts at boot, if a unit of systemd is to start it.

use std::path::Path;

use super::Finding;
use super::systemd::{self, UNIT};

const SUBJECT: &str = "boot";

/// Without a unit and without systemd there is nothing to say.
pub(super) fn check(var: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let Some(units) = systemd::units(&var) else {
        return Vec::new();
    };
    let file = units.join(UNIT);
    let Ok(text) = std::fs::read_to_string(&file) else {
        let path = var("PATH").unwrap_or_default();
        let can = systemd::on_path("systemctl", &path).is_some();
        let text = "bgproc is not started at boot; bgproc daemon install does that";
        return can
            .then(|| Finding::ok(SUBJECT, text))
            .into_iter()
            .collect();
    };
    let lingers = systemd::lingers(&var("USER").unwrap_or_default());
    let mut found = vec![unit(&units, &text)];
    if lingers == Some(false) {
        let text = "bgproc starts when you log in, and jobs end with your last logout";
        found.push(
            Finding::warning(SUBJECT, text)
                .advise("run loginctl enable-linger, to start it at boot"),
        );
    }
    found
}

/// Checks what the unit starts, and whether it is enabled.
fn unit(units: &Path, text: &str) -> Finding {
    let again = "run bgproc daemon install again";
    let Some(program) = systemd::program(text) else {
        return Finding::problem(SUBJECT, format!("{UNIT} starts no program")).advise(again);
    };
    let place = program.display();
    if !program.is_file() {
        let text = format!("{UNIT} starts {place}, which does not exist");
        return Finding::problem(SUBJECT, text).advise(again);
    }
    if !systemd::enabled_link(units).is_symlink() {
        return Finding::warning(SUBJECT, format!("{UNIT} is not enabled")).advise(again);
    }
    Finding::ok(SUBJECT, format!("{UNIT} starts {place}"))
}
