//! Which program a job runs, in which environment, and whether a connection may start it.
//!
//! [`program`] finds the file and builds what the keeper executes. [`allow`] checks programs against the
//! connection's allow-list, with the help of [`shell_line`] and [`launchers`]. [`on_exit`] builds the command
//! that runs after a session has ended; [`line_shell`] is the shell of such lines. [`interpreter`] names the interpreter
//! of a script that could not be started. [`reachable`] sees whether the directory of a program answers. [`env_shown`] says which variables a person may see, and [`masked`] hides secrets in
//! what a program says of itself. [`for_models`] is what differs if a model runs a command.

pub(crate) mod allow;
pub(crate) mod env_shown;
pub(crate) mod for_models;
pub(crate) mod interpreter;
mod launchers;
pub(crate) mod line_shell;
pub(crate) mod masked;
pub(crate) mod on_exit;
pub(crate) mod program;
pub(crate) mod reachable;
mod shell_line;
