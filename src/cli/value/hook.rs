//! The clients of agents that run hooks, and what they write to a hook.

use std::io::{IsTerminal, Read};

use clap::ValueEnum;
use serde_json::Value;

use crate::cli::exit::Failure;

/// Maximum size of what a client writes to a hook. It contains the prompt, and the result of a tool.
const HOOK_BYTES: u64 = 64 << 20;

/// The clients with hooks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(in crate::cli) enum Hook {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
}

/// What the client has written to standard input of the hook; `null` if it is not JSON.
pub(in crate::cli) fn asked() -> Result<Value, Failure> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Failure::Usage(
            "--hook reads from standard input what the client says of the hook".to_owned(),
        ));
    }
    let mut text = String::new();
    let _ = stdin.lock().take(HOOK_BYTES).read_to_string(&mut text);
    Ok(serde_json::from_str(&text).unwrap_or_default())
}
