//! Box-drawing characters and block elements (U+2500 to U+259F) as shapes that fill their cells
//! exactly, so that boxes join without gaps in any font.

/// Width of a cell, in pixels. It is odd, so that a thin line can be centred.
pub(super) const WIDTH: i32 = 9;
/// Height of a cell, in pixels.
pub(super) const HEIGHT: i32 = 19;

/// Position of thin lines, which are one pixel wide.
const MIDDLE: (i32, i32) = (WIDTH / 2, HEIGHT / 2);

/// A part of a character, in a cell whose upper left corner is at 0, 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// A rectangle in the text colour.
    Rect(Rect),
    /// The whole cell in a mixture with this many quarters of the text colour.
    Shade(u32),
    /// A thin line, as commands of an SVG path that start at the corner.
    Line(&'static str),
}

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rect {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) w: i32,
    pub(super) h: i32,
}

/// The arms of each character from U+2500 on, in the order up, right, down, left: 1 is a light
/// line, 2 a heavy one, 3 a double one. Taken from the names in the Unicode standard. Dashed lines
/// are listed as solid ones; `0000` are arcs and diagonals.
const ARMS: [&[u8; 40]; 16] = [
    b"0101 0202 1010 2020 0101 0202 1010 2020 ",
    b"0101 0202 1010 2020 0110 0210 0120 0220 ",
    b"0011 0012 0021 0022 1100 1200 2100 2200 ",
    b"1001 1002 2001 2002 1110 1210 2110 1120 ",
    b"2120 2210 1220 2220 1011 1012 2011 1021 ",
    b"2021 2012 1022 2022 0111 0112 0211 0212 ",
    b"0121 0122 0221 0222 1101 1102 1201 1202 ",
    b"2101 2102 2201 2202 1111 1112 1211 1212 ",
    b"2111 1121 2121 2112 2211 1122 1221 2212 ",
    b"1222 2122 2221 2222 0101 0202 1010 2020 ",
    b"0303 3030 0310 0130 0330 0013 0031 0033 ",
    b"1300 3100 3300 1003 3001 3003 1310 3130 ",
    b"3330 1013 3031 3033 0313 0131 0333 1303 ",
    b"3101 3303 1313 3131 3333 0000 0000 0000 ",
    b"0000 0000 0000 0000 0001 1000 0100 0010 ",
    b"0002 2000 0200 0020 0201 1020 0102 2010 ",
];

/// The shapes of a character; `None` if a font must draw it.
pub(super) fn shapes(c: char) -> Option<Vec<Shape>> {
    match c {
        '\u{2500}'..='\u{257f}' => Some(lines(c)),
        '\u{2580}'..='\u{259f}' => Some(blocks(c)),
        _ => None,
    }
}

fn lines(c: char) -> Vec<Shape> {
    let dashes = match c {
        '╌'..='╏' => 2,
        '┄'..='┇' => 3,
        '┈'..='┋' => 4,
        '╭' => return vec![Shape::Line("m4.5 19v-5.5q0-4 4-4h.5")],
        '╮' => return vec![Shape::Line("m4.5 19v-5.5q0-4-4-4h-.5")],
        '╯' => return vec![Shape::Line("m4.5 0v5.5q0 4-4 4h-.5")],
        '╰' => return vec![Shape::Line("m4.5 0v5.5q0 4 4 4h.5")],
        '╱' => return vec![Shape::Line("m9 0l-9 19")],
        '╲' => return vec![Shape::Line("m0 0l9 19")],
        '╳' => return vec![Shape::Line("m9 0l-9 19m0-19l9 19")],
        _ => 1,
    };
    let at = (u32::from(c) - 0x2500) as usize;
    let digits = &ARMS[at / 8][at % 8 * 5..][..4];
    let arms: Vec<u8> = digits.iter().map(|digit| digit - b'0').collect();
    if dashes > 1 {
        return dashed(arms[1].max(arms[2]), arms[1] > 0, dashes);
    }
    (0..4).flat_map(|arm| strokes(&arms, arm)).collect()
}

