//! An agent and full-screen programs: what they show is on the screen, and nothing of it in the output.

use serde_json::json;

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Home, Serve};

fn serve() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &[]);
    (home, serve)
}

#[test]
fn vim_edits_a_file_and_leaves_no_trace_in_the_output() {
    if !have("vim") {
        return;
    }
    let (home, mut serve) = serve();
    let file = home.scratch("note.txt");
    // -N: else vim takes answers of the terminal that come in insert mode for keys.
    let args = json!(["-N", "-n", "-u", "NONE", "-i", "NONE", file]);
    let vim = Job::request(&mut serve, json!({"command": "vim", "args": args}));
    vim.wait_screen(&mut serve, "^~$");
    vim.press(&mut serve, json!(["i", {"text": "written by an agent"}]));
    vim.wait_screen(&mut serve, "^written by an agent$");
    let status = vim.ask(&mut serve, "status", json!({}));
    assert_eq!(status["altScreen"], true);
    vim.press(
        &mut serve,
        json!(["Enter", {"text": "é €, 漢字"}, "Escape"]),
    );
    vim.wait_screen(&mut serve, "^é €, 漢字$");
    vim.press(&mut serve, json!([{"text": ":wq"}, "Enter"]));
    assert_eq!(vim.end(&mut serve)["exitCode"], 0);
    let written = std::fs::read_to_string(file).unwrap();
    assert_eq!(written, "written by an agent\né €, 漢字\n");
    let output = vim.output(&mut serve);
    assert!(
        !output.contains("written by") && !output.contains('~'),
        "{output:?}"
    );
    assert!(output.trim().len() < 80, "{output:?}");
}

/// vim paints no blanks in rows that come up: the terminal gives them the background colour.
#[test]
fn a_theme_of_vim_fills_the_rows_that_scroll_in() {
    if !have("vim") {
        return;
    }
    let (home, mut serve) = serve();
    let file = home.scratch("lines");
    let lines: String = (1..100).map(|n| format!("line {n}\n")).collect();
    std::fs::write(&file, lines).unwrap();
    let theme = "hi Normal ctermbg=4 ctermfg=7";
    let args = json!(["-N", "-n", "-u", "NONE", "-i", "NONE", "-c", theme, file]);
    let request = json!({"command": "vim", "args": args, "rows": 12, "cols": 40});
    let vim = Job::request(&mut serve, request);
    vim.wait_screen(&mut serve, "^line 11$");
    vim.press(&mut serve, json!(["C-e", "C-e", "C-e"]));
    vim.wait_screen(&mut serve, "^line 14$");
    let shot = vim.ask(&mut serve, "capture", json!({"format": "json"}));
    let cells = shot["cells"].as_array().unwrap().iter();
    let mut cells = cells.flat_map(|row| row.as_array().unwrap());
    assert!(cells.all(|cell| cell["bg"] == 4), "{}", shot["cells"]);
}

#[test]
fn less_goes_to_the_end_finds_and_leaves() {
    if !have("less") {
        return;
    }
    let (home, mut serve) = serve();
    let file = home.scratch("lines");
    let lines: String = (1..=100_000)
        .map(|n| format!("line {n} of many\n"))
        .collect();
    std::fs::write(&file, lines).unwrap();
    let request =
        json!({"command": "less", "args": [file], "env": {"LESS": "", "LESSHISTFILE": "-"}});
    let less = Job::request(&mut serve, request);
    less.wait_screen(&mut serve, "^line 1 of many$");
    less.press(&mut serve, json!(["G"]));
    less.wait_screen(&mut serve, "^line 100000 of many$");
    less.press(&mut serve, json!(["g", {"text": "/line 4242 "}, "Enter"]));
    // The last line of the page, and so the whole of it.
    less.wait_screen(&mut serve, "^line 4280 of many$");
    assert!(less.screen(&mut serve).starts_with("line 4242 of many\n"));
    less.press(&mut serve, json!(["q"]));
    assert_eq!(less.end(&mut serve)["exitCode"], 0);
    assert_eq!(less.output(&mut serve).trim(), "");
}

#[test]
fn top_shows_its_table_and_quits() {
    if !have("top") {
        return;
    }
    let (_home, mut serve) = serve();
    let top = Job::request(&mut serve, json!({"command": "top", "args": ["-d", "1"]}));
    top.wait_screen(&mut serve, "PID USER .* COMMAND");
    let status = top.ask(&mut serve, "status", json!({}));
    assert_eq!(status["status"], "running");
    top.press(&mut serve, json!(["q"]));
    assert_eq!(top.end(&mut serve)["exitCode"], 0);
}

#[test]
fn message_boxes_have_their_lines_in_every_locale() {
    for program in ["dialog", "whiptail"] {
        if !have(program) {
            continue;
        }
        // Without UTF-8 the lines are the terminal's own character set.
        for locale in ["C.UTF-8", "C"] {
            let (_home, mut serve) = serve();
            let request = json!({"command": program, "args": ["--msgbox", "Good morning", "8", "40"],
                "rows": 24, "cols": 80, "env": {"LC_ALL": locale}});
            let boxed = Job::request(&mut serve, request);
            boxed.wait_screen(&mut serve, "Good morning");
            boxed.wait_screen(&mut serve, "(?i)<? *ok *>?");
            let screen = boxed.screen(&mut serve);
            for line in ["┌", "─", "│", "┘"] {
                assert!(
                    screen.contains(line),
                    "{program} in {locale}, no {line}:\n{screen}"
                );
            }
            assert!(!screen.contains("qqq"), "{program} in {locale}:\n{screen}");
            boxed.press(&mut serve, json!(["Enter"]));
            assert_eq!(
                boxed.end(&mut serve)["exitCode"],
                0,
                "{program} in {locale}"
            );
        }
    }
}

#[test]
fn mc_draws_its_panels() {
    if !have("mc") {
        return;
    }
    let (home, mut serve) = serve();
    std::fs::write(home.scratch("a-file-of-ours"), "").unwrap();
    let request =
        json!({"command": "mc", "args": ["-d", "-u"], "cwd": home.path().join("scratch")});
    let mc = Job::request(&mut serve, request);
    mc.wait_screen(&mut serve, "a-file-of-ours");
    mc.wait_screen(&mut serve, "10 *Quit");
    let screen = mc.screen(&mut serve);
    for line in ["┌", "─", "│", "┘"] {
        assert!(screen.contains(line), "no {line}:\n{screen}");
    }
    mc.press(&mut serve, json!(["F10"]));
    mc.end(&mut serve);
}
