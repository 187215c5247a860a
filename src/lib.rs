//! bgproc runs commands in the background and keeps them.
//!
//! The folders are the layers; read them in this order:
//!
//! 1. [`protocol`]: the wire types, no behaviour.
//! 2. [`term`]: what bytes mean on a terminal. Pure.
//! 3. [`engine`]: sessions as state machines. Pure.
//! 4. [`sys`]: the operating system, and the only `unsafe`.
//! 5. [`keeper`]: parent of every job, writer of every log.
//! 6. [`daemon`]: drives the engine, talks to keeper and clients.
//! 7. [`link`]: connections to the daemons of other hosts, through one command such as ssh.
//! 8. [`client`]: how a front door talks to the daemon.
//! 9. The front doors: [`cli`], [`serve`], [`mcp`], [`tui`].
//!
//! Beside them: [`project`], what a project file means, also pure; [`config`], the configuration
//! file; [`diag`], the logs of keeper and daemon themselves; [`doctor`], the checks of `bgproc
//! doctor`; [`recall`], what is remembered for a person from one command to the next.

pub mod cli;
pub mod client;
pub mod config;
pub mod daemon;
pub mod diag;
pub mod doctor;
pub mod engine;
pub mod keeper;
pub mod link;
pub mod mcp;
pub mod project;
pub mod protocol;
pub mod recall;
pub mod serve;
pub mod sys;
pub mod term;
pub mod tui;
