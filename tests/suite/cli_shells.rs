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
    in_bash_at(home, words, words[words.len() - 1])
}

/// The same where bash calls a part of the last word the current one: nothing, if the cursor is behind a colon.
fn in_bash_at(home: &Home, words: &[&str], current: &str) -> Vec<String> {
    let last = words.len() - 1;
    let list: String = words.iter().map(|word| format!(" '{word}'")).collect();
    let script = format!(
        "source <(BGPROC completions bash); COMP_WORDS=({list}); COMP_CWORD={last}; COMP_TYPE=9; \
         _clap_complete_bgproc bgproc '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        current,
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
    for verb in [&["stop", "-s"][..], &["kill", "-s"], &["signal", "web"]] {
        let words = [&["bgproc"], verb, &["US"]].concat();
        assert_eq!(in_bash(&home, &words), ["USR1", "USR2"], "{verb:?}");
    }
    let behind_job = in_bash(&home, &["bgproc", "signal", "web", ""]);
    assert!(behind_job.contains(&"HUP".to_owned()), "{behind_job:?}");
    let first = in_bash(&home, &["bgproc", "signal", ""]);
    assert!(!first.contains(&"HUP".to_owned()), "{first:?}");
    // Only what the verb can act on.
    let offered = |verb| in_bash(&home, &["bgproc", verb, ""]);
    assert!(offered("stop").contains(&"web".to_owned()));
    assert!(!offered("stop").contains(&"lint".to_owned()));
    assert!(offered("rm").contains(&"lint".to_owned()));
    assert!(!offered("rm").contains(&"web".to_owned()));
}

/// A directory with a file that no program is named like.
fn files(home: &Home) -> std::path::PathBuf {
    let dir = home.scratch("files");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("catalogue.txt"), "").unwrap();
    dir
}

