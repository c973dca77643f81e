//! What a byte or a character means for an address: whether it goes on, ends or is spoilt.
//!
//! Both sides of finding read by these classes, so that they cannot drift apart.

/// Always looked at: stops, colons, bytes beyond ASCII.
pub(crate) const SPECIAL: u16 = 1;
/// Ends the authority: `/ ? #`.
pub(crate) const BORDER: u16 = 2;
/// The apostrophe.
pub(crate) const QUOTE: u16 = 4;
/// The ampersand, where entities are read.
pub(crate) const AMPERSAND: u16 = 8;
/// `()[]{}`.
pub(crate) const BRACKET: u16 = 16;
/// May stand in a label of a host: letters, digits, the hyphen, bytes beyond ASCII.
pub(crate) const LABEL: u16 = 32;

/// Ends or shapes a destination of Markdown: white space, controls, round brackets, the backslash.
pub(crate) const DESTINATION: u16 = 64;
/// Must be looked at in a value that is to be an address as a whole: white space, controls, the backslash, bytes beyond
/// ASCII.
pub(crate) const UNCLEAN: u16 = 128;
/// Commas, semicolons, asterisks: a part of an address for most readers, its end for some.
pub(crate) const PAUSE: u16 = 256;

/// May stand in a name as people write them: letters, digits, the hyphen, the dot, the underscore.
pub(crate) const NAME: u16 = 512;

static BYTES: [u16; 256] = bytes();

const fn bytes() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(
            clippy::indexing_slicing,
            clippy::cast_possible_truncation,
            reason = "the index is below 256 and the table is built by the compiler"
        )]
        {
            table[byte] = match byte as u8 {
                0..=b' ' | 0x7f | b'\\' => SPECIAL | DESTINATION | UNCLEAN,
                b'<' | b'>' | b'"' | b'`' | b'|' | b':' => SPECIAL,
                0x80..=0xff => SPECIAL | LABEL | UNCLEAN,
                b'/' | b'?' | b'#' => BORDER,
                b'\'' => QUOTE,
                b'&' => AMPERSAND,
                b'(' | b')' => BRACKET | DESTINATION,
                b'[' | b']' | b'{' | b'}' => BRACKET,
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => LABEL | NAME,
                b'.' | b'_' => NAME,
                b',' | b';' | b'*' => PAUSE,
                _ => 0,
            };
        }
        byte += 1;
    }
    table
}

/// The classes of a byte.
pub(crate) fn classes(byte: u8) -> u16 {
    BYTES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// The first index from `from` on, below `limit`, whose byte is in one of the classes; `limit` where there is none.
pub(crate) fn next_in(bytes: &[u8], from: usize, limit: usize, mask: u16) -> usize {
    let Some(rest) = bytes.get(from..limit) else { return limit };
    let mut at = from;
    let (chunks, tail) = rest.as_chunks::<8>();
    for chunk in chunks {
        let seen = chunk.iter().fold(0, |seen, &byte| seen | classes(byte));
        if seen & mask != 0 {
            break;
        }
        at += 8;
    }
    let tail = if at - from == chunks.len() * 8 { tail } else { bytes.get(at..limit).unwrap_or_default() };
    at + tail.iter().position(|&byte| classes(byte) & mask != 0).unwrap_or(tail.len())
}

/// What a character beyond ASCII means for an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// It goes on.
    Data,
    /// It goes on, but people who write without spaces may have gone on with the sentence.
    Ideograph,
    /// It ends: white space, closing punctuation.
    Stop,
    /// An opening bracket or quote: ends after a letter or digit, else goes on.
    Opening,
    /// An ellipsis: what stands before it was cut off.
    Ellipsis,
    /// Nothing to see, and a place to break a line: ends a path, spoils an authority.
    Break,
    /// Nothing to see: spoils the address that it stands in.
    Invisible,
    /// A joiner: goes on between characters beyond ASCII, else it is invisible.
    Joiner,
}

/// The class of a character beyond ASCII.
pub(crate) fn sign(character: char) -> Sign {
    match character {
        '\u{80}'..='\u{9f}' => Sign::Stop,
        '\u{200b}' | '\u{2060}' | '\u{feff}' => Sign::Break,
        '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => Sign::Joiner,
        // What closes an embedding closes it around the address.
        '\u{202c}' | '\u{2069}' => Sign::Stop,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2061}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0d}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Sign::Invisible,
        '\u{2026}' => Sign::Ellipsis,
        '。' | '｡' | '、' | '､' | '，' | '．' | '：' | '；' | '！' | '？' | '）' | '］' | '｝' | '」' | '｣' | '』'
        | '】' | '》' | '〉' | '〕' | '〗' | '’' | '”' | '｀' | '～' | '｜' | '＜' | '＞' | '＂' => {
            Sign::Stop
        }
        '（' | '［' | '｛' | '「' | '｢' | '『' | '【' | '《' | '〈' | '〔' | '〖' | '‘' | '“' => {
            Sign::Opening
        }
        '\u{1100}'..='\u{11ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30ff}'
        | '\u{3105}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}' => Sign::Ideograph,
        other if other.is_whitespace() => Sign::Stop,
        _ => Sign::Data,
    }
}

/// Whether nothing of the character is seen.
pub(crate) fn is_invisible(character: char) -> bool {
    match sign(character) {
        Sign::Break | Sign::Invisible | Sign::Joiner => true,
        Sign::Data | Sign::Ideograph | Sign::Stop | Sign::Opening | Sign::Ellipsis => {
            matches!(character, '\u{202c}' | '\u{2069}')
        }
    }
}

/// The character that starts at a byte, if one does.
pub(crate) fn character_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// The character that ends before a byte, if one does.
pub(crate) fn character_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}
