//! Shows the states of jobs as they come: on a terminal as one block that is drawn again, else a line for each
//! change.

use std::collections::BTreeMap;

use super::lines;
use crate::cli::exit::Failure;
use crate::cli::output::style::Tone;
use crate::cli::output::{Kind, Output, Sink, table};
use crate::protocol::project::PhaseName;
use crate::protocol::reply::ProjectJob;

/// Most lines of the block. More jobs than that scroll, a line for each change.
const MOST: usize = 30;

/// Moves the cursor up and clears from there (ECMA-48 CPL and ED).
fn back(lines: usize) -> String {
    format!("\x1b[{lines}F\x1b[J")
}

/// What has been shown.
pub struct Block {
    /// Whether the block is drawn again; else lines are added.
    is_live: bool,
    /// Lines of the block on the screen.
    drawn: usize,
    phases: BTreeMap<String, (PhaseName, Option<String>)>,
    questions: BTreeMap<String, String>,
    /// The project of the jobs, if that is not the one of this directory.
    project: Option<String>,
}

impl Block {
    /// Nothing has been shown yet.
    pub fn new(out: &Output, jobs: usize, project: Option<String>) -> Self {
        Self {
            is_live: out.terminal(Sink::Out) == Kind::Obeys && jobs <= MOST,
            drawn: 0,
            phases: BTreeMap::new(),
            questions: BTreeMap::new(),
            project,
        }
    }

    /// Shows how jobs are.
    pub fn show(&mut self, out: &mut Output, jobs: &[&ProjectJob]) -> Result<(), Failure> {
        if self.is_live {
            self.draw(out, jobs)?
        } else {
            self.add(out, jobs)?
        }
        out.flush()
    }

    fn draw(&mut self, out: &mut Output, jobs: &[&ProjectJob]) -> Result<(), Failure> {
        // The window may have another size than for the drawing before.
        let size = out.size();
        let width = size.map(|size| usize::from(size.cols())).or(out.width);
        let width = width.unwrap_or(80).saturating_sub(1);
        // The cursor does not go back above the top of the window, and stands below the block. The top row is left out:
        // tmux keeps what is cleared from there on in its history.
        let rows = size.map_or(u16::MAX, |size| size.rows());
        let height = usize::from(rows.saturating_sub(2).max(1));
        let mut text = String::new();
        if self.drawn > 0 {
            text.push_str(&back(self.drawn.min(height)));
        }
        // A line that wraps would be one more than `back` clears.
        let project = self.project.as_deref();
        let described = |job: &&ProjectJob| (job.phase, described(job, project, width));
        let lines = jobs.iter().map(described);
        let lines = fitting(lines.collect(), height);
        self.drawn = lines.len();
        for (line, tone) in lines {
            text.push_str(&out.tint(tone, &line));
            text.push('\n');
        }
        out.bytes(text.as_bytes())
    }

    fn add(&mut self, out: &mut Output, jobs: &[&ProjectJob]) -> Result<(), Failure> {
        for job in jobs {
            let now = (job.phase, job.why.clone());
            if self.phases.get(&job.job) != Some(&now) {
                self.phases.insert(job.job.clone(), now);
                let line = out.tint(lines::tone(job.phase), &lines::phase(job));
                out.line(&line)?;
            }
            if let (Some(line), Some(question)) =
                (lines::question(job, self.project.as_deref()), &job.question)
                && self.questions.get(&job.job) != Some(question)
            {
                self.questions.insert(job.job.clone(), question.clone());
                out.line(&line)?;
            }
        }
        Ok(())
    }
}

/// The lines of the jobs that fit into `height`, in their order, and one that counts the others. Jobs that run or are
/// done as they should be give way.
fn fitting(jobs: Vec<(PhaseName, Vec<(String, Tone)>)>, height: usize) -> Vec<(String, Tone)> {
    if jobs.iter().map(|(_, lines)| lines.len()).sum::<usize>() <= height {
        return jobs.into_iter().flat_map(|(_, lines)| lines).collect();
    }
    let is_well = |phase: PhaseName| {
        use PhaseName::{Done, Ready, Running, Scheduled};
        matches!(phase, Running | Ready | Done | Scheduled)
    };
    let count = jobs.len();
    let mut ranked: Vec<_> = jobs.into_iter().enumerate().collect();
    ranked.sort_by_key(|(at, (phase, _))| (is_well(*phase), *at));
    let mut rows = 1;
    let fits = |(_, (_, lines)): &(usize, (PhaseName, Vec<_>))| {
        rows += lines.len();
        rows <= height
    };
    let mut shown: Vec<_> = ranked.into_iter().take_while(fits).collect();
    shown.sort_by_key(|(at, _)| *at);
    let left = count - shown.len();
    let shown = shown.into_iter().flat_map(|(_, (_, lines))| lines);
    let mut lines: Vec<_> = shown.collect();
    lines.push((format!("… and {left} more"), Tone::Faint));
    lines
}

/// The lines of a job, cut to `width` columns.
fn described(job: &ProjectJob, project: Option<&str>, width: usize) -> Vec<(String, Tone)> {
    let cut = |line: String| table::end(&line, width);
    let mut found = vec![(cut(lines::phase(job)), lines::tone(job.phase))];
    found.extend(lines::question(job, project).map(|line| (cut(line), Tone::Wants)));
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn a_block_is_no_higher_than_the_window() {
        let job = |at: usize| {
            let phase = if at == 18 {
                PhaseName::Failed
            } else {
                PhaseName::Ready
            };
            (phase, vec![(format!("job {at}"), Tone::Normal)])
        };
        for height in [1, 2, 5, 20, 40] {
            let lines = fitting((0..20).map(job).collect(), height);
            assert_eq!(lines.len(), height.min(20));
            let has_failed = lines.iter().any(|(line, _)| line == "job 18");
            assert_eq!(has_failed, height > 1, "{height}: {lines:?}");
        }
        let lines = fitting((0..20).map(job).collect(), 3);
        let lines: Vec<&str> = lines.iter().map(|(line, _)| line.as_str()).collect();
        assert_eq!(lines, ["job 0", "job 18", "… and 18 more"]);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let job = json!({"job": "web", "phase": "failed", "why": "日本語の長い理由", "wanted": true,
            "question": "パスワード"});
        let job: ProjectJob = serde_json::from_value(job).unwrap();
        for width in 0..60 {
            let lines = described(&job, Some("shop"), width);
            assert_eq!(lines.len(), 2);
            let fits = |(line, _): &(String, Tone)| line.width() <= width;
            assert!(lines.iter().all(fits), "{width}: {lines:?}");
        }
    }
}
