//! Ends of sessions, requests and the daemon.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Absent, params};
use crate::protocol::bounds;
use crate::protocol::choices::{ShutdownSessions, SignalName, SignalTarget};

params! {
    /// `signal`: sends a signal to the session's processes.
    SignalParams {
        /// Id of the session.
        session_id: String,
        /// Name or number of the signal.
        signal: SignalName,
        /// Foreground group (default), leader, or the whole tree.
        target: Option<SignalTarget>,
    }
    /// `kill`: ends the whole process tree.
    #[schemars(extend("allOf" = bounds::of_kill()))]
    Kill {
        /// One session,
        session_id: Option<String>,
        /// or several,
        #[schemars(length(min = 1))]
        session_ids: Option<Vec<String>>,
        /// or a group.
        group: Option<String>,
        /// The first signal (TERM).
        signal: Option<SignalName>,
        /// Send KILL at once (false).
        force: Option<bool>,
        /// Time between the first signal and KILL, in milliseconds (2,000).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        grace_ms: Option<u64>,
        /// Remove the session afterwards (false).
        remove: Option<bool>,
    }
    /// `remove`: removes the session.
    Remove {
        /// Id of the session.
        session_id: String,
        /// End it first if it is running (true).
        kill: Option<bool>,
    }
    /// `cancel`: cancels a request in flight.
    Cancel {
        /// Id of the request.
        request_id: serde_json::Value,
    }
    /// `shutdown`: ends the daemon (people only).
    Shutdown {
        /// Whether running sessions are kept or killed.
        sessions: Option<ShutdownSessions>,
        /// Whether to upgrade daemon and keeper to another program: first the next daemon is
        /// started from it, then the keeper replaces itself.
        upgrade: Option<bool>,
        /// With `upgrade`: absolute path of that program; absent: the file that the daemon runs.
        program: Option<String>,
    }
}
