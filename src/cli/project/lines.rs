//! The lines that say how the jobs of a project are.

use crate::cli::output::style::Tone;
use crate::cli::output::{advised, words};
use crate::protocol::Ending;
use crate::protocol::project::PhaseName;
use crate::protocol::reply::{Fate, PlannedChange, ProjectJob};
use crate::protocol::shell::quote;
use crate::term::sanitize::clean;

/// `~ api (run changed)`.
pub fn planned(change: &PlannedChange) -> String {
    let note = match change.fate {
        Some(Fate::GoesOn) => Some(" is not in the file (--prune stops it)".to_owned()),
        Some(Fate::Stopped) => Some(" is not in the file; it is stopped".to_owned()),
        Some(Fate::ScheduleEnds) => Some(" is not in the file; its schedule ends".to_owned()),
        None => change.note.as_ref().map(|note| format!(" ({note})")),
    };
    let sign = change.change.sign();
    format!(
        "{sign} {}{}",
        clean(&change.job),
        clean(&note.unwrap_or_default())
    )
}

/// `api skipped: needs migrate ok`.
pub fn phase(job: &ProjectJob) -> String {
    let name = clean(&job.job);
    let why = job.why.as_deref().map(clean);
    let next = job
        .next_run
        .map(|next| format!("next {}", words::local(next)));
    let why = match (job.phase, next) {
        (PhaseName::Scheduled, Some(next)) => Some(
            [Some(next), why]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(", "),
        ),
        _ => why,
    };
    match (job.phase, why) {
        // It has no output of a run.
        (PhaseName::Failed, Some(why)) if job.output.is_none() => {
            format!("{name} not started: {why}")
        }
        (phase @ PhaseName::Ready, Some(why)) => format!("{name} {} ({why})", phase.as_str()),
        // Which run of its policy it waits for, unless it counts as one that does not work.
        (phase @ PhaseName::Retrying, Some(why)) if !job.late => {
            format!("{name} {} ({why})", phase.as_str())
        }
        (phase, Some(why)) => format!("{name} {}: {why}", phase.as_str()),
        (phase, None) => format!("{name} {}", phase.as_str()),
    }
}

/// ` (exit 9)`: how a job has ended that has failed.
pub fn how(job: &ProjectJob) -> Option<String> {
    let how = (job.exit_code != Some(0)).then(|| Ending::from(job).known());
    how.flatten().map(|how| format!(" ({how})"))
}

/// The colour of such a line.
pub fn tone(phase: PhaseName) -> Tone {
    match phase {
        PhaseName::Ready | PhaseName::Running | PhaseName::Done => Tone::Good,
        PhaseName::Failed | PhaseName::Skipped => Tone::Bad,
        PhaseName::Retrying | PhaseName::Stopping => Tone::Held,
        PhaseName::Stopped | PhaseName::Scheduled => Tone::Faint,
        PhaseName::Queued | PhaseName::Starting => Tone::Normal,
    }
}

/// `db asks: Password:  (answer: bgproc attach db)`. `project` is its project, if that is not the one of this directory.
pub fn question(job: &ProjectJob, project: Option<&str>) -> Option<String> {
    let asks = clean(job.question.as_deref()?);
    let name = clean(&job.job);
    let target = match project {
        Some(project) => format!("{}/{name}", clean(project)),
        None => name.clone(),
    };
    let answer = advised(&format!("bgproc attach {}", quote(&target)));
    Some(format!("{name} asks: {asks}  (answer: {answer})"))
}

/// The end of the output of a job that has failed, indented.
pub fn output(job: &ProjectJob) -> Vec<String> {
    let text = job.output.as_deref().unwrap_or_default();
    text.lines()
        .map(|line| format!("  | {}", clean(line)))
        .collect()
}

/// `web  http://localhost:3000`, for a job that runs.
pub fn url(job: &ProjectJob) -> Option<String> {
    let runs = matches!(job.phase, PhaseName::Ready | PhaseName::Running);
    let url = job.url.as_ref().filter(|_| runs)?;
    Some(format!("{}  {}", clean(&job.job), clean(url)))
}
