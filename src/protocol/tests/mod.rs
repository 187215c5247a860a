//! Compares the wire and the files with the golden files of version 1.
#![allow(clippy::unwrap_used, clippy::panic)]

mod files;
pub(crate) mod golden;
pub(crate) mod keeper;
mod replies;
mod requests;
mod told;
