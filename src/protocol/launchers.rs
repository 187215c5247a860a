//! Programs that start other programs. An allow-list that names one of them does not restrict what
//! runs.
//!
//! The front doors warn about them when a policy is given. The daemon refuses the cases that it can
//! recognise.

/// How a program on an allow-list starts other programs; `None` if it is not known to.
pub fn about(program: &str) -> Option<&'static str> {
    let name = program.rsplit('/').next().unwrap_or(program);
    // `python3.12` counts as `python`.
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let listed = |names: &[&str]| names.contains(&name) || names.contains(&bare);
    STARTERS
        .iter()
        .find(|(names, _)| listed(names))
        .map(|(_, how)| *how)
}

const STARTERS: [(&[&str], &str); 11] = [
    (
        &[
            "sh",
            "bash",
            "dash",
            "zsh",
            "ksh",
            "fish",
            "csh",
            "tcsh",
            "busybox",
            "python",
            "pypy",
            "perl",
            "ruby",
            "node",
            "deno",
            "bun",
            "php",
            "lua",
            "tclsh",
            "expect",
            "java",
            "awk",
            "gawk",
            "mawk",
            "nawk",
            "sed",
            "gdb",
            "irb",
            "ghci",
            "R",
            "Rscript",
            "julia",
            "osascript",
            "pwsh",
        ],
        "it is an interpreter and runs any code that it is given",
    ),
    (
        &[
            "env",
            "xargs",
            "parallel",
            "nice",
            "ionice",
            "nohup",
            "timeout",
            "setsid",
            "stdbuf",
            "time",
            "watch",
            "strace",
            "ltrace",
            "unshare",
            "nsenter",
            "chroot",
            "sudo",
            "su",
            "doas",
            "runuser",
            "script",
            "flock",
            "entr",
            "xvfb-run",
            "systemd-run",
            "at",
            "batch",
            "command",
            "exec",
            "ssh-agent",
            "dbus-run-session",
        ],
        "it runs the program that its arguments name",
    ),
    (
        &[
            "make", "gmake", "cmake", "ninja", "meson", "just", "rake", "cargo", "rustc", "go",
            "npm", "npx", "pnpm", "yarn", "pip", "uv", "poetry", "tox", "pytest", "mvn", "gradle",
            "bazel", "dotnet", "composer", "bundle", "gem", "mix", "cabal", "stack", "swift",
            "zig", "tsc", "jest", "vite", "webpack",
        ],
        "it is a build tool and runs what the files of a project say",
    ),
    (
        &[
            "docker",
            "podman",
            "kubectl",
            "nerdctl",
            "vagrant",
            "ansible",
            "ansible-playbook",
            "terraform",
        ],
        "it runs programs in containers or on other machines",
    ),
    (
        &[
            "vim", "vi", "nvim", "view", "emacs", "nano", "ed", "ex", "less", "more", "most",
            "man", "info",
        ],
        "it runs commands that are typed into it or given by its options",
    ),
    (
        &[
            "tmux",
            "screen",
            "bgproc",
            "crontab",
            "systemctl",
            "pm2",
            "pueue",
        ],
        "it starts programs that continue without it",
    ),
    (
        &["git", "hg", "svn"],
        "hooks, aliases, filters and the configuration of a repository run programs",
    ),
    (
        &["ssh", "scp", "sftp", "rsync"],
        "its configuration names programs, and the remote side runs any command",
    ),
    (
        &["tar", "bsdtar", "zip", "cpio"],
        "some of its options run programs",
    ),
    (
        &["find", "fd", "rg", "sort", "split"],
        "some of its options run programs",
    ),
    (
        &["wget", "curl", "aria2c"],
        "its configuration names programs and files to write",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_start_others_are_known_by_name() {
        for name in [
            "git",
            "ssh",
            "tar",
            "find",
            "xargs",
            "env",
            "make",
            "python",
            "python3",
            "python3.12",
            "perl",
            "sh",
            "bash",
            "awk",
            "vim",
            "less",
            "man",
            "sudo",
            "nice",
            "timeout",
            "/usr/bin/git",
        ] {
            assert!(about(name).is_some(), "{name}");
        }
        for name in ["ls", "cat", "echo", "true", "grep", "sleep"] {
            assert_eq!(about(name), None, "{name}");
        }
    }
}
