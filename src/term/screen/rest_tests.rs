//! Tests that a restored screen behaves like one that never rested.

use proptest::prelude::*;

use super::super::SCRIPT;
use super::*;

/// All observable state of a screen.
fn told(screen: &Screen) -> String {
    let core = screen.core.screen();
    let mut out = format!(
        "{:?} {:?} {} {} {:?} {:?} {:?}",
        core.cursor_position(),
        screen.cursor(),
        screen.title(),
        screen.alt_screen(),
        screen.seq(),
        core.attributes_formatted(),
        core.input_mode_formatted(),
    );
    let empty = vt100::Parser::default();
    let blank = empty.screen().cell(0, 0).cloned();
    for row in 0..screen.size().rows() {
        let _ = write!(out, "\n{} ", screen.row_wrapped(row));
        for col in 0..screen.size().cols() {
            // The emulator keeps a cell's previous content behind its text.
            if let Some(cell) = core
                .cell(row, col)
                .filter(|cell| Some(*cell) != blank.as_ref())
            {
                let (wide, half) = (cell.is_wide(), cell.is_wide_continuation());
                let colors = (cell.fgcolor(), cell.bgcolor());
                let flags = [
                    cell.bold(),
                    cell.dim(),
                    cell.italic(),
                    cell.underline(),
                    cell.inverse(),
                ];
                let flags = flags.map(u8::from);
                let _ = write!(
                    out,
                    "{col}:{:?}{wide}{half}{colors:?}{flags:?} ",
                    cell.contents()
                );
            }
        }
    }
    out
}

