//! Variables with which a program starts another program.

/// Variables that name a program to start, or a file that can name one.
const VARIABLES: [&str; 50] = [
    "VISUAL",
    "SHELL",
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "LESS",
    "LESSOPEN",
    "LESSCLOSE",
    "LESSEDIT",
    "VIMINIT",
    "EXINIT",
    "RSYNC_CONNECT_PROG",
    "TAR_OPTIONS",
    "TAPE",
    "MAKEFLAGS",
    "MAKEFILES",
    "GNUMAKEFLAGS",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PYTHONHOME",
    "RUBYOPT",
    "RUBYLIB",
    "NODE_OPTIONS",
    "NODE_PATH",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "RIPGREP_CONFIG_PATH",
    "WGETRC",
    "CURL_HOME",
    "AWKPATH",
    "AWKLIBPATH",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "LESSKEY",
    "FZF_DEFAULT_COMMAND",
    "PSQLRC",
    "HGRCPATH",
    "HG",
    "DOTNET_STARTUP_HOOKS",
    "CORECLR_PROFILER_PATH",
    "JDK_JAVA_OPTIONS",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "ANSIBLE_CONFIG",
    "PHPRC",
    "PYTHONUSERBASE",
    "ZDOTDIR",
    "RUSTFLAGS",
    "CC",
];

/// Prefixes of the names of further such variables.
const PREFIXES: [&str; 8] = [
    "GIT_",
    "LUA_INIT",
    "PERL5",
    "CARGO_",
    "RUSTC",
    "RUSTDOC",
    "NPM_CONFIG_",
    "npm_config_",
];

/// Suffixes of the names of further such variables: `SYSTEMD_PAGER`, `KUBE_EDITOR`, `SSH_ASKPASS`.
const SUFFIXES: [&str; 6] = ["PAGER", "EDITOR", "BROWSER", "ASKPASS", "_RSH", "_SSH"];

/// Variables with the prefix `GIT_` that only name a person or a date, or are otherwise harmless.
const HARMLESS: [&str; 7] = [
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "GIT_TERMINAL_PROMPT",
];

/// Whether a variable can make a program start another one.
pub(crate) fn is_starting(name: &str) -> bool {
    let begins = || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let ends = || SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
    VARIABLES.contains(&name) || ends() || (begins() && !HARMLESS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_variables_that_start_programs() {
        for name in [
            "GIT_PAGER",
            "GIT_SSH_COMMAND",
            "GIT_EDITOR",
            "PAGER",
            "EDITOR",
            "HOME",
            "TAR_OPTIONS",
            "PERL5OPT",
            "OPENSSL_CONF",
            "SYSTEMD_PAGER",
            "KUBE_EDITOR",
            "SSH_ASKPASS",
            "LUA_INIT_5_4",
            "CC",
        ] {
            assert!(is_starting(name), "{name}");
        }
        for name in ["LANG", "CI", "PORT", "GIT_AUTHOR_NAME", "TERM"] {
            assert!(!is_starting(name), "{name}");
        }
    }
}
