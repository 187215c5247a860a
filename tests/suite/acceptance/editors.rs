//! Programs with the whole screen: an editor and a pager.

use serde_json::json;

use super::agent::{Agent, Job, PATIENCE_MS, transcripts};
use crate::support::needs::have;
use crate::support::{Home, Mcp, Serve};

transcripts! {
    /// A line is changed in vim and written.
    fn a_file_is_edited_in_vim(agent, home) {
        if !have("vim") {
            return;
        }
        let file = home.scratch("note.txt");
        std::fs::write(&file, "colour\ngrey\n").unwrap();
        let command = format!("exec vim -N -n -u NONE {}", file.display());
        let job = Job::start(agent, json!({"command": command}));
        let waited = job.wait(agent, json!({"until": [{"input": true}]}));
        assert_eq!(waited["inputState"], "tui", "{waited}");
        job.press(agent, json!([{"text": "Goand green"}, "Escape"]), "^and green");
        job.press(agent, json!([{"text": ":2s/grey/gray/"}, "Enter"]), "^gray");
        let wait = json!({"until": [{"exit": true}], "timeoutMs": PATIENCE_MS});
        let keys = json!([{"text": ":wq"}, "Enter"]);
        let done = job.act(agent, "send_keys", json!({"keys": keys, "wait": wait}));
        assert_eq!(done["status"], "done", "{done}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "colour\ngray\nand green\n");
    }

    /// A hundred thousand lines in less: the agent sees a screen, not all of it.
    fn a_long_text_is_read_in_less(agent, home) {
        if !have("less") {
            return;
        }
        let file = home.scratch("long.txt");
        let lines: String = (1..=100_000).map(|n| format!("line {n}\n")).collect();
        std::fs::write(&file, lines).unwrap();
        let command = format!("exec less {}", file.display());
        let job = Job::start(agent, json!({"command": command, "rows": 24, "cols": 80}));
        let waited = job.wait(agent, json!({"until": [{"input": true}]}));
        assert_eq!(waited["inputState"], "tui", "{waited}");
        assert!(job.screen(agent).starts_with("line 1\n"));
        job.press(agent, json!(["G"]), "^line 100000");
        job.press(agent, json!([{"text": "?^line 54321$"}, "Enter"]), "^line 54321");
        // Backwards and round the end is the same line from below.
        job.press(agent, json!([{"text": "500g"}]), "^line 500$");
        let screen = job.screen(agent);
        assert!(screen.starts_with("line 500\n") && screen.len() < 80 * 24, "{screen}");
        let poll = job.act(agent, "poll", json!({"maxChars": 10_000}));
        assert!(poll["output"].as_str().unwrap().len() < 500, "painting is no text: {poll}");
        let wait = json!({"until": [{"exit": true}], "timeoutMs": PATIENCE_MS});
        let done = job.act(agent, "send_keys", json!({"keys": ["q"], "wait": wait}));
        assert_eq!(done["exitCode"], 0, "{done}");
    }
}
