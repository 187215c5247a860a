//! Reports the result of typing into a job.

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::protocol::SessionId;
use crate::protocol::reply::{Warning, Written};

/// Prints the warnings about a write. Returns a failure if the job took fewer than `wanted` bytes.
pub(in crate::cli) fn report(
    ctx: &mut Context,
    id: &SessionId,
    written: &Written,
    wanted: u64,
    last: bool,
) -> Result<Exit, Failure> {
    if ctx.json && last {
        ctx.out.json(written)?;
    }
    let name = ctx.name_of(id);
    let mut exit = Exit::OK;
    for warning in &written.warnings {
        match warning {
            Warning::LineOver4095 => {
                note("the terminal keeps only 4095 bytes of a line; the rest is lost");
            }
            Warning::NotReading if written.bytes_written < wanted => {
                let taken = written.bytes_written;
                note(&format!(
                    "{name} is not reading its input; it took {taken} bytes"
                ));
                exit = Exit::FAILED;
            }
            Warning::NotReading => {
                note(&format!(
                    "{name} is not reading its input now; the text waits until it does"
                ));
            }
            Warning::NoEffect => note("the end of input was read as a key; the program reads on"),
            Warning::PasteNotBracketed => {
                note("the program does not take pastes; the text was typed instead");
            }
            // Only a start says it.
            Warning::LabelInUse => {}
            Warning::NewlineNotEnter => {
                note("the line feed was typed as ^J; `bgproc keys` with Enter presses Enter");
            }
            Warning::NoEnter => note("Enter was not pressed; the text stands at the prompt"),
        }
    }
    Ok(exit)
}
