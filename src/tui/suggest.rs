//! Command suggestions from project files and the shell history. Pure: file contents are passed as
//! text.

use std::collections::HashSet;

use serde_json::Value;

/// The commands defined by a project file, chosen by file name. `runner` runs the scripts of a
/// `package.json`. For a Cargo package, see [`cargo`].
pub fn targets(file: &str, text: &str, runner: &str) -> Vec<String> {
    match file {
        "package.json" => scripts(text, runner),
        "Makefile" | "makefile" | "GNUmakefile" => named(text, "make", false),
        "justfile" | "Justfile" | ".justfile" => named(text, "just", true),
        "Procfile" => processes(text),
        _ => Vec::new(),
    }
}

/// The package manager that a `package.json` asks for, as `pnpm` by `pnpm@9.1.0`.
pub fn manager(text: &str) -> Option<&'static str> {
    let package = serde_json::from_str::<Value>(without_mark(text)).ok()?;
    let said = package.get("packageManager")?.as_str()?;
    let said = said.split('@').next();
    let managers = ["npm", "pnpm", "yarn", "bun"];
    managers.into_iter().find(|manager| said == Some(manager))
}

/// A part of the lines that `exec` types into a shell, which may keep them in its history.
const OF_EXEC: &str = "133;C;bgproc=";

/// The commands of a shell history, newest first, without duplicates, at most `most`. The file name
/// tells which shell's format it is.
pub fn history(file: &str, text: &str, most: usize) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut continues = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        // Skip commands that continue over several lines.
        let part = std::mem::replace(&mut continues, line.ends_with('\\'));
        if !part && !continues {
            lines.push(line);
        }
    }
    for line in lines.into_iter().rev() {
        let command = if file.contains("fish") {
            line.strip_prefix("- cmd: ")
                .filter(|line| !line.contains('\\'))
        } else {
            // zsh with timestamps: `: 1700000000:0;make`. bash with timestamps: `#1700000000`.
            match line
                .strip_prefix(": ")
                .and_then(|rest| rest.split_once(';'))
            {
                Some((times, command)) if times.contains(':') => Some(command),
                _ => Some(line).filter(|line| !line.starts_with('#')),
            }
        };
        let command = command.map(str::trim).unwrap_or_default();
        let odd = |c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER;
        if command.is_empty() || command.chars().any(odd) || command.contains(OF_EXEC) {
            continue;
        }
        if !commands.iter().any(|known| known == command) {
            commands.push(command.to_owned());
        }
        if commands.len() == most {
            break;
        }
    }
    commands
}

/// Scripts such as `npm run dev`; those that usually run in the background come first.
fn scripts(text: &str, runner: &str) -> Vec<String> {
    let Ok(package) = serde_json::from_str::<Value>(without_mark(text)) else {
        return Vec::new();
    };
    let scripts = package.get("scripts").and_then(Value::as_object);
    let mut names: Vec<&String> = scripts.into_iter().flat_map(|map| map.keys()).collect();
    names.sort_by_key(|name| !["dev", "start", "serve", "watch"].contains(&name.as_str()));
    names
        .into_iter()
        .filter(|name| is_word(name))
        .map(|name| format!("{runner} run {name}"))
        .collect()
}

