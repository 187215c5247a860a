//! Completions in real shells, and manual pages.

use std::process::Command;

use crate::support::needs::have;
use crate::support::{Home, Terminal};

/// A home with a job that runs and one that has failed.
fn home() -> Home {
    let home = Home::new();
    home.start(&["-n", "web", "-g", "shop", "sleep 1000"]);
    home.run(&["run", "-w", "-n", "lint", "exit 3"])
        .expect_code(3);
    home
}

/// What a shell prints for a script, with bgproc as it is built here.
fn said(home: &Home, shell: &str, script: &str) -> String {
    let bgproc = home.command(&[]).get_program().to_owned();
    let script = script.replace("BGPROC", &bgproc.display().to_string());
    let mut command = Command::new(shell);
    home.surround(&mut command);
    let ran = command.args(["-c", &script]).output().unwrap();
    let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{script}: {errors}");
    String::from_utf8(ran.stdout).unwrap()
}

/// Completes words in bash; the last one is the word at the cursor.
fn in_bash(home: &Home, words: &[&str]) -> Vec<String> {
    let last = words.len() - 1;
    let list: String = words.iter().map(|word| format!(" '{word}'")).collect();
    let script = format!(
        "source <(BGPROC completions bash); COMP_WORDS=({list}); COMP_CWORD={last}; COMP_TYPE=9; \
         _clap_complete_bgproc bgproc '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words[last],
        words[last - 1]
    );
    said(home, "bash", &script)
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn bash_completes_verbs_options_and_jobs() {
    if !have("bash") {
        return;
    }
    let home = home();
    assert_eq!(in_bash(&home, &["bgproc", "comp"]), ["completions"]);
    assert_eq!(in_bash(&home, &["bgproc", "logs", "--fol"]), ["--follow"]);
    assert_eq!(in_bash(&home, &["bgproc", "logs", "w"]), ["web"]);
    assert_eq!(in_bash(&home, &["bgproc", "stop", "g"]), ["g:shop"]);
    // Only what the verb can act on.
    let offered = |verb| in_bash(&home, &["bgproc", verb, ""]);
    assert!(offered("stop").contains(&"web".to_owned()));
    assert!(!offered("stop").contains(&"lint".to_owned()));
    assert!(offered("rm").contains(&"lint".to_owned()));
    assert!(!offered("rm").contains(&"web".to_owned()));
}

#[test]
fn fish_shows_the_states_of_jobs() {
    if !have("fish") {
        return;
    }
    let home = home();
    let shown = |line: &str| {
        let script = format!("BGPROC completions fish | source; complete -C '{line}'");
        said(&home, "fish", &script)
    };
    assert_eq!(shown("bgproc logs w"), "web\trunning\n");
    assert_eq!(shown("bgproc logs l"), "lint\texit 3\n");
}

#[test]
fn zsh_completes_with_the_installed_file() {
    if !have("zsh") {
        return;
    }
    let home = home();
    let ran = home
        .run(&["completions", "zsh", "--install"])
        .expect_code(0);
    let file = std::path::PathBuf::from(ran.stdout.trim());
    assert!(file.starts_with(home.path()), "{ran}");
    ran.expect_said("fpath+=(");
    let bgproc = home.command(&[]).get_program().to_owned();
    let bin = std::path::Path::new(&bgproc).parent().unwrap();
    let paths = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut zsh = Terminal::zsh(&home, (100, 24), &paths);
    zsh.wait_for_text(">");
    let dir = file.parent().unwrap().display();
    zsh.send(format!(
        "fpath+=({dir}); autoload -U compinit; compinit -u; echo lo''aded\r"
    ));
    zsh.wait_for_text("loaded");
    zsh.send("bgproc logs w\t");
    zsh.wait_for_text("bgproc logs web");
    // Ctrl-U erases the line.
    zsh.send("\x15exit 0\r");
    assert_eq!(zsh.exit_code(), 0);
}

#[test]
fn without_a_daemon_tab_starts_none() {
    if !have("bash") {
        return;
    }
    let home = Home::new();
    in_bash(&home, &["bgproc", "logs", ""]);
    home.run(&["daemon", "status"]).expect_code(3);
}

#[test]
fn all_shells_have_a_script_and_the_wrong_one_is_refused() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "nushell", "powershell", "elvish"] {
        assert!(
            home.ok(&["completions", shell]).contains("bgproc"),
            "{shell}"
        );
        let ran = home
            .run(&["completions", shell, "--install"])
            .expect_code(0);
        let written = std::fs::read_to_string(ran.stdout.trim()).unwrap();
        assert!(written.contains("bgproc"), "{shell}: {written}");
    }
    home.run(&["completions", "csh"]).expect_code(2);
}

#[test]
fn each_verb_has_a_manual_page() {
    let home = Home::new();
    let dir = home.scratch("man1");
    let written = home.ok(&["man", &dir.display().to_string()]);
    assert!(written.lines().count() > 30, "{written}");
    for file in written.lines() {
        let page = std::fs::read_to_string(file).unwrap();
        assert!(page.contains(".SH EXAMPLES"), "{file}");
        assert_eq!(
            page.matches(".TP\n\\fBbgproc").count() + page.matches(".TP\n\\fBclaude").count(),
            3,
            "{file}"
        );
    }
    assert!(home.ok(&["man"]).contains("bgproc\\-wait(1)"));
}
