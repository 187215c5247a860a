//! Parameters of each action. Absent fields have the default given in parentheses.
//!
//! `start`, `look`, `output`, `input`, `end`, `events` and `project` each have those of related actions.

mod end;
mod events;
mod input;
mod look;
mod output;
mod project;
mod start;

pub use super::choices::{
    CaptureFormat, Click, Encoding, ExportFormat, KeyInput, LogFormat, MouseButton, PolledStream,
    ProjectOp, Scroll, ShellLanguage, ShutdownSessions, SignalName, SignalTarget, Stream,
};
pub use end::{Cancel, Kill, Remove, Shutdown, SignalParams};
pub use events::{Events, Subscribe, Unsubscribe};
pub use input::{AskHuman, Decline, Hold, Report, SendKeys, Write};
pub use look::{Connect, Disconnect, Hosts, List, Listeners, Stats, StatusParams};
pub use output::{Capture, Clear, Exec, Export, Log, Poll, Resize, Unwatch, Wait, Watch};
pub use project::{Project, Queue};
pub use start::{Restart, Set, Start};

/// Defines the parameters of an action: strict, camelCase, and omitted when not set. Fields that
/// are not an `Option` are required.
macro_rules! params {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $type:ty,)* })*) => {$(
        #[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        $(#[$doc])*
        pub struct $name {
            $(
                $(#[$fdoc])*
                #[serde(skip_serializing_if = "Absent::is_absent")]
                pub $field: $type,
            )*
        }
    )*};
}

/// Whether a parameter may be omitted from the output: an optional one without a value. Required
/// ones are always written, even if they are `false` or 0.
trait Absent {
    fn is_absent(&self) -> bool {
        false
    }
}

impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl Absent for String {}
impl Absent for bool {}
impl Absent for u16 {}
impl Absent for u64 {}
impl<T> Absent for Vec<T> {}
impl Absent for SignalName {}
impl Absent for serde_json::Value {}

// For the modules above.
use params;
