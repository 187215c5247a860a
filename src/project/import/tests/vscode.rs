//! `.vscode/tasks.json`.

use super::*;

const NAME: &str = ".vscode/tasks.json";

const FILE: &str = r#"{
  // What VS Code writes.
  "version": "2.0.0",
  "options": { "env": { "A": "1", "B": "${env:B}" } },
  "inputs": [{ "id": "name", "type": "promptString" }],
  "tasks": [
    {
      "label": "build all",
      "type": "shell",
      "command": "make -j4 && echo ${HOME}",
      "detail": "builds",
      "group": { "kind": "build", "isDefault": true },
    },
    {
      "label": "watch",
      "type": "shell",
      "command": "npx",
      "args": ["tsc", "my dir", { "value": "$x", "quoting": "strong" }, "${workspaceFolder}/a"],
      "options": { "cwd": "${workspaceFolder}/apps/web", "env": { "A": "2", "C": "${file}" } },
      "isBackground": true,
      "problemMatcher": { "background": { "endsPattern": "done" } },
      "dependsOn": "build all",
    },
    { "label": "serve", "type": "process", "command": "${workspaceFolder}/bin/serve", "args": ["--home", "${env:HOME}", "${"], "isBackground": true },
    { "label": "zsh", "command": "echo ${X}", "options": { "shell": { "executable": "zsh", "args": ["-lc"] } } },
    { "type": "npm", "script": "lint", "path": "apps/web" },
    { "label": "dev", "dependsOrder": "sequence", "dependsOn": ["build all", "watch", "serve", "ghost"] },
    { "label": "ask", "type": "shell", "command": "echo ${input:name}" },
    { "label": "tsc", "type": "typescript", "tsconfig": "x" },
    { "label": "open", "type": "process", "command": "x", "args": ["${file}"], "runOptions": { "runOn": "folderOpen" } },
    { "label": "here", "command": "x", "runOptions": { "runOn": "folderOpen" }, "linux": { "command": "y" }, "osx": { "command": "y" } },
  ],
}
"#;

#[test]
fn tasks_arrive() {
    let (project, text) = of(NAME, FILE);
    let names = [
        "build-all",
        "watch",
        "serve",
        "zsh",
        "npm-lint",
        "dev",
        "here",
    ];
    assert_eq!(project.order, names, "{text}");
    let job = |name: &str| &project.jobs[name];
    assert_eq!(line(job("build-all")), "make -j4 && echo ${HOME}");
    assert_eq!(job("build-all").description.as_deref(), Some("builds"));
    assert_eq!(line(job("watch")), "npx tsc 'my dir' '$x' ../../a");
    assert!(text.contains("cwd = \"apps/web\""), "{text}");
    assert_eq!(
        argv(job("serve")),
        ["./bin/serve", "--home", "${HOME:-}", "$${"]
    );
    assert_eq!(argv(job("zsh")), ["zsh", "-lc", "echo $${X}"]);
    assert_eq!(argv(job("npm-lint")), ["npm", "run", "lint"]);
    assert_eq!(argv(job("dev")), ["true"]);
    assert_eq!(line(job("here")), "y");
    let tasks: Vec<&str> = names.into_iter().filter(|name| job(name).is_task).collect();
    assert_eq!(tasks, ["build-all", "zsh", "npm-lint", "dev", "here"]);
    // The others start as in VS Code, when somebody names them.
    let start = names.into_iter().filter(|name| job(name).autostart);
    assert_eq!(start.collect::<Vec<_>>(), ["watch", "serve", "here"]);
    let needs = |name: &str| -> Vec<String> {
        let needs = job(name).needs.iter();
        needs.map(|need| need.job.clone()).collect()
    };
    assert_eq!(needs("watch"), ["build-all"]);
    assert_eq!(needs("serve"), ["watch"]);
    assert_eq!(needs("dev"), ["build-all", "watch", "serve"]);
    for note in [
        "It needs \"watch\" because \"dev\" runs them in this order.",
        "It needs \"ghost\", which is not in the file.",
        "\"ask\" (.vscode/tasks.json, line 28) is left out: bgproc does not know ${input:name} of VS Code.",
        "\"tsc\" (.vscode/tasks.json, line 29) is left out: tasks of type \"typescript\"",
        "\"open\" (.vscode/tasks.json, line 30) is left out: bgproc does not know ${file}",
        "Not taken over: the variable C: bgproc does not know ${file} of VS Code.",
        "problemMatcher that say when it is ready are not taken over",
        "env = { B = \"${B:-}\", A = \"2\" }",
    ] {
        assert!(text.contains(note), "{note}\n{text}");
    }
}

#[test]
fn a_sequence_that_would_be_a_circle_is_left_out() {
    let (project, text) = of(
        NAME,
        r#"{"tasks": [
            {"label": "a", "command": "x", "dependsOn": ["b"]},
            {"label": "b", "command": "x"},
            {"label": "c", "dependsOn": ["a", "b"], "dependsOrder": "sequence"}
        ]}"#,
    );
    assert!(project.jobs["b"].needs.is_empty());
    assert!(
        text.contains("It does not wait for \"a\" as in \"c\""),
        "{text}"
    );
}

#[test]
fn tasks_are_taken_if_there_is_nothing_better() {
    let tasks = (NAME, FILE);
    let chosen = |files: &[(&str, &str)]| {
        let seen = look(&memory(files), Path::new(DIR)).unwrap();
        let chosen = seen.into_iter().filter(|seen| seen.is_chosen);
        chosen.map(|seen| seen.name).collect::<Vec<_>>()
    };
    let package = ("package.json", "{\"scripts\": {\"dev\": \"x\"}}");
    assert_eq!(chosen(&[tasks, ("Makefile", "dev:\n")]), [NAME]);
    assert_eq!(chosen(&[tasks, package]), ["package.json"]);
    let of_app = "apps/web/.vscode/tasks.json";
    let (_, text) = taken(&[(of_app, FILE)], &[of_app]);
    assert!(text.contains("cwd = \"apps/web/apps/web\""), "{text}");
    assert!(text.contains("cwd = \"apps/web\""), "{text}");
    assert!(is_known(Path::new("/p/.vscode/tasks.json")));
    assert!(!is_known(Path::new("/p/tasks.json")));
    let fault = fault(NAME, "{\"tasks\": 1}");
    assert!(
        fault.contains("tasks.json:1:11: the file has no list"),
        "{fault}"
    );
}
