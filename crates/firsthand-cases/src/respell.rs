//! Other spellings of an address that some tool undoes.
//!
//! What the model wrote first stays closed in each of them, whichever spelling the echo has.

/// Every respelling of a web address (`http://` or `https://`, no user name, no port, no fragment), with its name.
///
/// Some are texts that hold the address, as an argument or a message would.
pub fn respellings(address: &str) -> Vec<(&'static str, String)> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("https", address));
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let (path, query) = after.split_once('?').map_or((after, None), |(path, query)| (path, Some(query)));
    let path = if path.is_empty() { "/" } else { path };
    let asked = query.map(|query| format!("?{query}")).unwrap_or_default();
    let other_scheme = if scheme == "https" { "http" } else { "https" };

    let mut all = vec![
        ("as it stands", address.to_owned()),
        ("scheme in upper case", format!("{}://{rest}", scheme.to_ascii_uppercase())),
        ("host in upper case", format!("{scheme}://{}{after}", host.to_ascii_uppercase())),
        ("path in upper case", format!("{scheme}://{host}{}", after.to_uppercase())),
        ("the other scheme", format!("{other_scheme}://{rest}")),
        ("no scheme", rest.to_owned()),
        ("only slashes before it", format!("//{rest}")),
        ("www. before it", format!("{scheme}://www.{rest}")),
        ("root dot", format!("{scheme}://{host}.{after}")),
        ("default port", format!("{scheme}://{host}:443{after}")),
        ("port with zeros", format!("{scheme}://{host}:000443{after}")),
        ("user name", format!("{scheme}://guest:x@{rest}")),
        ("trailing slash", format!("{scheme}://{host}{}/{asked}", path.trim_end_matches('/'))),
        ("fragment", format!("{address}#part two")),
        ("full stop", format!("Look at {address}.")),
        ("in brackets", format!("(see {address})")),
        ("in quotes and a comma", format!("'{address}', and more")),
        ("Markdown link", format!("[text]({address})")),
        ("Markdown emphasis", format!("**{address}**")),
        ("HTML attribute", format!("<a href=\"{}\">x</a>", address.replace('&', "&amp;"))),
        ("numeric entities", address.chars().map(|letter| format!("&#{};", u32::from(letter))).collect()),
        ("hexadecimal entities", address.chars().map(|letter| format!("&#x{:x};", u32::from(letter))).collect()),
        ("JSON with escaped slashes", format!("{{\"u\":\"{}\"}}", address.replace('/', "\\/").replace('&', "\\u0026"))),
        ("JSON with every letter escaped", format!("{{\"u\":\"{}\"}}", unicode_escapes(address))),
        ("JSON in JSON", format!("{{\"a\":\"{{\\\"u\\\":\\\"{}\\\"}}\"}}", address.replace('/', "\\\\/"))),
        ("escapes of a programming language", address.bytes().map(|byte| format!("\\x{byte:02x}")).collect()),
        ("shell escapes", address.replace('?', "\\?").replace('&', "\\&").replace('=', "\\=")),
        ("backslashes for slashes", address.replace('/', "\\")),
        ("one slash", format!("{scheme}:/{rest}")),
        ("four slashes", format!("{scheme}:////{rest}")),
        ("letters percent-encoded", format!("{scheme}://{host}{}", percent(after, |byte| byte.is_ascii_alphabetic()))),
        ("percent-encoded once", percent(address, |byte| !byte.is_ascii_alphanumeric())),
        (
            "percent-encoded twice",
            percent(&percent(address, |byte| !byte.is_ascii_alphanumeric()), |byte| byte == b'%'),
        ),
        ("every byte percent-encoded", percent(address, |_| true)),
        ("host percent-encoded", format!("{scheme}://{}{after}", percent(host, |byte| byte.is_ascii_alphabetic()))),
        (
            "nested in a query",
            format!("https://cache.vendor.test/get?u={}", percent(address, |byte| !byte.is_ascii_alphanumeric())),
        ),
        ("behind a redirect", format!("https://go.vendor.test/out/{address}")),
        ("glued to a word", format!("link:{address}")),
        ("behind another address and a comma", format!("https://vendor.test/a,{address}")),
        ("defanged", format!("{}://{}{after}", scheme.replace("tt", "xx"), host.replace('.', "[.]"))),
        ("defanged with words", format!("{}[:]//{}{after}", scheme, host.replace('.', "[dot]"))),
        ("zero-width letters", insert(address, '\u{200b}')),
        ("soft hyphens", insert(address, '\u{ad}')),
        ("dots of full width", format!("{scheme}://{}{after}", host.replace('.', "\u{3002}"))),
        ("letters of full width", format!("{scheme}://{}{after}", wide(host))),
        ("detour", format!("{scheme}://{host}/x/..{path}{asked}")),
        ("encoded detour", format!("{scheme}://{host}/x/%2e%2E{path}{asked}")),
        ("slashes doubled", format!("{scheme}://{host}{}{asked}", path.replace('/', "//"))),
        ("empty parameters", format!("{scheme}://{host}{path}?&{}&", query.unwrap_or_default())),
        ("base64", base64(address, b"+/", true)),
        ("base64 for addresses", base64(address, b"-_", false)),
        ("base64 behind a word", format!("data:{}", base64(&format!("go {address}"), b"+/", true))),
        ("hexadecimal", address.bytes().map(|byte| format!("{byte:02x}")).collect()),
        ("hexadecimal in upper case", address.bytes().map(|byte| format!("{byte:02X}")).collect()),
    ];
    // Fewer letters are a word.
    if rest.len() >= 12 {
        all.push(("base64 without the scheme", base64(rest, b"+/", false)));
    }
    if let Some(query) = query {
        let mut parameters: Vec<&str> = query.split('&').collect();
        parameters.reverse();
        all.push(("parameters in another order", format!("{scheme}://{host}{path}?{}", parameters.join("&"))));
        all.push(("plus for space", address.replace("%20", "+")));
        all.push(("space as it is", address.replace("%20", " ").replace('+', " ")));
    }
    if let Some((before, behind)) =
        after.char_indices().nth(after.chars().count() / 2).and_then(|(at, _)| after.split_at_checked(at))
        && before.contains('/')
    {
        all.push(("line break", format!("{scheme}://{host}{before}\n{behind}")));
        all.push(("line break of a quotation", format!("> {scheme}://{host}{before}\r\n> {behind}\r\n")));
    }
    all
}

