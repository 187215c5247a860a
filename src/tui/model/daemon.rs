//! The daemon, as far as the view knows it.

/// State of the connection to the daemon.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Link {
    /// The first connection is being made.
    #[default]
    Starting,
    /// Connected.
    Up,
    /// The connection was lost and is being restored.
    Down,
}

/// The daemon, as far as the view knows it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Daemon {
    /// State of the connection.
    pub link: Link,
    /// Whether it is too old to send all events.
    pub is_older: bool,
    /// Whether it is too old to know other hosts.
    pub is_list_plain: bool,
    /// Whether the first list has arrived.
    pub listed: bool,
    /// Number of the last event received.
    pub seq: u64,
}
