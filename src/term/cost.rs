//! What output costs to paint. A byte of text costs little and always the same; a control function may cost as
//! much as the whole window, and two bytes can ask for that. Who paints in turns limits a turn by its cost.

use memchr::memchr_iter;

use super::size::Size;

/// Cells that are cleared in the time in which one byte of text is painted.
const CELLS_OF_A_BYTE: usize = 4;

/// How much more than clearing all cells it costs to make them anew (RIS), to write them (DECALN, DECFRA) and to
/// read them (DECRQCRA).
const MADE: usize = 4;

/// Bytes that are taken whatever they cost, if the next function does not begin before: more than usual functions have.
const LEAST: usize = 64;

/// Output that is painted in one turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Affordable {
    /// Its length in bytes.
    pub length: usize,
    /// Its cost, as the number of bytes of text that cost as much.
    pub cost: usize,
}

/// The beginning of `bytes` that costs at most about `most` on a screen of this size, and at least one control
/// function or a little text.
pub fn affordable(bytes: &[u8], size: Size, most: usize) -> Affordable {
    let mut more = 0;
    for at in memchr_iter(0x1b, bytes) {
        if at + more >= most && at > 0 {
            return turn(at, more, most);
        }
        more += of_function(&bytes[at + 1..], size);
    }
    turn(bytes.len(), more, most)
}

/// Bytes up to the next function, after functions that cost `more`.
fn turn(length: usize, more: usize, most: usize) -> Affordable {
    let length = length.min(most.saturating_sub(more).max(LEAST));
    Affordable {
        length,
        cost: length + more,
    }
}

/// What the control function behind an ESC costs in addition to its bytes.
fn of_function(bytes: &[u8], size: Size) -> usize {
    let (rows, cols) = (usize::from(size.rows()), usize::from(size.cols()));
    let screen = rows * cols / CELLS_OF_A_BYTE;
    match bytes {
        [b'c', ..] | [b'#', b'8', ..] => MADE * screen,
        [b'[', rest @ ..] => {
            // Control characters may stand within the sequence, which goes on behind them.
            let end = rest.iter().position(|&byte| byte == 0x1b || is_final(byte));
            let (body, last) = match end {
                Some(end) => (&rest[..end], rest[end]),
                None => return 0,
            };
            match last {
                b'J' | b'L' | b'M' | b'S' | b'T' => screen,
                b'K' | b'P' | b'X' | b'@' => cols / CELLS_OF_A_BYTE,
                b'b' => cols,
                b'h' | b'l' if switches_screens(body) => screen,
                b'x' | b'y' | b'z' | b'{' => MADE * screen,
                _ => 0,
            }
        }
        _ => 0,
    }
}

fn is_final(byte: u8) -> bool {
    (0x40..=0x7e).contains(&byte)
}

/// Whether the parameters of a mode may be 47, 1047 or 1049, the alternate screen.
fn switches_screens(params: &[u8]) -> bool {
    params.windows(2).any(|two| matches!(two, b"47" | b"49"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &str, most: usize) -> (usize, usize) {
        let Affordable { length, cost } = affordable(bytes.as_bytes(), Size::new(40, 100), most);
        (length, cost)
    }

    #[test]
    fn text_costs_its_bytes() {
        assert_eq!(of("some text", 100), (9, 9));
        assert_eq!(of(&"text".repeat(100), 99), (99, 99));
        assert_eq!(of("\x1b[31mred\x1b[m", 100), (11, 11));
        assert_eq!(of("", 100), (0, 0));
    }

    #[test]
    fn a_function_on_the_whole_screen_costs_its_cells() {
        for (function, cost) in [
            ("\x1b[2J", 1000),
            ("\x1b[\x08\x0b;;;2J", 1000),
            ("\x1b[3L", 1000),
            ("\x1b[?1049h", 1000),
            ("\x1b[?25h", 0),
            ("\x1bc", 4000),
            ("\x1b#8", 4000),
            ("\x1b[1;1;1;1;40;100*y", 4000),
            ("\x1b[K", 25),
            ("\x1b[100b", 100),
            ("\x1b[", 0),
        ] {
            assert_eq!(
                of(function, 9000),
                (function.len(), function.len() + cost),
                "{function:?}"
            );
        }
    }

    #[test]
    fn a_turn_ends_before_what_it_cannot_afford_and_takes_at_least_one_function() {
        let clear = "\x1b[2J";
        assert_eq!(of(&clear.repeat(100), 3000).0, 3 * clear.len());
        assert_eq!(of(&clear.repeat(100), 1).0, clear.len());
        assert_eq!(of(&format!("{clear}{}", "x".repeat(1000)), 1000).0, LEAST);
        assert_eq!(of(&format!("ab{clear}{clear}cd"), 500).0, 2 + clear.len());
    }
}
