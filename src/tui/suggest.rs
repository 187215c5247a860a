//! Command suggestions from project files and the shell history. Pure: file contents are passed as
//! text.

use serde_json::Value;

/// The commands defined by a project file, chosen by file name. `runner` runs the scripts of a
/// `package.json`.
pub fn targets(file: &str, text: &str, runner: &str) -> Vec<String> {
    match file {
        "package.json" => scripts(text, runner),
        "Makefile" | "makefile" | "GNUmakefile" => named(text, "make", false),
        "justfile" | "Justfile" | ".justfile" => named(text, "just", true),
        "Procfile" => processes(text),
        _ => Vec::new(),
    }
}

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
        if command.is_empty() || command.chars().any(odd) {
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
    let Ok(package) = serde_json::from_str::<Value>(text) else {
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
        // `x := y` sets a variable, `.PHONY` and `_x` are internal, and an indented line belongs to
        // a recipe.
        let plain = is_word(name) && !name.starts_with(['.', '_', '-']);
        let is_head = !line.starts_with(char::is_whitespace) && !rest.starts_with('=');
        let command = format!("{program} {name}");
        if plain && is_head && (parameters || !needs) && !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands
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
        let makefile =
            "CC := cc\nX = a:b\n.PHONY: all\nall: a.o\n\tcc: x\n%.o: %.c\nall: b\ntest:\n";
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
    fn reads_shell_histories_newest_first() {
        let bash = "make\n#1700000000\nls -l\nmake\nfor x in a \\\n  b; do\necho \u{1b}[31m\n";
        assert_eq!(history(".bash_history", bash, 9), ["make", "ls -l"]);
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
