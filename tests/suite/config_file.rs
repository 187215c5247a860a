//! `config.toml` as the front doors meet it.

use crate::support::{Home, Serve};

#[test]
fn an_unknown_key_is_named_with_its_place_by_serve() {
    let home = Home::with_config("# mine\nmax_sessions = 5\nleave_kye = \"f12\"\n");
    let ran = home.run(&["--serve"]).expect_code(2);
    let ran = ran.expect_said("config.toml:3:1: unknown key \"leave_kye\"");
    assert!(
        ran.expect_said("Did you mean \"leave_key\"?")
            .stdout
            .is_empty()
    );
}

#[test]
fn a_wrong_type_is_named_with_its_place() {
    let home = Home::with_config("yield_ms = \"soon\"\n");
    let ran = home.run(&["--serve"]).expect_code(2);
    ran.expect_said(
        "config.toml:1:12: \"yield_ms\" must be a whole number from 0 to 1800000, not \"soon\"",
    );
}

#[test]
fn keys_that_cannot_be_bound_so_are_named_with_their_places() {
    let said = |text: &str, wrong: &str| {
        let home = Home::with_config(text);
        home.run(&["ls"]).expect_code(2).expect_said(wrong);
    };
    said(
        "[keys.normal]\nstop = \"ctrl-x\"\nkill = [\"f9\", \"ctrl-x\"]\n",
        "config.toml:2:8 and :3:15: \"ctrl-x\" is bound to `stop` and to `kill` in [keys.normal]",
    );
    said(
        "[keys.normal]\nstop = \"X\"\n",
        "config.toml:2:8: \"X\" is bound to `kill` by default; bind that elsewhere",
    );
    said(
        "[keys.normal]\nstpo = \"f9\"\n",
        "config.toml:2:1: there is no action \"stpo\" in [keys.normal]. Did you mean \"stop\"?",
    );
    said(
        "[keys]\nscrol = { top = \"f9\" }\n",
        "config.toml:2:1: there is no place \"scrol\" for keys. Did you mean \"scroll\"?",
    );
    said(
        "[keys.confirm]\nyes = [\"y\", \"enter\"]\n",
        "config.toml:2:13: Enter never confirms",
    );
    said(
        "leave_key = \"\"\n",
        "config.toml:1:13: there is no key \"\"",
    );
    said(
        "leave_key = \"f1\"\n[keys.insert]\nleave = \"f2\"\n",
        "config.toml:1:13 and :3:1: both set",
    );
}

#[test]
fn all_mistakes_are_named_at_once() {
    let text = "yield_ms = \"soon\"\ntheme = \"nrod\"\nleave_key = \"ctrl-x\"\n\
                [retention]\npeeple = \"1d\"\n[keys.normal]\nstpo = \"f9\"\nstop = \"ctrl-x\"\n";
    let home = Home::with_config(text);
    let ran = home.run(&["ls"]).expect_code(2);
    let said = ran.stderr.lines().filter_map(|line| {
        let (_, said) = line.split_once("config.toml:")?;
        Some(said.split_once(": ")?.0.to_owned())
    });
    let places: Vec<String> = said.collect();
    assert_eq!(places, ["1:12", "2:9", "5:1", "7:1", "8:8"], "{ran}");
    ran.expect_said("\"ctrl-x\" cannot be bound to `stop`: it leaves INSERT")
        .expect_said("Choose another key here, or for leave_key");
}

#[test]
fn a_theme_is_found_or_named() {
    let home = Home::with_config("theme = \"nrod\"\n");
    let ran = home.run(&["ls"]).expect_code(2);
    ran.expect_said("config.toml:1:9: there is no theme \"nrod\". Did you mean \"nord\"?");
    let home = Home::with_config("theme = \"mine\"\n");
    let themes = home.path().join("themes");
    std::fs::create_dir(&themes).unwrap();
    std::fs::write(themes.join("mine.toml"), "[dark]\nfaild = \"red\"\n").unwrap();
    let ran = home.run(&["ls"]).expect_code(2);
    ran.expect_said(
        "themes/mine.toml:2:1: unknown role \"faild\" in a theme. Did you mean \"failed\"?",
    );
    std::fs::write(themes.join("mine.toml"), "[dark]\nfailed = \"red\"\n").unwrap();
    home.ok(&["ls"]);
}

#[test]
fn the_file_gives_defaults_and_the_environment_wins() {
    let home = Home::with_config("max_output_chars = 3\n");
    let shown = |vars: &[(&str, &str)]| {
        let mut command = home.command(&["--serve"]);
        command.envs(vars.iter().copied());
        let mut agent = Serve::spawn(command);
        let request = serde_json::json!({"action": "start", "command": "printf abcdefgh"});
        agent.ok(request)["output"].as_str().unwrap().to_owned()
    };
    assert_eq!(shown(&[]), "fgh");
    assert_eq!(shown(&[("PI_BASH_MAX_OUTPUT_CHARS", "5")]), "defgh");
    let both = [
        ("OPENCLAW_BASH_PENDING_MAX_OUTPUT_CHARS", "4"),
        ("PI_BASH_MAX_OUTPUT_CHARS", "5"),
    ];
    assert_eq!(shown(&both[..1]), "efgh");
    assert_eq!(shown(&both), "defgh");
}
