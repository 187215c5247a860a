//! `bgproc mcp`: the Model Context Protocol on standard input and output.
//!
//! A tool call becomes one or more actions of the protocol. They go to the daemon through the same proxy as
//! those of `--serve` ([`caller`]), so MCP clients also survive the death of a daemon. The set of tools is
//! chosen at start ([`toolset`]): bgproc's own ([`own`]), or those of another program that bgproc can
//! replace ([`compat`]), with their names and fields.
//!
//! One thread with an event loop answers the client ([`server`]); the proxy has another thread. Standard
//! output carries protocol messages only. When standard input ends, waits are cancelled, other calls get a
//! short time to finish, and the process exits with 0 ([`stdio`]).

pub mod arguments;
pub mod call;
pub mod caller;
pub mod compat;
pub mod completions;
pub mod elicitation;
pub mod own;
pub mod progress;
pub mod resources;
pub mod server;
pub mod stdio;
pub mod toolset;
pub mod updates;

use std::time::Duration;

use rmcp::ServiceExt;
use tokio::time::{Instant, timeout_at};

use crate::protocol::{Error, Greeting};

pub use toolset::ToolSet;

/// The longest time between the end of standard input and the exit, as the daemon allows for `--serve`.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The part of it for calls other than waits to finish. The rest is for the daemon to close the connection.
const LAST_CALLS: Duration = Duration::from_millis(1500);

/// What a server offers its client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    /// Whether tools that change something are left out of the list. The daemon refuses them in any case.
    pub read_only: bool,
    /// The set of tools.
    pub tools: ToolSet,
    /// Whether results have data beside their text.
    pub structured: bool,
    /// Whether the client may be asked to show forms to people, if it can.
    pub elicitation: bool,
}

/// Serves until standard input ends or standard output is closed.
pub fn run(greeting: Greeting, offer: Offer) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::internal(format!("cannot create an event loop: {error}")))?;
    let greeting = offer.tools.greeting(greeting);
    let local = tokio::task::LocalSet::new();
    let outcome = local.block_on(&runtime, serve(greeting, offer));
    // Do not wait for a blocked read of standard input.
    runtime.shutdown_background();
    outcome
}

async fn serve(greeting: Greeting, offer: Offer) -> Result<(), Error> {
    let (caller, events) = caller::connect(greeting)?;
    let (transport, hung_up) = stdio::transport();
    let server = server::Server::new(caller.clone(), events, offer);
    let running = match server.serve(transport).await {
        Ok(running) => running,
        // The client left before it was initialized.
        Err(_) if hung_up.is_set() => return Ok(()),
        Err(error) => {
            return Err(Error::invalid(format!(
                "the client does not speak MCP: {error}"
            )));
        }
    };
    let serving = running.waiting();
    tokio::pin!(serving);
    let ended = tokio::select! {
        _ = &mut serving => Instant::now(),
        () = hung_up.wait() => {
            let ended = Instant::now();
            caller.stop_waiting();
            if timeout_at(ended + LAST_CALLS, serving).await.is_err() {
                caller.stop_calling();
            }
            ended
        }
    };
    let _ = timeout_at(ended + LAST_WORDS, caller.hang_up()).await;
    Ok(())
}
