//! A job with its templates expanded.

use std::path::PathBuf;

use super::environment::{Environment, Surroundings};
use super::fault::{Fault, Faults};
use super::job::{Job, Program};
use super::names;
use super::ports::{self, Ports};
use super::ready::Check;
use super::template::{self, Piece};

/// Longest argument or variable that Linux passes to a program (`MAX_ARG_STRLEN`), without the zero at its end.
const MAX_ARGUMENT: usize = 131_071;

/// What of a job depends on the environment.
#[derive(Clone, PartialEq, Debug)]
pub struct Expanded {
    /// What it runs.
    pub program: Program,
    /// Its absolute working directory.
    pub cwd: PathBuf,
    /// What shows that it is ready. The path of a file is absolute; what was put into a pattern is escaped.
    pub check: Option<Check>,
    /// Its address for people.
    pub open: Option<String>,
}

/// The job `name` with all its templates expanded.
pub fn expanded(
    job: &Job,
    name: &str,
    environment: &Environment,
    surroundings: &Surroundings<'_>,
) -> Result<Expanded, Vec<Fault>> {
    let faults = Faults::default();
    let scope = Scope {
        get: &|variable| environment.get(variable),
        ports: surroundings.ports,
        job: name,
    };
    let one = |key: &str, text: Result<String, Vec<String>>| {
        text.unwrap_or_else(|mistakes| {
            report(&faults, job, name, key, mistakes);
            String::new()
        })
    };
    let program = match &job.program {
        Program::Line(line) => Program::Line(line.clone()),
        Program::Argv(argv) => {
            let args = argv.iter().enumerate().map(|(n, arg)| {
                let text = scope.text(arg).and_then(|text| match too_long(&text) {
                    Some(why) => Err(vec![format!("it must be {why}")]),
                    None if n == 0 && text.is_empty() => {
                        Err(vec!["it must be a program, and is empty".to_owned()])
                    }
                    None => Ok(text),
                });
                one(&format!("cmd[{n}]"), text)
            });
            Program::Argv(args.collect())
        }
    };
    let cwd = one("cwd", scope.text(&job.cwd));
    let check = job.ready.as_ref().map(|ready| {
        let key = ready.check.template().map_or("exec", |(key, _)| key);
        match check(&ready.check, job, &scope) {
            Ok(check) => check,
            Err(mistakes) => {
                report(&faults, job, name, &format!("ready.{key}"), mistakes);
                ready.check.clone()
            }
        }
    });
    let open = job.open.as_deref();
    let open = open.map(|open| one("open", scope.text(open)));
    faults.finish()?;
    Ok(Expanded {
        program,
        cwd: names::without_dots(&job.dir.join(cwd)),
        check,
        open: open.filter(|open| !open.is_empty()),
    })
}

fn check(check: &Check, job: &Job, scope: &Scope<'_>) -> Result<Check, Vec<String>> {
    let check = match check {
        Check::Log(text) => Check::Log(scope.pattern(text)?),
        Check::Port(text) => Check::Port(scope.text(text)?),
        Check::Tcp(text) => Check::Tcp(scope.text(text)?),
        Check::Http { url, status } => Check::Http {
            url: scope.text(url)?,
            status: status.clone(),
        },
        Check::File(text) => {
            let path = names::without_dots(&job.dir.join(scope.text(text)?));
            Check::File(path.to_string_lossy().into_owned())
        }
        Check::Exec(_) | Check::Quiet(_) => check.clone(),
    };
    match check.fault() {
        Some(why) => Err(vec![format!("it must be {why}")]),
        None => Ok(check),
    }
}

/// What a template may refer to.
pub(super) struct Scope<'a> {
    /// The value of a variable that is set.
    pub(super) get: &'a dyn Fn(&str) -> Option<&'a str>,
    /// The ports of all jobs.
    pub(super) ports: &'a Ports,
    /// The job whose template it is.
    pub(super) job: &'a str,
}

impl Scope<'_> {
    /// The text of a template, or all that is wrong with it.
    pub(super) fn text(&self, template: &str) -> Result<String, Vec<String>> {
        self.expand(template, |value| value)
    }

    /// The text of a template that is a pattern: values match literally.
    fn pattern(&self, template: &str) -> Result<String, Vec<String>> {
        self.expand(template, |value| regex::escape(&value))
    }

    fn expand(
        &self,
        template: &str,
        value: impl Fn(String) -> String,
    ) -> Result<String, Vec<String>> {
        let pieces = template::parse(template).map_err(|why| vec![why])?;
        let mut mistakes = Vec::new();
        let mut text = String::new();
        for piece in &pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                piece => {
                    let mut inner = String::new();
                    self.piece(piece, &mut inner, &mut mistakes);
                    text.push_str(&value(inner));
                }
            }
        }
        if mistakes.is_empty() {
            Ok(text)
        } else {
            Err(mistakes)
        }
    }

    fn piece(&self, piece: &Piece<'_>, text: &mut String, mistakes: &mut Vec<String>) {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Port(reference) => match ports::port_of(self.ports, self.job, reference) {
                Ok(port) => text.push_str(&port.to_string()),
                Err(why) => mistakes.push(why),
            },
            Piece::Variable(name, default) => match ((self.get)(name), default) {
                (Some(value), None) => text.push_str(value),
                (Some(value), Some(_)) if !value.is_empty() => text.push_str(value),
                (_, Some(default)) => {
                    let pieces = default.iter();
                    pieces.for_each(|piece| self.piece(piece, text, mistakes));
                }
                (None, None) => mistakes.push(format!(
                    "${{{name}}} is not set; set it, or write ${{{name}:-default}}"
                )),
            },
        }
    }
}

/// Reports what is wrong with the template of a key, as one fault.
pub(super) fn report(faults: &Faults, job: &Job, name: &str, key: &str, mistakes: Vec<String>) {
    let why = mistakes.join("; ");
    let message = format!("\"{key}\" in [jobs.{name}]: {why}");
    faults.add(&job.place(key), message);
}

/// What an argument or a variable must be, if it is too long for Linux.
pub(super) fn too_long(text: &str) -> Option<String> {
    (text.len() > MAX_ARGUMENT).then(|| {
        format!(
            "at most {MAX_ARGUMENT} bytes long, which is the limit of the system, not {}; put it into a file",
            text.len()
        )
    })
}
