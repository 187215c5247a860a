//! The values of keys that are not written, and whether a value is one of them.

/// Whether a value is the default of its type.
pub(in crate::project) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(in crate::project) fn default_shell() -> Vec<String> {
    vec!["/bin/sh".to_owned(), "-c".to_owned()]
}

pub(in crate::project) fn is_default_shell(shell: &[String]) -> bool {
    shell == ["/bin/sh", "-c"]
}

pub(in crate::project) fn default_cwd() -> String {
    ".".to_owned()
}

pub(in crate::project) fn is_default_cwd(cwd: &str) -> bool {
    cwd == "."
}

pub(in crate::project) fn default_codes() -> Vec<i32> {
    vec![0]
}

pub(in crate::project) fn is_default_codes(codes: &[i32]) -> bool {
    codes == [0]
}

pub(in crate::project) fn default_cols() -> u16 {
    120
}

pub(in crate::project) fn is_default_cols(cols: &u16) -> bool {
    *cols == default_cols()
}

pub(in crate::project) fn default_rows() -> u16 {
    40
}

pub(in crate::project) fn is_default_rows(rows: &u16) -> bool {
    *rows == default_rows()
}

pub(in crate::project) fn yes() -> bool {
    true
}

pub(in crate::project) fn is_yes(value: &bool) -> bool {
    *value
}