/// The lines of one arm. Each begins where it meets the crossing lines and ends at the edge of the
/// cell.
fn strokes(arms: &[u8], arm: usize) -> Vec<Shape> {
    let own = arms[arm];
    let opposite = arms[(arm + 2) % 4];
    // The crossing arms, on either side of the arm's middle line.
    let (low, high) = match arm % 2 {
        0 => (arms[3], arms[1]),
        _ => (arms[0], arms[2]),
    };
    let lines: &[(i32, i32)] = match own {
        1 => &[(0, 1)],
        2 => &[(-1, 3)],
        3 => &[(-1, 1), (1, 1)],
        _ => &[],
    };
    // Start of the line, in pixels from the middle towards the edge.
    let begin = |side: i32| match (own, low.max(high)) {
        (_, 2) => -1,
        (3, 3) if (side < 0 && low > 0) || (side > 0 && high > 0) => 1,
        (3, 3) => -1,
        (_, 3) if opposite > 0 => 0,
        (_, 3) if low > 0 && high > 0 => 1,
        (_, 3) => -1,
        _ => 0,
    };
    let stroke = |&(side, thickness): &(i32, i32)| {
        let begin = begin(side);
        let (x, y) = MIDDLE;
        Shape::Rect(match arm {
            0 => Rect::new(x + side, 0, thickness, y - begin + 1),
            1 => Rect::new(x + begin, y + side, WIDTH - x - begin, thickness),
            2 => Rect::new(x + side, y + begin, thickness, HEIGHT - y - begin),
            _ => Rect::new(0, y + side, x - begin + 1, thickness),
        })
    };
    lines.iter().map(stroke).collect()
}

fn dashed(style: u8, across: bool, count: i32) -> Vec<Shape> {
    let (x, y) = MIDDLE;
    let (side, thickness) = if style == 2 { (1, 3) } else { (0, 1) };
    let length = if across { WIDTH } else { HEIGHT };
    let dash = (length / count - 1).max(1);
    let place = |n: i32| {
        let at = n * length / count;
        Shape::Rect(if across {
            Rect::new(at, y - side, dash, thickness)
        } else {
            Rect::new(x - side, at, thickness, dash)
        })
    };
    (0..count).map(place).collect()
}

fn blocks(c: char) -> Vec<Shape> {
    let eighths = |whole: i32, n: u32| (whole * n as i32 + 4) / 8;
    let lower = |n: u32| {
        let h = eighths(HEIGHT, n);
        Rect::new(0, HEIGHT - h, WIDTH, h)
    };
    let left = |n: u32| Rect::new(0, 0, eighths(WIDTH, n), HEIGHT);
    let (half_x, half_y) = (left(4).w, lower(4).y);
    let code = u32::from(c);
    let rect = match c {
        '▀' => Rect::new(0, 0, WIDTH, half_y),
        '▁'..='█' => lower(code - 0x2580),
        '▉'..='▏' => left(0x2590 - code),
        '▐' => Rect::new(half_x, 0, WIDTH - half_x, HEIGHT),
        '░'..='▓' => return vec![Shape::Shade(code - 0x2590)],
        '▔' => Rect::new(0, 0, WIDTH, eighths(HEIGHT, 1)),
        '▕' => Rect::new(WIDTH - eighths(WIDTH, 1), 0, eighths(WIDTH, 1), HEIGHT),
        _ => return quadrants(c, half_x, half_y),
    };
    vec![Shape::Rect(rect)]
}

