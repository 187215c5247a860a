#!/usr/bin/env bash
# Makes the README's pictures: the dashboard runs as a job of a second bgproc, whose `capture --format svg` draws it.
#
#   cargo build && assets/pictures.sh                   # all of them
#   assets/pictures.sh dashboard password               # some of them
#   PROGRAM=target/release/bgproc assets/pictures.sh    # with another program
#
# It needs nothing but bash, takes seconds, and leaves nothing behind. Jobs, sizes and colours are always the same;
# times, pids and loads are those of the moment.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$(realpath "${PROGRAM:-target/debug/bgproc}")
pictures=$PWD/assets
work=$(mktemp -d)
export HOME=$work/me
mkdir -p "$HOME/bin" "$HOME/shop" "$HOME/notes"

# The jobs' bgproc, and the one that looks at the dashboard.
inner() { (cd "$HOME/$1" && shift && BGPROC_HOME=$work/inner exec "$program" "$@"); }
outer() { BGPROC_HOME=$work/outer "$program" "$@"; }
finish() {
  outer daemon stop --kill >/dev/null 2>&1 || true
  inner shop daemon stop --kill >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT
unset NO_COLOR BGPROC_SESSION BGPROC_THEME BGPROC_LEAVE_KEY TMUX
export LC_ALL=C.UTF-8 TERM=xterm-256color COLORTERM=truecolor PATH=$HOME/bin:$PATH

# What the jobs run: programs that say what such programs say.
say() { cat >"$HOME/bin/$1" && chmod +x "$HOME/bin/$1"; }
say npm <<'NPM'
#!/usr/bin/env bash
green=$'\e[32m' red=$'\e[31m' cyan=$'\e[36m' bold=$'\e[1m' dim=$'\e[2m' off=$'\e[0m'
case "$*" in
"run dev")
  printf '\n> shop@1.4.0 dev\n> vite --port 3000\n\n'
  printf '  %s%sVITE%s v7.1.2  ready in %s412 ms%s\n\n' "$green" "$bold" "$off" "$bold" "$off"
  printf '  %s➜%s  %sLocal%s:   %shttp://localhost:%s3000%s/%s\n' "$green" "$off" "$bold" "$off" "$cyan" "$bold" "$off$cyan" "$off"
  printf '  %s➜  press h + enter to show help%s\n\n' "$dim" "$off"
  printf '%s12:44:52%s GET /                %s200%s   3 ms\n' "$dim" "$off" "$green" "$off"
  printf '%s12:44:52%s GET /assets/app.js   %s200%s   1 ms\n' "$dim" "$off" "$green" "$off"
  printf '%s12:44:52%s GET /api/cart        %s500%s  87 ms\n' "$dim" "$off" "$red" "$off"
  printf '%s12:44:52 TypeError%s: cart.items is undefined\n' "$red" "$off"
  printf '    at total (%ssrc/cart.ts:41:18%s)\n' "$cyan" "$off"
  printf '%s12:45:03 [hmr]%s update src/cart.ts\n' "$cyan" "$off"
  printf '%s12:45:03%s GET /api/cart        %s200%s   9 ms\n' "$dim" "$off" "$green" "$off"
  exec sleep 1000 ;;
"run api")
  printf '%s[api]%s listening on :8080\n%s[api]%s database is up (3 ms)\n' "$cyan" "$off" "$cyan" "$off"
  exec sleep 1000 ;;
"test -- --watch")
  printf ' %s✓%s cart.test.ts %s(14)%s\n %s✓%s user.test.ts %s(9)%s\n' "$green" "$off" "$dim" "$off" "$green" "$off" "$dim" "$off"
  printf ' %s❯ pay.test.ts%s %s(3/21)%s\n   %sFAIL%s  refunds twice\n' "$red" "$off" "$dim" "$off" "$red$bold" "$off"
  exec sleep 1000 ;;
"run lint")
  printf '\n> eslint .\n\nsh: 1: eslint: not found\n'
  exit 127 ;;
"run build")
  printf 'dist/app.js  %s48.1 kB%s\n' "$dim" "$off" ;;
esac
NPM
say migrate <<'MIGRATE'
#!/usr/bin/env bash
printf 'Applying 0042_add_cart_index.sql ... \e[32mok\e[0m\nApplying 0043_backfill_totals.sql\n'
printf 'This migration rewrites \e[1m1 204 117\e[0m rows.\n\n'
read -rsp 'Password for migrate (db.prod): '
MIGRATE
say claude <<'CLAUDE'
#!/usr/bin/env bash
printf '\e[32m●\e[0m Editing src/cart.ts\n  \e[2m⎿\e[0m 2 lines changed\n\e[36m>\e[0m running npm test in job tests\n'
exec sleep 1000
CLAUDE

inner shop run -q -n web -g shop npm run dev >/dev/null
inner shop run -q -n api -g shop npm run api >/dev/null
inner shop run -q -n tests -g shop npm test -- --watch >/dev/null
inner shop run -q -n migrate -g shop migrate --target prod >/dev/null
inner notes run -q -n build -w npm run build >/dev/null
inner notes run -q -n lint -w npm run lint >/dev/null || true
printf '%s\n' '{"id":1,"action":"start","command":"claude","label":"agent","background":true}' |
  inner notes --serve --scope claude >/dev/null

# Waits until the dashboard shows a text.
shows() {
  for _ in {1..200}; do
    case "$(outer capture view)" in *"$1"*) return ;; esac
    sleep 0.05
  done
  echo "the dashboard does not show \"$1\":" >&2
  outer capture view >&2
  return 1
}
# A dashboard of that size, with the job selected.
open() {
  outer run -q -n view --size "$1" -C "$HOME/shop" -e "BGPROC_HOME=$work/inner" -- "$program" --theme okabe-ito >/dev/null
  shows ' NORMAL '
  press "/$2" Enter
  shows "$2 "
  press Escape
  shows 'web'
}
press() {
  for keys in "$@"; do
    case $keys in
    Enter | Escape | Tab) outer keys view "$keys" >/dev/null ;;
    *) outer send --no-enter view "$keys" >/dev/null ;;
    esac
  done
}
draw() {
  outer capture view --format svg -o "$pictures/$1.svg"
  outer rm -f view >/dev/null 2>&1 || { outer kill view >/dev/null && outer rm view >/dev/null; }
}

for picture in "${@:-dashboard grid password}"; do
  for name in $picture; do
    case $name in
    dashboard) open 120x36 web && shows '200   9 ms' ;;
    grid) open 120x36 web && press v && shows ' grid ' && shows 'refunds twice' ;;
    password) open 80x24 migrate && press Enter && shows 'Password for migrate' && shows ' INSERT ' ;;
    *) echo "there is no picture \"$name\"" >&2 && exit 2 ;;
    esac
    draw "$name"
    echo "assets/$name.svg"
  done
done
