//! `export`: writes the whole log of a job.

use std::fs::File;
use std::io::{self, Cursor, Read, Write};
use std::path::Path;

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::disk;
use crate::cli::exit::{Exit, Failure};
use crate::cli::logs::show::tell_gap;
use crate::cli::settings::host::named;
use crate::cli::there;
use crate::cli::value::destination::Destination;
use crate::cli::written::{Written, unwritable};
use crate::client::{Copy, read_base64};
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
                let bytes = write(ctx, params, file)?;
                tell(ctx, file, bytes)?;
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
        let unwritable = unwritable(path);
        let mut written = Written::open(path).map_err(&unwritable)?;
        if !written.is_replaced() {
            let mut counted = Counted {
                file: written.emptied().map_err(&unwritable)?,
                bytes: 0,
            };
            let exit = there::run_words(host, &words, &mut counted)?;
            if exit == Exit::OK {
                tell(ctx, path, counted.bytes)?;
            }
            return Ok(exit);
        }
        let mut copy = Copy::to(path);
        let outcome = there::run_words(host, &words, &mut copy);
        if let Some(fault) = copy.fault() {
            written.give_up();
            return Err(unwritable(fault));
        }
        match outcome {
            Ok(Exit::OK) => {}
            failed => {
                written.give_up();
                return failed;
            }
        }
        let bytes = match copy.finish() {
            Ok(bytes) => bytes,
            Err(error) => {
                written.give_up();
                return Err(unwritable(error));
            }
        };
        written.replaced().map_err(&unwritable)?;
        tell(ctx, path, bytes)?;
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

/// Writes an export to a file of this machine, and returns its length.
fn write(ctx: &mut Context, params: Params, path: &Path) -> Result<u64, Failure> {
    let unwritable = unwritable(path);
    let mut written = Written::open(path).map_err(&unwritable)?;
    if !written.is_replaced() {
        let mut content = content(ctx, params)?;
        let file = written.emptied().map_err(&unwritable)?;
        return io::copy(&mut content, file).map_err(unwritable);
    }
    let params = Params {
        path: Some(absolute(path)?),
        ..params
    };
    match ctx.daemon()?.call_as::<Exported>(Action::Export(params)) {
        Ok(exported) => {
            written.replaced().map_err(unwritable)?;
            Ok(exported.bytes)
        }
        Err(error) => {
            written.give_up();
            Err(error.into())
        }
    }
}

/// Says with `--json` what was written.
fn tell(ctx: &mut Context, path: &Path, bytes: u64) -> Result<(), Failure> {
    if !ctx.json {
        return Ok(());
    }
    ctx.out.json(&Exported {
        path: Some(absolute(path)?),
        data: None,
        encoding: None,
        bytes,
    })
}

/// Prints an export.
fn print(ctx: &mut Context, params: Params) -> Result<(), Failure> {
    if ctx.json {
        let value = ctx.daemon()?.call(Action::Export(params))?;
        return ctx.out.json(&value);
    }
    let mut content = content(ctx, params)?;
    let unreadable = || Failure::cannot("read the export");
    let mut piece = vec![0; PIECE];
    loop {
        match content.read(&mut piece).map_err(unreadable())? {
            0 => return Ok(()),
            read => ctx.out.bytes(&piece[..read])?,
        }
    }
}

/// The content of an export. One that is too large for a reply comes through a file.
fn content(ctx: &mut Context, params: Params) -> Result<Box<dyn Read>, Failure> {
    let answer = ctx
        .daemon()?
        .call_as::<Exported>(Action::Export(params.clone()));
    let exported = match answer {
        Err(error) if error.code == ErrorCode::TooLarge => {
            return Ok(Box::new(long_content(ctx, params)?));
        }
        answer => answer?,
    };
    let data = exported.data.unwrap_or_default();
    let bytes = match exported.encoding {
        Some(Encoding::Base64) => read_base64(&data)?,
        _ => data.into_bytes(),
    };
    Ok(Box::new(Cursor::new(bytes)))
}

fn long_content(ctx: &mut Context, params: Params) -> Result<File, Failure> {
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
    opened.map_err(Failure::cannot(format!("read {}", file.display())))
}

/// Counts what is written to a file.
struct Counted<'a> {
    file: &'a mut File,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
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
