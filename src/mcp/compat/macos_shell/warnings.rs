//! Warnings of `list_processes` before a limit is reached.

use serde_json::{Value, json};

use super::{IN_ALL, PER_SESSION, is_running, session_name};
use crate::mcp::call::Call;
use crate::protocol::Error;

/// The part of a limit from which on there is a warning, in percent.
const NEAR: u64 = 80;

/// The warnings about these processes.
pub async fn of(call: &Call, processes: &[Value]) -> Result<Vec<String>, Error> {
    let stats = call.action("stats", json!({})).await?;
    Ok(collect(processes, &stats))
}

fn collect(processes: &[Value], stats: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    let limit = |name: &str| stats["limits"][name].as_u64().unwrap_or(u64::MAX);
    let (each, total) = (limit("logBytes"), limit("totalLogBytes"));
    for process in processes {
        let bytes = |name: &str| process[name].as_u64().unwrap_or_default();
        let kept = bytes("outputBytes").saturating_sub(bytes("droppedBytes"));
        if is_near(kept, each) {
            let id = process["sessionId"].as_str().unwrap_or_default();
            warnings.push(format!(
                "The output of process {id} takes {kept} of {each} bytes; then the oldest is dropped. \
                 clear_process_output drops it"
            ));
        }
    }
    let all = stats["logBytes"].as_u64().unwrap_or_default();
    if is_near(all, total) {
        warnings.push(format!(
            "The output of all processes takes {all} of {total} bytes; then the oldest is dropped"
        ));
    }
    let running: Vec<&Value> = processes
        .iter()
        .filter(|process| is_running(process))
        .collect();
    let mut names: Vec<&str> = running
        .iter()
        .map(|process| session_name(process))
        .collect();
    names.sort_unstable();
    for of_one in names.chunk_by(|a, b| a == b) {
        if is_near(of_one.len() as u64, PER_SESSION as u64) {
            let (name, count) = (of_one[0], of_one.len());
            warnings.push(format!(
                "Session '{name}' has {count} running processes, and at most {PER_SESSION}"
            ));
        }
    }
    if is_near(running.len() as u64, IN_ALL as u64) {
        let count = running.len();
        warnings.push(format!(
            "{count} processes are running, and at most {IN_ALL} may"
        ));
    }
    warnings
}

fn is_near(used: u64, limit: u64) -> bool {
    u128::from(used) * 100 >= u128::from(limit) * u128::from(NEAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_near_a_limit_is_a_warning() {
        let stats = json!({"logBytes": 79, "limits": {"logBytes": 50, "totalLogBytes": 100}});
        let process = |id: &str, bytes: u64, group: &str| {
            json!({
                "sessionId": id, "outputBytes": bytes + 1000, "droppedBytes": 1000, "group": group,
                "status": "running",
            })
        };
        let few = [process("a", 39, "x"), process("b", 40, "y")];
        let warnings = collect(&few, &stats);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0].contains("process b takes 40 of 50 bytes"),
            "{warnings:?}"
        );
        let many: Vec<Value> = (0..40).map(|_| process("c", 0, "dev")).collect();
        let warnings = collect(&many, &stats);
        assert_eq!(
            warnings,
            ["Session 'dev' has 40 running processes, and at most 50"]
        );
        let full = json!({"logBytes": 80, "limits": {"logBytes": 50, "totalLogBytes": 100}});
        let warnings = collect(&[], &full);
        assert!(
            warnings[0].starts_with("The output of all processes takes 80"),
            "{warnings:?}"
        );
    }
}
