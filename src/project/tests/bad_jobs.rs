//! Mistakes in jobs: each fault names its place, and what would be correct.

use super::faults;

#[test]
fn a_typo_in_cmd() {
    let text = "\n".repeat(12) + "[jobs.web]\ncomand = [\"x\"]\n";
    assert_eq!(
        faults(&text),
        "bgproc.toml:14:1: unknown key \"comand\" in [jobs.web]. Did you mean \"cmd\"?"
    );
    assert_eq!(
        faults("[jobs.web]\ncommand = \"npm start\""),
        "bgproc.toml:2:1: unknown key \"command\" in [jobs.web]. Did you mean \"cmd\"? A shell line is \
         run = \"npm start\""
    );
}

/// The faults of one job with these lines after `run`.
fn job(line: &str) -> String {
    let said = faults(&format!("[jobs.a]\nrun = \"x\"\n{line}\n"));
    said.replace("bgproc.toml:", "")
}

#[test]
fn wrong_types_and_ranges() {
    for (line, said) in [
        (
            "port = \"x\"",
            "3:8: \"port\" in [jobs.a] must be a number from 1 to 65535, not a string",
        ),
        (
            "port = 0",
            "3:8: \"port\" in [jobs.a] must be a number from 1 to 65535, not 0",
        ),
        (
            "port = 70000",
            "3:8: \"port\" in [jobs.a] must be a number from 1 to 65535, not 70000",
        ),
        (
            "port = { a = -1 }",
            "3:14: \"a\" in [jobs.a.port] must be a number from 1 to 65535, not -1",
        ),
        (
            "port = 99999999999999999999",
            "3:8: \"port\" in [jobs.a] must be a number from 1 to 65535, not a number that is too large",
        ),
        (
            "pty = \"yes\"",
            "3:7: \"pty\" in [jobs.a] must be true or false, not a string",
        ),
        (
            "kind = \"srvice\"",
            "3:8: \"kind\" in [jobs.a] must be one of service, task, not \"srvice\"",
        ),
        (
            "tags = [\"-x\"]",
            "3:9: \"tags\" in [jobs.a] must be a list of tags, and \"-x\" is none; a name has",
        ),
        (
            "tags = \"x\"",
            "3:8: \"tags\" in [jobs.a] must be a list of strings: [\"x\"]",
        ),
        (
            "tags = [1]",
            "3:9: \"tags\" in [jobs.a] must be a list of strings, not a number",
        ),
        (
            "restart = \"allways\"",
            "3:11: \"restart\" in [jobs.a] must be never, on-failure, always, on-failure:N, always:N, or a table such as { when = \"always\", max = 5 }, not \"allways\"",
        ),
        (
            "restart = true",
            "3:11: \"restart\" in [jobs.a] must be never, on-failure, always, on-failure:N, always:N, or a table such as { when = \"always\", max = 5 }, not a boolean",
        ),
        (
            "env = [\"A=1\", \"B=x y\"]",
            "3:7: \"env\" in [jobs.a] must be a table, not a list; write env = { A = \"1\", B = \"x y\" }",
        ),
        (
            "env = [\"B B=1\"]",
            "3:7: \"env\" in [jobs.a] must be a table, not a list",
        ),
        (
            "schedule = \"daily\"",
            "3:12: \"schedule\" in [jobs.a] must be a table, not a string",
        ),
        (
            "ready = \"https://x\"",
            "3:9: \"ready\" in [jobs.a] must be a table, not a string; write ready = { exec = \"curl -fsS https://x\" }",
        ),
        (
            "env = [\"A\"]",
            "3:7: \"env\" in [jobs.a] must be a table, not a list",
        ),
        (
            "watch = \"src\"",
            "3:9: \"watch\" in [jobs.a] must be a list of at least one path, or a table, not a string; write watch = [\"src\"]",
        ),
        (
            "watch = []",
            "3:9: \"watch\" in [jobs.a] must be a list of at least one path, or a table, not an empty list",
        ),
        (
            "schedule = \"0 2 * * *\"",
            "3:12: \"schedule\" in [jobs.a] must be a table, not a string; write schedule = { cron = \"0 2 * * *\" }",
        ),
        (
            "ready = 3000",
            "3:9: \"ready\" in [jobs.a] must be a table, not a number; write ready = { port = 3000 }",
        ),
        (
            "size = \"120\"",
            "3:8: \"size\" in [jobs.a] must be columns and rows such as \"120x40\", not \"120\"",
        ),
        ("size = \"0x0\"", "3:8: \"size\""),
        (
            "ok_codes = [256]",
            "3:13: \"ok_codes\" in [jobs.a] must be a number from 0 to 255, not 256",
        ),
        (
            "ok_codes = []",
            "3:12: \"ok_codes\" in [jobs.a] must be a list of exit codes: [0]",
        ),
        (
            "timeout = 5",
            "3:11: \"timeout\" in [jobs.a] must be a duration such as \"10s\", or \"none\", not a number",
        ),
        (
            "timeout = \"5\"",
            "3:11: \"timeout\" in [jobs.a] must be a duration with a unit, such as 500ms, 10s, 5m or 2h, not \"5\"",
        ),
        (
            "timeout = \"5x\"",
            "3:11: \"timeout\" in [jobs.a] must be a duration with a unit",
        ),
        (
            "timeout = \"1.5s\"",
            "3:11: \"timeout\" in [jobs.a] must be a duration with a unit",
        ),
        (
            "timeout = 1.5",
            "3:11: \"timeout\" in [jobs.a] must be a duration such as \"10s\", or \"none\", not a number with a fraction",
        ),
        (
            "notify = [\"x\"]",
            "3:11: \"notify\" in [jobs.a] must be one of failed, ready, input, done, not \"x\"",
        ),
        (
            "env = { A = true }",
            "3:13: \"A\" in [jobs.a.env] must be a string, or false to remove it; write \"true\" or \"1\"",
        ),
        (
            "env = { A = 1.5 }",
            "3:13: \"A\" in [jobs.a.env] must be a string, or false to remove it, not a number with a fraction",
        ),
        (
            "env = { \"A=B\" = \"\" }",
            "3:9: \"A=B\" is not the name of a variable",
        ),
        (
            "group = \"a b\"",
            "3:9: \"group\" in [jobs.a] must be the name of a group; a name has",
        ),
        (
            "cwd = \"~/x\"",
            "3:7: \"cwd\" in [jobs.a] must be a path; `~` is not expanded, write \"${HOME}/x\"",
        ),
        (
            "env_file = [\"?\"]",
            "3:13: \"env_file\" in [jobs.a] must be a list of paths",
        ),
        (
            "env_file = [\"no\"]",
            "3:13: /p/no does not exist; write a \"?\" before its name if it may be missing",
        ),
        (
            "limits = { memory = \"2Q\" }",
            "3:21: \"memory\" in [jobs.a.limits] must be a size such as \"64M\" or \"2G\"",
        ),
        (
            "limits = { memory = \"1K\" }",
            "3:21: \"memory\" in [jobs.a.limits] must be at least 1M",
        ),
        (
            "limits = { open_files = 2 }",
            "3:25: \"open_files\" in [jobs.a.limits] must be 0 or at least 3",
        ),
        (
            "limits = { nice = 20 }",
            "3:19: \"nice\" in [jobs.a.limits] must be a number from -20 to 19, not 20",
        ),
    ] {
        let found = job(line);
        assert!(found.starts_with(said), "{line}\n  {found}\n  {said}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

#[test]
fn wrong_parts() {
    for (line, said) in [
        (
            "ready = {}",
            "3:1: [jobs.a.ready] needs one of log, port, tcp, http, exec, file, quiet",
        ),
        (
            "ready = { log = \"x\", port = 1 }",
            "3:22: [jobs.a.ready] has both \"log\" and \"port\"; keep one of them",
        ),
        (
            "ready = { log = \"(\" }",
            "3:17: \"log\" in [jobs.a.ready] must be a valid pattern, not \"(\": unclosed group",
        ),
        (
            "ready = { log = \"\\\\w{1000}{1000}\" }",
            "3:17: \"log\" in [jobs.a.ready] must be a valid pattern",
        ),
        (
            "ready = { log = \"\" }",
            "3:17: \"log\" in [jobs.a.ready] must be a pattern, not \"\"",
        ),
        (
            "ready = { log = \"x\", every = \"0s\" }",
            "3:30: \"every\" in [jobs.a.ready] must be more than 0",
        ),
        (
            "ready = { log = \"x\", status = [200] }",
            "3:22: \"status\" in [jobs.a.ready] goes with \"http\" only",
        ),
        (
            "ready = { port = 0 }",
            "3:18: \"port\" in [jobs.a.ready] must be a number from 1 to 65535, not 0",
        ),
        (
            "ready = { tcp = \"localhost\" }",
            "3:17: \"tcp\" in [jobs.a.ready] must be host:port, not \"localhost\"",
        ),
        (
            "ready = { http = \"localhost\" }",
            "3:18: \"http\" in [jobs.a.ready] must be an address such as http://localhost:3000/, not \"localhost\"",
        ),
        (
            "ready = { http = \"https://x\" }",
            "3:18: \"http\" in [jobs.a.ready] must be a http:// address; for https use exec",
        ),
        (
            "ready = { http = \"http://x\", status = [99] }",
            "3:40: \"status\" in [jobs.a.ready] must be a number from 100 to 599, not 99",
        ),
        (
            "ready = { port = \"${\" }",
            "3:18: \"ready.port\" in [jobs.a]: \"${\" is not closed",
        ),
        (
            "ready = { porrt = 1 }",
            "3:11: unknown key \"porrt\" in [jobs.a.ready]. Did you mean \"port\"?",
        ),
        (
            "restart = { wen = \"always\" }",
            "3:13: unknown key \"wen\" in [jobs.a.restart]. Did you mean \"when\"?",
        ),
        (
            "restart = { backoff = \"30s..1s\" }",
            "3:23: \"backoff\" in [jobs.a.restart] must be the shorter pause first, not \"30s..1s\"",
        ),
        (
            "restart = { unready = \"30s\" }",
            "3:13: \"unready\" in [jobs.a.restart] needs when = \"on-failure\" or \"always\" beside it",
        ),
        (
            "restart = { when = \"always\", unready = \"30s\" }",
            "3:30: \"unready\" in [jobs.a.restart] needs a ready, such as { http = \"http://localhost:3000/\" }",
        ),
        (
            "ready = { log = \"up\" }\nrestart = { when = \"always\", unready = \"30s\" }",
            "4:30: \"unready\" in [jobs.a.restart] needs a ready that can be lost: port, tcp, http, exec or file",
        ),
        (
            "ready = { port = 80 }\nrestart = { when = \"always\", unready = \"0s\" }",
            "4:40: \"unready\" in [jobs.a.restart] must be more than 0",
        ),
        (
            "restart = { backoff = \"1..2s\" }",
            "3:23: \"backoff\" in [jobs.a.restart] must be a duration with a unit",
        ),
        (
            "stop = { signal = \"TREM\" }",
            "3:19: \"signal\" in [jobs.a.stop] must be a signal such as TERM, not \"TREM\". Did you mean \"TERM\"?",
        ),
        (
            "stop = { signal = \"INT\", run = \"x\" }",
            "3:26: [jobs.a.stop] has both \"signal\" and \"run\"; keep one of them",
        ),
        (
            "stop = { keys = \"\" }",
            "3:17: \"keys\" in [jobs.a.stop] must be one or more keys, such as \"q\"",
        ),
        (
            "watch = { only = [\"[\"] }",
            "3:19: \"only\" in [jobs.a.watch] must be valid globs, not \"[\": ",
        ),
        (
            "watch = { do = \"reload\" }",
            "3:16: \"do\" in [jobs.a.watch] must be restart, a signal such as signal:HUP, or keys such as keys:r, not \"reload\"",
        ),
        (
            "watch = { do = \"signal:X\" }",
            "3:16: \"do\" in [jobs.a.watch] must be a signal",
        ),
        (
            "watch = { paths = [] }",
            "3:19: \"paths\" in [jobs.a.watch] must be a list with at least one path",
        ),
        (
            "schedule = {}",
            "3:1: [jobs.a.schedule] needs one of cron, every",
        ),
        (
            "schedule = { cron = \"0 0 30 2 *\" }",
            "3:21: \"cron\" in [jobs.a.schedule] must be a time that comes; \"0 0 30 2 *\" never does",
        ),
        (
            "schedule = { cron = \"61 * * * *\" }",
            "3:21: \"cron\" in [jobs.a.schedule] must be five fields such as \"0 2 * * *\", or @daily and its like, not \"61 * * * *\": \"61\" is not a minute (0-59)",
        ),
        (
            "schedule = { cron = \"* * * *\" }",
            "3:21: \"cron\" in [jobs.a.schedule] must be five fields such as \"0 2 * * *\"",
        ),
        (
            "schedule = { every = \"0s\" }",
            "3:22: \"every\" in [jobs.a.schedule] must be at least 1s",
        ),
        (
            "schedule = { every = \"1h\", tz = \"Europe/Atlantis\" }",
            "3:33: \"tz\" in [jobs.a.schedule] must be \"local\" or a time zone of this system such as \"Europe/Berlin\", not \"Europe/Atlantis\"",
        ),
        (
            "on = { done = \"x\" }",
            "3:8: unknown key \"done\" in [jobs.a.on]; known keys are ready, failed, exit, input",
        ),
    ] {
        let found = job(line);
        assert!(found.starts_with(said), "{line}\n  {found}\n  {said}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

#[test]
fn commands() {
    for (text, said) in [
        ("", "1:7: [jobs.a] needs one of cmd, run"),
        (
            "cmd = [\"x\"]\nrun = \"x\"",
            "3:1: [jobs.a] has both \"cmd\" and \"run\"; keep one of them",
        ),
        (
            "cmd = \"npm start\"",
            "2:7: \"cmd\" in [jobs.a] must be a list such as [\"npm\", \"run\", \"dev\"]; for a shell line write run = \"npm start\"",
        ),
        (
            "cmd = []",
            "2:7: \"cmd\" in [jobs.a] must be a list that starts with a program",
        ),
        (
            "cmd = [\"\"]",
            "2:7: \"cmd\" in [jobs.a] must be a list that starts with a program",
        ),
        (
            "run = \" \"",
            "2:7: \"run\" in [jobs.a] must be a shell line, not \"\"",
        ),
        (
            "run = [\"x\"]",
            "2:7: \"run\" in [jobs.a] must be a string, not a list",
        ),
        (
            "cmd = [\"x\", \"${PORT\"]",
            "2:13: \"cmd[1]\" in [jobs.a]: \"${PORT\" is not closed",
        ),
        (
            "cmd = [\"x\", \"${port.b}\"]",
            "2:13: \"cmd[1]\" in [jobs.a]: \"b\" is not a job of this project",
        ),
        (
            "cmd = [\"${port.a}\"]",
            "2:8: \"cmd[0]\" in [jobs.a]: [jobs.a] has no port",
        ),
    ] {
        let found = faults(&format!("[jobs.a]\n{text}\n"));
        let said = format!("bgproc.toml:{said}");
        assert!(found.starts_with(&said), "{text}\n  {found}\n  {said}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
    let long = "x".repeat(200_000);
    let limit = "must be at most 131071 bytes long, which is the limit of the system, not 200000; put it into a file";
    assert_eq!(
        faults(&format!("[jobs.a]\ncmd = [\"x\", \"{long}\"]\n")),
        format!("bgproc.toml:2:13: \"cmd\" in [jobs.a] {limit}")
    );
    assert_eq!(
        faults(&format!("[jobs.a]\nrun = \"{long}\"\n")),
        format!("bgproc.toml:2:7: \"run\" in [jobs.a] {limit}")
    );
}
