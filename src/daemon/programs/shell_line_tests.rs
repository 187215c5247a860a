//! Tests of the shell line parser against the shell itself, and of the lines it refuses.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::process::Command;

use super::*;

fn names(line: &str) -> Vec<String> {
    let parsed = ShellLine::parse(line).unwrap_or_else(|why| panic!("{line:?}: {why}"));
    parsed.commands.into_iter().map(|one| one.name).collect()
}

#[test]
fn finds_each_command_of_a_line() {
    let table: &[(&str, &[&str])] = &[
        ("cargo build", &["cargo"]),
        ("  cargo   build  ", &["cargo"]),
        ("cargo build && git status", &["cargo", "git"]),
        ("a||b|c;d&e\nf", &["a", "b", "c", "d", "e", "f"]),
        ("a &&\n\n b", &["a", "b"]),
        ("a; b;", &["a", "b"]),
        ("a &", &["a"]),
        ("echo 'a; b' \"c && d\" e\\;f", &["echo"]),
        ("echo a#b", &["echo"]),
        ("echo $HOME ${HOME} $? \"$1 x\" *.rs ~/x", &["echo"]),
        ("echo \"\\$(x) \\` \\\" \\x\"", &["echo"]),
        ("\"car\"'go' c\"ar\"go", &["cargo"]),
        ("c\\ar\\go x", &["cargo"]),
        ("./run.sh x", &["./run.sh"]),
        ("make 2>&1 >/dev/null </dev/null | tee x", &["make", "tee"]),
        (">/dev/null make", &["make"]),
        ("make >> /dev/null 2>&-", &["make"]),
        ("sort < in.txt", &["sort"]),
        ("echo 2 >/dev/null", &["echo"]),
        ("echo \"naïve\" 'ü'", &["echo"]),
        ("echo a=b --x=y", &["echo"]),
    ];
    for (line, expected) in table {
        assert_eq!(names(line), *expected, "{line:?}");
    }
}

#[test]
fn refuses_ambiguous_syntax() {
    let lines = [
        "",
        " \n ",
        "# x",
        "echo x # y",
        // Command substitution.
        "echo $(id)",
        "echo `id`",
        "echo \"$(id)\"",
        "echo \"`id`\"",
        "echo $((x))",
        "echo \"${x:-$(id)}\"",
        "echo ${x}${y:=z}",
        "echo ${!x}",
        "echo $'a'",
        "echo $\"a\"",
        "echo $[1]",
        "echo <(id)",
        "echo >(id)",
        // Command names that change by expansion.
        "$x",
        "\"$x\"",
        "${x} a",
        "c*",
        "carg?",
        "[a]",
        "~/x",
        "{a,b}",
        "echo {a,b}",
        "''",
        "\"\" a",
        // Assignments that change what a name stands for.
        "PATH=/tmp cargo",
        "A=1",
        "A=1 cargo",
        "a[0]=1 cargo",
        "A+=1",
        "cargo; IFS=x",
        // Groups, functions, here-documents.
        "(id)",
        "cargo (id)",
        "f() { id; }",
        "cargo() { id; }; cargo",
        "{ id; }",
        "!cargo",
        "! cargo",
        "cat <<E\n$(id)\nE",
        "cat <<<x",
        "case a in a) id;; esac",
        "cargo ;; id",
        // Redirections that write to files.
        "echo x > cargo",
        "echo x >> ~/.profile",
        "echo x >| f",
        "echo x >&f",
        "echo x &> f",
        "echo x <> f",
        "echo x 2> f",
        "echo x >$f",
        "echo x > \"/dev/null\"x",
        "echo x >/dev/nul*",
        "echo x >",
        "echo x |& id",
        "a 12>/dev/null",
        "10>/dev/null cargo",
        "cat <$(id)",
        "cat <*",
        // Unterminated quotes, continued lines, other characters.
        "echo 'x",
        "echo \"x",
        "echo x\\",
        "car\\\ngo",
        "echo \"a\\\nb\"",
        "echo \r id",
        "echo\u{a0}x",
        "\u{fc}",
        "echo \u{b}",
        "echo \"\u{fc}\\\"; id; \"",
        "echo 'ü' \\; id",
    ];
    for line in lines {
        assert!(ShellLine::parse(line).is_err(), "{line:?} was taken");
    }
}

#[test]
fn replaces_only_the_command_names() {
    let path = |name: &str, _: &[Argument]| Ok::<_, ()>(format!("/it's/{name}"));
    for (line, expected) in [
        ("a b|c", r"'/it'\''s/a' b|'/it'\''s/c'"),
        ("a 'b' && \"c\" d", r"'/it'\''s/a' 'b' && '/it'\''s/c' d"),
        ("2>&1 eval id", r"2>&1 '/it'\''s/eval' id"),
    ] {
        let line = ShellLine::parse(line).unwrap();
        assert_eq!(line.with_programs(path).unwrap(), expected);
    }
    let line = ShellLine::parse("a; b").unwrap();
    assert_eq!(
        line.with_programs(|name, _| Err::<String, _>(name.to_owned())),
        Err("a".to_owned())
    );
}

/// Generates lines from pieces of shell syntax. Each line that is accepted must run nothing but the program
/// that replaces the names.
#[test]
fn accepted_lines_run_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let trap = dir.path().join("trap");
    let pieces = [
        "trap",
        "eval trap",
        "'",
        "\"",
        "\\",
        "$",
        "(",
        ")",
        "`",
        ";",
        "&",
        "|",
        "<",
        ">",
        "\n",
        " ",
        "{",
        "}",
        "#",
        "x",
        "=",
        "exec trap",
        "if",
        "then",
        "fi",
        "!",
        "2",
        "$(trap)",
        "command trap",
        "${TRAP}",
        "$TRAP",
        "*",
        "?",
        "2>/dev/null",
        "0<x",
    ];
    // A simple generator with a fixed seed, so that a failure can be reproduced.
    let mut seed: u64 = 7;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(seed >> 33).unwrap() % below
    };
    std::fs::write(
        &trap,
        format!("#!/bin/sh\n: > {}/sprung\n", dir.path().display()),
    )
    .unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&trap, mode).unwrap();
    let mut taken = Vec::new();
    while taken.len() < 150 {
        let length = 2 + next(7);
        let line: String = (0..length).map(|_| pieces[next(pieces.len())]).collect();
        if let Ok(parsed) = ShellLine::parse(&line) {
            let path = |_: &str, _: &[Argument]| Ok::<_, ()>("/bin/true".to_owned());
            taken.push((line.clone(), parsed.with_programs(path).unwrap()));
        }
    }
    for (line, changed) in taken {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &changed]).current_dir(dir.path());
        shell
            .env("PATH", dir.path())
            .env("TRAP", "trap ")
            .stderr(std::process::Stdio::null());
        shell.status().unwrap();
        assert!(
            !dir.path().join("sprung").exists(),
            "{line:?} became {changed:?}"
        );
    }
}
