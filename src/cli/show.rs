//! Output of jobs as it is shown: one job as it is, several behind their names.

use super::context::Context;
use super::exit::Failure;
use super::follow::News;
use super::output::note;
use super::style::Tone;
use super::words;
use crate::protocol::Record;

/// How lines are shown.
pub enum Show {
    /// As they are.
    Alone,
    /// Behind the name of their job, whole lines only.
    Named {
        /// `name | `, in a colour of its own.
        prefix: String,
        /// Its colour.
        tone: Tone,
        /// A line that has not ended yet.
        open: Vec<u8>,
    },
}

impl Show {
    /// Behind a name that is padded to `width`; `number` picks its colour.
    pub fn named(name: &str, width: usize, number: usize) -> Self {
        Self::Named {
            prefix: format!("{name:<width$} | "),
            tone: Tone::Stream(number),
            open: Vec::new(),
        }
    }

    /// Shows a line that is known to be whole.
    pub fn whole_line(&mut self, ctx: &mut Context, text: &str) -> std::io::Result<()> {
        if let Self::Named { prefix, tone, .. } = self {
            let prefix = ctx.out.tint(*tone, prefix);
            ctx.out.bytes(prefix.as_bytes())?;
        }
        ctx.out.line(text)
    }

    /// Shows a piece of output, wherever it begins and ends.
    pub fn bytes(&mut self, ctx: &mut Context, bytes: &[u8]) -> std::io::Result<()> {
        let Self::Named { prefix, tone, open } = self else {
            return ctx.out.bytes(bytes);
        };
        let prefix = ctx.out.tint(*tone, prefix);
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            open.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                ctx.out.bytes(prefix.as_bytes())?;
                ctx.out.bytes(open)?;
                open.clear();
            }
        }
        Ok(())
    }

    /// Shows a last line that never ended.
    pub fn finish(&mut self, ctx: &mut Context) -> std::io::Result<()> {
        match self {
            Self::Named { open, .. } if !open.is_empty() => self.bytes(ctx, b"\n"),
            _ => Ok(()),
        }
    }
}

/// Shows what came, at once.
pub fn news(ctx: &mut Context, news: News, show: &mut Show) -> Result<(), Failure> {
    match news {
        News::Output(bytes) => show.bytes(ctx, &bytes)?,
        News::Gap(bytes) => tell_gap(bytes),
        News::Idle(_) | News::Ended(_) => ctx.out.flush()?,
    }
    Ok(())
}

/// Says that output was dropped before it could be shown.
pub fn tell_gap(bytes: u64) {
    let size = words::bytes(bytes);
    note(&format!("{size} of older output are no longer kept"));
}

/// Columns of the longest name.
pub fn name_width(jobs: &[Record]) -> usize {
    let names = jobs
        .iter()
        .map(|job| words::name(&job.summary).chars().count());
    names.max().unwrap_or(0)
}