/// The text of a file without the mark of its encoding, which JSON does not have.
fn without_mark(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

/// Targets such as `make build`: a name at the start of a line, followed by a colon. Recipes may
/// have parameters before the colon.
fn named(text: &str, program: &str, parameters: bool) -> Vec<String> {
    let mut commands = Vec::new();
    for line in text.lines() {
        let Some((head, rest)) = line.split_once(':') else {
            continue;
        };
        let mut words = head.split_whitespace();
        let name = words.next().unwrap_or_default().trim_start_matches('@');
        let needs = words.next().is_some();
        // `x := y` and `x ::= y` set a variable, `.PHONY` and `_x` are internal, and an indented line belongs to
        // a recipe.
        let plain = is_word(name) && !name.starts_with(['.', '_', '-']);
        let sets = rest.trim_start_matches(':').starts_with('=');
        let is_head = !line.starts_with(char::is_whitespace) && !sets;
        let command = format!("{program} {name}");
        if plain && is_head && (parameters || !needs) && !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands
}

/// The commands of a Cargo package or workspace: its binaries and tests. `sources` are the paths below
/// `src/bin` and `tests` and, if it exists, `src/main.rs`, from which Cargo takes those that
/// `Cargo.toml` does not list.
pub fn cargo(text: &str, sources: &[String]) -> Vec<String> {
    let Ok(file) = toml::from_str::<toml::Table>(text) else {
        return Vec::new();
    };
    let mut commands = Vec::new();
    if let Some(package) = file.get("package").and_then(toml::Value::as_table) {
        let binaries = binaries(&file, package, sources);
        match binaries.as_slice() {
            [] => {}
            [_] => commands.push("cargo run".to_owned()),
            several => commands.extend(several.iter().map(|one| format!("cargo run --bin {one}"))),
        }
    }
    commands.push("cargo test".to_owned());
    let mut tests = listed(&file, "test");
    tests.extend(sources.iter().filter_map(|path| unit(path, "tests/")));
    commands.extend(unique(tests).map(|one| format!("cargo test --test {one}")));
    commands
}

fn binaries(file: &toml::Table, package: &toml::Table, sources: &[String]) -> Vec<String> {
    let mut names = listed(file, "bin");
    let is_main = sources.iter().any(|path| path == "src/main.rs");
    let of_package = package.get("name").and_then(toml::Value::as_str);
    // A `[[bin]]` usually gives `src/main.rs` its name.
    if names.is_empty() && is_main {
        names.extend(of_package.map(str::to_owned));
    }
    names.extend(sources.iter().filter_map(|path| unit(path, "src/bin/")));
    unique(names).collect()
}

/// Names in the tables `[[kind]]`.
fn listed(file: &toml::Table, kind: &str) -> Vec<String> {
    let tables = file.get(kind).and_then(toml::Value::as_array);
    let names = tables.into_iter().flatten();
    let names = names.filter_map(|table| table.get("name")?.as_str());
    names.map(str::to_owned).collect()
}

/// The name of a source file `name.rs` or `name/main.rs` in a folder.
fn unit(path: &str, folder: &str) -> Option<String> {
    let rest = path.strip_prefix(folder)?;
    let name = rest.strip_suffix("/main.rs").or(rest.strip_suffix(".rs"))?;
    (!name.contains('/')).then(|| name.to_owned())
}

/// Names that are words, each of them once.
fn unique(names: Vec<String>) -> impl Iterator<Item = String> {
    let mut seen = HashSet::new();
    let is_new = move |name: &String| seen.insert(name.clone());
    names
        .into_iter()
        .filter(|name| is_word(name))
        .filter(is_new)
}

/// The command of a line such as `web: npm start`.
fn processes(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let commands = lines.filter_map(|line| {
        let (name, command) = line.split_once(':')?;
        let command = command.trim();
        (is_word(name) && !command.is_empty()).then(|| command.to_owned())
    });
    commands.collect()
}

fn is_word(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_.:/".contains(c);
    !name.is_empty() && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_commands_from_project_files() {
        let package = r#"{"scripts": {"build": "vite build", "dev": "vite", "a b": "no"}}"#;
        let found = targets("package.json", package, "pnpm");
        assert_eq!(found, ["pnpm run dev", "pnpm run build"]);
        assert!(targets("package.json", "{", "npm").is_empty());
        let marked = format!("\u{feff}{package}");
        assert_eq!(targets("package.json", &marked, "npm").len(), 2);
        for (said, expected) in [
            (r#""pnpm@9.1.0+sha512.abc""#, Some("pnpm")),
            (r#""yarn""#, Some("yarn")),
            (r#""cnpm@1""#, None),
            ("7", None),
        ] {
            let package = format!(r#"{{"packageManager": {said}}}"#);
            assert_eq!(manager(&package), expected, "{said}");
        }
        assert_eq!(manager(package), None);
        let makefile = "CC := cc\nCXX ::= g++\nLD :::= ld\nX = a:b\n.PHONY: all\nall: a.o\n\tcc: x\n%.o: %.c\nall: b\ntest:\n";
        assert_eq!(targets("Makefile", makefile, ""), ["make all", "make test"]);
        let just = "set shell := ['sh']\nx := 'y'\n_private:\nbuild target='all': dep\n  echo a: b\n@quiet:\n";
        assert_eq!(targets("justfile", just, ""), ["just build", "just quiet"]);
        let procfile = "# all\nweb: npm start\nworker: ./work --queue a:b\n";
        assert_eq!(
            targets("Procfile", procfile, ""),
            ["npm start", "./work --queue a:b"]
        );
    }

    #[test]
    fn reads_binaries_and_tests_of_cargo_packages() {
        let sources = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
        let of = |text: &str, paths: &[&str]| {
            let sources: Vec<String> = sources(paths);
            cargo(text, &sources)
        };
        let package = "[package]\nname = \"shop\"\n";
        assert_eq!(of(package, &["src/main.rs"]), ["cargo run", "cargo test"]);
        assert_eq!(of(package, &[]), ["cargo test"]);
        let paths = [
            "src/main.rs",
            "src/bin/seed.rs",
            "src/bin/admin/main.rs",
            "src/bin/admin/more.rs",
            "tests/cart.rs",
            "tests/suite/main.rs",
            "tests/suite/pay.rs",
        ];
        assert_eq!(
            of(package, &paths),
            [
                "cargo run --bin shop",
                "cargo run --bin seed",
                "cargo run --bin admin",
                "cargo test",
                "cargo test --test cart",
                "cargo test --test suite",
            ]
        );
        let named = format!(
            "{package}[[bin]]\nname = \"x\"\npath = \"src/main.rs\"\n[[test]]\nname = \"cart\"\n"
        );
        assert_eq!(
            of(&named, &["src/main.rs", "tests/cart.rs"]),
            ["cargo run", "cargo test", "cargo test --test cart"]
        );
        assert_eq!(of("[workspace]\nmembers = []\n", &[]), ["cargo test"]);
        assert!(of("][", &[]).is_empty());
    }

    #[test]
    fn reads_shell_histories_newest_first() {
        let bash = "make\n#1700000000\nls -l\nmake\nfor x in a \\\n  b; do\necho \u{1b}[31m\n";
        assert_eq!(history(".bash_history", bash, 9), ["make", "ls -l"]);
        let exec = "make\n printf '\\033]133;C;bgproc=abcd1234\\007'; eval ls\n";
        assert_eq!(history(".bash_history", exec, 9), ["make"]);
        let zsh = ": 1700000000:0;make\nls; pwd\n: 1700000001:5;npm run dev; ls\n";
        assert_eq!(
            history(".zsh_history", zsh, 9),
            ["npm run dev; ls", "ls; pwd", "make"]
        );
        let fish = "- cmd: make\n  when: 1700000000\n- cmd: echo a\\nb\n";
        assert_eq!(history("fish_history", fish, 9), ["make"]);
        assert_eq!(history(".bash_history", "a\nb\nc\n", 2), ["c", "b"]);
    }
}
