//! Jobs that were lost: nobody has seen how they ended, so that their exit code says nothing.

use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::cli::output::{note, words};
use crate::protocol::SessionId;
use crate::term::sanitize::clean;

/// Tells why a job was lost that somebody has waited for.
pub(in crate::cli) fn tell(ctx: &mut Context, id: &SessionId) -> Result<(), Failure> {
    let record = ctx.record(id, false)?;
    let name = words::name(&record.summary);
    note(&match record.reason.as_deref() {
        Some(why) => format!("{name} was lost: {}", clean(why)),
        None => format!("{name} was lost"),
    });
    Ok(())
}
