#!/usr/bin/env bash
# Builds bgproc and makes what packages contain besides the program: manual pages and completions.
#
#   assets/package.sh                        # builds target/release/bgproc, writes target/package
#   PROGRAM=target/debug/bgproc assets/package.sh    # with another program, without a build
#
# target/package/man1 has a page for each verb, target/package/completions the file of each shell, as
# `bgproc completions SHELL --install` writes it for a bgproc on PATH. `cargo deb` packs them.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${PROGRAM:-}" ]; then
  cargo build --release --locked
fi
program=$(realpath "${PROGRAM:-target/release/bgproc}")
package=$PWD/target/package
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rm -rf "$package"
mkdir -p "$package/completions" "$work/bin" "$work/home"
# The files call the program by the name that is typed here.
ln -s "$program" "$work/bin/bgproc"
export PATH="$work/bin:$PATH" HOME="$work/home" BGPROC_HOME="$work/home/bgproc"
unset XDG_DATA_HOME XDG_CONFIG_HOME

bgproc man "$package/man1" >/dev/null
for shell in bash zsh fish nushell powershell elvish; do
  file=$(bgproc completions "$shell" --install 2>/dev/null)
  cp "$file" "$package/completions/$shell"
done
echo "target/package: $(ls "$package/man1" | wc -l) manual pages, $(ls "$package/completions" | wc -l) completions"
