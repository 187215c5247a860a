//! Progress notifications of a long call, for clients that have requested them.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};

use super::call::Call;

/// Interval of the notifications, short enough for clients that time out on silent calls.
const EVERY: Duration = Duration::from_secs(1);

/// Characters of the line of output that is sent.
const LINE: usize = 200;

/// Sends the elapsed seconds and the last line of output until the future is dropped.
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
