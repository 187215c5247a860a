//! What files of foreman and overmind beside a Procfile say: bgproc does not read them, so they are named with the
//! options that do the same.

use std::path::Path;

use super::dotenv::{Pair, Piece};
use super::env_file::Reader;
use super::fault::{Fault, Faults};
use super::files::{FileKind, Files};
use super::job::EnvFile;
use super::place::Place;
use super::procfile::ProcfileOptions;
use super::variables;

/// Variables for overmind itself and for its processes.
const OVERMIND: &str = ".overmind.env";

/// Default options of foreman, as YAML.
const FOREMAN: &str = ".foreman";

/// How variables for overmind itself begin.
const OWN: &str = "OVERMIND_";

/// Longest `.foreman`, in bytes.
const MAX_FOREMAN: u64 = 64 << 10;

/// Warns of what these files say about a Procfile, unless the options say it.
pub(super) fn warn(files: &dyn Files, procfile: &Path, options: &ProcfileOptions, faults: &Faults) {
    let place = Place::of_file(procfile);
    // What is wrong with `.env` is reported when it is read for the jobs.
    let unseen = Faults::default();
    let read = |file: &EnvFile| Reader::new(files).read(file, place.dir(), &unseen);
    let overmind = EnvFile {
        path: place.dir().join(OVERMIND),
        may_be_missing: true,
        written: place.clone(),
    };
    let pairs = read(&overmind);
    let mut said = settings(&pairs, options);
    if pairs.iter().any(|pair| !pair.name.starts_with(OWN)) {
        said.push("variables of the processes belong into .env".to_owned());
    }
    let report = |path: &Path, message: &str, said: &[String]| {
        if !said.is_empty() {
            let message = format!("{message}; {}", said.join("; "));
            faults.warn(Fault::of_file(path, message));
        }
    };
    report(&overmind.path, "is not read", &said);
    let usual = variables::usual_file(procfile);
    let said = settings(&read(&usual), options);
    report(&usual.path, "what is for overmind has no effect", &said);
    let path = place.dir().join(FOREMAN);
    let said = of_foreman(files, &path, options);
    report(&path, "is not read", &said);
}

/// What variables for overmind are here.
fn settings(pairs: &[Pair], options: &ProcfileOptions) -> Vec<String> {
    let told = pairs.iter().filter_map(|pair| {
        let value = match pair.value.as_slice() {
            [Piece::Text(text)] => text,
            _ => "",
        };
        match pair.name.strip_prefix(OWN)? {
            "FORMATION" => formation(&pair.name, value, options),
            "PORT" => port(&pair.name, value, options),
            _ => None,
        }
    });
    told.collect()
}

fn of_foreman(files: &dyn Files, path: &Path, options: &ProcfileOptions) -> Vec<String> {
    let is_file = matches!(files.look(path), Ok(Some(look)) if look.kind == FileKind::File);
    let content = is_file.then(|| files.read(path, MAX_FOREMAN).ok());
    let content = content.flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&content);
    let told = text.lines().filter_map(|line| {
        let (key, value) = line.split_once(':')?;
        let value = value.trim().trim_matches(['"', '\'']);
        match key {
            "formation" | "concurrency" => formation(key, value, options),
            "port" => port(key, value, options),
            _ => None,
        }
    });
    told.collect()
}

/// The numbers of instances.
fn formation(name: &str, value: &str, options: &ProcfileOptions) -> Option<String> {
    let is_valid = ProcfileOptions::parse_formation(value).is_ok();
    let value = if is_valid { value } else { "NAME=N" };
    let is_said = !options.formation.is_empty();
    (!is_said).then(|| format!("instead of {name}: bgproc up -m {value}"))
}

/// The base port.
fn port(name: &str, value: &str, options: &ProcfileOptions) -> Option<String> {
    let value = if value.parse::<u16>().is_ok() {
        value
    } else {
        "N"
    };
    let is_said = options.port.is_some();
    (!is_said).then(|| format!("instead of {name}: bgproc up --port {value}"))
}
