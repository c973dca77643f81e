//! `robots.txt`, as RFC 9309 has it.

/// How many bytes are read; the standard asks for at least 500 KiB.
const MAX_BYTES: usize = 500 * 1024;

/// Whether a `robots.txt` lets an agent open a path.
///
/// `agent` is the product's name alone, such as `firsthand`. `path` is the path with its query. What cannot be read lets.
pub fn robots(text: &str, agent: &str, path: &str) -> bool {
    let text = text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
    let path = canonical(if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }.as_str());
    if path == "/robots.txt" {
        return true;
    }
    let mut own = Answer::default();
    let mut any = Answer::default();
    // Lines that name agents, one below another, begin a group.
    let (mut is_own, mut is_any, mut has_rules) = (false, false, false);
    let mut own_is_named = false;
    for line in text.trim_start_matches('\u{feff}').split(['\r', '\n']) {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "user-agent" => {
                if std::mem::take(&mut has_rules) {
                    (is_own, is_any) = (false, false);
                }
                is_any |= value.starts_with('*');
                is_own |= product(value).eq_ignore_ascii_case(product(agent)) && !product(value).is_empty();
                own_is_named |= is_own;
            }
            key @ ("allow" | "disallow") => {
                has_rules = true;
                let lets = key == "allow";
                for (answer, _) in [(&mut own, is_own), (&mut any, is_any)].into_iter().filter(|(_, counts)| *counts) {
                    answer.hear(lets, value, &path);
                }
            }
            _ => {}
        }
    }
    if own_is_named { own.lets() } else { any.lets() }
}

/// The longest patterns that match, of both kinds.
#[derive(Debug, Default)]
struct Answer {
    allow: Option<usize>,
    disallow: Option<usize>,
}

impl Answer {
    fn hear(&mut self, lets: bool, pattern: &str, path: &str) {
        let best = if lets { &mut self.allow } else { &mut self.disallow };
        if pattern.is_empty() || best.is_some_and(|best| best >= pattern.len() * 3) {
            return;
        }
        let pattern = canonical(pattern);
        if matches(&pattern, path) {
            *best = (*best).max(Some(pattern.len()));
        }
    }

    fn lets(&self) -> bool {
        self.disallow.is_none() || self.allow >= self.disallow
    }
}

/// The name at the beginning of an agent's line.
fn product(value: &str) -> &str {
    let end = value.find(|character: char| !(character.is_ascii_alphanumeric() || matches!(character, '-' | '_')));
    value.get(..end.unwrap_or(value.len())).unwrap_or_default()
}

/// Percent-encoding in one form: what need not be encoded is not, the rest is in upper case.
fn canonical(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let ahead = bytes.as_slice_hex();
        match (byte, ahead) {
            (b'%', Some(code)) => {
                bytes.nth(1);
                if code.is_ascii_alphanumeric() || matches!(code, b'-' | b'.' | b'_' | b'~') {
                    out.push(char::from(code));
                } else {
                    encode(code, &mut out);
                }
            }
            (0x21..=0x7e, _) => out.push(char::from(byte)),
            _ => encode(byte, &mut out),
        }
    }
    out
}

/// Looks at the two hexadecimal digits that may follow.
trait AheadHex {
    fn as_slice_hex(&self) -> Option<u8>;
}

impl AheadHex for std::str::Bytes<'_> {
    fn as_slice_hex(&self) -> Option<u8> {
        let mut ahead = self.clone();
        let mut digit = || char::from(ahead.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        Some(digit()? * 16 + digit()?)
    }
}

fn encode(byte: u8, out: &mut String) {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    out.push('%');
    for digit in [byte >> 4, byte & 15] {
        out.extend(DIGITS.get(usize::from(digit)));
    }
}

/// Whether a pattern with `*` and a last `$` matches the beginning of a path. Each piece takes the first place that it
/// fits, so that a path is walked once.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut pieces = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let last = if is_whole { pieces.pop() } else { None };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = rest.get(at + piece.len()..).unwrap_or_default();
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => !is_whole || rest.is_empty(),
    }
}
