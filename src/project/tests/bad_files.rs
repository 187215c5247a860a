//! Files with mistakes as a whole: what is in them, how much, and who can write to them.

use super::super::memory::{ME, Memory};
use super::{faults, load_files, load_with, project};

#[test]
fn the_file_itself() {
    let one = "[jobs.a]\nrun = \"x\"\n";
    for (text, said) in [
        (
            "",
            "bgproc.toml:1:1: the file has no job; add [jobs.NAME] with cmd or run",
        ),
        (
            "version = 1\n[env]\nA = \"1\"\n",
            "bgproc.toml:1:1: the file has no job",
        ),
        (
            &format!("version = 2\n{one}"),
            "bgproc.toml:1:11: \"version\" must be 1, not 2; a newer bgproc may know it",
        ),
        (
            &format!("version = \"1\"\n{one}"),
            "bgproc.toml:1:11: \"version\" must be 1, not a string",
        ),
        (
            &format!("agents = \"all\"\n{one}"),
            "bgproc.toml:1:10: \"agents\" must be one of none, read, write, not \"all\"",
        ),
        (
            &format!("project = \"a/b\"\n{one}"),
            "bgproc.toml:1:11: \"project\" must be a name; a name has",
        ),
        (
            &format!("shell = []\n{one}"),
            "bgproc.toml:1:9: \"shell\" must be a list such as",
        ),
        (
            &format!("jbos = 1\n{one}"),
            "bgproc.toml:1:1: unknown key \"jbos\". Did you mean \"jobs\"?",
        ),
        (
            "services = {}\n",
            "bgproc.toml:1:1: unknown key \"services\". Did you mean \"jobs\"?",
        ),
        (
            "jobs = 1\n",
            "bgproc.toml:1:8: \"jobs\" must be a table, not a number",
        ),
        (
            "[jobs.-x]\nrun = \"x\"\n",
            "bgproc.toml:1:7: \"-x\" is not a valid name of a job; a name has",
        ),
        (
            "[jobs.\"a/b\"]\nrun = \"x\"\n",
            "bgproc.toml:1:7: \"a/b\" is not a valid name of a job",
        ),
        (
            "[jobs.\"\"]\nrun = \"x\"\n",
            "bgproc.toml:1:7: \"\" is not a valid name of a job",
        ),
        (
            "[jobs]\na = 1\n",
            "bgproc.toml:2:5: \"a\" in [jobs] must be a table, not a number",
        ),
        (
            &format!("[defaults]\nrun = \"x\"\n{one}"),
            "bgproc.toml:2:1: \"run\" cannot be in [defaults]; it belongs to one job",
        ),
        (
            &format!("{one}[groups.g]\njobs = [\"b\"]\n"),
            "bgproc.toml:4:9: [groups.g] lists \"b\", which is not a job",
        ),
        (
            &format!("{one}group = \"h\"\n[groups.g]\njobs = [\"a\"]\n"),
            "bgproc.toml:3:9: \"a\" is in the groups \"g\" and \"h\"; a job has one group",
        ),
        (
            &format!("{one}[groups.-g]\n"),
            "bgproc.toml:3:9: \"-g\" is not a valid name of a group",
        ),
        (
            &format!("{one}run = \"y\"\n"),
            "bgproc.toml:3:1: invalid TOML: duplicate key run",
        ),
        ("[jobs.a\n", "bgproc.toml:1:8: invalid TOML: "),
    ] {
        let found = faults(text);
        assert!(found.starts_with(said), "{text}\n  {found}\n  {said}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

#[test]
fn one_port_written_twice() {
    let text =
        "[jobs.a]\nrun = \"x\"\nport = 3000\n[jobs.b]\nrun = \"x\"\nport = { http = 3000 }\n";
    assert_eq!(
        faults(text),
        "bgproc.toml:6:17: port 3000 of [jobs.b] is also a port of [jobs.a]\n  bgproc.toml:3:8: is the other place"
    );
}

#[test]
fn all_faults_at_once_and_those_of_defaults_once() {
    let text = "[defaults]\ntimeout = \"x\"\n[jobs.a]\nrun = 1\n[jobs.b]\nrun = \"x\"\nportt = 1\n";
    let said = faults(text);
    let places: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split(": ").next())
        .collect();
    assert_eq!(
        places,
        ["bgproc.toml:2:11", "bgproc.toml:4:7", "bgproc.toml:7:1"]
    );
    let many: String = (0..30).map(|n| format!("[jobs.j{n}]\nrun = 1\n")).collect();
    let many = faults(&many);
    assert_eq!(many.lines().count(), 21);
    assert!(
        many.ends_with("\nbgproc.toml: 10 more mistakes are not shown"),
        "{many}"
    );
}

#[test]
fn faults_that_follow_from_others_are_left_out() {
    for (text, count) in [
        (
            "[jobs.db]\nrun = 1\n[jobs.a]\nrun = \"x\"\nneeds = [\"db\"]\n",
            1,
        ),
        (
            "[jobs.db]\nrun = \"x\"\nready = { log = \"(\" }\n[jobs.a]\nrun = \"x\"\nneeds = { db = \"ready\" }\n",
            1,
        ),
        (
            "[jobs.db]\nrun = \"x\"\nport = 0\n[jobs.a]\ncmd = [\"${port.db}\", \"${port.db.x}\"]\n",
            1,
        ),
        (
            "[jobs.-db]\nrun = \"x\"\n[jobs.a]\nrun = \"x\"\nneeds = [\"-db\"]\n",
            1,
        ),
        (
            "include = [\"none\"]\n[jobs.a]\nrun = \"x\"\nneeds = [\"web/dev\"]\n",
            1,
        ),
        ("[jobs.a]\nrun = \"x\"\nneeds = [\"b\"]\ncwd = 1\n", 2),
    ] {
        let said = faults(text);
        assert_eq!(said.lines().count(), count, "{text}\n{said}");
    }
}

#[test]
fn sizes_are_limited() {
    let jobs = |count: usize| {
        (0..count)
            .map(|n| format!("[jobs.j{n}]\nrun = \"x\"\n"))
            .collect::<String>()
    };
    assert_eq!(
        faults(&jobs(10_000)),
        "bgproc.toml:4001:7: 10000 jobs are too many; a project has at most 2000; make several projects of them"
    );
    assert_eq!(project(&jobs(2000)).jobs.len(), 2000);
    let large = format!("{}# {}\n", jobs(1), "x".repeat(5 << 20));
    assert_eq!(
        faults(&large),
        "bgproc.toml: the file is too large; the limit is 4096 KiB"
    );
    let mut files = Memory::with(&[("/p/bgproc.toml", &jobs(1))]);
    files.put("/p/.env", &vec![b'#'; 10 << 20]);
    assert_eq!(
        load_files(&files).unwrap_err(),
        ".env: the file is too large; the limit is 1024 KiB"
    );
}

#[test]
fn bytes_that_are_no_text() {
    for (bytes, said) in [
        (
            &b"[jobs.a]\nrun = \"\xff\"\n"[..],
            "bgproc.toml:2:8: the file is not valid UTF-8 from here on",
        ),
        (
            b"[jobs.a]\nrun = \"a\0b\"\n",
            "bgproc.toml:2:9: the file contains a NUL byte",
        ),
        (
            b"[jobs.a]\nrun = \"a\\u0000b\"\n",
            "bgproc.toml:2:7: the value contains a NUL character",
        ),
    ] {
        let mut files = Memory::default();
        files.put("/p/bgproc.toml", bytes);
        assert_eq!(load_files(&files).unwrap_err(), said);
    }
}

#[test]
fn bad_env_files_and_missing_files() {
    let text = "env_file = [\".env\"]\n[jobs.a]\nrun = \"x\"\n";
    let files = Memory::with(&[("/p/bgproc.toml", text), ("/p/.env", "A=1\n\nB 2\n")]);
    assert_eq!(
        load_files(&files).unwrap_err(),
        ".env:3:1: expected NAME=value"
    );
    let files = Memory::with(&[("/p/bgproc.toml", text)]);
    let said = load_files(&files).unwrap_err();
    assert!(
        said.starts_with("bgproc.toml:1:13: /p/.env does not exist"),
        "{said}"
    );
    let said = load_with(&files, &["none.toml"]).unwrap_err();
    assert_eq!(said, "none.toml: the file does not exist");
}

#[test]
fn files_that_others_can_write_to() {
    let text = "[jobs.a]\nrun = \"x\"\n";
    for path in ["/p", "/p/bgproc.toml", "/p/.env"] {
        let mut files = Memory::with(&[("/p/bgproc.toml", text), ("/p/.env", "")]);
        files.own(path, ME, ME, 0o777);
        let said = load_files(&files).unwrap_err();
        let why = format!(
            "refused, because all users can write to {path}; `chmod o-w {path}` makes it safe"
        );
        assert!(said.contains(&why), "{said}");
    }
}
