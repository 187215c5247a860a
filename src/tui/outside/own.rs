//! This program, run again for something that it does as another process.

use std::io;
use std::process::Command;

use crate::client;

/// A command of this program. After an upgrade it is the new one: the file from which the view was started is gone then.
pub(super) fn command() -> io::Result<Command> {
    let program = client::own_program();
    let program = program.ok_or_else(|| io::Error::other("the file of bgproc is not found"))?;
    Ok(Command::new(program))
}
