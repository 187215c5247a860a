//! `get_process_output`, `stream_process_output` and `clear_process_output`.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::lines::Line;
use super::{Result, Shared, is_running, note, number, status, text};
use crate::mcp::call::{Arguments, Call};
use crate::protocol::Error;

/// Default number of lines per reply.
const LINES: u64 = 100;

/// Default and longest time to wait for new lines, in milliseconds.
const TIMEOUT_MS: u64 = 30_000;
const MAX_TIMEOUT_MS: u64 = 600_000;

/// A newline in base64.
const NEWLINE: &str = "Cg==";

/// Lines that are in the buffer.
pub async fn get(call: &Call, shared: &Shared, given: &Arguments) -> Result {
    let id = &given["processId"];
    let record = call.action("status", json!({ "sessionId": id })).await?;
    let buffer = shared
        .counts
        .last(call, &record, note::buffer_size(&record))
        .await?;
    let stream = text(given, "type").filter(|stream| *stream != "all");
    let asked = number(given, "lines").unwrap_or(LINES);
    let count = usize::try_from(asked).unwrap_or(usize::MAX);
    let of_stream = |line: &&Line| stream.is_none_or(|stream| stream == line.stream);
    let lines: Vec<&Line> = buffer.lines.iter().filter(of_stream).collect();
    let output: Vec<Value> = match number(given, "fromLine") {
        Some(from) => {
            let after = lines.into_iter().filter(|line| line.number >= from);
            after.take(count).map(shown).collect()
        }
        None => {
            let before = lines.len().saturating_sub(count);
            lines[before..].iter().map(|line| shown(line)).collect()
        }
    };
    Ok(json!({
        "processId": id,
        "status": status(&record),
        "totalLines": buffer.total.numbered,
        "requestedLines": asked,
        "output": output,
    }))
}

/// Complete lines after a number, as soon as there are any.
pub async fn stream(call: &Call, shared: &Shared, given: &Arguments) -> Result {
    let id = &given["processId"];
    let after = number(given, "afterLine").unwrap_or(0);
    let count = number(given, "maxLines").unwrap_or(LINES);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let timeout = number(given, "timeout")
        .unwrap_or(TIMEOUT_MS)
        .min(MAX_TIMEOUT_MS);
    let deadline = Instant::now() + Duration::from_millis(timeout);
    loop {
        let record = call.action("status", json!({ "sessionId": id })).await?;
        let buffer = shared
            .counts
            .last(call, &record, note::buffer_size(&record))
            .await?;
        let end = if is_running(&record) {
            complete(call, &record, &buffer.lines).await?
        } else {
            u64::MAX
        };
        let is_new = |line: &&Line| line.number > after && line.offset < end;
        let new: Vec<&Line> = buffer.lines.iter().filter(is_new).collect();
        let left = deadline.saturating_duration_since(Instant::now());
        if !new.is_empty() || !is_running(&record) || left.is_zero() {
            let output = &new[..new.len().min(count)];
            let last = output.last().map_or(after, |line| line.number);
            let missed = output.first().map_or(0, |line| line.number - after - 1);
            return Ok(json!({
                "processId": id,
                "status": status(&record),
                "totalLines": buffer.total.numbered,
                "missedLines": missed,
                "lastLine": last,
                "hasMore": new.len() > output.len(),
                "output": output.iter().map(|line| shown(line)).collect::<Vec<Value>>(),
            }));
        }
        // Any output after what was read ends the wait, also such as is no complete line yet.
        let since = format!("c{}", record["outputBytes"]);
        let wait = u64::try_from(left.as_millis()).unwrap_or(MAX_TIMEOUT_MS);
        let news = json!({ "sessionId": id, "since": since, "waitMs": wait.max(1), "maxChars": 1 });
        call.action("poll", news).await?;
    }
}

/// The offset before which every line of a running process is complete.
async fn complete(call: &Call, record: &Value, lines: &[Line]) -> std::result::Result<u64, Error> {
    let end = record["outputBytes"].as_u64().unwrap_or_default();
    let Some(last) = end.checked_sub(1) else {
        return Ok(0);
    };
    let byte = json!({
        "sessionId": record["sessionId"], "offset": last, "limit": 1, "format": "base64",
    });
    if call.action("log", byte).await?["output"] == NEWLINE {
        return Ok(end);
    }
    let begun = lines.iter().rev().find(|line| line.offset < end);
    Ok(begun.map_or(0, |line| line.offset))
}

fn shown(line: &Line) -> Value {
    json!({
        "timestamp": line.at, "type": line.stream,
        "content": line.text, "lineNumber": line.number,
    })
}

/// Drops the output so far. The numbers of lines continue.
pub async fn clear(call: &Call, given: &Arguments) -> Result {
    let id = &given["processId"];
    let cleared = call.action("clear", json!({ "sessionId": id })).await?;
    Ok(json!({ "processId": id, "clearedBytes": cleared["clearedBytes"] }))
}
