//! Shows the output of jobs: live or as final lines, of one job or of several with their names as prefixes.

use std::collections::VecDeque;

use serde_json::Value;

use super::follow::{End, News, Piece};
use super::lane::Lane;
use super::origins::Origins;
use super::place::{self, Place};
use super::sieve::{Kept, Sieve};
use super::typed::{self, Typed};
use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::cli::output::style::Tone;
use crate::cli::output::{Sink, names, note, words};
use crate::protocol::reply::LogLine;
use crate::protocol::{Ending, Mode, Record, SessionId, Status, Timestamp};
use crate::term::bidi;
use crate::term::plain::Checkpoint;
use crate::term::plain::reader::Shown;

/// How output is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum How {
    /// As lines, each in its final state.
    #[default]
    Lines,
    /// Live: on a terminal as the job writes it, elsewhere as lines, each when it is complete.
    Live,
    /// Live, like a program in a pipeline: the output of a job without a terminal is passed on as bytes.
    Filter,
    /// The exact bytes.
    Raw,
}

/// What is shown beside the lines of a job, and which of its lines. Anything of it is only known for whole lines.
#[derive(Default)]
pub(crate) struct Detail {
    /// Whether each line starts with its time.
    pub(crate) times: bool,
    /// The typed input to show between the lines.
    pub(crate) typed: Option<Typed>,
    /// Whether input from before the first line is skipped.
    pub(crate) skips_typed: bool,
    /// Which lines are shown, without colours of their own; all of them without it.
    pub(crate) sieve: Option<Sieve>,
}

/// The name of one of several jobs, before each of its lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    pub(crate) text: &'a str,
    /// The columns for it.
    pub(crate) width: usize,
    /// Picks its colour.
    pub(crate) number: usize,
}

impl Detail {
    fn is_empty(&self) -> bool {
        !self.times && self.typed.is_none() && self.sieve.is_none()
    }
}

/// How the pieces of output become what is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    /// Each piece is passed on, all of them to standard output.
    Whole,
    /// Each piece is passed on, to standard output or standard error as the job wrote it.
    Split,
    /// Lines are shown one by one, with what is known of each.
    Lines,
}

/// Shows the output of one job.
pub struct Show {
    id: SessionId,
    /// The job's name, for messages.
    name: String,
    /// `name | `, written before each line.
    prefix: String,
    /// The standard output and standard error of the job.
    lanes: [Lane; 2],
    flow: Flow,
    /// Whether each line is printed as a JSON object.
    json: bool,
    /// The position of the next piece of output.
    place: Place,
    job: Record,
    origins: Origins,
    detail: Detail,
    /// The beginning of a line that arrives in pieces.
    begun: Option<LogLine>,
    /// Whether the next run that begins is the one that was asked for.
    awaits_run: bool,
    /// With [`Show::hold`], the lines that are ready to be printed.
    held: Option<VecDeque<Ready>>,
}

/// A line as it is printed.
struct Ready {
    /// When it was written, if that is known.
    at: Option<Timestamp>,
    form: Form,
}

enum Form {
    Text(String),
    Json(Value),
}

