//! `init`: a project file from the files of other programs.

use std::path::{Path, PathBuf};

use crate::support::{Home, Ran, Terminal};

/// An empty directory of the home.
fn dir(home: &Home) -> PathBuf {
    let dir = home.scratch("shop");
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn run_in(home: &Home, dir: &Path, args: &[&str]) -> Ran {
    let mut command = home.command(args);
    command.current_dir(dir);
    home.run_command(command, args)
}

#[test]
fn writes_what_up_understands_and_never_overwrites() {
    let home = Home::new();
    let dir = dir(&home);
    let put = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    put(
        "package.json",
        r#"{"scripts": {"dev": "sleep 1000", "a b": "x"}}"#,
    );
    put("package-lock.json", "{}");
    put(
        "compose.yaml",
        "services:\n  db: {image: x, ports: ['5432:5432']}\n",
    );
    let printed = run_in(&home, &dir, &["init", "-n"]).expect_code(0);
    assert!(!dir.join("bgproc.toml").exists());

    let said = run_in(&home, &dir, &["init"]).expect_code(0);
    assert_eq!(
        said.stdout,
        "bgproc.toml  3 jobs from package.json, compose.yaml\n"
    );
    said.expect_said("bgproc up -n");
    let text = std::fs::read_to_string(dir.join("bgproc.toml")).unwrap();
    assert_eq!(text, printed.stdout);

    let plan = run_in(&home, &dir, &["up", "-n"]).expect_code(0);
    assert_eq!(plan.stdout, "+ dev\n+ db\n");
    run_in(&home, &dir, &["init"])
        .expect_code(1)
        .expect_said("bgproc.toml is there already");
    assert_eq!(
        std::fs::read_to_string(dir.join("bgproc.toml")).unwrap(),
        text
    );
}

#[test]
fn up_beside_files_of_other_programs_names_init() {
    let home = Home::new();
    let dir = dir(&home);
    std::fs::write(
        dir.join("mprocs.yaml"),
        "procs: {web: {shell: sleep 1000}}\n",
    )
    .unwrap();
    for args in [&["up"][..], &["up", "-n"], &["reload"]] {
        run_in(&home, &dir, args)
            .expect_code(2)
            .expect_said("there is no project file in ")
            .expect_said("bgproc init writes bgproc.toml from mprocs.yaml; --file FILE names ");
    }
    let empty = home.scratch("empty");
    std::fs::create_dir_all(&empty).unwrap();
    run_in(&home, &empty, &["up"])
        .expect_code(2)
        .expect_said("bgproc help projects describes project files; --file FILE names ");
    run_in(&home, &dir, &["up", "-f", "mprocs.yaml", "-d"])
        .expect_code(2)
        .expect_said("mprocs.yaml is the file of another program, not a project file")
        .expect_said("bgproc init --from mprocs.yaml writes bgproc.toml from it");
    run_in(&home, &dir, &["init"]).expect_code(0);
    run_in(&home, &dir, &["up", "-d"]).expect_code(0);
}

#[test]
fn what_is_made_of_another_manager_comes_up() {
    let home = Home::new();
    let dir = dir(&home);
    let text =
        "procs:\n  \"my job\":\n    shell: echo ready $X; sleep 1000\n    env: {X: '${y}'}\n";
    std::fs::write(dir.join("mprocs.yaml"), text).unwrap();
    let made = run_in(&home, &dir, &["--json", "init", "--from", "mprocs.yaml"]).expect_code(0);
    let made: serde_json::Value = serde_json::from_str(&made.stdout).unwrap();
    assert_eq!(made["jobs"][0], "my-job");
    run_in(&home, &dir, &["up"]).expect_code(0);
    run_in(
        &home,
        &dir,
        &["wait", "my-job", "--for", "match:ready \\$\\{y\\}"],
    )
    .expect_code(0);
    run_in(&home, &dir, &["down", "--now"]).expect_code(0);
}

#[test]
fn tasks_of_an_editor_come_up() {
    let home = Home::new();
    let dir = dir(&home);
    std::fs::create_dir(dir.join(".vscode")).unwrap();
    let tasks = "{ // Mine.\n\"tasks\": [\n\
        {\"label\": \"all day\", \"command\": \"sleep 1000\", \"isBackground\": true,},\n\
        {\"label\": \"look\", \"command\": \"cat ${file}\"},\n]}\n";
    std::fs::write(dir.join(".vscode/tasks.json"), tasks).unwrap();
    run_in(&home, &dir, &["up"])
        .expect_code(2)
        .expect_said("bgproc init writes bgproc.toml from .vscode/tasks.json; ");
    let said = run_in(&home, &dir, &["init"]).expect_code(0);
    assert_eq!(said.stdout, "bgproc.toml  1 job from .vscode/tasks.json\n");
    let text = std::fs::read_to_string(dir.join("bgproc.toml")).unwrap();
    assert!(
        text.contains("\"look\" (.vscode/tasks.json, line 4) is left out"),
        "{text}"
    );
    let plan = run_in(&home, &dir, &["up", "-n"]).expect_code(0);
    assert_eq!(plan.stdout, "+ all-day\n");
}

#[test]
fn mistakes_are_named_and_no_daemon_starts() {
    let home = Home::new();
    let dir = dir(&home);
    run_in(&home, &dir, &["init"])
        .expect_code(1)
        .expect_said("there is nothing here");
    run_in(&home, &dir, &["init", "--from", "none.yaml"])
        .expect_code(2)
        .expect_said("none.yaml: the file does not exist");
    std::fs::write(dir.join("mprocs.yaml"), "procs:\n  a: [\n").unwrap();
    for args in [&["init"][..], &["init", "--from", "mprocs.yaml"]] {
        run_in(&home, &dir, args)
            .expect_code(2)
            .expect_said("bgproc: mprocs.yaml:3:1: is not valid YAML");
    }
    assert!(!dir.join("bgproc.toml").exists());
    home.run(&["daemon", "status"]).expect_code(3);
}

#[test]
fn a_terminal_is_asked_if_there_is_a_choice() {
    let home = Home::new();
    std::fs::write(home.path().join("Procfile"), "web: x\n").unwrap();
    std::fs::write(home.path().join("Makefile"), "dev:\n").unwrap();
    let mut terminal = Terminal::new(&home, &["init"], (80, 24));
    terminal.wait_for_text("Which are taken? [Procfile");
    terminal.send("9\r");
    // The answer's echo before the question would move the next text over the edge of the screen.
    terminal.wait_for("second question", |screen| {
        screen.text(true).matches("Which are taken? [").count() == 2
    });
    assert!(terminal.text().contains("write numbers from the list"));
    terminal.send("2\r");
    terminal.wait_for_text("1 job from Makefile");
    assert_eq!(terminal.exit_code(), 0);
    let text = std::fs::read_to_string(home.path().join("bgproc.toml")).unwrap();
    assert!(text.contains("cmd = [\"make\", \"dev\"]"), "{text}");
}
