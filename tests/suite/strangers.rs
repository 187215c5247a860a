//! Who may talk to whom: users among each other, and many clients at once.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};

use crate::support::fake::FakeDaemon;
use crate::support::stranger::{self, Stranger};
use crate::support::{DEADLINE, Home};

/// What the daemon answers to somebody who gets as far as its socket.
fn knock(socket: &Path) -> std::io::Result<Vec<u8>> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    // The other side may have hung up before this is written.
    let _ = stream.write_all(b"{\"id\":1,\"action\":\"list\"}\n");
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut said = Vec::new();
    match stream.read_to_end(&mut said) {
        Err(error) if error.kind() == ErrorKind::ConnectionReset => Ok(said),
        other => other.map(|_| said),
    }
}

#[test]
fn another_user_is_not_served() {
    let Some(other) = Stranger::new() else { return };
    let home = Home::new();
    home.start(&["sleep 1000"]);
    let socket = home.path().join("daemon.sock");
    let refused = stranger::act(|| knock(&socket)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
    // Even where somebody has opened the door.
    stranger::open_to_all(home.path());
    std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(stranger::act(|| knock(&socket)).unwrap(), b"");
    assert!(!knock(&socket).unwrap().is_empty());
    let said = home.ok(&["daemon", "logs"]);
    let refusal = "user id 61234 may not use the daemon of user id 0";
    assert!(said.contains(refusal), "{said}");
    let ran = Home::finish(other.bgproc(&home, &["ls"]), &["ls"]).expect_code(69);
    ran.expect_said("belongs to user id 0, and this is user id 61234");
}

#[test]
fn root_does_not_use_the_daemon_of_a_user() {
    let Some(other) = Stranger::new() else { return };
    let home = Home::new();
    let theirs = other.dir("home");
    let run = |args: &[&str]| {
        let mut command = other.bgproc(&home, args);
        command.env("BGPROC_HOME", &theirs);
        Home::finish(command, args)
    };
    run(&["run", "-n", "j", "sleep 1000"]).expect_code(0);
    let vars = [("BGPROC_HOME", theirs.to_str().unwrap())];
    let ran = home.run_with_env(&["ls"], &vars).expect_code(69);
    ran.expect_said("belongs to user id 61234, and this is user id 0")
        .expect_said("run bgproc as that user");
    assert_eq!(knock(&theirs.join("daemon.sock")).unwrap(), b"");
    run(&["daemon", "stop", "--kill"]).expect_code(0);
}

#[test]
fn nobody_is_told_anything_by_a_client_of_somebody_else() {
    if Stranger::new().is_none() {
        return;
    }
    let home = Home::new();
    // An impostor at the place of the socket, in a directory that is ours.
    let address = SocketAddrUnix::new(home.path().join("daemon.sock")).unwrap();
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &address).unwrap();
    stranger::act(|| rustix::net::listen(&socket, 8)).unwrap();
    let ran = home.run(&["run", "true"]).expect_code(69);
    ran.expect_said("belongs to user id 61234");
    let (mut client, _) = UnixListener::from(socket).accept().unwrap();
    let mut heard = Vec::new();
    client.read_to_end(&mut heard).unwrap();
    assert_eq!(String::from_utf8_lossy(&heard), "");
}

#[test]
fn twenty_clients_at_once_get_one_keeper_and_one_daemon() {
    let home = Home::new();
    // Left over by a machine that went down.
    drop(FakeDaemon::new(&home));
    let clients: Vec<_> = (0..20)
        .map(|n| {
            let name = format!("j{n}");
            let mut command = home.command(&["run", "-n", &name, "sleep 1000"]);
            let quiet = command.stdout(std::process::Stdio::null());
            quiet.spawn().unwrap()
        })
        .collect();
    for mut client in clients {
        assert!(client.wait().unwrap().success());
    }
    assert_eq!(home.ok(&["ls", "--no-header"]).lines().count(), 20);
    for process in ["daemon", "keeper"] {
        let log = std::fs::read_to_string(home.path().join(format!("{process}.log"))).unwrap();
        let starts = log
            .lines()
            .filter(|line| line.contains(" INFO started version="));
        assert_eq!(starts.count(), 1, "{log}");
    }
}