impl Show {
    /// Shows a job from a position in its output. With `plain`, escape sequences are removed. With a name or any
    /// detail, whole lines are written, all of them to standard output.
    pub(crate) fn new(
        ctx: &Context,
        job: &Record,
        place: Place,
        (how, plain): (How, bool),
        name: Option<Name<'_>>,
        detail: Detail,
    ) -> Self {
        let json = ctx.json && how != How::Raw;
        let flow = match (how, job.summary.mode) {
            (How::Raw, _) => Flow::Whole,
            _ if json || name.is_some() || !detail.is_empty() => Flow::Lines,
            (_, Mode::Pipe) => Flow::Split,
            (_, Mode::Pty) => Flow::Whole,
        };
        // A pattern is looked for in the text, and what it finds has a colour then.
        let plain = plain || json || detail.sieve.is_some();
        let layout = place::layout(job);
        let at = place.checkpoint(job);
        let lane = |sink| match flow {
            Flow::Lines => Lane::of_lines(&ctx.out, layout, at, how, plain),
            Flow::Whole | Flow::Split => Lane::new(&ctx.out, sink, layout, at, how, plain),
        };
        let prefix = |name: Name<'_>| {
            let padded = format!("{} | ", names::padded(name.text, name.width));
            ctx.out.tint(Tone::Stream(name.number), &padded)
        };
        Self {
            id: job.summary.session_id.clone(),
            name: name.map_or_else(|| words::name(&job.summary), |name| name.text.to_owned()),
            prefix: name.map(prefix).unwrap_or_default(),
            lanes: [lane(Sink::Out), lane(Sink::Err)],
            flow,
            json,
            place,
            job: job.clone(),
            origins: Origins::default(),
            detail,
            begun: None,
            awaits_run: false,
            held: None,
        }
    }

    /// Tells nothing of the next restart: that run is the one that was asked for.
    #[must_use]
    pub(crate) fn before_a_run(mut self) -> Self {
        self.awaits_run = true;
        self
    }

    /// The job's name, for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether any line that was looked for has been found; `None` if none was looked for.
    pub(crate) fn has_found(&self) -> Option<bool> {
        self.detail.sieve.as_ref().map(Sieve::has_found)
    }

    /// Keeps lines until [`Show::print_next`], so that those of several jobs can be printed in order.
    pub(crate) fn hold(&mut self) {
        self.held = Some(VecDeque::new());
    }

    /// Prints the following lines at once. All that were held have been printed.
    pub(crate) fn hold_no_more(&mut self) {
        self.held = None;
    }

    /// When the next held line was written; an unknown time comes before all others. `None`: no line is held.
    pub(crate) fn next_at(&self) -> Option<Option<Timestamp>> {
        self.held.as_ref()?.front().map(|next| next.at)
    }

    /// Prints the next held line.
    pub(crate) fn print_next(&mut self, ctx: &mut Context) -> Result<(), Failure> {
        match self.held.as_mut().and_then(VecDeque::pop_front) {
            Some(next) => next.print(ctx),
            None => Ok(()),
        }
    }

    /// Shows one piece of news at once.
    pub fn news(&mut self, ctx: &mut Context, news: News) -> Result<(), Failure> {
        match news {
            News::Output(piece) => {
                self.output(ctx, &piece)?;
                // Where each answer takes long, a job may have written more before the next one, without end.
                ctx.out.flush()?;
            }
            News::Gap(bytes) => self.gap(ctx, bytes)?,
            News::Restarted(run) => self.restarted(ctx, run)?,
            News::Idle(_) | News::Ended(_) => {
                self.release(ctx)?;
                ctx.out.flush()?;
            }
        }
        Ok(())
    }

    /// Shows a piece of output, wherever it begins and ends.
    pub fn output(&mut self, ctx: &mut Context, piece: &Piece) -> Result<(), Failure> {
        self.place.offset = piece.offset + piece.bytes.len() as u64;
        match self.flow {
            Flow::Whole => self.feed(ctx, 0, &piece.bytes),
            Flow::Split => {
                self.origins.extend(&piece.origins);
                for (stderr, range) in self.origins.streams(piece.offset, piece.bytes.len()) {
                    self.feed(ctx, usize::from(stderr), &piece.bytes[range])?;
                }
                Ok(())
            }
            Flow::Lines => {
                self.origins.extend(&piece.origins);
                let mut lines = Vec::new();
                self.lanes[0].lines(&piece.bytes, &mut |line| lines.push(owned(line)));
                self.detailed(ctx, lines)
            }
        }
    }

    /// Ends the line that is shown: what follows it is no longer kept, and what is kept next belongs to another line.
    fn gap(&mut self, ctx: &mut Context, bytes: u64) -> Result<(), Failure> {
        self.place.offset += bytes;
        self.cut(ctx)?;
        tell_gap(bytes);
        Ok(())
    }

    /// Shows the rest, because the job has ended. It may run again.
    pub fn pause(&mut self, ctx: &mut Context) -> Result<(), Failure> {
        self.cut(ctx)?;
        if self.flow == Flow::Lines {
            self.typed_before(ctx, None)?;
            self.release(ctx)?;
        }
        ctx.out.flush()
    }

    /// Shows the typed input from before a line; without one, the rest.
    fn typed_before(&mut self, ctx: &mut Context, line: Option<&LogLine>) -> Result<(), Failure> {
        let next = |show: &mut Self| show.detail.typed.as_mut()?.before(line);
        while let Some(input) = next(self) {
            self.print_typed(ctx, &input)?;
        }
        Ok(())
    }

    /// Ends the line that is shown.
    fn cut(&mut self, ctx: &mut Context) -> Result<(), Failure> {
        let at = self.place.checkpoint(&self.job);
        if self.flow == Flow::Lines {
            let mut lines = Vec::new();
            self.lanes[0].cut_lines(at, &mut |line| lines.push(owned(line)));
            self.detailed(ctx, lines)?;
            if let Some(begun) = self.begun.take() {
                self.line(ctx, begun)?;
            }
        } else {
            self.end_lines(ctx, at)?
        }
        ctx.out.flush()
    }

    fn end_lines(&mut self, ctx: &mut Context, at: Checkpoint) -> Result<(), Failure> {
        for lane in &mut self.lanes {
            let mut out = Vec::new();
            lane.end_run(at, &self.prefix, &mut out);
            lane.write(ctx, &out)?;
        }
        Ok(())
    }

    /// Ends the run that is shown; the following output belongs to run `run`.
    pub fn restarted(&mut self, ctx: &mut Context, run: u32) -> Result<(), Failure> {
        let at = self.place.checkpoint(&self.job);
        if self.flow != Flow::Lines {
            self.end_lines(ctx, at)?;
        }
        ctx.out.flush()?;
        // The first run is no restart.
        if !std::mem::take(&mut self.awaits_run) && run > 1 {
            tell_restart(&self.name, run);
        }
        Ok(())
    }

    /// Shows the rest when the output has ended.
    pub fn finish(&mut self, ctx: &mut Context) -> Result<(), Failure> {
        if self.flow == Flow::Lines {
            let mut lines = Vec::new();
            self.lanes[0].last_lines(&mut |line| lines.push(owned(line)));
            self.detailed(ctx, lines)?;
            self.typed_before(ctx, None)?;
            self.release(ctx)?;
            return ctx.out.flush();
        }
        for lane in &mut self.lanes {
            let mut out = Vec::new();
            lane.finish(&self.prefix, &mut out);
            lane.write(ctx, &out)?;
        }
        ctx.out.flush()
    }

    fn feed(&mut self, ctx: &mut Context, lane: usize, bytes: &[u8]) -> Result<(), Failure> {
        let mut out = Vec::with_capacity(bytes.len());
        let lane = &mut self.lanes[lane];
        lane.feed(bytes, &self.prefix, &mut out);
        lane.write(ctx, &out)
    }

    /// Shows lines with their origins, and the typed input between them.
    fn detailed(&mut self, ctx: &mut Context, lines: Vec<LogLine>) -> Result<(), Failure> {
        for mut line in lines {
            let goes_on = std::mem::take(&mut line.goes_on);
            let line = match self.begun.take() {
                Some(mut begun) => {
                    begun.text.push_str(&line.text);
                    begun
                }
                None => line,
            };
            if goes_on {
                self.begun = Some(line);
                continue;
            }
            self.line(ctx, line)?;
        }
        Ok(())
    }

    fn line(&mut self, ctx: &mut Context, mut line: LogLine) -> Result<(), Failure> {
        if let Some(origin) = line
            .offset
            .take()
            .and_then(|offset| self.origins.of(offset))
        {
            line.at = Some(origin.at);
            line.stream = if origin.stderr { "stderr" } else { "stdout" }.to_owned();
        }
        if let Some(typed) = &mut self.detail.typed
            && std::mem::take(&mut self.detail.skips_typed)
        {
            typed.skip_to(&line);
        }
        self.typed_before(ctx, Some(&line))?;
        match &mut self.detail.sieve {
            Some(sieve) => {
                let kept = sieve.take(line);
                self.print_kept(ctx, kept)
            }
            None => self.print(ctx, &line, &line.text, None),
        }
    }

    /// Shows the newest matches when everything that is there has been read.
    pub(crate) fn release(&mut self, ctx: &mut Context) -> Result<(), Failure> {
        let held = self.detail.sieve.as_mut().map(Sieve::release);
        self.print_kept(ctx, held.unwrap_or_default())
    }

    fn print_kept(&mut self, ctx: &mut Context, kept: Vec<Kept>) -> Result<(), Failure> {
        for Kept {
            line,
            is_match,
            has_gap,
            ..
        } in kept
        {
            if has_gap && !self.json {
                let gap = Form::Text(format!("{}--", self.prefix));
                self.put(ctx, line.at, gap)?;
            }
            let text = match &self.detail.sieve {
                Some(sieve) if is_match && !self.json => sieve.marked(&ctx.out, &line.text),
                _ => line.text.clone(),
            };
            self.print(ctx, &line, &text, Some(is_match))?;
        }
        Ok(())
    }

    fn print_typed(&mut self, ctx: &mut Context, input: &LogLine) -> Result<(), Failure> {
        let text = typed::shown(input);
        let is_meant = |sieve: &Sieve| sieve.is_match(&text);
        if self.detail.sieve.as_ref().is_none_or(is_meant) {
            self.print(ctx, input, &text, None)
        } else {
            Ok(())
        }
    }

    /// Prints a line. `is_match` says whether it was looked for.
    fn print(
        &mut self,
        ctx: &mut Context,
        line: &LogLine,
        text: &str,
        is_match: Option<bool>,
    ) -> Result<(), Failure> {
        if !self.json {
            let at = match (self.detail.times, line.at) {
                (false, _) => String::new(),
                (true, Some(at)) => format!("{} ", words::local(at)),
                (true, None) => "- ".to_owned(),
            };
            let begin = format!("{}{at}", self.prefix);
            let text = if begin.is_empty() || !self.lanes[0].is_on_terminal() {
                text.into()
            } else {
                bidi::isolated(text)
            };
            return self.put(ctx, line.at, Form::Text(format!("{begin}{text}")));
        }
        let mut value = serde_json::to_value(line).unwrap_or_default();
        value["sessionId"] = self.id.as_str().into();
        value["name"] = self.name.as_str().into();
        if let Some(is_match) = is_match {
            value["match"] = is_match.into();
        }
        self.put(ctx, line.at, Form::Json(value))
    }

    /// Prints a line, or keeps it for [`Show::print_next`].
    fn put(&mut self, ctx: &mut Context, at: Option<Timestamp>, form: Form) -> Result<(), Failure> {
        let ready = Ready { at, form };
        match &mut self.held {
            Some(held) => {
                held.push_back(ready);
                Ok(())
            }
            None => ready.print(ctx),
        }
    }
}

