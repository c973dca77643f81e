//! The generous side.
//!
//! A text is scanned as it stands, and again as each reader would see it that undoes something: HTML, JSON and shell
//! escapes, invisible characters, defanging, wide letters, base64, hex, percent-encoding. Wherever an address may start,
//! every end is taken that some reader may take. What is found is only ever used to close addresses, so a reading too many costs a false
//! refusal and a reading too few is a hole.

mod parts;
mod outline;
mod stretch;
mod sink;
mod start;
mod ends;
mod further;
mod easy;
mod scan;
mod encoded;
mod letters;
mod signs;
mod layers;
mod grouped;
mod value;
mod join;
mod crowded;
#[cfg(test)]
mod tests;

pub(crate) use self::encoded::from_base64;
use self::sink::Sink;

/// An address that the model may have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written<'w> {
    /// The wide key under which it is marked.
    pub key: &'w str,
    /// The spelling that the strict side would read at this place, where it reads one: what a copy is recognised by. All
    /// readings of one occurrence carry the same.
    pub spelling: Option<&'w str>,
    /// The key has more in it than the spelling: what stands after a space, on the next line, in another argument. Such a
    /// key is the model's even where the spelling is a copy; only what extends or equals it is then an echo, not its
    /// beginnings, which are the copied address's.
    pub beyond: bool,
}

/// Calls `each` for every address that some tool could make out of a text of the model's.
pub fn written(text: &str, each: &mut dyn FnMut(Written<'_>)) {
    let mut sink = Sink::new(each);
    layers::read(text, &mut sink);
    crowded::read(text, &mut sink);
}

/// The same for the arguments of a call (a JSON text): each string and key, and what a tool may join of them.
pub fn written_in_json(text: &str, each: &mut dyn FnMut(Written<'_>)) {
    let mut sink = Sink::new(each);
    join::read(text, &mut sink, 0);
    crowded::read_json(text, &mut sink);
}
