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
}

impl Block {
    /// Nothing has been shown yet.
    pub fn new(out: &Output, jobs: usize) -> Self {
        Self {
            is_live: out.terminal(Sink::Out) == Kind::Obeys && jobs <= MOST,
            drawn: 0,
            phases: BTreeMap::new(),
            questions: BTreeMap::new(),
        }
    }

    /// Shows how jobs are.
    pub fn show(&mut self, out: &mut Output, jobs: &[&ProjectJob]) -> Result<(), Failure> {
        match self.is_live {
            true => self.draw(out, jobs)?,
            false => self.add(out, jobs)?,
        }
        out.flush()
    }

    fn draw(&mut self, out: &mut Output, jobs: &[&ProjectJob]) -> Result<(), Failure> {
        let width = out.width.unwrap_or(80).saturating_sub(1);
        let mut text = String::new();
        if self.drawn > 0 {
            text.push_str(&back(self.drawn));
        }
        self.drawn = 0;
        for job in jobs {
            // A line that wraps would be one more than `back` clears.
            for (line, tone) in described(job, width) {
                text.push_str(&out.tint(tone, &line));
                text.push('\n');
                self.drawn += 1;
            }
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
            if let (Some(line), Some(question)) = (lines::question(job), &job.question)
                && self.questions.get(&job.job) != Some(question)
            {
                self.questions.insert(job.job.clone(), question.clone());
                out.line(&line)?;
            }
        }
        Ok(())
    }
}

/// The lines of a job, cut to `width` columns.
fn described(job: &ProjectJob, width: usize) -> Vec<(String, Tone)> {
    let cut = |line: String| table::end(&line, width);
    let mut found = vec![(cut(lines::phase(job)), lines::tone(job.phase))];
    found.extend(lines::question(job).map(|line| (cut(line), Tone::Wants)));
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let job = json!({"job": "web", "phase": "failed", "why": "日本語の長い理由", "wanted": true,
            "question": "パスワード"});
        let job: ProjectJob = serde_json::from_value(job).unwrap();
        for width in 0..60 {
            let lines = described(&job, width);
            assert_eq!(lines.len(), 2);
            let fits = |(line, _): &(String, Tone)| line.width() <= width;
            assert!(lines.iter().all(fits), "{width}: {lines:?}");
        }
    }
}