/// Parts of the output of programs, with rare sequences as frequent as text.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        "text",
        "a longer line that wraps at once ",
        "\r\n",
        "\n",
        "\r",
        "\t",
        "\x08",
        "漢字",
        "e\u{301}",
        "\x1b[H",
        "\x1b[2J",
        "\x1b[J",
        "\x1b[1J",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[3X",
        "\x1b[2P",
        "\x1b[2@",
        "\x1b[L",
        "\x1b[M",
        "\x1b[S",
        "\x1b[T",
        "\x1bM",
        "\x1bD",
        "\x1bE",
        "\x1b7",
        "\x1b8",
        "\x1b[s",
        "\x1b[u",
        "\x1b[2;4r",
        "\x1b[r",
        "\x1b[3;5r",
        "\x1b[?6h",
        "\x1b[?6l",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1bPq~~\x1b\\",
        "\x1b_Ga=T;x\x1b\\",
        "\x1b_Ga=p,C=1\x1b\\",
        "\x1b[1\"q",
        "\x1b[\"q",
        "\x1b[?J",
        "\x1b[?2K",
        "\x1b[2;2;3;8${",
        "\x1b[42;2;3;4;40$x",
        "\x1b[23#y",
        "\x1b[1;1*y",
        "\x1b[?45h",
        "\x1b[?1045h",
        "\x1b[?45;1045l",
        "\x1b[12D",
        "\x1b[4h",
        "\x1b[4l",
        "\x1b[20h",
        "\x1b[20l",
        "\x1b[?47h",
        "\x1b[?47l",
        "\x1b[?1047h",
        "\x1b[?1047l",
        "\x1b[?1048h",
        "\x1b[?1048l",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[1;31m",
        "\x1b[48;5;200m",
        "\x1b[38;2;1;2;3m",
        "\x1b[7m",
        "\x1b[4m",
        "\x1b[3;2m",
        "\x1b[m",
        "\x1b[?25l",
        "\x1b[>5u",
        "\x1b[<u",
        "\x1b[>4;2m",
        "\x1b[?25h",
        "\x1b[?1h",
        "\x1b=",
        "\x1b>",
        "\x1b[?2004h",
        "\x1b[?1000h",
        "\x1b[?1006h",
        "\x1b[?1004h",
        "\x1b[4 q",
        "\x1b(0",
        "\x1b(B",
        "\x0e",
        "\x0f",
        "\x1b)0",
        "\x1b[3g",
        "\x1bH",
        "\x1b[5b",
        "\x1b[4;9H",
        "\x1b[2;20H",
        "\x1b[6;20Hx",
        "\x1b[10G",
        "\x1b[2d",
        "\x1b#8",
        "\x1bc",
        "\x1b[!p",
        "\x1b]2;title\x07",
        "\x1b[",
        "\x1b]0;cut",
        "\u{fffd}",
        "\x1b[6n",
        "\x1b[9m",
        "\x1b[4:3;58:5:9m",
        "\x1b[21;53m",
        "\x1b[24;29m",
        "\x1b]8;id=x;file:///x\x1b\\",
        "\x1b]8;;\x1b\\",
        "\u{301}",
    ];
    let known = known.map(|text| text.as_bytes().to_vec()).to_vec();
    prop_oneof![
        9 => prop::sample::select(known),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    Print(Vec<u8>),
    Resize(u16, u16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => piece().prop_map(Step::Print),
        1 => (1u16..9, 1u16..26).prop_map(|(rows, cols)| Step::Resize(rows, cols)),
    ]
}

fn take(screen: &mut Screen, step: &Step) -> Vec<u8> {
    match step {
        Step::Print(bytes) => drop(screen.feed(bytes)),
        Step::Resize(rows, cols) => screen.resize(Size::new(*rows, *cols)),
    }
    screen.take_replies()
}

fn play(steps: &[Step]) -> Screen {
    let mut screen = Screen::new(Size::new(6, 20));
    for step in steps {
        take(&mut screen, step);
    }
    screen
}

proptest! {
    #[test]
    fn a_restored_screen_behaves_as_if_it_had_never_rested(
        before in prop::collection::vec(step(), 0..60),
        after in prop::collection::vec(step(), 0..30),
        by_script in any::<bool>(),
    ) {
        let mut kept = play(&before);
        let mut rests = Box::new(play(&before));
        rests.script = rests.script.filter(|_| by_script);
        let mut rested = match rests.rest() {
            Ok(resting) => {
                prop_assert_eq!(resting.seq(), kept.seq());
                prop_assert_eq!(resting.title(), kept.title());
                prop_assert_eq!(resting.alt_screen(), kept.alt_screen());
                prop_assert_eq!(resting.modes(), kept.modes());
                resting.wake()
            }
            // A screen that cannot be restored exactly is kept.
            Err(same) => *same,
        };
        prop_assert_eq!(told(&rested), told(&kept));
        for step in &after {
            prop_assert_eq!(take(&mut rested, step), take(&mut kept, step), "answers");
            prop_assert_eq!(told(&rested), told(&kept), "after {:?}", step);
        }
    }
}

#[test]
fn typical_screens_can_rest_and_take_little_memory() {
    let shell = "\x1b[?2004h$ make\r\n\x1b[32mok\x1b[0m\r\n$ ".repeat(50);
    let editor = format!(
        "{shell}\x1b[?1049h\x1b[2J\x1b[H\x1b[1;23r~\r\n~\x1b[24;1H\x1b[7mfile\x1b[m\x1b[3;5H"
    );
    let left = format!("{editor}\x1b[r\x1b[?1049l$ ");
    let wide = format!("{}\x1b[24;80Hx", "漢字".repeat(400));
    for text in ["", "$ ", &shell, &editor, &left, &wide] {
        let mut screen = Screen::new(Size::new(24, 80));
        screen.feed(text.as_bytes());
        assert_eq!(screen.rests_easily(), text.len() <= SCRIPT);
        screen.script = None;
        let before = told(&screen);
        let Ok(resting) = Box::new(screen).rest() else {
            unreachable!("{text:?} cannot rest");
        };
        let Bytes::Recipe(recipe) = &resting.bytes else {
            unreachable!("it has no script");
        };
        assert!(recipe.len() < 10_000, "{}", recipe.len());
        assert_eq!(told(&resting.wake()), before);
    }
}
