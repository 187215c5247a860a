//! Programs that ask and answer: an interpreter, a debugger, a questionnaire.

use serde_json::json;

use super::agent::{Agent, Job, PATIENCE_MS, text, transcripts};
use crate::support::needs::{have, skipped};
use crate::support::{Home, Mcp, Serve};

/// Asks as `npm init` does, with a default in parentheses.
const QUESTIONS: &str = r#"
ask() { printf '%s (%s) ' "$1" "$2"; read -r answer; echo "$1=${answer:-$2}" >> answers; }
ask name "$(basename "$PWD")"; ask version 1.0.0; ask license ISC
printf 'Is this OK? (yes) '; read -r ok; cat answers
"#;

/// Ends by a fault that a debugger finds.
const CRASH: &str = "int deref(int *p) { return *p; }\nint main(void) { return deref(0); }\n";

transcripts! {
    /// An endless loop in an interpreter: the wait ends in time, and Ctrl-C gives the prompt back.
    fn python_hangs_and_is_interrupted(agent, _home) {
        if !have("python3") {
            return;
        }
        let job = Job::start(agent, json!({"command": "exec python3 -q -i"}));
        job.wait(agent, json!({"until": [{"input": true}]}));
        let said = job.say(agent, "6 * 7");
        assert!(text(&said, "output").contains("42"), "{said}");
        let wait = json!({"until": [{"input": true}], "timeoutMs": 300});
        let hung = job.act(agent, "write",
            json!({"data": "while True: pass\n", "submit": true, "wait": wait}));
        assert_eq!((&hung["outcome"], &hung["inputState"]), (&json!("timeout"), &json!("none")));
        let wait = json!({"until": [{"input": true}], "timeoutMs": PATIENCE_MS});
        let back = job.act(agent, "send_keys", json!({"keys": ["C-c"], "wait": wait}));
        assert_eq!(back["outcome"], "matched", "{back}");
        assert!(text(&back, "output").contains("KeyboardInterrupt"), "{back}");
        let said = job.say(agent, "'still' + ' here'");
        assert!(text(&said, "output").contains("still here"), "{said}");
    }

    /// A questionnaire with defaults: each question is waited for, none is guessed.
    fn a_questionnaire_is_answered(agent, home) {
        let cwd = home.scratch("shop");
        std::fs::create_dir(&cwd).unwrap();
        let job = Job::start(agent, json!({"command": QUESTIONS, "cwd": cwd}));
        let asked = job.wait(agent, json!({"until": [{"input": true}]}));
        assert!(text(&asked, "output").ends_with("name (shop) "), "{asked}");
        let asked = job.say(agent, "");
        assert!(text(&asked, "output").ends_with("version (1.0.0) "), "{asked}");
        let asked = job.say(agent, "2.0.0");
        assert!(text(&asked, "output").ends_with("license (ISC) "), "{asked}");
        let asked = job.say(agent, "MIT");
        assert!(text(&asked, "output").ends_with("(yes) "), "{asked}");
        let wait = json!({"until": [{"exit": true}], "timeoutMs": PATIENCE_MS});
        let done = job.act(agent, "write", json!({"data": "yes", "newline": true, "wait": wait}));
        assert_eq!(done["exitCode"], 0, "{done}");
        let output = text(&done, "output");
        assert!(output.ends_with("name=shop\nversion=2.0.0\nlicense=MIT\n"), "{output:?}");
    }

    /// The same with the real one.
    fn npm_init_is_answered(agent, home) {
        if !have("npm") {
            return;
        }
        let cwd = home.scratch("real");
        std::fs::create_dir(&cwd).unwrap();
        let job = Job::start(agent, json!({"command": "exec npm init", "cwd": cwd}));
        job.wait(agent, json!({"until": [{"pattern": "package name:"}]}));
        job.wait(agent, json!({"until": [{"input": true}]}));
        for (answer, next) in [
            ("tidy", "version:"), ("2.0.0", "description:"), ("", "entry point:"),
            ("", "test command:"), ("", "git repository:"), ("", "keywords:"),
            ("", "author:"), ("", "license:"),
        ] {
            let until = json!({"until": [{"pattern": next}], "timeoutMs": PATIENCE_MS});
            let said = job.act(agent, "write",
                json!({"data": answer, "submit": true, "wait": until}));
            assert_eq!(said["outcome"], "matched", "{said}");
        }
        // It may have one question more, and then asks whether this is right.
        for _ in 0..4 {
            let wait = json!({"until": [{"exit": true}, {"input": true}], "timeoutMs": PATIENCE_MS});
            let said = job.act(agent, "write", json!({"data": "", "submit": true, "wait": wait}));
            if said["matched"]["kind"] == "exit" {
                assert_eq!(said["exitCode"], 0, "{said}");
                break;
            }
        }
        let made = std::fs::read_to_string(cwd.join("package.json")).unwrap();
        assert!(made.contains("\"name\": \"tidy\"") && made.contains("2.0.0"), "{made}");
    }

    /// A program crashes in the debugger; the agent asks where and with what.
    fn gdb_finds_a_crash(agent, home) {
        if !have("gdb") || !have("gcc") {
            return;
        }
        let (source, program) = (home.scratch("crash.c"), home.scratch("crash"));
        std::fs::write(&source, CRASH).unwrap();
        let build = format!("gcc -g -O0 -o {} {}", program.display(), source.display());
        let built = agent.act("start", json!({"command": build, "wait": true})).unwrap();
        assert_eq!(built["exitCode"], 0, "{built}");
        let command = format!("exec gdb -q -nx -iex 'set debuginfod enabled off' {}", program.display());
        let env = json!({"DEBUGINFOD_URLS": null});
        let job = Job::start(agent, json!({"command": command, "env": env}));
        job.wait(agent, json!({"until": [{"pattern": r"\(gdb\)"}]}));
        job.wait(agent, json!({"until": [{"input": true}]}));
        let wait = json!({"until": [{"pattern": "SIGSEGV.*"}],
            "fail": [{"pattern": "not permitted|Cannot"}], "timeoutMs": PATIENCE_MS});
        let ran = job.act(agent, "write", json!({"data": "run", "submit": true, "wait": wait}));
        if ran["outcome"] == "failed" {
            skipped("no program may be traced here");
            return;
        }
        assert_eq!(ran["outcome"], "matched", "{ran}");
        job.wait(agent, json!({"until": [{"input": true}]}));
        let said = job.say(agent, "bt");
        let output = text(&said, "output");
        assert!(output.contains("deref (p=0x0)") && output.contains("in main"), "{output}");
        let until = json!({"until": [{"exit": true}], "timeoutMs": PATIENCE_MS});
        job.act(agent, "write", json!({"data": "kill", "submit": true}));
        job.act(agent, "write", json!({"data": "y", "submit": true}));
        let done = job.act(agent, "write", json!({"data": "quit", "submit": true, "wait": until}));
        assert_eq!(done["status"], "done", "{done}");
    }
}
