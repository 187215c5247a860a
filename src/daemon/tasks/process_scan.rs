//! Finds the processes of a session by a scan that other callers may share.

use crate::daemon::hub::Hub;
use crate::protocol::SessionId;
use crate::sys::process::Process;
use crate::sys::tree::Leader;

/// Every live process of a session, as of a moment after this call. `leader` is what the caller knows about its
/// first process.
pub(crate) async fn processes(hub: &Hub, id: &SessionId, leader: Option<Leader>) -> Vec<Process> {
    let (found, is_first) = hub.change(|state| state.process_scan.request(id.clone(), leader));
    if is_first {
        let hub = hub.clone();
        // This task runs after every task that is ready now, so one scan serves all of them. Callers that
        // arrive during the scan are served by the next one.
        tokio::task::spawn_local(async move {
            while !hub.change(|state| state.process_scan.run(&state.sessions)) {
                tokio::task::yield_now().await;
            }
        });
    }
    found.await.unwrap_or_default()
}
