//! `export`: writes the whole log of a job.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::disk;
use crate::cli::exit::{Exit, Failure};
use crate::cli::logs::show::tell_gap;
use crate::cli::settings::host::named;
use crate::cli::there;
use crate::cli::value::destination::Destination;
use crate::client::{Copy, read_base64, read_reply};
use crate::link::Host;
use crate::protocol::params::{Encoding, Export as Params, ExportFormat};
use crate::protocol::reply::Exported;
use crate::protocol::{Action, ErrorCode, SessionId};

/// Bytes per read when a long export is copied.
const PIECE: usize = 64 * 1024;

#[derive(Args, Debug)]
pub struct Export {
    /// The job; by default the one that was used last
    #[arg(value_name = "JOB", default_value = "-")]
    job: String,
    /// Format of the log; by default selected by the extension of FILE, else asciicast
    #[arg(long)]
    format: Option<Form>,
    /// Write to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<Destination>,
}

/// The formats of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// A recording for asciinema
    #[value(alias = "cast")]
    Asciicast,
    /// Clean text
    #[value(aliases = ["txt", "log"])]
    Text,
    /// Text with its colours, as a web page
    #[value(alias = "htm")]
    Html,
    /// The exact bytes
    Raw,
}

impl Export {
    /// Whether it writes a file instead of standard output.
    pub(super) fn writes_a_file(&self) -> bool {
        self.file().is_some()
    }

    /// The file to write to, if it is not standard output.
    fn file(&self) -> Option<&Path> {
        self.output.as_ref().and_then(Destination::file)
    }

    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let format = self.format()?;
        let job = ctx.one(&self.job)?;
        if let Some(host) = job.summary.session_id.host() {
            return self.read_there(&named(host)?, job.summary.session_id.bare(), format, ctx);
        }
        let params = Params {
            session_id: job.summary.session_id.to_string(),
            format: Some(format.into()),
            path: None,
        };
        match self.file() {
            Some(file) => {
                let params = Params {
                    path: Some(absolute(file)?),
                    ..params
                };
                let value = ctx.daemon()?.call(Action::Export(params))?;
                if ctx.json {
                    ctx.out.json(&value)?;
                }
            }
            None => print(ctx, params)?,
        }
        if job.summary.dropped_bytes > 0 {
            tell_gap(job.summary.dropped_bytes);
        }
        Ok(Exit::OK)
    }

    /// Exports a job of another host: a file is read there, and written here.
    fn read_there(
        &self,
        host: &Host,
        id: &str,
        format: Form,
        ctx: &mut Context,
    ) -> Result<Exit, Failure> {
        let format = format.to_possible_value();
        let format = format.map(|value| value.get_name().to_owned());
        let mut words = vec!["export".to_owned(), id.to_owned(), "--format".to_owned()];
        words.extend(format);
        let Some(path) = self.file() else {
            words.extend(ctx.json.then(|| "--json".to_owned()));
            return there::run_words(host, &words, &mut std::io::stdout().lock());
        };
        let unwritable = |error| {
            let message = format!("cannot write {}: {error}", path.display());
            Failure::with_message(Exit::FAILED, message)
        };
        let mut copy = Copy::to(path);
        let outcome = there::run_words(host, &words, &mut copy);
        if let Some(fault) = copy.fault() {
            return Err(unwritable(fault));
        }
        let exit = outcome?;
        if exit != Exit::OK {
            return Ok(exit);
        }
        let bytes = copy.finish().map_err(unwritable)?;
        if ctx.json {
            ctx.out.json(&Exported {
                path: Some(absolute(path)?),
                data: None,
                encoding: None,
                bytes,
            })?;
        }
        Ok(Exit::OK)
    }

    fn format(&self) -> Result<Form, Failure> {
        Ok(match (self.format, &self.output) {
            (Some(format), _) => format,
            (None, Some(output)) => output.format()?.unwrap_or(Form::Asciicast),
            (None, None) => Form::Asciicast,
        })
    }
}

impl From<Form> for ExportFormat {
    fn from(form: Form) -> Self {
        match form {
            Form::Asciicast => Self::Asciicast,
            Form::Text => Self::Text,
            Form::Html => Self::Html,
            Form::Raw => Self::Raw,
        }
    }
}

/// Prints an export. One that is too large for a reply is copied through a file.
fn print(ctx: &mut Context, params: Params) -> Result<(), Failure> {
    let answer = ctx.daemon()?.call(Action::Export(params.clone()));
    match answer {
        Err(error) if error.code == ErrorCode::TooLarge && !ctx.json => print_long(ctx, params),
        Err(error) => Err(error.into()),
        Ok(value) if ctx.json => ctx.out.json(&value),
        Ok(value) => {
            let exported: Exported = read_reply(value)?;
            let data = exported.data.unwrap_or_default();
            let bytes = match exported.encoding {
                Some(Encoding::Base64) => read_base64(&data)?,
                _ => data.into_bytes(),
            };
            ctx.out.bytes(&bytes)
        }
    }
}

fn print_long(ctx: &mut Context, params: Params) -> Result<(), Failure> {
    let name = format!("bgproc-export-{}", SessionId::fresh());
    let file = std::env::temp_dir().join(name);
    let params = Params {
        path: Some(absolute(&file)?),
        ..params
    };
    let written = ctx.daemon()?.call(Action::Export(params));
    // The file is removed at once; the open descriptor is enough.
    let opened = File::open(&file);
    let _ = std::fs::remove_file(&file);
    written?;
    let unreadable = || Failure::cannot(format!("read {}", file.display()));
    let mut opened = opened.map_err(unreadable())?;
    let mut piece = vec![0; PIECE];
    loop {
        match opened.read(&mut piece).map_err(unreadable())? {
            0 => return Ok(()),
            read => ctx.out.bytes(&piece[..read])?,
        }
    }
}

/// The absolute path, because the daemon has another working directory.
fn absolute(file: &Path) -> Result<String, Failure> {
    let path = disk::absolute(file)?;
    path.into_os_string().into_string().map_err(|path| {
        let message = format!("{} is not UTF-8", path.to_string_lossy());
        Failure::with_message(Exit::FAILED, message)
    })
}
