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
    ran.expect_said("config.toml:1:12: \"yield_ms\" needs an integer, this is a string");
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
