//! What keys do in one place: the actions of a mode, with their default keys.

/// The places that every part of the dashboard may name: their keys appear in messages.
pub const NORMAL: &str = "normal";
/// The place of the keys that leave INSERT.
pub const INSERT: &str = "insert";
/// The place of the keys that scroll back through a log.
pub const SCROLL: &str = "scroll";
/// The place of the keys that answer a question.
pub const CONFIRM: &str = "confirm";

/// Where a set of key bindings is valid: a mode, a part of one, or line editing.
#[derive(PartialEq, Eq, Debug)]
pub struct KeyContext {
    /// Its name in the configuration: `[keys.scroll]`.
    pub name: &'static str,
    /// Its heading on the help screen.
    pub title: &'static str,
    /// Whether letters are text there, and so cannot be keys.
    pub edits_text: bool,
    /// Headings within a long list, each with the name of the binding that it stands above.
    pub headings: &'static [(&'static str, &'static str)],
    /// Its bindings, in the order of the actions.
    pub bindings: &'static [Binding],
}

/// An action and its default keys.
#[derive(PartialEq, Eq, Debug)]
pub struct Binding {
    /// Its name in the configuration, unique within its context.
    pub name: &'static str,
    /// Names of its default keys; the first one is displayed.
    pub keys: &'static [&'static str],
    /// Its description on the help screen.
    pub help: &'static str,
    /// What the configuration may not do with it.
    pub rule: Rule,
}

/// What the configuration may not do with a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Everything is allowed.
    None,
    /// It leaves its context, so it needs a key.
    Leaves,
    /// It confirms, so Enter, which is easily pressed by mistake, cannot be its key.
    Confirms,
    /// Its keys follow from other settings.
    Fixed,
}

/// The actions of one context. The macro `actions!` implements it.
pub trait KeyAction: Copy + PartialEq + std::fmt::Debug + 'static {
    /// The context.
    const CONTEXT: &'static KeyContext;
    /// Every action, in the order of the bindings.
    const ALL: &'static [Self];

    /// Its place in [`Self::ALL`].
    fn index(self) -> usize;

    /// Its binding.
    fn binding(self) -> &'static Binding {
        &Self::CONTEXT.bindings[self.index()]
    }
}

/// Declares the actions of a context: an enum, and the context with the default keys. Each line
/// gives the action, its name in the configuration, its keys, its description, and its [`Rule`] if
/// it has one.
macro_rules! actions {
    (
        $(#[$meta:meta])*
        $enum:ident of $context:expr, $title:literal $(, $field:ident: $value:expr)*;
        $($action:ident $name:literal [$($key:expr),*] $help:literal $($rule:ident)?;)+
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $enum {
            $(#[doc = $help] $action,)+
        }

        impl $crate::tui::keymap::KeyAction for $enum {
            const CONTEXT: &'static $crate::tui::keymap::KeyContext =
                &$crate::tui::keymap::KeyContext {
                    name: $context,
                    title: $title,
                    $($field: $value,)*
                    bindings: &[$($crate::tui::keymap::Binding {
                        name: $name,
                        keys: &[$($key),*],
                        help: $help,
                        rule: $crate::tui::keymap::actions!(@rule $($rule)?),
                    },)+],
                    ..$crate::tui::keymap::KeyContext::PLAIN
                };
            const ALL: &'static [Self] = &[$(Self::$action,)+];

            fn index(self) -> usize {
                self as usize
            }
        }
    };
    (@rule) => { $crate::tui::keymap::Rule::None };
    (@rule $rule:ident) => { $crate::tui::keymap::Rule::$rule };
}
pub(in crate::tui) use actions;

impl KeyContext {
    /// A context without bindings in which letters are keys; the rest of every declaration.
    pub const PLAIN: Self = Self {
        name: "",
        title: "",
        edits_text: false,
        headings: &[],
        bindings: &[],
    };
}
