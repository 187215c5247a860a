//! What a run leaves on its terminal, and what ends that before the next run begins.

use super::Screen;
use crate::term::modes::Modes;
use crate::term::pen::Pen;

/// Ends the modes, colours and character sets that a program may have left on the main screen. The mouse, focus and
/// paste modes are xterm's (its ctlseqs, "DEC Private Mode Reset"), `=0u` is the kitty keyboard protocol's, `>4m`
/// modifyOtherKeys, and `!p` DECSTR, which ends the rest.
const RESET: &str = "\x1b[?9;1000;1002;1003;1004;1005;1006;2004;2026;2031;2048l\x1b[=0u\x1b[>4m\x1b[20l\
                     \x1b]8;;\x1b\\\x1b(B\x0f\x1b[!p\x1b[m";

impl Screen {
    /// The sequences and the line break after which a program finds the screen as a new one, below what is on it. Empty
    /// if it is so already.
    pub fn reset_for_next_run(&self) -> String {
        let is_alternate = self.alt_screen();
        let is_new = self.compat.is_ordinary()
            && self.modes() == Modes::default()
            && self.pen() == Pen::default()
            && self.cursor().visible;
        let mut reset = String::new();
        if !is_new || is_alternate {
            // CAN ends a sequence that was not completed.
            reset.push('\x18');
            if is_alternate {
                reset.push_str("\x1b[?1049l");
            }
            reset.push_str(RESET);
        }
        if is_alternate || self.cursor().col > 0 {
            reset.push('\n');
        }
        reset
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::size::Size;

    /// The screen after the output of one run, and what is sent before the next.
    fn left(output: &str) -> (Screen, String) {
        let mut screen = Screen::new(Size::new(6, 40));
        screen.feed(output.as_bytes());
        let reset = screen.reset_for_next_run();
        (screen, reset)
    }

    #[test]
    fn a_run_that_has_ended_its_line_leaves_nothing() {
        for output in [
            "",
            "one\r\n",
            "\x1b[31mred\x1b[m\r\n",
            "\x1b[?1049hfull\x1b[?1049l\r\n",
        ] {
            assert_eq!(left(output).1, "", "{output:?}");
        }
        assert_eq!(left(">>> ").1, "\n", "a prompt");
    }

    #[test]
    fn the_next_run_finds_the_screen_as_a_new_one() {
        for output in [
            "\x1b[?1049h\x1b[2J\x1b[5;5Hvim",
            "\x1b[1;31mred",
            "\x1b(0lqqk",
            "\x0elqqk",
            "\x1b[?25l\x1b[?1000h\x1b[?1006h\x1b[?2004h\x1b[?1h\x1b=",
            "\x1b[?1004h\x1b[?2031h\x1b[?2048h\x1b[>1u\x1b[>4;2m",
            "\x1b[2;4r\x1b[?6h\x1b[4h\x1b[?7l\x1b[20h",
            "\x1b]8;;http://a\x1b\\link",
            "\x1b]0;never ended",
            "\x1b[3",
            "\x1bPq#0;2",
        ] {
            let (mut screen, reset) = left(output);
            assert!(!reset.is_empty(), "{output:?}");
            // The line discipline adds the carriage return.
            screen.feed(reset.replace('\n', "\r\n").as_bytes());
            assert_eq!(screen.reset_for_next_run(), "", "{output:?}");
            screen.feed(b"next run");
            let last = screen.rows_text(true).pop();
            assert_eq!(last.as_deref(), Some("next run"), "{output:?}");
        }
    }
}
