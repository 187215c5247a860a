//! What a person is told of changes of jobs, and of one that the disk has refused.

use serde_json::Value;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::protocol::Error;

/// Prints the answers about changed jobs. Returns `exit`, or the code of the first error.
pub(in crate::cli) fn report(
    ctx: &mut Context,
    answers: Vec<Result<Value, Error>>,
    mut exit: Exit,
) -> Result<Exit, Failure> {
    let mut is_unsaved = false;
    for answer in answers {
        match answer {
            Ok(value) => {
                is_unsaved |= value["unsaved"] == true;
                if ctx.json {
                    ctx.out.json(&value)?;
                }
            }
            Err(error) => exit = exit.or(ctx.complain(error.into())),
        }
    }
    tell(is_unsaved);
    Ok(exit)
}

/// Says that a change of a job is in memory only. `unsaved` is what the record in the reply says.
pub(in crate::cli) fn tell(unsaved: bool) {
    if unsaved {
        note(
            "the change is kept in memory until there is room on the disk; it is lost only if daemon and keeper \
             both end before",
        );
    }
}
