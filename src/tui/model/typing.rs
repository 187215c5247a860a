//! Tells commands from typed text: a person who believes to be in INSERT types faster, and other
//! letters, than one who gives commands.
//!
//! Pure. Keys count only if they print something and are pressed without Ctrl and Alt. The letters
//! of a run are kept until the run ends, for the mode that holds them, and nowhere else.

use crate::tui::keymap::KeyPress;

/// Maximum time between two keys of a typed run, in milliseconds.
pub const RUN_MS: i64 = 250;

/// How long after another letter a letter that is no command is taken for text, in milliseconds.
const UNKNOWN_MS: i64 = 400;

/// From this many keys on, those of one read are text, and a run that ends with an answer: two are a command and
/// its answer.
const MANY: usize = 3;

/// From this many commands on, a run is text. Somebody quick may give a few in a row.
const LONG: usize = 5;

/// What a letter does where it was pressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Letter {
    /// It selects or moves only.
    Motion,
    /// It is a command.
    Command,
    /// It is an answer that acts.
    Answer,
    /// Nothing, in NORMAL.
    Unknown,
    /// It changes what is shown in a mode that only reads, or leaves that mode.
    Reads,
    /// It opens a place for text in such a mode.
    Opens,
    /// Nothing in such a mode, where people try the keys of other programs.
    Nothing,
}

/// The keys that were pressed in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typing {
    /// The keys of the run. Those that a job has received have no letter here.
    run: Vec<(Option<char>, Letter)>,
    /// When the last key was pressed.
    last: i64,
    /// Whether the keys being handled are two that arrived at once: a command and its answer.
    pub is_pair: bool,
    /// An answer that acts when no letter follows it, and when that is.
    pub answer: Option<(KeyPress, i64)>,
}

impl Letter {
    /// Whether it may do something to a job, or would in NORMAL.
    fn acts(self) -> bool {
        matches!(self, Self::Command | Self::Answer | Self::Unknown)
    }

    /// Whether it does nothing.
    fn is_idle(self) -> bool {
        matches!(self, Self::Unknown | Self::Nothing)
    }
}

impl Typing {
    /// A letter is pressed. Returns whether the run is text.
    pub fn press(&mut self, now: i64, c: char, letter: Letter) -> bool {
        let gap = now - self.last;
        let is_stray = letter == Letter::Unknown && gap <= UNKNOWN_MS;
        if gap > RUN_MS && !is_stray {
            self.clear();
        }
        self.push(now, Some(c), letter);
        let acting: Vec<_> = self
            .run
            .iter()
            .filter(|key| key.1.acts())
            .copied()
            .collect();
        let many = if letter == Letter::Answer { MANY } else { LONG };
        let is_run = letter.acts() && acting.len() >= many && differ(&acting);
        // Who has pressed a key without a meaning has not seen yet that it had none.
        let is_blind = letter != Letter::Motion
            && !letter.is_idle()
            && self.run.iter().any(|(_, letter)| letter.is_idle());
        is_run || is_blind || (is_stray && differ(&self.run))
    }

    /// A key is sent to a job. It counts, but its letter is not kept.
    pub fn sent(&mut self, now: i64) {
        let gap = now - self.last;
        if gap > RUN_MS {
            self.clear();
        }
        self.last = now;
        if self.run.len() < LONG {
            self.push(now, None, Letter::Command);
        }
    }

    /// Whether a key pressed now continues a run.
    pub fn continues(&self, now: i64) -> bool {
        !self.run.is_empty() && now - self.last <= RUN_MS
    }

    /// Ends the run.
    pub fn clear(&mut self) {
        self.run.clear();
    }

    /// Ends the run and returns its letters.
    pub fn take(&mut self) -> String {
        let text = self.run.iter().filter_map(|(c, _)| *c).collect();
        self.clear();
        text
    }

    fn push(&mut self, now: i64, c: Option<char>, letter: Letter) {
        self.run.push((c, letter));
        self.last = now;
    }
}

/// Whether keys that arrived together are text: at least three, not all the same, as those of a key
/// that is held down are, and not all motions. Where keys only read, one of them has no meaning.
pub fn is_text(keys: &[(Option<char>, Letter)]) -> bool {
    let is_strange = |letter: Letter| letter.acts() || letter.is_idle();
    keys.len() >= MANY && keys.iter().any(|(_, letter)| is_strange(*letter)) && differ(keys)
}