fn percent(text: &str, which: impl Fn(u8) -> bool) -> String {
    let mut encoded = String::new();
    for letter in text.chars() {
        for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
            if !byte.is_ascii() || which(byte) {
                encoded.push_str(&format!("%{byte:02X}"));
            } else {
                encoded.push(char::from(byte));
            }
        }
    }
    encoded
}

fn unicode_escapes(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// Puts a letter behind each third one of a text.
fn insert(text: &str, hidden: char) -> String {
    let mut spelled = String::new();
    for (count, letter) in text.chars().enumerate() {
        spelled.push(letter);
        if count % 3 == 2 {
            spelled.push(hidden);
        }
    }
    spelled
}

fn wide(text: &str) -> String {
    let widen = |letter: char| match letter {
        '!'..='~' => char::from_u32(u32::from(letter) + 0xfee0).unwrap_or(letter),
        letter => letter,
    };
    text.chars().map(widen).collect()
}

fn base64(text: &str, last: &[u8; 2], padded: bool) -> String {
    let alphabet: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain(*last).collect();
    let mut encoded = String::new();
    for group in text.as_bytes().chunks(3) {
        let bits = group.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4_usize {
            if place <= group.len() {
                let letter = alphabet.get(bits >> (18 - 6 * place) & 63).copied().unwrap_or(b'A');
                encoded.push(char::from(letter));
            } else if padded {
                encoded.push('=');
            }
        }
    }
    encoded
}