#[test]
fn arguments_of_a_command_are_completed_with_files() {
    let home = Home::new();
    let dir = files(&home);
    let line = |shell: &str, word: &str| match shell {
        "fish" => format!("BGPROC completions fish | source; complete -C 'bgproc {word}'"),
        _ => format!(
            "source <(BGPROC completions bash); COMP_WORDS=(bgproc {word}); \
             COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_TYPE=9; _clap_complete_bgproc bgproc \
             \"${{COMP_WORDS[COMP_CWORD]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        ),
    };
    for shell in ["bash", "fish"].into_iter().filter(|shell| have(shell)) {
        let offered = |words: &str| {
            let script = format!("cd '{}'; {}", dir.display(), line(shell, words));
            said(&home, shell, &script)
        };
        let programs = offered("run ca");
        assert!(
            programs.lines().any(|program| program == "cat"),
            "{shell}: {programs}"
        );
        assert!(!programs.contains("catalogue"), "{shell}: {programs}");
        for words in ["run cat ca", "run -n web cat -n ca", "run cat a ca"] {
            assert_eq!(offered(words).trim(), "catalogue.txt", "{shell}: {words}");
        }
    }
}

/// A directory with a project file and no daemon.
fn project(home: &Home) -> std::path::PathBuf {
    let dir = home.scratch("shop");
    std::fs::create_dir_all(&dir).unwrap();
    let file = "[jobs.api]\nrun = \"sleep 1000\"\ndescription = \"the server\"\ntags = [\"slow\"]\n\
                [jobs.docs]\nrun = \"sleep 1000\"\n[groups.back]\njobs = [\"api\"]\n";
    std::fs::write(dir.join("bgproc.toml"), file).unwrap();
    dir
}

#[test]
fn jobs_of_the_project_file_complete_without_a_daemon() {
    if !have("bash") {
        return;
    }
    let home = Home::new();
    let dir = project(&home);
    let offered = |verb: &str| -> Vec<String> {
        let script = format!(
            "cd '{}'; source <(BGPROC completions bash); COMP_WORDS=(bgproc {verb} ''); COMP_CWORD=2; \
             COMP_TYPE=9; _clap_complete_bgproc bgproc '' {verb}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            dir.display()
        );
        let said = said(&home, "bash", &script);
        said.lines().map(str::to_owned).collect()
    };
    for verb in ["up", "exec", "env", "start", "restart"] {
        let offered = offered(verb);
        for job in ["api", "docs"] {
            assert!(offered.contains(&job.to_owned()), "{verb}: {offered:?}");
        }
    }
    let up = offered("up");
    assert!(
        up.contains(&"g:back".to_owned()) && up.contains(&"+slow".to_owned()),
        "{up:?}"
    );
    assert!(!offered("stop").contains(&"api".to_owned()));
    // A broken file completes nothing.
    std::fs::write(dir.join("bgproc.toml"), "[jobs.api]\nrnu = 1\n").unwrap();
    assert!(!offered("up").contains(&"api".to_owned()));
    home.run(&["daemon", "status"]).expect_code(3);
}

#[test]
fn jobs_of_the_project_have_their_states() {
    if !have("fish") {
        return;
    }
    let home = Home::new();
    let dir = project(&home);
    let mut command = home.command(&["up", "api"]);
    command.current_dir(&dir);
    home.run_command(command, &["up", "api"]).expect_code(0);
    let script = format!(
        "cd '{}'; BGPROC completions fish | source; complete -C 'bgproc up '",
        dir.display()
    );
    let shown = said(&home, "fish", &script);
    assert!(shown.contains("api\trunning\n"), "{shown}");
    assert!(shown.contains("docs\tnot started\n"), "{shown}");
}

#[test]
fn elvish_completes_with_the_installed_file() {
    if !have("elvish") {
        return;
    }
    let home = home();
    let ran = home
        .run(&["completions", "elvish", "--install"])
        .expect_code(0);
    ran.expect_said("use bgproc-completions");
    // What the editor calls for TAB.
    let script = "use bgproc-completions; \
                  each {|one| if (eq (kind-of $one) string) { echo $one } else { echo $one[stem] } } \
                  [($edit:completion:arg-completer[bgproc] bgproc logs w)]";
    let mut elvish = Terminal::shell(&home, (120, 24));
    elvish.wait_for_text("$");
    elvish.send("elvish -norc\r");
    // Its prompt on the right says user and host.
    elvish.wait_for_text("@");
    elvish.send(format!("{script}\r"));
    elvish.wait_for_text("web");
    elvish.send("exit\r");
    elvish.wait_for_text("$");
    elvish.send("exit 0\r");
    assert_eq!(elvish.exit_code(), 0);
}

/// What nushell asks for TAB, and what it is answered: words and their descriptions. The last word is the one at the
/// cursor.
fn in_nushell(home: &Home, words: &[&str]) -> String {
    let file = home.ok(&["completions", "nushell"]);
    let script = home.scratch("bgproc.nu");
    std::fs::write(&script, file).unwrap();
    let list: String = words.iter().map(|word| format!(" r#'{word}'#")).collect();
    let shown = r#"each {|one| $"($one.value)=($one.description)" } | to text"#;
    let completer = "do $env.config.completions.external.completer";
    let script = format!(
        "source '{}'; {completer} [{list}] | {shown}",
        script.display()
    );
    said(home, "nu", &script)
}

#[test]
fn nushell_completes_verbs_options_and_jobs() {
    if !have("nu") {
        return;
    }
    let home = home();
    home.start(&["-n", "my job", "sleep 1000"]);
    let offered = |words: &[&str]| in_nushell(&home, words);
    assert!(offered(&["bgproc", "comp"]).starts_with("completions="));
    assert!(offered(&["^bgproc", "logs", "--fol"]).starts_with("--follow="));
    assert_eq!(offered(&["bgproc", "logs", "w"]), "web=running\n");
    assert_eq!(offered(&["/usr/bin/bgproc", "logs", "l"]), "lint=exit 3\n");
    // An open quote stands in the word.
    assert_eq!(offered(&["bgproc", "stop", "\"my"]), "'my job'=running\n");
    let status = offered(&["bgproc", "ls", "--status=runn"]);
    assert!(status.starts_with("--status=running="), "{status}");
}

#[test]
fn nushell_completes_with_the_installed_file_and_leaves_other_commands_alone() {
    if !have("nu") {
        return;
    }
    let home = home();
    home.run(&["completions", "nushell", "--install"])
        .expect_code(0);
    let config = home.path().join(".config/nushell");
    let others = "$env.config.completions.external.completer = {|words| [$'of_($words.0)'] }\n\
                  $env.config.show_banner = false\n";
    std::fs::write(config.join("config.nu"), others).unwrap();
    let mut shell = Terminal::shell(&home, (100, 24));
    shell.wait_for_text("$");
    shell.send("exec nu --no-history\r");
    shell.wait_for_text(">");
    shell.send("bgproc logs w\t");
    shell.wait_for_text("bgproc logs web");
    shell.send("\x15other \t");
    shell.wait_for_text("other of_other");
    shell.send("\x15exit\r");
    assert_eq!(shell.exit_code(), 0);
}

#[test]
fn an_installed_file_can_be_installed_again_and_removed() {
    let home = Home::new();
    let install = || {
        home.run(&["completions", "fish", "--install"])
            .expect_code(0)
    };
    let first = install();
    let file = std::path::PathBuf::from(first.stdout.trim());
    let before = std::fs::metadata(&file).unwrap().modified().unwrap();
    first.expect_said(&format!("to undo this: rm {}", file.display()));
    let second = install();
    assert_eq!(second.stdout.trim(), file.display().to_string());
    second.expect_said("nothing has changed");
    assert_eq!(
        std::fs::metadata(&file).unwrap().modified().unwrap(),
        before
    );
    std::fs::write(&file, "old").unwrap();
    install().expect_said("new shells complete bgproc from now on");
    assert_ne!(std::fs::read_to_string(&file).unwrap(), "old");
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
    assert_eq!(shown("bgproc signal web US"), "USR1\nUSR2\n");
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
    zsh.send(format!("\x15cd {}\r", files(&home).display()));
    zsh.send("bgproc run cat ca\t");
    zsh.wait_for_text("bgproc run cat catalogue.txt");
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

#[test]
fn bash_quotes_names_and_completes_words_with_colons() {
    if !have("bash") {
        return;
    }
    let home = home();
    home.start(&["-n", "my job", "sleep 1000"]);
    home.start(&["-n", "q'x", "sleep 1000"]);
    assert_eq!(in_bash(&home, &["bgproc", "stop", "my"]), ["my\\ job"]);
    assert_eq!(in_bash(&home, &["bgproc", "stop", "q"]), ["q\\'x"]);
    // Bash splits the line at colons and equals signs.
    assert_eq!(
        in_bash(&home, &["bgproc", "stop", "g", ":", "sh"]),
        ["shop"]
    );
    assert_eq!(
        in_bash_at(&home, &["bgproc", "stop", "g", ":"], ""),
        ["shop"]
    );
    let status = ["bgproc", "ls", "--status", "=", "runn"];
    assert_eq!(in_bash(&home, &status), ["running"]);
    assert_eq!(in_bash(&home, &["bgproc", "ls", "-g", "s"]), ["shop"]);
    assert_eq!(in_bash(&home, &["bgproc", "help", "targ"]), ["targets"]);
    // A verb is offered by its name, and completed by an alias, too.
    assert_eq!(in_bash(&home, &["bgproc", "lo"]), ["logs"]);
    assert_eq!(in_bash(&home, &["bgproc", "log", "li"]), ["lint"]);
    let programs = in_bash(&home, &["bgproc", "run", "slee"]);
    assert!(programs.contains(&"sleep".to_owned()), "{programs:?}");
    // A name with brackets is not a pattern for other files.
    let dir = files(&home);
    for name in ["x[y].txt", "xy.txt"] {
        std::fs::write(dir.join(name), "").unwrap();
    }
    let script = format!(
        "cd '{}'; source <(BGPROC completions bash); COMP_WORDS=(bgproc run cat x); COMP_CWORD=3; COMP_TYPE=9; \
         _clap_complete_bgproc bgproc x cat; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        dir.display()
    );
    let said = said(&home, "bash", &script);
    let mut offered: Vec<&str> = said.lines().collect();
    offered.sort_unstable();
    assert_eq!(offered, ["x\\[y\\].txt", "xy.txt"]);
}
