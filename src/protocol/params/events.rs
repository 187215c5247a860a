//! Events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Absent, params};
use crate::protocol::{EventKind, bounds};

params! {
    /// `subscribe`: sends events.
    Subscribe {
        /// Only these kinds.
        events: Option<Vec<EventKind>>,
        /// Only these sessions: ids or labels.
        session_ids: Option<Vec<String>>,
        /// First replay the events from this sequence number on.
        from_seq: Option<u64>,
        /// Whether events name the scope of their session (false).
        with_scope: Option<bool>,
    }
    /// `unsubscribe`: ends a subscription.
    Unsubscribe {
        /// The id that `subscribe` returned.
        subscription_id: String,
    }
    /// `events`: past events, in pages.
    Events {
        /// Return events after this number; absent: after the last one that this scope has
        /// acknowledged.
        after_seq: Option<u64>,
        /// How long to wait for the first event, in milliseconds (0).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
        /// Maximum number of events (100).
        limit: Option<usize>,
        /// First acknowledge everything up to this number.
        ack: Option<u64>,
        /// Only what the scope of these sessions has not been told by a reply: ends, readiness, and
        /// input that is needed now. It counts as acknowledged (false).
        news: Option<bool>,
    }
}
