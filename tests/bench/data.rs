//! What jobs write, made from fixed seeds: the same bytes on every machine.

/// A name, and what makes so many bytes of it.
type Set = (&'static str, fn(usize) -> Vec<u8>);

/// The data sets, in the order of the tables.
pub(crate) const SETS: [Set; 4] = [
    ("a: ASCII lines", ascii),
    ("b: coloured log", coloured),
    ("c: full-screen", redraws),
    ("d: UTF-8, CJK", utf8),
];

/// Numbers that look random (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

const WORDS: [&str; 10] = [
    "keeper", "daemon", "screen", "socket", "parser", "table", "window", "offset", "lease", "board",
];

fn until(size: usize, mut piece: impl FnMut(u64) -> String) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + 4096);
    for n in 0.. {
        if bytes.len() >= size {
            break;
        }
        bytes.extend_from_slice(piece(n).as_bytes());
    }
    bytes
}

/// Lines of plain words.
pub(crate) fn ascii(size: usize) -> Vec<u8> {
    let mut numbers = Numbers(1);
    until(size, |n| {
        let words: Vec<&str> = (0..numbers.below(14))
            .map(|_| numbers.pick(&WORDS))
            .collect();
        format!("{n} {}\n", words.join(" "))
    })
}

/// A build log: attributes, and now and then a bar that is drawn again in its line.
pub(crate) fn coloured(size: usize) -> Vec<u8> {
    let mut numbers = Numbers(2);
    until(size, |n| {
        let (one, two) = (numbers.pick(&WORDS), numbers.pick(&WORDS));
        match numbers.below(8) {
            0 => format!(
                "\r\x1b[K\x1b[36mBuilding\x1b[0m [{:40}] {n}\r",
                "=".repeat((n % 40) as usize)
            ),
            1 => format!(
                "\x1b[1;33mwarning\x1b[0m: unused `{one}`\n  \x1b[34m-->\x1b[0m src/{two}.rs:{n}\n"
            ),
            2 => format!(
                "\x1b[38;2;90;{};200mtest\x1b[39m {one}::{two} ... \x1b[32mok\x1b[0m\n",
                n % 256
            ),
            _ => format!("\x1b[1m\x1b[32m   Compiling\x1b[0m {one}-{two} v0.{n}.0 (/src/{one})\n"),
        }
    })
}

/// A full-screen program that draws 24 rows of 80 columns again and again.
pub(crate) fn redraws(size: usize) -> Vec<u8> {
    let mut numbers = Numbers(3);
    until(size, |n| {
        let row = n % 24 + 1;
        let (pid, used) = (numbers.below(99_999), numbers.below(1000));
        let colour = 31 + numbers.below(6);
        let word = numbers.pick(&WORDS);
        format!(
            "\x1b[{row};1H\x1b[K{pid:>7} user \x1b[{colour}m{used:>5}\x1b[39m {n:>9} S {word}\x1b[7m \x1b[27m"
        )
    })
}

/// Accents, Cyrillic, wide characters, marks and joined pictures.
pub(crate) fn utf8(size: usize) -> Vec<u8> {
    const PARTS: [&str; 6] = [
        "Größe façade señor ",
        "журнал процессов ",
        "端末の画面を描く。",
        "会话与进程的列表 ",
        "e\u{301}a\u{308} ",
        "👩\u{200d}💻 ✅ ",
    ];
    let mut numbers = Numbers(4);
    until(size, |n| {
        let parts: Vec<&str> = (0..numbers.below(5) + 1)
            .map(|_| numbers.pick(&PARTS))
            .collect();
        format!("{n} {}\n", parts.concat())
    })
}