impl Ready {
    fn print(self, ctx: &mut Context) -> Result<(), Failure> {
        match self.form {
            Form::Text(text) => ctx.out.line(&text),
            Form::Json(value) => ctx.out.json(&value),
        }
    }
}

/// A line of which only the text and the offset are known.
fn owned(line: Shown<'_>) -> LogLine {
    LogLine {
        n: line.n,
        at: None,
        stream: "stdout".to_owned(),
        text: line.text.to_owned(),
        by: None,
        kind: None,
        offset: Some(line.start),
        goes_on: line.goes_on,
    }
}

/// Prints a note that output was dropped before it could be shown.
pub fn tell_gap(bytes: u64) {
    let size = words::amount(bytes);
    note(&format!("{size} of older output is no longer kept"));
}

/// Prints a note that a job has ended.
pub fn tell_end(name: &str, end: &End) {
    let how = match end.status {
        Status::TimedOut => "its time limit".to_owned(),
        Status::Lost => "lost".to_owned(),
        status => {
            let ending = Ending {
                code: end.code,
                signal: end.signal.as_deref(),
                status: Some(status),
            };
            ending.to_string()
        }
    };
    note(&format!("{name} has ended ({how})"));
}

/// Prints a note that a job was restarted.
pub fn tell_restart(name: &str, run: u32) {
    note(&format!("{name} was restarted (run {run})"));
}
