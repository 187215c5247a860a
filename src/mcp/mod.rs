//! `bgproc mcp`: the Model Context Protocol on standard input and output.
//!
//! A tool call becomes one or more actions of the protocol. They go to the daemon
//! through the same proxy as those of `--serve` ([`caller`]), so an MCP client, too,
//! is carried over the death of a daemon. Which tools there are is a choice made
//! at start ([`toolset`]): bgproc's own ([`own`]), or those of one of the programs
//! that bgproc can stand in for ([`compat`]), under their names and with their fields.
//!
//! One thread with an event loop answers the client ([`server`]), the proxy has
//! another. Standard output carries protocol messages only. When standard input
//! ends, waits are cancelled, other calls have a moment, and the exit is clean
//! ([`stdio`]).

pub mod arguments;
pub mod call;
pub mod caller;
pub mod compat;
pub mod completions;
pub mod own;
pub mod progress;
pub mod resources;
pub mod server;
pub mod stdio;
pub mod toolset;

use std::time::Duration;

use rmcp::ServiceExt;
use tokio::time::{Instant, timeout_at};

use crate::protocol::{Error, Greeting};

pub use toolset::ToolSet;

/// How long it may take to leave once standard input has ended, as the daemon has
/// it for `--serve`.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What of that calls may take that are no waits; with the rest the daemon lets go.
const LAST_CALLS: Duration = Duration::from_millis(1500);

/// Serves until standard input ends or nobody reads standard output.
pub fn run(greeting: Greeting, tools: ToolSet) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::internal(format!("no event loop: {error}")))?;
    let greeting = tools.greeting(greeting);
    let local = tokio::task::LocalSet::new();
    let outcome = local.block_on(&runtime, serve(greeting, tools));
    // A read of standard input that is still blocked has no claim on us.
    runtime.shutdown_background();
    outcome
}

async fn serve(greeting: Greeting, tools: ToolSet) -> Result<(), Error> {
    let (caller, events) = caller::connect(greeting)?;
    let (transport, hung_up) = stdio::transport();
    let server = server::Server::new(caller.clone(), events, tools);
    let running = match server.serve(transport).await {
        Ok(running) => running,
        // Gone before it said hello.
        Err(_) if hung_up.is_set() => return Ok(()),
        Err(error) => return Err(Error::invalid(format!("no MCP client: {error}"))),
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
