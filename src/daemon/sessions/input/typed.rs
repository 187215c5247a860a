//! What is typed, as the input log tells it.

use crate::daemon::clock::now;
use crate::engine::registry::Principal;
use crate::protocol::Timestamp;

/// Characters that end a person's answer: Enter, line feed, `^C`, `^D`.
const FINISHES: [u8; 4] = [b'\r', b'\n', 0x03, 0x04];

/// What was typed at once.
pub(crate) struct Typed {
    pub(crate) at: Timestamp,
    pub(crate) by: Principal,
    /// Number of bytes.
    pub(crate) bytes: usize,
    /// The text; `None` if the terminal did not echo it, because it may be a password.
    pub(crate) text: Option<String>,
    /// Whether it ends a person's answer.
    pub(crate) finishes: bool,
}

impl Typed {
    /// What `by` types now. Without `echo`, only the number of bytes is kept.
    pub(crate) fn now(by: &Principal, bytes: &[u8], echo: bool) -> Self {
        Self {
            at: now().wall,
            by: by.clone(),
            bytes: bytes.len(),
            text: echo.then(|| String::from_utf8_lossy(bytes).into_owned()),
            finishes: bytes.iter().any(|byte| FINISHES.contains(byte)),
        }
    }
}
