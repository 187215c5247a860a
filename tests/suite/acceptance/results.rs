//! Results that come cheap, true and twice if need be.

use serde_json::json;

use super::agent::{Agent, Job, PATIENCE_MS, text, transcripts};
use crate::support::needs::have;
use crate::support::{Home, Mcp, Serve};

transcripts! {
    /// Two thousand redraws are one line.
    fn a_progress_bar_costs_little(agent, _home) {
        let bar = r#"i=0; while [ $i -lt 2000 ]; do i=$((i+1)); printf '\rbuilding [%4d/2000]' $i; done;
            printf '\nbuilt\n'"#;
        let job = Job::start(agent, json!({"command": bar}));
        let done = job.wait(agent, json!({"until": [{"exit": true}], "maxChars": 100_000}));
        let output = text(&done, "output");
        assert!(output.ends_with("building [2000/2000]\nbuilt\n"), "{output:?}");
        assert!(output.len() < 250, "{} bytes: {output:?}", output.len());
    }

    /// A server says that it is up, or its port does.
    fn servers_are_waited_for(agent, _home) {
        if !have("python3") {
            return;
        }
        let server = "exec python3 -u -c '\n\
            import http.server as h\n\
            s = h.ThreadingHTTPServer((\"127.0.0.1\", 0), h.SimpleHTTPRequestHandler)\n\
            print(\"listening on port\", s.server_port)\n\
            s.serve_forever()'";
        let ready = json!({"pattern": "listening on port", "timeoutMs": PATIENCE_MS});
        let job = Job::start(agent, json!({"command": server, "ready": ready}));
        job.wait(agent, json!({"until": [{"ready": true}]}));
        let until = json!([{"pattern": r"port (\d+)"}]);
        let waited = job.wait(agent, json!({"until": until, "since": "c0"}));
        let port = waited["matched"]["groups"][0].as_str().unwrap();
        let port: u16 = port.parse().unwrap();
        job.wait(agent, json!({"until": [{"port": port}]}));
        std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        // Another job does not answer for it.
        let other = Job::start(agent, json!({"command": "sleep 1000"}));
        let wait = json!({"until": [{"port": port}], "timeoutMs": 300});
        let waited = other.act(agent, "wait", wait);
        assert_eq!(waited["outcome"], "timeout", "{waited}");
    }

    /// Forty at once, and the exit code of each is its own.
    fn forty_jobs_have_forty_exit_codes(agent, _home) {
        let ids: Vec<String> = (0..40)
            .map(|n| {
                let command = format!("sleep 0.{}; echo out {n}; exit {n}", n % 10);
                Job::start(agent, json!({"command": command, "group": "forty"})).0
            })
            .collect();
        let params = json!({"sessionIds": ids, "mode": "all", "timeoutMs": PATIENCE_MS});
        let waited = agent.act("wait", params).unwrap();
        assert_eq!(waited["outcome"], "matched", "{waited}");
        let results = waited["results"].as_array().unwrap();
        assert_eq!(results.len(), 40);
        for (n, (id, result)) in ids.iter().zip(results).enumerate() {
            assert_eq!(result["sessionId"], id.as_str());
            assert_eq!(result["exitCode"], n, "{result}");
            assert_eq!(text(result, "output"), format!("out {n}\n"));
        }
    }

    /// A reply that was lost is read again, from the cursor before it.
    fn a_lost_reply_is_read_again(agent, _home) {
        let command = "echo one; read x; echo two; read x";
        let job = Job::start(agent, json!({"command": command}));
        job.wait(agent, json!({"until": [{"input": true}]}));
        let wait = json!({"until": [{"pattern": "^two"}], "timeoutMs": PATIENCE_MS});
        let lost = job.act(agent, "write", json!({"data": "", "newline": true, "wait": wait}));
        let nothing = job.act(agent, "poll", json!({"since": "new"}));
        assert_eq!(text(&nothing, "output"), "", "it was shown");
        let since = text(&lost, "prevCursor");
        let again = job.act(agent, "poll", json!({"since": since}));
        assert_eq!(again["output"], lost["output"]);
        assert!(text(&again, "output").contains("two"), "{again}");
    }

    /// The same start asked twice is one job.
    fn a_start_that_is_asked_twice_runs_once(agent, home) {
        let count = home.scratch("count");
        let command = format!("echo ran >> {}; echo up; sleep 1000", count.display());
        let start = json!({"command": command, "key": "build-1", "background": true});
        let first = agent.act("start", start.clone()).unwrap();
        let again = agent.act("start", start).unwrap();
        assert_eq!(first["sessionId"], again["sessionId"]);
        assert_eq!(again["reused"], true, "{again}");
        let job = Job(text(&first, "sessionId").to_owned());
        job.act(agent, "wait", json!({"until": [{"pattern": "up"}]}));
        job.act(agent, "kill", json!({"force": true}));
        assert_eq!(std::fs::read_to_string(&count).unwrap(), "ran\n");
    }
}
