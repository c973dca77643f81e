//! Text between tags and in the values of attributes.

/// Adds a text so that it is text, in an element and between double quotes alike.
pub(crate) fn escape(html: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|&byte| is_special(byte))) {
        let place = at + found;
        html.push_str(text.get(from..place).unwrap_or_default());
        html.push_str(match bytes.get(place) {
            Some(b'<') => "&lt;",
            Some(b'>') => "&gt;",
            Some(b'&') => "&amp;",
            Some(b'"') => "&quot;",
            // No page holds a NUL.
            _ => "\u{fffd}",
        });
        at = place + 1;
        from = at;
    }
    html.push_str(text.get(from..).unwrap_or_default());
}

static SPECIAL: [bool; 256] = special();

const fn special() -> [bool; 256] {
    let mut special = [false; 256];
    #[expect(clippy::indexing_slicing, reason = "evaluated when the program is built")]
    {
        special[b'<' as usize] = true;
        special[b'>' as usize] = true;
        special[b'&' as usize] = true;
        special[b'"' as usize] = true;
        special[0] = true;
    }
    special
}

fn is_special(byte: u8) -> bool {
    SPECIAL.get(usize::from(byte)).copied().unwrap_or(false)
}
