//! Project files: what `bgproc.toml`, a Procfile and `.env` files mean.
//!
//! This layer has no state, no clock, no environment and no threads. It asks for files through [`Files`], which
//! the daemon implements on the real file system and the tests in memory. It returns values and [`Fault`]s, each
//! with its place in a file; it starts nothing.
//!
//! Reading order:
//! - [`find`](mod@find): which file is meant from a directory. `trust` refuses files of other users.
//!   [`worktree`]: which checkout of a repository a directory belongs to.
//! - [`load`](mod@load): from files to a [`Project`]. `loader` reads the files: `node` is a TOML value with its
//!   places, `short` spells out short forms, `merge` lays one file over another, `include` finds further files, by a
//!   `glob`. `document` reads one file and `reader` one job, as a `draft`, with `section` for typed keys, `flags` for
//!   simple ones, `limits`, and `variables` and `env_file` for its environment. `check` compares jobs with each other,
//!   `circle` their needs. [`procfile`] is the other language; `foreman` names what other programs read beside a
//!   Procfile.
//! - [`group`]: groups of jobs. [`job`]: one job after defaults and merging, with its parts [`ready`], [`restart`],
//!   [`stop`], [`watch`] and [`schedule`]. Templates (`${…}`) are not expanded yet.
//! - [`environment`](mod@environment): the environment of a job, and where each value comes from. [`dotenv`] is
//!   the language of `.env` files. [`env_print`] tells whether they have changed.
//! - [`expand`]: a job with its templates expanded. `template` is their language.
//! - [`filter`]: which files a watch is about.
//! - [`ports`]: the offset of a checkout's ports. [`plan`]: what `up` or `reload` would change.
//! - [`import`]: a new file from those of other programs.
//! - What they share: [`files`] is what is asked of the file system, [`fault`] and [`place`] say what is wrong and
//!   where, `keys` has the keys and `names` the names that are valid.
//! - [`schema`](mod@schema): the JSON Schema of the file, for editors.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod check;
mod circle;
mod document;
pub mod dotenv;
mod draft;
mod env_file;
pub mod env_print;
pub mod environment;
pub mod expand;
pub mod fault;
pub mod files;
pub mod filter;
pub mod find;
mod flags;
mod foreman;
mod glob;
pub mod group;
pub mod import;
mod include;
pub mod job;
mod keys;
mod limits;
pub mod load;
mod loader;
#[cfg(test)]
pub(crate) mod memory;
mod merge;
mod names;
mod node;
pub mod place;
pub mod plan;
pub mod ports;
pub mod procfile;
mod reader;
pub mod ready;
pub mod restart;
pub mod schedule;
pub mod schema;
mod section;
mod short;
pub mod stop;
mod template;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
mod trust;
mod variables;
pub mod watch;
pub mod worktree;

pub use env_print::EnvPrints;
pub use environment::{Environment, Origin, Surroundings, Value, environment};
pub use expand::{Expanded, expanded};
pub use fault::Fault;
pub use files::{FileKind, Files, Look, found};
pub use find::{Found, find};
pub use group::{Group, OnFailure};
pub use job::{Job, Places};
pub use load::{AgentAccess, Project, Source, load};
pub use names::without_dots;
pub use place::Place;
pub use plan::{Change, changes};
pub use procfile::ProcfileOptions;
pub use schema::schema;
pub use worktree::{Checkout, checkout};
