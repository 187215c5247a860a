//! One client's socket: request lines in, replies and events out.
//!
//! This module only transfers bytes. What a request means is decided in [`server`](super::server) and
//! [`actions`](super::actions).

pub(crate) mod outbox;
pub(crate) mod request_lines;
pub(crate) mod socket;
pub(crate) mod write_readiness;

use serde_json::value::RawValue;

use crate::protocol::Error;

/// The result of a request, as JSON.
pub(crate) type Answer = Result<Box<RawValue>, Error>;