fn differ(keys: &[(Option<char>, Letter)]) -> bool {
    keys.windows(2).any(|pair| pair[0].0 != pair[1].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Presses each letter `gap` ms after the one before; returns the letters up to the one at which
    /// the run was text.
    fn typed(gap: i64, letters: &str) -> Option<String> {
        let mut typing = Typing::default();
        let mut now = 100_000;
        for c in letters.chars() {
            now += gap;
            if typing.press(now, c, letter(c)) {
                return Some(typing.take());
            }
        }
        None
    }

    fn letter(c: char) -> Letter {
        match c {
            'j' | 'k' | 'h' | 'l' | 'g' | 'G' | ' ' | '+' | '-' | '0'..='9' => Letter::Motion,
            '%' | '\'' | 'é' => Letter::Unknown,
            'y' => Letter::Answer,
            _ => Letter::Command,
        }
    }

    #[test]
    fn the_fifth_command_of_a_fast_run_is_text() {
        assert_eq!(typed(250, "make test").as_deref(), Some("make te"));
        assert_eq!(typed(250, "try again").as_deref(), Some("try"), "an answer");
        assert_eq!(typed(100, "vzFi"), None, "quick commands");
        assert_eq!(typed(251, "try again"), None, "a person who thinks");
        assert_eq!(typed(100, "xy"), None, "a command and its answer");
        assert_eq!(typed(100, "jjxy"), None);
        assert_eq!(typed(100, "jxjyjt"), None);
        assert_eq!(typed(100, "jxjtjy").as_deref(), Some("jxjtjy"));
    }

    #[test]
    fn motions_and_a_key_held_down_are_no_text() {
        assert_eq!(typed(5, "jjkk12gG hl+-"), None);
        assert_eq!(typed(30, "tttttttt"), None);
        assert_eq!(typed(5, "zzzzzzzz"), None);
        assert_eq!(typed(100, "jjjttt"), None);
        assert_eq!(typed(30, "ttttz").as_deref(), Some("ttttz"));
    }

    #[test]
    fn a_letter_without_a_meaning_soon_after_another_is_text() {
        assert_eq!(typed(400, "t%").as_deref(), Some("t%"));
        assert_eq!(typed(401, "t%"), None);
        assert_eq!(typed(100, "%%%"), None);
        assert_eq!(typed(100, "%"), None);
    }

    #[test]
    fn a_command_soon_after_a_letter_without_a_meaning_is_text() {
        assert_eq!(typed(250, "%q").as_deref(), Some("%q"));
        assert_eq!(typed(251, "%q"), None);
        assert_eq!(typed(100, "%j"), None, "a motion does no harm");
        assert_eq!(typed(100, "%jq").as_deref(), Some("%jq"));
        let reading = |c| match c {
            'q' | 'e' => Letter::Reads,
            'i' => Letter::Opens,
            _ => Letter::Nothing,
        };
        let mut typing = Typing::default();
        let mut press = |now, c| typing.press(now, c, reading(c));
        assert!(!press(1000, 'd') && !press(1100, 'u'), "nothing happens");
        assert!(press(1200, 'q') && press(1300, 'i'));
        assert!(
            !press(2000, 'e') && !press(2100, 'q'),
            "these have meanings"
        );
        let read = |text: &str| {
            is_text(
                &text
                    .chars()
                    .map(|c| (Some(c), reading(c)))
                    .collect::<Vec<_>>(),
            )
        };
        assert!(read("quit") && !read("eeq"));
    }

    #[test]
    fn keys_of_a_job_count_and_are_not_kept() {
        let mut typing = Typing::default();
        for now in [0, 100, 200, 300, 400] {
            typing.sent(now);
        }
        assert!(typing.press(500, 'x', Letter::Command));
        assert_eq!(typing.take(), "x");
        typing.sent(600);
        assert!(!typing.press(1000, 'x', Letter::Command));
    }

    #[test]
    fn keys_of_one_read_are_judged_as_a_whole() {
        let read = |text: &str| {
            let keys: Vec<_> = text.chars().map(|c| (Some(c), letter(c))).collect();
            is_text(&keys)
        };
        assert!(read("make test") && read("jgx") && read("y e"));
        assert!(!read("xy") && !read("yyyy") && !read("jjk") && !read("2d"));
    }
}
