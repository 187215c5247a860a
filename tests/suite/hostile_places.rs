//! Homes that cannot be used or trusted: refused by every front door, with the reason and what to do.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::support::needs::{have, is_root};
use crate::support::stranger::{self, Stranger};
use crate::support::{Home, Ran, Terminal, process};

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Every front door refuses the home at `place`, says why, and starts nothing.
#[track_caller]
fn refused(home: &Home, place: &Path, why: &str, advice: &str) {
    let place = place.display().to_string();
    let vars = [("BGPROC_HOME", place.as_str())];
    for door in [&["ls"][..], &["run", "true"], &["--serve"]] {
        let ran = home.run_with_env(door, &vars).expect_code(69);
        let ran = ran.expect_said(why).expect_said(advice);
        assert!(ran.stdout.is_empty(), "{ran}");
    }
    let mut dashboard = Terminal::with_env(home, &[], (120, 40), &vars);
    dashboard.wait_for_text(why);
    assert_eq!(dashboard.exit_code(), 69);
    let doctor = home.run_with_env(&["doctor"], &vars).expect_code(1);
    assert!(doctor.stdout.contains("problem"), "{doctor}");
    assert!(
        process::of_home(Path::new(&place)).is_empty(),
        "something was started"
    );
}

#[test]
fn a_directory_of_somebody_else_is_refused() {
    if !is_root() {
        return;
    }
    let home = Home::new();
    let place = home.scratch("theirs");
    std::fs::create_dir(&place).unwrap();
    stranger::give(&place);
    refused(
        &home,
        &place,
        "belongs to user id 61234",
        "hint: run bgproc as that user",
    );
}

#[test]
fn a_directory_that_others_can_write_to_is_refused() {
    let home = Home::new();
    let place = home.scratch("open");
    std::fs::create_dir(&place).unwrap();
    chmod(&place, 0o770);
    refused(
        &home,
        &place,
        "others can write to it (mode 770)",
        "hint: run: chmod 700",
    );
    // Also while a daemon runs there: what it says may be somebody else's words.
    let vars = [("BGPROC_HOME", place.to_str().unwrap())];
    chmod(&place, 0o700);
    home.run_with_env(&["ls"], &vars).expect_code(0);
    chmod(&place, 0o777);
    home.run_with_env(&["ls"], &vars)
        .expect_code(69)
        .expect_said("others can write");
    chmod(&place, 0o700);
    home.run_with_env(&["daemon", "stop"], &vars).expect_code(0);
}

#[test]
fn a_link_a_file_and_a_relative_path_are_refused() {
    let home = Home::new();
    let aim = home.scratch("aim");
    std::fs::create_dir(&aim).unwrap();
    chmod(&aim, 0o700);
    let link = home.scratch("link");
    symlink(&aim, &link).unwrap();
    refused(&home, &link, "it is a symbolic link", "hint: remove it");
    let file = home.scratch("file");
    std::fs::write(&file, "").unwrap();
    refused(&home, &file, "it is not a directory", "hint: remove it");
    refused(
        &home,
        Path::new("some/where"),
        "not an absolute path",
        "hint: set it to an absolute path",
    );
    assert_eq!(std::fs::read_dir(&aim).unwrap().count(), 0);
}

#[test]
fn links_inside_the_home_are_not_followed() {
    let home = Home::new();
    let aim = home.scratch("aim");
    std::fs::write(&aim, "precious").unwrap();
    for name in [
        "daemon.log",
        "keeper.log",
        "keeper.lock",
        "start.lock",
        "sessions.lock",
    ] {
        let link = home.path().join(name);
        // As it was left by the round before.
        let _ = std::fs::remove_file(&link);
        symlink(&aim, &link).unwrap();
        // Diagnostics are not worth a job; they go nowhere.
        let code = if name.ends_with(".log") { 0 } else { 69 };
        home.run(&["ls"]).expect_code(code);
        let doctor = home.run(&["doctor"]);
        let told = doctor.stdout.contains("is not a plain file");
        assert_eq!(told, name.ends_with(".log"), "{doctor}");
        home.ok(&["daemon", "stop"]);
        std::fs::remove_file(&link).unwrap();
    }
    let dir = home.scratch("elsewhere");
    std::fs::create_dir(&dir).unwrap();
    home.ok(&["daemon", "stop"]);
    std::fs::remove_dir(home.path().join("sessions")).unwrap();
    symlink(&dir, home.path().join("sessions")).unwrap();
    home.run(&["ls"])
        .expect_code(69)
        .expect_said("symbolic link");
    assert_eq!(std::fs::read_to_string(&aim).unwrap(), "precious");
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
}

#[test]
fn a_home_that_is_not_there_is_made_for_its_owner_alone_whatever_the_umask() {
    let home = Home::new();
    // Longer than the address of a socket may be.
    let place = home.scratch(&"deep/".repeat(25)).join("home");
    let mut command = Command::new("sh");
    home.surround(&mut command);
    let line = "umask 0; exec \"$0\" run -n j 'echo on; exec cat'";
    command.args(["-c", line, env!("CARGO_BIN_EXE_bgproc")]);
    command.env("BGPROC_HOME", &place);
    Home::finish(command, &["run"]);
    let vars = [("BGPROC_HOME", place.to_str().unwrap())];
    home.run_with_env(&["send", "j", "typed"], &vars)
        .expect_code(0);
    home.run_with_env(&["wait", "j", "--for", "match:typed"], &vars)
        .expect_code(0);
    let mut seen = 0;
    private(&place, &mut seen);
    assert!(seen > 10, "{seen}");
    home.run_with_env(&["daemon", "stop", "--kill"], &vars)
        .expect_code(0);
}

