//! `capture`: prints the current screen of a job.

use std::path::Path;

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::cli::value::destination::Destination;
use crate::cli::value::number;
use crate::cli::written::{Written, unwritable};
use crate::client::{read_base64, read_reply};
use crate::protocol::Action;
use crate::protocol::params::{Capture as Params, CaptureFormat};
use crate::protocol::reply::{Captured, ScreenLink};
use crate::term::sanitize;

#[derive(Args, Debug)]
pub struct Capture {
    /// The job; by default the one that was used last
    #[arg(value_name = "JOB", default_value = "-")]
    job: String,
    /// Print colours as escape sequences (--format ansi)
    #[arg(short, group = "form")]
    escapes: bool,
    /// Print a web page (--format html)
    #[arg(long, group = "form")]
    html: bool,
    /// Print a picture (--format svg)
    #[arg(long, group = "form")]
    svg: bool,
    /// Write a picture of pixels (--format png); needs -o or a redirection
    #[arg(long, group = "form")]
    png: bool,
    /// Print the links on the screen: row, text and target, separated by tabs
    #[arg(long, group = "form")]
    links: bool,
    /// Format of the screen; by default selected by the extension of FILE, else text
    #[arg(long, group = "form")]
    format: Option<Form>,
    /// Write to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<Destination>,
    /// Include this many lines above the screen
    #[arg(long, value_name = "N", value_parser = number::from::<u64>(0))]
    scrollback: Option<u64>,
    /// Keep blanks at the ends of lines and blank lines at the end
    #[arg(long)]
    no_trim: bool,
    /// Print the position of the cursor on standard error
    #[arg(long)]
    cursor: bool,
}

/// One link a line: its row, counted from 1, its text and its target.
fn listed(links: &[ScreenLink]) -> String {
    let shown = |text: &str| sanitize::screen(text, false);
    let line = |link: &ScreenLink| {
        let (text, uri) = (shown(&link.text), shown(&link.uri));
        format!("{}\t{text}\t{uri}\n", link.row + 1)
    };
    links.iter().map(line).collect()
}

/// The formats of a screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// Characters only
    #[value(alias = "txt")]
    Text,
    /// Characters and colours, as escape sequences
    Ansi,
    /// A web page
    #[value(alias = "htm")]
    Html,
    /// A picture
    Svg,
    /// A picture of pixels
    Png,
    /// The reply of the protocol, with each cell
    Json,
}

impl Capture {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let form = self.form()?;
        let job = ctx.one(&self.job)?;
        let value = ctx.daemon()?.call(Action::Capture(Params {
            session_id: job.summary.session_id.to_string(),
            format: (form != Form::Text).then_some(form.into()),
            scrollback: self.scrollback,
            trim: self.no_trim.then_some(false),
            links: self.links.then_some(true),
            ..Params::default()
        }))?;
        let captured: Captured = read_reply(value.clone())?;
        if self.cursor {
            note(&cursor(&captured));
        }
        let mut text = match form {
            _ if ctx.json => value.to_string(),
            _ if self.links => listed(captured.links.as_deref().unwrap_or_default()),
            Form::Png => return self.picture(ctx, &captured),
            // The daemon of another host may send anything.
            Form::Text | Form::Ansi => {
                sanitize::screen(&captured.text.unwrap_or_default(), form == Form::Ansi)
            }
            Form::Html => captured.html.unwrap_or_default(),
            Form::Svg => captured.svg.unwrap_or_default(),
            Form::Json => value.to_string(),
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        self.print(ctx, text.as_bytes())
    }

    /// Prints the picture of pixels.
    fn picture(&self, ctx: &mut Context, captured: &Captured) -> Result<Exit, Failure> {
        if self.output.is_none() && ctx.out.is_terminal() {
            return Err(Failure::Usage(
                "a terminal cannot show a PNG picture; write it to a file with -o FILE".to_owned(),
            ));
        }
        let png = captured.png.as_deref().unwrap_or_default();
        let png = read_base64(png)?;
        self.print(ctx, &png)
    }

    fn print(&self, ctx: &mut Context, bytes: &[u8]) -> Result<Exit, Failure> {
        match self.file() {
            Some(file) => {
                let written = Written::open(file).and_then(|written| written.fill(bytes));
                written.map_err(unwritable(file))?;
            }
            None => ctx.out.bytes(bytes)?,
        }
        Ok(Exit::OK)
    }

    /// The file to write to, if it is not standard output.
    fn file(&self) -> Option<&Path> {
        self.output.as_ref().and_then(Destination::file)
    }

    fn form(&self) -> Result<Form, Failure> {
        Ok(match (self.format, &self.output) {
            (Some(form), _) => form,
            _ if self.escapes => Form::Ansi,
            _ if self.html => Form::Html,
            _ if self.svg => Form::Svg,
            _ if self.png => Form::Png,
            // They are text, whatever the name of the file.
            (None, Some(output)) if !self.links => output.format()?.unwrap_or(Form::Text),
            (None, _) => Form::Text,
        })
    }
}

impl From<Form> for CaptureFormat {
    fn from(form: Form) -> Self {
        match form {
            Form::Text => Self::Text,
            Form::Ansi => Self::Ansi,
            Form::Html => Self::Html,
            Form::Svg => Self::Svg,
            Form::Png => Self::Png,
            Form::Json => Self::Json,
        }
    }
}

fn cursor(captured: &Captured) -> String {
    let at = captured.cursor;
    let shape = format!("{:?}", at.shape).to_lowercase();
    let hidden = if at.visible { "" } else { ", hidden" };
    format!(
        "cursor: row {} column {} (from 0), {shape}{hidden}",
        at.row, at.col
    )
}
