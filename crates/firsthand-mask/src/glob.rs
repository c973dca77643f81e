//! Patterns of hosts and paths.

/// Whether a text is of a pattern: `*` is any run without the separator, `**` any run.
///
/// Linear in the text for each star of the pattern, and patterns are data of ours with few stars.
pub(crate) fn fits(pattern: &str, text: &str, separator: char) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(before) else { return false };
    let (rest, is_any) = rest.strip_prefix('*').map_or((rest, false), |rest| (rest, true));
    if rest.is_empty() {
        return is_any || !text.contains(separator);
    }
    let end = if is_any { text.len() } else { text.find(separator).unwrap_or(text.len()) };
    let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]).take_while(|at| *at <= end);
    starts.any(|at| text.get(at..).is_some_and(|text| fits(rest, text, separator)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_star_stays_in_its_segment_and_two_do_not() {
        let path = |pattern, text| fits(pattern, text, '/');
        assert!(path("/d/1/**", "/d/1/token/download") && path("/s/*", "/s/abc") && !path("/s/*", "/s/abc/d"));
        assert!(path("/**/s--*--/**", "/demo/image/authenticated/s--x--/a.jpg") && !path("/**/s--*--/**", "/a/s-x-/b"));
        assert!(path("/T*-F*-*", "/T0-F0-x") && !path("/T*-F*-*", "/T0-F0"));
        assert!(
            fits("gitlab.*", "gitlab.example.com", '/')
                && fits("a.*.b", "a.x.b", '.')
                && !fits("a.*.b", "a.x.y.b", '.')
        );
    }
}