/// Quarters of the cell as bits: upper left 1, upper right 2, lower left 4, lower right 8.
fn quadrants(c: char, x: i32, y: i32) -> Vec<Shape> {
    let quarters = match c {
        '▖' => 4,
        '▗' => 8,
        '▘' => 1,
        '▙' => 1 + 4 + 8,
        '▚' => 1 + 8,
        '▛' => 1 + 2 + 4,
        '▜' => 1 + 2 + 8,
        '▝' => 2,
        '▞' => 2 + 4,
        _ => 2 + 4 + 8,
    };
    let all = [
        Rect::new(0, 0, x, y),
        Rect::new(x, 0, WIDTH - x, y),
        Rect::new(0, y, x, HEIGHT - y),
        Rect::new(x, y, WIDTH - x, HEIGHT - y),
    ];
    let chosen = all.into_iter().enumerate();
    chosen
        .filter(|(n, _)| quarters >> n & 1 == 1)
        .map(|(_, rect)| Shape::Rect(rect))
        .collect()
}

impl Rect {
    pub(super) fn new(x: i32, y: i32, w: i32, h: i32) -> Self {
        Self { x, y, w, h }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    /// The pixels of a character, with `#` for each painted one.
    fn painted(c: char) -> Vec<String> {
        let mut grid = vec![vec![' '; WIDTH as usize]; HEIGHT as usize];
        for shape in shapes(c).unwrap() {
            let Shape::Rect(Rect { x, y, w, h }) = shape else {
                panic!("{c} has no rectangles");
            };
            for row in y..y + h {
                for col in x..x + w {
                    grid[row as usize][col as usize] = '#';
                }
            }
        }
        grid.into_iter().map(String::from_iter).collect()
    }

    /// The pixels at the edges, in the order up, right, down, left.
    fn edges(c: char) -> [String; 4] {
        let grid = painted(c);
        let column = |at: usize| grid.iter().map(|row| row.as_bytes()[at] as char).collect();
        let last = grid.len() - 1;
        [grid[0].clone(), column(8), grid[last].clone(), column(0)]
    }

    #[test]
    fn lines_join_those_of_the_next_cell() {
        let [_, right, _, left] = edges('─');
        assert_eq!(right, left);
        for (a, b) in [('┌', '─'), ('├', '┤'), ('╔', '═'), ('┏', '━'), ('╒', '╕')]
        {
            assert_eq!(edges(a)[1], edges(b)[3], "{a}{b}");
        }
        for (a, b) in [('┌', '│'), ('╦', '║'), ('╥', '╨'), ('┏', '┗')] {
            assert_eq!(edges(a)[2], edges(b)[0], "{a} over {b}");
        }
    }

    #[test]
    fn double_lines_turn_and_cross_as_two_lines() {
        let corner = painted('╔');
        assert_eq!(
            &corner[8..12],
            ["   ######", "   #     ", "   # ####", "   # #   "]
        );
        let cross = painted('╬');
        assert_eq!(
            &cross[7..12],
            [
                "   # #   ",
                "#### ####",
                "         ",
                "#### ####",
                "   # #   "
            ]
        );
        let tee = painted('╤');
        assert_eq!(
            &tee[8..12],
            ["#########", "         ", "#########", "    #    "]
        );
        let tee = painted('╢');
        assert_eq!(&tee[8..11], ["   # #   ", "#### #   ", "   # #   "]);
        let crossed = painted('╪');
        assert_eq!(&crossed[8..11], ["#########", "    #    ", "#########"]);
    }

    #[test]
    fn blocks_fill_their_part_and_two_halves_fill_the_cell() {
        assert!(painted('█').concat().chars().all(|c| c == '#'));
        let ink = |c| painted(c).concat().matches('#').count();
        assert_eq!(ink('▀') + ink('▄'), ink('█'));
        assert_eq!(ink('▌') + ink('▐'), ink('█'));
        assert_eq!(ink('▚') + ink('▞'), ink('█'));
        assert_eq!(ink('▙') + ink('▝'), ink('█'));
        assert!(ink('▁') < ink('▂') && ink('▎') < ink('▋'));
    }

    #[test]
    fn every_character_has_shapes() {
        for c in '\u{2500}'..='\u{259f}' {
            assert!(!shapes(c).unwrap().is_empty(), "{c}");
        }
        assert_eq!(shapes('a'), None);
        assert_eq!(shapes('■'), None);
    }
}
