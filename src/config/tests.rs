//! Tests of accepted settings, and of the messages for rejected ones.
#![allow(clippy::unwrap_used)]

use super::*;

/// The file, or the first error in it.
pub(super) fn parsed(text: &str) -> Result<Config, Wrong> {
    match parse(text) {
        (config, wrong) if wrong.is_empty() => Ok(config),
        (_, wrong) => Err(wrong.into_iter().next().unwrap()),
    }
}

/// All errors of the file, as they are reported.
fn error(text: &str) -> String {
    let (_, wrong) = parse(text);
    let wrong = wrong.into_iter();
    let wrong = wrong.map(|wrong| wrong.at(Path::new("config.toml"), text));
    ConfigError::all(wrong.collect()).unwrap().to_string()
}

fn spelt(word: &str, line: usize, column: usize) -> Spelt {
    Spelt {
        word: word.to_owned(),
        at: Spot { line, column },
    }
}

#[test]
fn every_known_key_is_read() {
    let text = "max_sessions = 300\nmax_sessions_per_scope = 60\nyield_ms = 5_000\n\
         max_output_chars = 2000\nttl_ms = 0\ntimeout_sec = 0\nshell = \"/bin/bash\"\npagers = true\nlog_bytes = 0x100000\n\
         total_log_bytes = 1000000\nleave_key = [\"ctrl-]\", \"f12\"]\n\
         confirm = \"never\"\nascii = true\nlog_level = \"debug\"\n\
         stop_grace_ms = 500\ntheme = \"nord\"\nbackground = \"light\"\nmouse = false\nnotify = \"none\"\n\
         notify_command = \"say\"\n\
         retention = { people = \"forever\", people_jobs = 7, agents = \"0s\", agents_failed = \"1d\" }\n\
         keys = { scroll = { top = [\"f2\", \"f3\"], live = \"\" } }\n";
    let config = parsed(text).ok().unwrap();
    let expected = Config {
        max_sessions: Some(300),
        max_sessions_per_scope: Some(60),
        yield_ms: Some(5000),
        max_output_chars: Some(2000),
        ttl_ms: Some(0),
        stop_grace_ms: Some(500),
        timeout_sec: Some(0),
        shell: Some("/bin/bash".to_owned()),
        pagers: Some(true),
        log_bytes: Some(1 << 20),
        total_log_bytes: Some(1_000_000),
        leave_key: config.leave_key.clone(),
        confirm: Confirm::Never,
        ascii: true,
        log_level: Some(LogLevel::Debug),
        theme: config.theme.clone(),
        background: Background::Light,
        mouse: Some(false),
        notify: Notify::None,
        notify_command: Some("say".to_owned()),
        retention: Retention {
            people_ms: Some(u64::MAX),
            people_jobs: Some(7),
            agents_ms: Some(0),
            agents_failed_ms: Some(86_400_000),
        },
        keys: config.keys.clone(),
        hosts: std::collections::BTreeMap::new(),
        launchers: std::collections::BTreeMap::new(),
        text: text.to_owned(),
    };
    assert_eq!(config, expected);
    assert_eq!(
        config.leave_keys(),
        [spelt("ctrl-]", 11, 14), spelt("f12", 11, 24)]
    );
    assert_eq!(config.theme(), Some(spelt("nord", 16, 9)));
    let rebindings = [
        Rebinding {
            place: spelt("scroll", 22, 10),
            action: spelt("top", 22, 21),
            keys: vec![spelt("f2", 22, 28), spelt("f3", 22, 34)],
        },
        Rebinding {
            place: spelt("scroll", 22, 10),
            action: spelt("live", 22, 41),
            keys: Vec::new(),
        },
    ];
    assert_eq!(config.rebindings(), rebindings);
    // Hosts and launchers have tests of their own.
    let tested = |key: &&&str| !["hosts", "launchers"].contains(*key);
    for key in names_of::<Config>().iter().filter(tested) {
        assert!(text.contains(&format!("{key} = ")), "{key}");
    }
}

#[test]
fn the_manual_explains_every_key() {
    let chapter = include_str!("../../assets/help/configuration.md");
    let rows = || chapter.lines().filter(|line| line.starts_with("| `"));
    for &key in names_of::<Config>() {
        let is_table = ["hosts", "keys", "launchers", "retention"].contains(&key);
        let (row, table) = (format!("| `{key}` |"), format!("| `[{key}"));
        let mut rows = rows();
        assert!(
            rows.any(|line| line.starts_with(&row) || is_table && line.starts_with(&table)),
            "{key}"
        );
    }
    for key in names_of::<Retention>() {
        assert!(chapter.contains(&format!("\n{key} = ")), "{key}");
    }
}

#[test]
fn an_unknown_key_has_its_position_and_the_nearest_name() {
    assert_eq!(
        error("# ä\nascii = true\n  yeild_ms = 5\n"),
        "config.toml:3:3: unknown key \"yeild_ms\". Did you mean \"yield_ms\"?"
    );
    assert!(error("[jobs]\n").starts_with("config.toml:1:2: unknown key \"jobs\". Known: "));
}