/// Fails unless everything in `dir` is for its owner alone.
fn private(dir: &Path, seen: &mut u32) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let meta = entry.metadata().unwrap();
        let wanted = if meta.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(meta.mode() & 0o777, wanted, "{}", entry.path().display());
        *seen += 1;
        if meta.is_dir() {
            private(&entry.path(), seen);
        }
    }
}

#[test]
fn a_read_only_file_system_is_told() {
    if !is_root() || !have("unshare") {
        return;
    }
    let home = Home::new();
    let place = home.scratch("ro");
    std::fs::create_dir(&place).unwrap();
    for door in [&["ls"][..], &["run", "true"], &["--serve"], &["doctor"]] {
        let mut command = Command::new("unshare");
        home.surround(&mut command);
        let line = "mount -t tmpfs -o ro,mode=700 none \"$BGPROC_HOME\" && exec \"$0\" \"$@\"";
        command.args(["-m", "sh", "-c", line, env!("CARGO_BIN_EXE_bgproc")]);
        command.args(door).env("BGPROC_HOME", &place);
        let ran = Home::finish(command, door);
        let said = format!("{}{}", ran.stdout, ran.stderr).to_lowercase();
        assert!(said.contains("read-only"), "{ran}");
        assert_eq!(
            ran.code,
            Some(if door == ["doctor"] { 1 } else { 69 }),
            "{ran}"
        );
    }
}

#[test]
fn a_home_that_its_user_may_not_write_to_is_told() {
    let Some(other) = Stranger::new() else { return };
    let home = Home::new();
    let place = other.dir("mine");
    chmod(&place, 0o500);
    let run = |home_var: &Path, args: &[&str]| {
        let mut command = other.bgproc(&home, args);
        command.env("BGPROC_HOME", home_var);
        Home::finish(command, args)
    };
    for door in [&["ls"][..], &["run", "true"], &["--serve"]] {
        let ran = run(&place, door).expect_code(69);
        ran.expect_said("Permission denied").expect_said("hint: ");
        // Nor can one be made where nobody may.
        let ran = run(Path::new("/surely/not/there"), door).expect_code(69);
        ran.expect_said("/surely/not/there")
            .expect_said("set BGPROC_HOME");
    }
    run(&place, &["doctor"]).expect_code(1);
}

/// Runs without `BGPROC_HOME`: the three places are the platform's own.
fn at_home(home: &Home, args: &[&str], vars: &[(&str, &str)]) -> Ran {
    let mut command = home.command(args);
    for name in [
        "BGPROC_HOME",
        "XDG_RUNTIME_DIR",
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
    ] {
        command.env_remove(name);
    }
    command.envs(vars.iter().copied());
    Home::finish(command, args)
}

#[test]
fn two_keepers_never_have_the_same_sessions() {
    let home = Home::new();
    let runtime = |name: &str| {
        let dir = home.scratch(name);
        std::fs::create_dir(&dir).unwrap();
        dir.display().to_string()
    };
    let (one, two) = (runtime("one"), runtime("two"));
    let (one, two) = (
        [("XDG_RUNTIME_DIR", one.as_str())],
        [("XDG_RUNTIME_DIR", two.as_str())],
    );
    at_home(&home, &["run", "-n", "j", "sleep 1000"], &one).expect_code(0);
    // The first one is found through the state directory, from either side.
    for runtime in [&two, &one] {
        let listed = at_home(&home, &["ls"], runtime).expect_code(0).stdout;
        assert!(listed.contains("j\trunning"), "{listed}");
    }
    // A second one, should it be started all the same, ends at once.
    let mut second = home.command(&["keeper"]);
    second
        .env_remove("BGPROC_HOME")
        .env("BGPROC_ROLE", "keeper");
    let second = second.envs(two).output().unwrap();
    let said = String::from_utf8_lossy(&second.stdout);
    let why = format!(
        "belong to a keeper that runs already and listens at {}",
        one[0].1
    );
    assert!(said.contains(&why), "{said}");
    at_home(&home, &["daemon", "stop", "--kill"], &one).expect_code(0);
    // Free again, once the first keeper is gone.
    at_home(&home, &["ls"], &two).expect_code(0);
    at_home(&home, &["daemon", "stop"], &two).expect_code(0);
}

#[test]
fn a_runtime_directory_of_somebody_else_is_not_used() {
    let Some(other) = Stranger::new() else { return };
    let home = Home::new();
    let own = other.dir("home");
    // Ours and open to look at, as after `su` without `-`; and one that is not there.
    let theirs = home.scratch("runtime");
    std::fs::create_dir(&theirs).unwrap();
    for runtime in [theirs.as_path(), Path::new("/surely/not/there")] {
        let run = |args: &[&str]| {
            let mut command = other.bgproc(&home, args);
            for name in ["BGPROC_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
                command.env_remove(name);
            }
            command.env("HOME", &own).env("XDG_RUNTIME_DIR", runtime);
            Home::finish(command, args)
        };
        run(&["ls"]).expect_code(0);
        let fallback = Path::new("/tmp/bgproc-61234");
        let meta = std::fs::symlink_metadata(fallback).unwrap();
        assert_eq!(
            (meta.mode() & 0o777, meta.uid()),
            (0o700, stranger::STRANGER)
        );
        run(&["daemon", "stop"]).expect_code(0);
        // Somebody was there first.
        std::fs::remove_dir_all(fallback).unwrap();
        symlink(&own, fallback).unwrap();
        run(&["ls"]).expect_code(69).expect_said("symbolic link");
        std::fs::remove_file(fallback).unwrap();
    }
}
