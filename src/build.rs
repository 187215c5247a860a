//! How the binary is linked on Linux with glibc.
//!
//! Every verb starts this program, and half of what a short one took was the dynamic loader: it wrote 22,000
//! addresses into 100 pages of tables, each of which the kernel had to copy first, in every client, keeper and
//! daemon. Linked at a fixed address these pages stay as they are on disk. What that gives up is a random place of
//! the program's own code; stack, heap and libraries still have one.

use std::env;

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
    }
}
