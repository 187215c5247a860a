//! What sessions, hosts and ports there are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Absent, params};
use crate::protocol::{Status, bounds};

params! {
    /// `list`: the sessions that the client may see.
    List {
        /// Only sessions with this status.
        status: Option<Status>,
        /// Only sessions of this group.
        group: Option<String>,
        /// Only sessions with this tag.
        tag: Option<String>,
        /// Only sessions whose label matches this glob.
        label: Option<String>,
        /// Include the last ten lines of each (false).
        include_output: Option<bool>,
        /// Include the ports on which each listens, and their URLs (false).
        include_ports: Option<bool>,
        /// Maximum number of sessions; the newest are returned (200).
        limit: Option<usize>,
        /// On a lean connection: include all fields (false).
        verbose: Option<bool>,
        /// Only sessions of these hosts; `local` is this machine. Absent: of all that the client may reach.
        hosts: Option<Vec<String>>,
        /// How long to wait for the answers of hosts, in milliseconds (300). The last known sessions of a host that
        /// does not answer are returned with `seenAt`.
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        host_wait_ms: Option<u64>,
    }
    /// `status`: one session's record.
    StatusParams {
        /// Id of the session.
        session_id: String,
        /// Include process tree, ports, variable names and runs (false).
        detail: Option<bool>,
        /// With `detail`, return all variables that it was given, with their values as they are, and not only
        /// those that were set for it (false). For people only.
        full_env: Option<bool>,
    }
    /// `listeners`: the processes that belong to no session and listen on ports.
    Listeners {
        /// The ports in question (those that jobs of projects have reserved).
        ports: Option<Vec<u16>>,
    }
    /// `stats`: statistics of the daemon.
    Stats {}
    /// `hosts`: the hosts that the client may reach, and how they are connected.
    Hosts {}
    /// `connect`: connects a host now (people only).
    Connect {
        /// Name of the host.
        host: String,
    }
    /// `disconnect`: ends the connection to a host. Its sessions go on (people only).
    Disconnect {
        /// Name of the host.
        host: String,
    }
}
