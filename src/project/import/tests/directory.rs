//! Which files of a directory are taken, and what is wrong with them.

use super::*;

#[test]
fn what_a_directory_has_is_chosen_from() {
    let chosen = |files: &[(&str, &str)]| {
        let seen = look(&memory(files), Path::new(DIR)).unwrap();
        let chosen = seen.iter().filter(|seen| seen.is_chosen);
        let chosen: Vec<String> = chosen.map(|seen| seen.name.clone()).collect();
        (chosen, seen.len())
    };
    let package = ("package.json", "{\"scripts\": {\"dev\": \"x\"}}");
    let compose = ("compose.yaml", "services: {db: {image: x}}");
    let old = ("docker-compose.yml", "services: {db: {image: x}}");
    let make = ("Makefile", "dev:\n");
    let mprocs = ("mprocs.yaml", "procs: {a: b}");
    let procfile = ("Procfile", "a: b");
    assert_eq!(
        chosen(&[package, compose, make]),
        (names(&["package.json", "compose.yaml"]), 3)
    );
    assert_eq!(chosen(&[compose, old]), (names(&["compose.yaml"]), 2));
    assert_eq!(
        chosen(&[package, mprocs, procfile]),
        (names(&["mprocs.yaml"]), 3)
    );
    assert_eq!(
        chosen(&[make, ("justfile", "dev:\n")]),
        (names(&["justfile"]), 2)
    );
    assert_eq!(
        chosen(&[("package.json", "{}"), ("Makefile", "all:\n")]),
        (vec![], 0)
    );
    let other = ("compose.yaml", "processes: {a: {command: x}}");
    assert_eq!(chosen(&[other, package]), (names(&["compose.yaml"]), 2));
    let pitchfork = ("pitchfork.toml", "[daemons.a]\nrun = \"x\"\n");
    let seen = chosen(&[procfile, pitchfork, package]);
    assert_eq!(seen, (names(&["pitchfork.toml"]), 3));
    let bad = memory(&[("package.json", "{")]);
    assert!(look(&bad, Path::new(DIR)).is_err());
}

#[test]
fn files_of_other_directories_keep_them() {
    let files = [
        ("apps/web/Procfile", "web: x"),
        ("mprocs.yaml", "procs: {web: {shell: y, cwd: sub}}"),
        (
            "deploy/mprocs.yaml",
            "procs: {web: {shell: z, cwd: sub}, \"Web\": a}",
        ),
    ];
    let from = ["apps/web/Procfile", "mprocs.yaml", "./deploy/mprocs.yaml"];
    let (project, text) = taken(&files, &from);
    assert_eq!(project.order, ["web", "web-2", "web-3", "Web"]);
    assert!(text.contains("cwd = \"apps/web\""), "{text}");
    assert!(text.contains("cwd = \"deploy/sub\""), "{text}");
    assert!(text.contains("(\"web\")"), "{text}");
}

#[test]
fn mistakes_name_file_and_line() {
    for (name, text, expected) in [
        (
            "mprocs.yaml",
            "procs:\n  a: [\n",
            "mprocs.yaml:3:1: is not valid YAML",
        ),
        (
            "mprocs.yaml",
            "procs:\n  a: {}\n",
            "mprocs.yaml:2:6: has neither shell nor cmd",
        ),
        ("mprocs.yaml", "x: 1\n", "the file has no map \"procs\""),
        (
            "package.json",
            "{\n  \"scripts\": {,\n}",
            "package.json:2:15: is not valid",
        ),
        (
            "package.json",
            "{\"scripts\": {\"x\": 1}}",
            "package.json:1:",
        ),
        ("package.json", "{}", "nothing that bgproc could run"),
        ("Cargo.toml", "[package]\nname = \n", "Cargo.toml:2:"),
        (
            "Procfile",
            "a: x\na: y\n",
            "Procfile:2:1: \"a\" is there twice",
        ),
        (
            "process-compose.yaml",
            "processes:\n  a:\n    command: x\n    depends_on: {b: {condition: y}}\n",
            "is not a condition",
        ),
        ("x.txt", "", "is of no kind that bgproc init knows"),
        ("x.yaml", "a: b", "is of no kind that bgproc init knows"),
    ] {
        let fault = fault(name, text);
        assert!(fault.contains(expected), "{name}: {fault}");
    }
    let circle = fault(
        "process-compose.yaml",
        "processes:\n  a: {command: x, depends_on: {b: {}}}\n  b: {command: x, depends_on: {a: {}}}\n",
    );
    let expected = "process-compose.yaml: jobs need each other in a circle: a -> b -> a";
    assert_eq!(circle, expected);
    let missing = import(&memory(&[]), Path::new(DIR), &names(&["mprocs.yaml"])).unwrap_err();
    assert!(missing[0].message.contains("does not exist"), "{missing:?}");
}
