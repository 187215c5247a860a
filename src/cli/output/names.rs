//! The names of jobs that are shown together.

use std::collections::HashMap;
use std::path::Path;

use unicode_width::UnicodeWidthStr;

use super::words;
use crate::protocol::Record;
use crate::term::sanitize::clean;

/// The name of each job, which is also a target; `shop/web` for a job of a project if another one here has its name.
pub fn together(jobs: &[Record]) -> Vec<String> {
    let bare: Vec<String> = jobs.iter().map(|job| words::name(&job.summary)).collect();
    let mut counts = HashMap::new();
    for name in &bare {
        *counts.entry(name.as_str()).or_insert(0) += 1;
    }
    let name = |(job, bare): (&Record, &String)| match &job.summary.project {
        Some(of) if counts[bare.as_str()] > 1 => format!("{}/{bare}", clean(&of.project.name)),
        _ => bare.clone(),
    };
    jobs.iter().zip(&bare).map(name).collect()
}

/// The names of jobs for a person who is in the directory `around` of a project, if in one: a job of another project is
/// always shown with its project.
pub fn seen_from(around: Option<&Path>, jobs: &[Record]) -> Vec<String> {
    let name = |(job, name): (&Record, String)| match &job.summary.project {
        Some(of) if around.is_some_and(|dir| dir != Path::new(&of.project.dir)) => {
            format!("{}/{}", clean(&of.project.name), words::name(&job.summary))
        }
        _ => name,
    };
    jobs.iter().zip(together(jobs)).map(name).collect()
}

/// The width of the widest name, in columns of a terminal.
pub fn width(names: &[String]) -> usize {
    let widths = names.iter().map(|name| name.width());
    widths.max().unwrap_or(0)
}

/// A name with blanks behind it, so that it is at least `width` columns wide. A format string counts characters.
pub fn padded(name: &str, width: usize) -> String {
    let missing = width.saturating_sub(name.width());
    format!("{name}{}", " ".repeat(missing))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::output::fixture::record;
    use crate::protocol::Status;

    fn of(project: &str, name: &str) -> Record {
        let mut job = record(name, Some(name), Status::Running);
        let role = json!({"name": project, "dir": format!("/srv/{project}"), "job": name,
            "phase": "running", "place": 0, "needs": []});
        job.summary.project = Some(serde_json::from_value(role).unwrap());
        job
    }

    #[test]
    fn a_job_of_another_project_is_shown_with_its_project() {
        let jobs = [of("shop", "web"), of("blog", "queue")];
        let shop = Path::new("/srv/shop");
        assert_eq!(seen_from(Some(shop), &jobs), ["web", "blog/queue"]);
        assert_eq!(seen_from(None, &jobs), ["web", "queue"]);
        let alone = record("job", Some("job"), Status::Running);
        assert_eq!(seen_from(Some(shop), &[alone]), ["job"]);
    }

    #[test]
    fn the_project_is_shown_only_where_a_name_occurs_twice() {
        let alone = record("web", Some("web"), Status::Running);
        let jobs = [
            of("shop", "web"),
            of("blog", "web"),
            of("shop", "db"),
            alone,
        ];
        assert_eq!(together(&jobs), ["shop/web", "blog/web", "db", "web"]);
        assert_eq!(together(&jobs[1..3]), ["web", "db"]);
        assert_eq!(width(&together(&jobs)), 8);
    }

    #[test]
    fn names_are_padded_by_columns() {
        let names = ["日本語", "web"].map(str::to_owned);
        assert_eq!(width(&names), 6);
        assert_eq!(names.map(|name| padded(&name, 7)), ["日本語 ", "web    "]);
        assert_eq!(padded("build", 3), "build");
    }
}
