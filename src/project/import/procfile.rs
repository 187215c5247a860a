//! Jobs of a Procfile, with the ports that a Procfile gives them.

use super::sketch::Part;
use super::source::Source;
use super::toml_text::Toml;
use crate::project::Fault;
use crate::project::fault::Faults;
use crate::project::procfile::{self, BASE_PORT, STEP};

pub(super) fn read(source: &Source<'_>) -> Result<Part, Vec<Fault>> {
    let faults = Faults::default();
    let entries = procfile::entries(source.path, source.text.as_bytes(), &faults);
    let warnings = faults.finish()?;
    let mut part = source.part();
    for warning in &warnings {
        part.notes.push(format!(
            "{}, line {}: {}.",
            source.shown, warning.line, warning.message
        ));
    }
    for (at, entry) in entries.iter().enumerate() {
        let mut job = source.job(entry.name, entry.place.line);
        job.set("run", entry.line);
        if let Some(dir) = source.cwd(None) {
            job.set("cwd", dir);
        }
        let port = at.checked_mul(usize::from(STEP));
        let port = port.and_then(|above| u16::try_from(above).ok()?.checked_add(BASE_PORT));
        if let Some(port) = port {
            job.set("port", Toml::Integer(port.into()));
            job.set("port_busy", "next");
        }
        job.set("stop", Toml::table([("grace", "5s".into())]));
        part.jobs.push(job);
    }
    Ok(part)
}
