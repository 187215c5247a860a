//! How the binary is linked on Linux with glibc.
//!
//! The code that unwinds after a panic comes from `libgcc_eh.a` where the C compiler has it. Loading `libgcc_s.so`
//! and resolving its symbols took a tenth of the time of a short verb.

use std::env;
use std::path::Path;
use std::process::Command;

#[allow(
    clippy::print_stdout,
    reason = "a build script tells cargo on standard output"
)]
fn main() {
    println!("cargo::rerun-if-changed=src/build.rs");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_static = target("FEATURE")
        .split(',')
        .any(|name| name == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        // `cc` knows the libraries of this machine only.
        let is_native = env::var("HOST") == env::var("TARGET");
        if let Some(directory) = directory_of("libgcc_eh.a").filter(|_| is_native) {
            println!("cargo::rustc-link-search=native={directory}");
            println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
        }
    }
}

/// Directory in which the C compiler has a library. For an unknown library, `cc` prints the bare name.
fn directory_of(library: &str) -> Option<String> {
    let asked = Command::new("cc")
        .arg(format!("-print-file-name={library}"))
        .output();
    let path = String::from_utf8(asked.ok()?.stdout).ok()?;
    let directory = Path::new(path.trim()).parent()?.to_str()?;
    (!directory.is_empty()).then(|| directory.to_owned())
}
