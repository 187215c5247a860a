//! What a terminal sends, read back: keys, mouse, pastes, focus and answers to queries.

/// One thing that arrived, with the bytes it came as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// What it means.
    pub event: Event,
    /// The bytes exactly as they were read.
    pub raw: Vec<u8>,
}

/// What arrived from the terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A key was pressed.
    Key(Key),
    /// The mouse did something.
    Mouse(Mouse),
    /// Text was pasted (the bytes between the brackets).
    Paste(Vec<u8>),
    /// The terminal's window gained or lost focus.
    Focus(bool),
    /// The terminal answered a query, or said something else that is no key.
    Reply(Vec<u8>),
}

/// A key with its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    /// Which key.
    pub code: KeyCode,
    /// Ctrl was held.
    pub ctrl: bool,
    /// Alt (Meta) was held.
    pub alt: bool,
    /// Shift was held; a letter typed with shift is its capital and has this unset.
    pub shift: bool,
}

/// A key without its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyCode {
    /// A character.
    Char(char),
    /// F1 to F24.
    F(u8),
    /// Enter.
    Enter,
    /// Tab.
    Tab,
    /// Shift-Tab.
    BackTab,
    /// Escape.
    Esc,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
}

/// A mouse report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mouse {
    /// What happened.
    pub kind: MouseKind,
    /// Column, from 0.
    pub col: u16,
    /// Row, from 0.
    pub row: u16,
    /// Ctrl was held.
    pub ctrl: bool,
    /// Alt was held.
    pub alt: bool,
    /// Shift was held.
    pub shift: bool,
}

/// What the mouse did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MouseKind {
    /// A button went down.
    Down(Button),
    /// A button went up.
    Up(Button),
    /// The pointer moved with a button held.
    Drag(Button),
    /// The pointer moved with no button held.
    Moved,
    /// The wheel turned away from the person.
    ScrollUp,
    /// The wheel turned towards the person.
    ScrollDown,
    /// The wheel was tilted left.
    ScrollLeft,
    /// The wheel was tilted right.
    ScrollRight,
}

/// A mouse button.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Button {
    /// The left one.
    Left,
    /// The middle one.
    Middle,
    /// The right one.
    Right,
}

/// Reads input bytes; keeps what is unfinished between two reads.
#[derive(Default, Debug)]
pub struct KeyReader {
    pending: Vec<u8>,
}

impl KeyReader {
    /// A reader with nothing pending.
    pub fn new() -> Self {
        Self::default()
    }

    /// What `bytes` mean, together with what was unfinished before.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.pending.extend_from_slice(bytes);
        self.flush()
    }

    /// Takes what is pending as it stands: to be called when nothing followed within a moment.
    pub fn flush(&mut self) -> Vec<Input> {
        std::mem::take(&mut self.pending)
            .iter()
            .map(|&b| Input {
                event: Event::Key(Key {
                    code: KeyCode::Char(char::from(b)),
                    ctrl: false,
                    alt: false,
                    shift: false,
                }),
                raw: vec![b],
            })
            .collect()
    }

    /// Whether bytes wait for more: when so, call [`flush`](Self::flush) if nothing follows.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }
}
