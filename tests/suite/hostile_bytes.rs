//! Output that no terminal would be glad of, through the real binary: nobody waits
//! for it, and it fills no memory.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::process::resident_bytes;
use crate::support::{Home, Serve};

/// Memory that a daemon may have whatever its jobs write, in a debug build.
const ENOUGH: usize = 48 << 20;

fn serve() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &[]);
    (home, serve)
}

/// Asks everything that there is to ask of a session's output; each has to be
/// answered before the deadline of `Serve`.
fn look(serve: &mut Serve, job: &Job) -> Vec<Value> {
    let requests = [
        ("poll", json!({})),
        ("poll", json!({"since": "c0", "maxChars": 262_144})),
        ("log", json!({"tail": 10})),
        ("log", json!({"fromLine": 1, "lines": 10})),
        ("log", json!({"grep": "b", "maxMatches": 3})),
        ("log", json!({"limit": 1_048_576})),
        (
            "wait",
            json!({"until": [{"pattern": "no such"}], "since": "c0", "timeoutMs": 0}),
        ),
        ("capture", json!({"scrollback": 1000})),
        ("status", json!({})),
    ];
    let asked = requests.map(|(action, request)| job.ask(serve, action, request));
    asked.into()
}

fn daemon_memory(serve: &Serve) -> usize {
    let pid = serve.hello["pid"].as_u64().unwrap();
    resident_bytes(u32::try_from(pid).unwrap())
}

#[test]
fn a_line_without_end_is_cut_and_fills_no_memory() {
    let (_home, mut serve) = serve();
    for mode in ["pty", "pipe"] {
        let command = "head -c 6000000 /dev/zero | tr '\\0' a";
        let job = Job::request(&mut serve, json!({"command": command, "mode": mode}));
        assert_eq!(job.end(&mut serve)["exitCode"], 0);
        let answers = look(&mut serve, &job);
        let status = answers.last().unwrap();
        assert_eq!(status["outputBytes"], 6_000_000, "{status}");
        // A line has at most a mebibyte, so that this is several.
        let lines = status["outputLines"].as_u64().unwrap();
        assert!((5..8).contains(&lines), "{mode}: {lines} lines");
        let memory = daemon_memory(&serve);
        assert!(memory < ENOUGH, "{mode}: {memory} bytes");
    }
}

#[test]
fn a_sequence_without_end_is_nobodys_text_and_fills_no_memory() {
    let (_home, mut serve) = serve();
    for begin in ["\\033]2;", "\\033P", "\\033["] {
        let command =
            format!("stty -opost; printf '{begin}'; head -c 2000000 /dev/zero | tr '\\0' 1");
        let job = Job::start(&mut serve, &command);
        assert_eq!(job.end(&mut serve)["exitCode"], 0);
        let answers = look(&mut serve, &job);
        let text = answers[0]["output"].as_str().unwrap();
        assert!(text.len() <= 500, "{text}");
        let memory = daemon_memory(&serve);
        assert!(memory < ENOUGH, "{begin}: {memory} bytes");
    }
    // A title is as long as a title may be.
    let job = Job::start(
        &mut serve,
        "printf '\\033]2;'; head -c 100000 /dev/zero | tr '\\0' t; printf '\\a'",
    );
    job.end(&mut serve);
    let title = job.ask(&mut serve, "status", json!({}))["title"].clone();
    assert!(
        title.as_str().is_none_or(|title| title.len() <= 256),
        "{title}"
    );
}

#[test]
fn what_is_no_text_is_shown_as_such_and_kept_exactly() {
    let (_home, mut serve) = serve();
    for mode in ["pty", "pipe"] {
        let command = "printf 'a\\377\\376b\\303(\\355\\240\\200\\0z\\n\\342\\202'";
        let job = Job::request(&mut serve, json!({"command": command, "mode": mode}));
        job.end(&mut serve);
        let clean = "a\u{fffd}\u{fffd}b\u{fffd}(\u{fffd}\u{fffd}\u{fffd}z";
        let polled = job.ask(&mut serve, "poll", json!({}));
        assert_eq!(polled["output"], format!("{clean}\n\u{fffd}"), "{mode}");
        let line = &job.ask(&mut serve, "log", json!({"fromLine": 1}))["lines"][0];
        assert_eq!(line["text"], clean, "{mode}");
        let found = job.ask(&mut serve, "log", json!({"grep": "^a..b"}));
        assert_eq!(found["matches"][0]["text"], clean, "{mode}");
        let screen = job.screen(&mut serve);
        assert!(screen.starts_with(clean), "{mode}: {screen}");
        let exact = job.ask(&mut serve, "log", json!({"format": "base64"}));
        let newline = if mode == "pty" { "\r\n" } else { "\n" };
        let bytes = [
            &b"a\xff\xfeb\xc3(\xed\xa0\x80\0z"[..],
            newline.as_bytes(),
            b"\xe2\x82",
        ];
        use base64::Engine;
        let expected = base64::engine::general_purpose::STANDARD.encode(bytes.concat());
        assert_eq!(exact["output"], expected, "{mode}");
    }
}

/// Needs a build with `--features test-hooks`, in which a sequence makes the
/// emulator fail: no other input is known that does.
#[cfg(feature = "test-hooks")]
#[test]
fn a_fault_of_the_emulator_is_its_sessions_news() {
    let (home, mut serve) = serve();
    let other = Job::start(&mut serve, "echo other; exec sleep 1000");
    let fault = "printf '\\033]bgproc-test-panic\\a'; sleep 0.01";
    let command = format!(
        "echo before; {fault}; echo after; {fault}; {fault}; {fault}; {fault}; {fault}; echo last; exec sleep 1000"
    );
    let job = Job::start(&mut serve, &command);
    job.wait_for(&mut serve, "^last$");
    assert!(job.screen(&mut serve).ends_with("last"));
    let status = job.ask(&mut serve, "status", json!({}));
    let reason = status["reason"].as_str().unwrap();
    assert!(reason.contains("terminal emulator failed"), "{reason}");
    let dir = home.path().join("sessions").join(&job.id);
    let recorded = std::fs::read_dir(dir)
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("panic-"));
    let recorded: Vec<_> = recorded
        .map(|entry| std::fs::read(entry.path()).unwrap())
        .collect();
    assert!((1..=4).contains(&recorded.len()), "{}", recorded.len());
    assert!(recorded.iter().all(|bytes| bytes.starts_with(b"before")));
    let said = std::fs::read_to_string(home.path().join("daemon.log")).unwrap();
    let told = said
        .lines()
        .filter(|line| line.contains("emulator failed"))
        .count();
    assert_eq!(told, recorded.len(), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(other.screen(&mut serve), "other");
}
