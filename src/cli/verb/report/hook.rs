//! What the hooks of coding agents say of their state, and how their conversation is continued.

use serde_json::Value;

use crate::cli::value::hook::Hook;
use crate::protocol::params::Report;
use crate::protocol::report::Activity;

/// Longest id of a conversation, in characters.
const MAX_ID: usize = 100;

/// What a hook says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Heard {
    /// How the agent is doing, and its words about that.
    state: Option<(Activity, Option<String>)>,
    /// Whether the agent ends, so that nothing it said holds any more.
    ends: bool,
    /// The command that continues the conversation.
    resume: Option<String>,
}

impl Heard {
    /// The report about a job; `None` if the hook says nothing.
    pub(super) fn report(self, session_id: String) -> Option<Report> {
        let clear = self.ends.then_some(true);
        if self.state.is_none() && clear.is_none() && self.resume.is_none() {
            return None;
        }
        let (state, message) = self.state.unzip();
        Some(Report {
            session_id,
            state,
            message: message.flatten(),
            clear,
            resume: self.resume,
        })
    }
}

/// Reads what a client writes to a hook. A hook that this version does not know says nothing of the state.
pub(super) fn heard(client: Hook, said: &Value) -> Heard {
    let word = |name: &str| said[name].as_str().unwrap_or_default();
    let name = word("hook_event_name");
    let message = Some(word("message").trim()).filter(|message| !message.is_empty());
    let message = message.map(|message| message.chars().take(1000).collect::<String>());
    let tool = Some(word("tool_name")).filter(|tool| !tool.is_empty());
    let working = Some((Activity::Working, None));
    let state = match name {
        // Tools that put a question to the person.
        "PreToolUse" if matches!(tool, Some("AskUserQuestion" | "ExitPlanMode")) => {
            Some((Activity::Blocked, Some("asks you".to_owned())))
        }
        "UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PreCompact"
        | "BeforeAgent" | "BeforeTool" | "AfterTool" => working,
        "PermissionRequest" => {
            let wants = tool.map(|tool| format!("wants to use {tool}"));
            Some((Activity::Blocked, wants))
        }
        "Notification" => notified(word("notification_type"), message),
        "Stop" | "StopFailure" | "AfterAgent" | "SessionStart" => Some((Activity::Idle, None)),
        _ => None,
    };
    Heard {
        state,
        ends: name == "SessionEnd",
        resume: resume(client, word("session_id")),
    }
}

/// The state that a notification to the person means.
fn notified(kind: &str, message: Option<String>) -> Option<(Activity, Option<String>)> {
    let says = |part: &str| {
        let message = message.as_deref().unwrap_or_default();
        message.to_lowercase().contains(part)
    };
    match kind {
        "idle_prompt" => Some((Activity::Idle, None)),
        "permission_prompt" | "elicitation_dialog" | "ToolPermission" => {
            Some((Activity::Blocked, message))
        }
        // Earlier versions say only in words what it is.
        "" if says("permission") => Some((Activity::Blocked, message)),
        "" if says("waiting for your input") => Some((Activity::Idle, None)),
        _ => None,
    }
}

/// The command that continues a conversation.
fn resume(client: Hook, id: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let is_id = !id.is_empty() && id.len() <= MAX_ID && id.chars().all(plain);
    let is_id = is_id && !id.starts_with('-');
    is_id.then(|| match client {
        Hook::Claude => format!("claude --resume {id}"),
        Hook::Codex => format!("codex resume {id}"),
        Hook::Gemini => format!("gemini --resume {id}"),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hooks_become_states() {
        let blocked = |message: &str| Some((Activity::Blocked, Some(message.to_owned())));
        for (client, said, state) in [
            (
                Hook::Claude,
                json!({"hook_event_name": "UserPromptSubmit", "prompt": "hi"}),
                Some((Activity::Working, None)),
            ),
            (
                Hook::Claude,
                json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash",
                    "tool_input": {"command": "rm x"}}),
                blocked("wants to use Bash"),
            ),
            (
                Hook::Claude,
                json!({"hook_event_name": "Notification", "notification_type": "permission_prompt",
                    "message": "Claude needs your permission to use Bash"}),
                blocked("Claude needs your permission to use Bash"),
            ),
            (
                Hook::Claude,
                json!({"hook_event_name": "Notification", "message": "Claude is waiting for your input"}),
                Some((Activity::Idle, None)),
            ),
            (
                Hook::Claude,
                json!({"hook_event_name": "Notification", "notification_type": "auth_success"}),
                None,
            ),
            (
                Hook::Claude,
                json!({"hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion"}),
                blocked("asks you"),
            ),
            (
                Hook::Codex,
                json!({"hook_event_name": "Stop"}),
                Some((Activity::Idle, None)),
            ),
            (
                Hook::Gemini,
                json!({"hook_event_name": "Notification", "notification_type": "ToolPermission", "message": "run ls?"}),
                blocked("run ls?"),
            ),
            (
                Hook::Gemini,
                json!({"hook_event_name": "BeforeModel"}),
                None,
            ),
            (Hook::Claude, json!("nonsense"), None),
        ] {
            assert_eq!(heard(client, &said).state, state, "{said}");
        }
    }

    #[test]
    fn the_conversation_is_continued_by_its_id_and_no_other_text() {
        let of = |client, id: &str| heard(client, &json!({"session_id": id})).resume;
        assert_eq!(of(Hook::Claude, "4f-1").unwrap(), "claude --resume 4f-1");
        assert_eq!(of(Hook::Codex, "4f").unwrap(), "codex resume 4f");
        for id in ["", "a b", "$(x)", "-x", &"x".repeat(101)] {
            assert_eq!(of(Hook::Claude, id), None, "{id}");
        }
    }

    #[test]
    fn a_hook_that_says_nothing_reports_nothing() {
        assert_eq!(heard(Hook::Claude, &json!({})).report("x".to_owned()), None);
        let ends = json!({"hook_event_name": "SessionEnd"});
        let report = heard(Hook::Claude, &ends).report("x".to_owned()).unwrap();
        assert_eq!((report.clear, report.state), (Some(true), None));
    }
}
