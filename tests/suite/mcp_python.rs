//! `bgproc mcp` and a client that somebody else has written: the official SDK for
//! Python, which `.ci/run` installs. What it checks is in `tests/mcp/client.py`.

use std::path::Path;
use std::process::Command;

use crate::support::Home;
use crate::support::needs::missing;

#[test]
fn the_python_sdk_gets_along_with_every_set_of_tools() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("target/venv-mcp/bin/python");
    if !python.exists() {
        missing("target/venv-mcp");
        return;
    }
    let home = Home::new();
    let mut command = Command::new(python);
    home.surround(&mut command);
    command
        .arg(root.join("tests/mcp/client.py"))
        .arg(env!("CARGO_BIN_EXE_bgproc"));
    let ran = Home::finish(command, &["tests/mcp/client.py"]).expect_code(0);
    assert!(ran.stdout.ends_with("all sets of tools work\n"), "{ran}");
}
