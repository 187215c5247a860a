//! How the binary is linked on Linux with glibc.
//!
//! Every verb starts this program, and half of what a short one took was the dynamic loader: it wrote 22,000
//! addresses into 100 pages of tables, each of which the kernel had to copy first, in every client, keeper and
//! daemon. Linked at a fixed address these pages stay as they are on disk. What that gives up is a random place of
//! the program's own code; stack, heap and libraries still have one.
//!
//! What unwinds after a panic comes from `libgcc_eh.a` where the compiler has that: looking for `libgcc_s.so`, and in
//! it for each function of libc, took a tenth of a short verb.

use std::env;
use std::path::Path;
use std::process::Command;

#[allow(
    clippy::print_stdout,
    reason = "standard output is how cargo is told something"
)]
fn main() {
    println!("cargo::rerun-if-changed=src/build.rs");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_static = target("FEATURE")
        .split(',')
        .any(|name| name == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        // `cc` knows of the libraries of this machine only.
        let is_native = env::var("HOST") == env::var("TARGET");
        if let Some(directory) = directory_of("libgcc_eh.a").filter(|_| is_native) {
            println!("cargo::rustc-link-search=native={directory}");
            println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
        }
    }
}

/// Where the C compiler that links has a library; it repeats the name of one that it does not have.
fn directory_of(library: &str) -> Option<String> {
    let asked = Command::new("cc")
        .arg(format!("-print-file-name={library}"))
        .output();
    let path = String::from_utf8(asked.ok()?.stdout).ok()?;
    let directory = Path::new(path.trim()).parent()?.to_str()?;
    (!directory.is_empty()).then(|| directory.to_owned())
}
