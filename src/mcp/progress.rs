//! Progress of a call that takes long, for a client that asked to hear of it.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};

use super::call::Call;

/// How often it is told: often enough for a client that gives up on silent calls.
const EVERY: Duration = Duration::from_secs(1);

/// Characters of the line that is shown.
const LINE: usize = 200;

/// Tells seconds passed and the last line of output, for as long as it is awaited.
pub async fn tell(peer: Peer<RoleServer>, token: ProgressToken, call: Call) {
    let began = Instant::now();
    loop {
        tokio::time::sleep(EVERY).await;
        let seconds = began.elapsed().as_secs_f64();
        let mut message = format!("{seconds:.0} s");
        if let Some(line) = call.last_line().await {
            message.push_str(": ");
            message.extend(line.chars().take(LINE));
        }
        let progress = ProgressNotificationParam::new(token.clone(), seconds);
        if peer
            .notify_progress(progress.with_message(message))
            .await
            .is_err()
        {
            return;
        }
    }
}
