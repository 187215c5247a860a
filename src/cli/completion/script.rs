//! The scripts with which shells complete bgproc's command line, and where they are installed.

use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use directories::BaseDirs;

use super::{VARIABLE, completer};
use crate::protocol::shell::quote;

/// What the package bash-completion has.
const LOADERS: [&str; 3] = [
    "/usr/share/bash-completion/bash_completion",
    "/usr/local/share/bash-completion/bash_completion",
    "/etc/bash_completion",
];

/// A shell that has completions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Shell {
    /// GNU bash
    Bash,
    /// Z shell
    Zsh,
    /// fish
    Fish,
    /// nushell
    Nushell,
    /// PowerShell
    Powershell,
    /// Elvish
    Elvish,
}

impl Shell {
    fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Nushell => "nushell",
            Self::Powershell => "powershell",
            Self::Elvish => "elvish",
        }
    }

    /// The script. `program` is how the script calls bgproc.
    pub fn script(self, program: &str) -> io::Result<Vec<u8>> {
        let mut script = Vec::new();
        let shell = completer(self.name())
            .ok_or_else(|| io::Error::other(format!("{} has no completer", self.name())))?;
        shell.write_registration(VARIABLE, "bgproc", "bgproc", program, &mut script)?;
        Ok(script)
    }

    /// The file that `--install` writes.
    pub fn file(self, dirs: &BaseDirs) -> PathBuf {
        let (data, config) = (dirs.data_dir(), dirs.config_dir());
        match self {
            Self::Bash => data.join("bash-completion/completions/bgproc"),
            Self::Zsh => data.join("zsh/site-functions/_bgproc"),
            Self::Fish => config.join("fish/completions/bgproc.fish"),
            Self::Nushell => config.join("nushell/autoload/bgproc.nu"),
            Self::Powershell => config.join("powershell/bgproc-completions.ps1"),
            Self::Elvish => config.join("elvish/lib/bgproc-completions.elv"),
        }
    }

    /// The content of that file. Where the shell can, it asks the installed bgproc for the script, which then is
    /// that of its own version.
    pub fn installed(self, program: &str) -> io::Result<Vec<u8>> {
        let word = shlex::try_quote(program).map_err(io::Error::other)?;
        let name = self.name();
        Ok(match self {
            Self::Bash => format!("source <({word} completions {name})\n").into_bytes(),
            Self::Zsh => format!(
                "#compdef bgproc\nsource <({word} completions {name})\n\
                 _clap_dynamic_completer_bgproc \"$@\"\n"
            )
            .into_bytes(),
            Self::Fish => format!("{word} completions {name} | source\n").into_bytes(),
            Self::Nushell | Self::Powershell | Self::Elvish => self.script(program)?,
        })
    }

    /// What a person still has to do so that the shell reads the file; `None` if it finds it by itself.
    pub fn next_step(self, file: &Path) -> Option<String> {
        match self {
            // It is read when a command is first completed, by that package.
            Self::Bash if LOADERS.iter().any(|file| Path::new(file).exists()) => None,
            Self::Bash => Some(format!(
                "the package bash-completion is not installed; without it, add this to ~/.bashrc: . {}",
                quote(&file.display().to_string())
            )),
            Self::Fish | Self::Nushell => None,
            Self::Zsh => {
                let dir = file.parent().unwrap_or(file).display().to_string();
                Some(format!(
                    "add this to ~/.zshrc, before compinit: fpath+=({})",
                    quote(&dir)
                ))
            }
            Self::Powershell => {
                // Between single quotes only these are not what they are, and a doubled one stands for one.
                let path = file.display().to_string().replace('\'', "''");
                Some(format!("add this to $PROFILE: . '{path}'"))
            }
            Self::Elvish => Some("add this to rc.elv: use bgproc-completions".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_a_blank_or_a_quote_is_one_word() {
        for (shell, path, ends) in [
            (Shell::Zsh, "/a/b/_bgproc", "fpath+=(/a/b)"),
            (Shell::Zsh, "/a b/c/_bgproc", "fpath+=('/a b/c')"),
            (Shell::Powershell, "/a b/x.ps1", ". '/a b/x.ps1'"),
            (Shell::Powershell, "/o'hara/x.ps1", ". '/o''hara/x.ps1'"),
        ] {
            let said = shell.next_step(Path::new(path)).unwrap_or_default();
            assert!(said.ends_with(ends), "{said}");
        }
    }
}
