//! Completion in bash.
//!
//! The script is our own, because clap's inserts names as they are: of a job named `my job` a line would become two
//! targets. Bash also splits the line at `:` and `=`, which belong to words such as `g:shop` and `--status=done`, and
//! replaces only the part behind the last of them.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::env::{self, EnvCompleter};

/// The script. `NAME` is the name of the function, `BIN` the completed command, `COMPLETER` how bgproc is called, and
/// `VAR` the variable that asks it for completions. It works with bash 3.2, which macOS has.
const SCRIPT: &str = r#"
_clap_complete_NAME() {
    local IFS=$'\013' i word current part prefix quoted= candidate words=() flags=$-
    # Parts that bash has split at : and = are one word again.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i == COMP_CWORD)); then
            [[ $word == [\"\']* ]] && quoted=1
            # A colon stays in the word, and bash replaces what follows it. Else without the quote that it begins with.
            if [[ -z $2 && $word == [:=]* ]]; then part=; else word=$2 part=$2; fi
            [[ $part == [:=] ]] && part=
        fi
        if ((${#words[@]} > 1)) && [[ $word == [:=]* || $current == *[:=] ]]; then
            current+=$word
            words[${#words[@]}-1]=$current
        else
            current=$word
            words+=("$current")
        fi
    done
    prefix=${current%"$part"}
    words[${#words[@]}-1]=${current//\\/}
    COMPREPLY=()
    # A name such as a[b] is not a pattern for files.
    set -f
    for candidate in $( \
        _CLAP_IFS="$IFS" \
        _CLAP_COMPLETE_INDEX="$((${#words[@]} - 1))" \
        VAR="bash" \
        COMPLETER -- "${words[@]}" \
    ); do
        candidate=${candidate#"$prefix"}
        [[ $quoted ]] || printf -v candidate %q "$candidate"
        # Of the home directory, which a shell expands only without a backslash.
        [[ $candidate == \\~* ]] && candidate=${candidate#?}
        COMPREPLY+=("$candidate")
    done
    [[ $flags == *f* ]] || set +f
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=/:] ]]; then
        compopt -o nospace 2> /dev/null
    fi
}
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o bashdefault -o nosort -F _clap_complete_NAME BIN
else
    complete -o bashdefault -F _clap_complete_NAME BIN
fi
"#;

/// Completes in bash.
pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        let completer = shlex::try_quote(completer).map_err(io::Error::other)?;
        let script = SCRIPT
            .replace("NAME", &name.replace('-', "_"))
            .replace("BIN", bin)
            .replace("VAR", var)
            .replace("COMPLETER", &completer);
        buf.write_all(script.as_bytes())
    }

    fn write_complete(
        &self,
        grammar: &mut Command,
        words: Vec<OsString>,
        here: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        env::Bash.write_complete(grammar, words, here, buf)
    }
}
