//! The wire types of the protocol. This layer defines messages and file formats; it performs no
//! actions.
//!
//! The dashboard, the command line, `--serve` and MCP are all clients of the same actions on the
//! same daemon. Each line is one JSON object. Names are camelCase on output and never change once
//! released.
//!
//! Reading order:
//! - [`request`]: the envelope, and how a line becomes an [`Action`]. `strict` parses it. [`bounds`] and `fault` find
//!   what is wrong with parameters, and `explain` and [`suggest`] say it.
//! - [`traits`]: the properties of each action. [`params`]: the parameters of each action;
//!   `choices` and `targets` are parts of several, [`condition`] of waits; [`probe`], [`policy`], [`limits`] and
//!   `variables` of `start`; [`colors`] of `watch`.
//! - [`record`], [`run`], [`cause`] (why a run began), [`status`] and [`reply`]: the results. [`ending`]: how a run has
//!   ended, in words.
//! - [`name`]: valid job names. [`glob`]: a pattern over names. [`shell`]: quoting for a shell.
//!   [`launchers`]: programs that an allow-list cannot restrict. [`signal`]: names of signals.
//! - [`report`]: what a program reports of itself, a part of the records, as are [`terminal_progress`] and
//!   [`shell_state`]. `notice`: what people can be notified of.
//! - [`event`], [`error`], and [`hello`], which identifies a connection ([`inherit`] is a part of
//!   it).
//! - [`schema`]: all of it as JSON Schema.
//! - [`keeper`]: the messages between daemon and keeper ([`environment`] is a part of them).
//!   [`keeper_status`]: the status that the keeper reports.
//! - [`batch_job`]: jobs that a cluster runs. [`node`]: what they find on its nodes.
//! - [`disk`]: the files of a session. [`project`]: words about the jobs of a project.
//!   [`duration`] and [`size`]: durations and sizes as people write them. [`id`] and [`time`]: ids of sessions, names of scopes, timestamps.

pub mod batch_job;
pub mod bounds;
pub mod cause;
mod choices;
pub mod colors;
pub mod condition;
pub mod disk;
pub mod duration;
pub mod ending;
pub mod environment;
pub mod error;
pub mod event;
mod explain;
mod fault;
pub mod glob;
pub mod hello;
pub mod id;
pub mod inherit;
pub mod keeper;
pub mod keeper_status;
pub mod launchers;
pub mod limits;
pub mod name;
pub mod node;
mod notice;
pub mod params;
pub mod policy;
pub mod probe;
pub mod project;
pub mod record;
pub mod reply;
pub mod report;
pub mod request;
pub mod run;
pub mod schema;
pub mod shell;
pub mod shell_state;
pub mod signal;
pub mod size;
pub mod status;
mod strict;
pub mod suggest;
mod targets;
pub mod terminal_progress;
#[cfg(test)]
pub(crate) mod tests;
pub mod time;
pub mod traits;
mod variables;

pub use condition::{Condition, WaitSpec};
pub use ending::Ending;
pub use error::{Error, ErrorCode};
pub use event::{Event, EventKind};
pub use hello::{Greeting, Hello, Role};
pub use id::{Scope, SessionId, split_host};
pub use inherit::Inherit;
pub use keeper_status::KeeperStatus;
pub use limits::JobLimits;
pub use notice::Notice;
pub use policy::RestartPolicy;
pub use probe::Probe;
pub use record::{Record, Summary};
pub use request::{Action, Request, RequestId};
pub use status::{Mode, Status};
pub use targets::Targets;
pub use time::Timestamp;
pub use traits::ActionTraits;

/// Version of the protocol. Additive changes keep it.
pub const PROTOCOL: u32 = 1;

/// Version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Maximum length of a request line, in bytes. A longer line is skipped and answered `too_large`.
pub const MAX_LINE: usize = 1 << 20;
