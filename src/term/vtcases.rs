//! Test cases on which three real terminals agree. The file is stored outside the repository.
//!
//! Each case feeds bytes and checks the screen. The table below lists the cases that fail, with the
//! cause. A failure that is not listed fails the test, and so does a listed case that passes.

use std::io::Write;
use std::path::PathBuf;

use base64::Engine as _;
use serde_json::Value;

use super::screen::Screen;
use super::size::Size;

/// Cases that are known to fail: suite, name, cause.
const KNOWN: &[(&str, &str, &str)] = &[(
    "tmux_regress",
    "unicode/variation",
    "U+FE0F is filtered: the emulator panics on it at the right margin",
)];

/// Minimum number of cases that must pass.
const LEAST: usize = 314;

#[test]
fn agreed_cases() {
    let path = std::env::var_os("BGPROC_VTCASES").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/vtcases/cases.jsonl"),
        PathBuf::from,
    );
    let Ok(text) = std::fs::read_to_string(&path) else {
        // Past the test runner, which shows the output of failed tests only.
        let place = path.display();
        let _ = writeln!(std::io::stderr(), "SKIPPED: no terminal cases at {place}");
        return;
    };
    let (mut passed, mut total, mut surprises) = (0, 0, Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).expect("a case is JSON");
        let (suite, name) = (
            case["suite"].as_str().expect("suite"),
            case["name"].as_str().expect("name"),
        );
        let known = KNOWN
            .iter()
            .find(|known| (known.0, known.1) == (suite, name));
        total += 1;
        match (run(&case), known) {
            (Ok(()), None) => passed += 1,
            (Ok(()), Some(_)) => {
                surprises.push(format!("{suite}: {name}: passes, but is listed as failing"))
            }
            (Err(_), Some(_)) => {}
            (Err(why), None) => surprises.push(format!("{suite}: {name}: {why}")),
        }
    }
    eprintln!("{passed} of {total} cases pass");
    assert!(
        surprises.is_empty(),
        "{}\n{passed} of {total} pass",
        surprises.join("\n")
    );
    assert!(passed >= LEAST, "{passed} of {total} pass");
}

/// Runs a case. The error names the step and the difference.
fn run(case: &Value) -> Result<(), String> {
    let mut screen = Screen::with_scrollback(
        Size::new(number(&case["rows"]), number(&case["cols"])),
        1000,
    );
    for (at, step) in case["steps"].as_array().expect("steps").iter().enumerate() {
        match step[0].as_str().expect("step") {
            "w" => drop(screen.feed(&bytes(&step[1]))),
            "r" => screen.resize(Size::new(number(&step[1]), number(&step[2]))),
            "d" => drop(screen.take_replies()),
            "chk" => check(&mut screen, &step[1]).map_err(|why| format!("step {at}: {why}"))?,
            other => panic!("unknown step {other}"),
        }
    }
    Ok(())
}

fn check(screen: &mut Screen, want: &Value) -> Result<(), String> {
    let same = |what: &str, got: &dyn std::fmt::Debug, want: &dyn std::fmt::Debug| {
        let (got, want) = (format!("{got:?}"), format!("{want:?}"));
        if got == want {
            Ok(())
        } else {
            Err(format!("{what}\n  is   {got}\n  want {want}"))
        }
    };
    let got: Vec<String> = screen
        .rows_text(false)
        .iter()
        .map(|row| row.trim_end().to_string())
        .collect();
    if let Some(rows) = want["rows"].as_array() {
        let mut rows: Vec<&str> = rows
            .iter()
            .map(|row| row.as_str().expect("row").trim_end())
            .collect();
        if want["norowcount"].as_bool() == Some(true) || rows.len() < got.len() {
            rows.resize(got.len(), "");
        }
        same("rows", &got, &rows)?;
    }
    for (row, text) in want["row"].as_object().into_iter().flatten() {
        let row: usize = row.parse().expect("row number");
        same(
            &format!("row {row}"),
            &got[row],
            &text.as_str().expect("text").trim_end(),
        )?;
    }
    if let Some(rect) = want["rect"].as_array() {
        let [top, left, bottom, right] = [0, 1, 2, 3].map(|at| number(&rect[at]));
        let text: Vec<String> = (top..bottom.min(screen.size().rows()))
            .map(|row| {
                let text: String = (left..right.min(screen.size().cols()))
                    .filter_map(|col| screen.cell(row, col))
                    .map(|cell| {
                        if cell.text.is_empty() && cell.width == 1 {
                            " "
                        } else {
                            cell.text
                        }
                    })
                    .collect();
                text.trim_end().to_string()
            })
            .collect();
        same(
            "rect",
            &text.join("\n").trim_end(),
            &rect[4].as_str().expect("text").trim_end(),
        )?;
    }
    for cell in want["cellat"].as_array().into_iter().flatten() {
        let (row, col) = (number(&cell[0]), number(&cell[1]));
        let found = screen.cell(row, col).ok_or("no such cell")?;
        let text = cell[2].as_str().expect("text");
        same(
            &format!("cell {row},{col}"),
            &found.text.trim(),
            &text.trim(),
        )?;
        if let Some(width) = cell[3].as_u64() {
            same(
                &format!("width of {row},{col}"),
                &u64::from(found.width),
                &width,
            )?;
        }
    }
    if let Some(cursor) = want["cursor"].as_array() {
        let got = screen.cursor();
        let col = number(&cursor[1]).min(screen.size().cols() - 1);
        same("cursor", &(got.row, got.col), &(number(&cursor[0]), col))?;
    }
    if want["replies"].is_string() {
        let got = screen.take_replies();
        same(
            "replies",
            &String::from_utf8_lossy(&got),
            &String::from_utf8_lossy(&bytes(&want["replies"])),
        )?;
    }
    Ok(())
}

fn number(value: &Value) -> u16 {
    value
        .as_u64()
        .and_then(|n| n.try_into().ok())
        .expect("a number")
}

fn bytes(value: &Value) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD
        .decode(value.as_str().expect("base64"))
        .expect("base64")
}