#[test]
fn a_wrong_value_has_its_position_and_the_expected_values() {
    for (text, said) in [
        (
            "ascii = 1",
            "config.toml:1:9: \"ascii\" must be true or false, not 1",
        ),
        (
            "leave_key = [1]",
            "1:14: \"leave_key\" must be a string, not 1",
        ),
        (
            "leave_key = 1",
            "\"leave_key\" must be a string or a list of strings, not 1",
        ),
        (
            "log_level = \"loud\"",
            "must be error, warn, info or debug, not \"loud\"",
        ),
        ("theme = 1", "\"theme\" must be a string, not 1"),
        (
            "background = \"grey\"",
            "must be auto, dark or light, not \"grey\"",
        ),
        (
            "notify = \"x\"",
            "\"notify\" must be terminal, desktop or none, not \"x\"",
        ),
        ("notify = true", "1:10: \"notify\" must be a string"),
        (
            "[keys]\nnormal = 1",
            "2:10: \"normal\" must be a table, not 1",
        ),
        (
            "[keys.normal]\nstop = 1",
            "config.toml:2:8: \"stop\" must be a string or a list of strings, not 1",
        ),
        (
            "confirm = \"maybe\"",
            "1:11: \"confirm\" must be ask or never, not \"maybe\"",
        ),
        (
            "[retention]\npeople = \"long\"",
            "config.toml:2:10: \"people\": `long` is not a duration",
        ),
        (
            "[retention]\npeople = 7",
            "2:10: \"people\" must be a string, not 7",
        ),
        (
            "[retention]\npeeple = 1",
            "2:1: unknown key \"peeple\" in [retention]. Did you mean \"people\"?",
        ),
        (
            "retention = { zebra = 1 }",
            "in [retention]. Known: people, people_jobs, agents, agents_failed",
        ),
        (
            "stop_grace_ms = 1800001",
            "must be a whole number from 0 to 1800000, not 1800001",
        ),
        (
            "max_sessions = 0",
            "\"max_sessions\" must be a whole number from 1 to 4294967295, not 0",
        ),
        (
            "max_sessions = 99999999999",
            "must be a whole number from 1 to 4294967295, not 99999999999",
        ),
        (
            "yield_ms = -1",
            "1:12: \"yield_ms\" must be a whole number from 0 to 1800000, not -1",
        ),
        (
            "yield_ms = 1.5",
            "must be a whole number from 0 to 1800000, not 1.5",
        ),
        (
            "yield_ms = 99999999",
            "must be a whole number from 0 to 1800000, not 99999999",
        ),
        (
            "max_output_chars = 262145",
            "must be a whole number from 1 to 262144, not 262145",
        ),
        (
            "ttl_ms = -1",
            "1:10: \"ttl_ms\" must be a whole number of at least 0, not -1",
        ),
        ("yield_ms = 99999999999999999999", "\"yield_ms\" must be "),
    ] {
        let error = error(text);
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn all_errors_are_reported_in_order() {
    let text = "[hosts.local]\n[hosts.a]\nshh = 1\nssh = 2\n[retention]\npeeple = 1\n\
                [launchers.x]\npoll = \"1ms\"\n[keys.normal]\nstop = 1\n";
    let all = error(text);
    let places: Vec<&str> = all
        .lines()
        .map(|line| line.strip_prefix("config.toml:").unwrap())
        .map(|line| line.split_once(": ").unwrap().0)
        .collect();
    assert_eq!(places, ["1:1", "3:1", "4:7", "6:1", "7:1", "10:8"], "{all}");
    // Without its grammar, nothing is known of the rest.
    assert_eq!(error(&format!("{text}kill =\n")).lines().count(), 1);
    let many: String = (0..40).map(|n| format!("unknown{n} = 1\n")).collect();
    assert_eq!(error(&many).lines().count(), 20);
    // What is right is there for those who check more.
    let (config, wrong) = parse("ascii = true\nnope = 1\nmouse = 2\n");
    assert_eq!((config.ascii, config.mouse, wrong.len()), (true, None, 2));
}

#[test]
fn broken_toml_has_its_position() {
    assert!(error("ascii = true\nconfirm = \n").starts_with("config.toml:2:"));
    assert!(error("ascii = true\nascii = true\n").starts_with("config.toml:2:"));
}

#[test]
fn a_missing_file_means_the_defaults_and_a_directory_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(
        load(&dir.path().join("config.toml")).unwrap(),
        Config::default()
    );
    let error = load(dir.path()).unwrap_err().to_string();
    assert!(error.starts_with("cannot read "), "{error}");
}

#[test]
fn keys_that_only_a_new_daemon_reads_are_named() {
    let keys = |text: &str| parsed(text).unwrap().read_at_start();
    assert_eq!(keys("theme = \"nord\"\nstop_grace_ms = 5\n"), [""; 0]);
    let set = "notify_command = \"x\"\nmax_sessions = 5\n[retention]\npeople = \"1h\"\n";
    assert_eq!(keys(set), ["max_sessions", "notify_command", "retention"]);
}
