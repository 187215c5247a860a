//! A person and an agent on one session.

use serde_json::json;

use super::agent::{Agent, Job, PATIENCE_MS, transcripts};
use crate::support::needs::have;
use crate::support::{Home, Mcp, Serve};

transcripts! {
    /// The agent makes a key; the passphrase is the person's, and the agent never sees it.
    fn a_passphrase_stays_with_the_person(agent, home) {
        if !have("ssh-keygen") {
            return;
        }
        let key = home.scratch("id");
        let command = format!("exec ssh-keygen -q -t ed25519 -C test -f {}", key.display());
        let job = Job::start(agent, json!({"command": command, "label": "keygen"}));
        for prompt in ["Enter passphrase", "again"] {
            let waited = job.wait(agent, json!({"until": [{"input": true}]}));
            assert_eq!(waited["inputState"], "password", "{waited}");
            job.wait(agent, json!({"until": [{"pattern": prompt}], "since": "c0"}));
            home.run_with_input(&["send", "keygen", "--password"], b"correct horse\n").expect_code(0);
        }
        let done = job.wait(agent, json!({"until": [{"exit": true}]}));
        assert_eq!(done["exitCode"], 0, "{done}");
        assert!(std::fs::read_to_string(&key).unwrap().contains("PRIVATE KEY"));
        let everything = job.act(agent, "log", json!({"limit": 1_000_000}));
        let typed = job.act(agent, "log", json!({"stream": "input"}));
        for shown in [done, everything, typed] {
            assert!(!shown.to_string().contains("horse"), "{shown}");
        }
    }

    /// While a person types the agent may not; then it goes on.
    fn a_person_and_an_agent_take_turns(agent, home) {
        let job = Job::start(agent, json!({"command": "exec cat", "label": "shared"}));
        job.wait(agent, json!({"until": [{"input": true}]}));
        let write = json!({"sessionId": job.0, "data": "from the agent\n"});
        agent.act("write", write.clone()).unwrap();
        home.ok(&["send", "shared", "from the person"]);
        // A model waits for its turn.
        let mut soon = write.clone();
        soon["waitMs"] = json!(1);
        let refused = agent.act("write", soon).unwrap_err();
        assert!(refused.contains("input_held"), "{refused}");
        job.wait(agent, json!({"until": [{"pattern": "from the person"}], "since": "c0"}));
        let status = job.act(agent, "status", json!({}));
        assert!(!status["heldBy"].is_null(), "{status}");
        // The person has 5 seconds from the last key on.
        let deadline = std::time::Instant::now() + std::time::Duration::from_millis(PATIENCE_MS);
        while agent.act("write", write.clone()).is_err() {
            assert!(std::time::Instant::now() < deadline, "it is held for ever");
            job.act(agent, "poll", json!({"since": "new", "waitMs": 200}));
        }
        let typed = job.act(agent, "log", json!({"stream": "input"}));
        let lines = typed["lines"].as_array().unwrap();
        let by = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).count();
        assert!(by("human") >= 1 && by("agent") == 2, "{typed}");
    }
}
