//! The shapes of keys and tokens that are told without a name beside them.
//!
//! The beginnings, alphabets and lengths are those of the rules of gitleaks (<https://github.com/gitleaks/gitleaks>,
//! `config/gitleaks.toml`, copyright 2019 Zachary Rice, MIT licence), those of them that need no word near the value and
//! no second look. A shape is parts one behind the other, each as long as it can be, so that a text is read once for each
//! place where one may begin.

use self::Alphabet::{Base64, Digits, Dotted, Hex, Letters, LowerHex, Upper, Url, Word};
use self::Part::{Any, Is};

/// A part of a shape.
#[derive(Clone, Copy)]
enum Part {
    /// These letters.
    Is(&'static str),
    /// At least and at most so many letters of an alphabet.
    Any(Alphabet, usize, usize),
}

/// Which letters may stand in a part.
#[derive(Clone, Copy)]
enum Alphabet {
    Digits,
    LowerHex,
    Hex,
    /// Upper case and digits.
    Upper,
    /// Letters and digits.
    Letters,
    /// Letters, digits, `_`.
    Word,
    /// Letters, digits, `_`, `-`.
    Url,
    /// Letters, digits, `+`, `/`.
    Base64,
    /// Letters, digits, `_`, `-`, `=`, `.`.
    Dotted,
}

impl Alphabet {
    fn holds(self, byte: u8) -> bool {
        let more = |more: &[u8]| byte.is_ascii_alphanumeric() || more.contains(&byte);
        match self {
            Self::Digits => byte.is_ascii_digit(),
            Self::LowerHex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => matches!(byte, b'0'..=b'9' | b'A'..=b'Z'),
            Self::Letters => more(b""),
            Self::Word => more(b"_"),
            Self::Url => more(b"_-"),
            Self::Base64 => more(b"+/"),
            Self::Dotted => more(b"_-=."),
        }
    }
}

/// No longer part is read.
const END: usize = 4096;

const SHAPES: &[&[Part]] = &[
    // Tokens in three parts, as JSON Web Tokens are; the last may be empty.
    &[Is("ey"), Any(Letters, 17, END), Is(".ey"), Any(Url, 17, END), Is("."), Any(Url, 0, END)],
    // Clouds.
    &[Is("AKIA"), Any(Upper, 16, 16)],
    &[Is("ASIA"), Any(Upper, 16, 16)],
    &[Is("ABIA"), Any(Upper, 16, 16)],
    &[Is("ACCA"), Any(Upper, 16, 16)],
    &[Is("ABSK"), Any(Base64, 109, 269)],
    &[Is("AIza"), Any(Url, 35, 35)],
    &[Is("LTAI"), Any(Letters, 20, 20)],
    &[Is("dapi"), Any(LowerHex, 32, 32)],
    &[Is("doo_v1_"), Any(LowerHex, 64, 64)],
    &[Is("dop_v1_"), Any(LowerHex, 64, 64)],
    &[Is("dor_v1_"), Any(LowerHex, 64, 64)],
    &[Is("fo1_"), Any(Url, 43, 43)],
    &[Is("fm2_"), Any(Base64, 100, END)],
    &[Is("HRKU-AA"), Any(Url, 58, 58)],
    &[Is("pul-"), Any(LowerHex, 40, 40)],
    &[Is("pscale_tkn_"), Any(Dotted, 32, 64)],
    &[Is("pscale_oauth_"), Any(Dotted, 32, 64)],
    &[Is("pscale_pw_"), Any(Dotted, 32, 64)],
    &[Is("sha256~"), Any(Url, 43, 43)],
    // Places of code and packages.
    &[Is("ghp_"), Any(Letters, 36, 255)],
    &[Is("gho_"), Any(Letters, 36, 255)],
    &[Is("ghu_"), Any(Letters, 36, 255)],
    &[Is("ghs_"), Any(Letters, 36, 255)],
    &[Is("ghr_"), Any(Letters, 36, 255)],
    &[Is("github_pat_"), Any(Word, 82, 82)],
    &[Is("glpat-"), Any(Url, 20, 300)],
    &[Is("gldt-"), Any(Url, 20, 20)],
    &[Is("glft-"), Any(Url, 20, 20)],
    &[Is("glffct-"), Any(Url, 20, 20)],
    &[Is("glimt-"), Any(Url, 25, 25)],
    &[Is("glcbt-"), Any(Url, 22, 27)],
    &[Is("glagent-"), Any(Url, 50, 50)],
    &[Is("gloas-"), Any(Url, 64, 64)],
    &[Is("glptt-"), Any(LowerHex, 40, 40)],
    &[Is("glrt-"), Any(Url, 20, 300)],
    &[Is("glsoat-"), Any(Url, 20, 20)],
    &[Is("npm_"), Any(Letters, 36, 36)],
    &[Is("pypi-AgEIcHlwaS5vcmc"), Any(Url, 50, 1000)],
    &[Is("rubygems_"), Any(LowerHex, 48, 48)],
    &[Is("AKCp"), Any(Letters, 69, 69)],
    &[Is("cmVmd"), Any(Letters, 59, 59)],
    &[Is("sgp_"), Any(Word, 40, 61)],
    &[Is("PMAK-"), Any(LowerHex, 24, 24), Is("-"), Any(LowerHex, 34, 34)],
    &[Is("sntryu_"), Any(LowerHex, 64, 64)],
    &[Is("sntrys_eyJ"), Any(Base64, 40, 600)],
    // Models.
    &[Is("sk-ant-"), Any(Url, 80, 120)],
    &[Is("sk-proj-"), Any(Url, 40, 200)],
    &[Is("sk-svcacct-"), Any(Url, 40, 200)],
    &[Is("sk-admin-"), Any(Url, 40, 200)],
    &[Is("sk-"), Any(Letters, 48, 48)],
    &[Is("hf_"), Any(Letters, 34, 34)],
    &[Is("pplx-"), Any(Letters, 48, 48)],
    // People's desks.
    &[Is("xoxb-"), Any(Url, 20, 100)],
    &[Is("xoxp-"), Any(Url, 20, 120)],
    &[Is("xoxe-"), Any(Url, 20, 200)],
    &[Is("xoxa-"), Any(Url, 8, 100)],
    &[Is("xoxr-"), Any(Url, 8, 100)],
    &[Is("xoxo-"), Any(Url, 12, 200)],
    &[Is("xoxs-"), Any(Url, 12, 200)],
    &[Is("xapp-"), Any(Url, 20, 200)],
    &[Is("lin_api_"), Any(Letters, 40, 40)],
    &[Is("ntn_"), Any(Letters, 46, 46)],
    &[Is("pat"), Any(Letters, 14, 14), Is("."), Any(LowerHex, 64, 64)],
    &[Is("shpat_"), Any(Hex, 32, 32)],
    &[Is("shpca_"), Any(Hex, 32, 32)],
    &[Is("shppa_"), Any(Hex, 32, 32)],
    &[Is("shpss_"), Any(Hex, 32, 32)],
    &[Is("ATATT3"), Any(Dotted, 186, 186)],
    &[Is("glc_"), Any(Base64, 32, 400)],
    &[Is("glsa_"), Any(Letters, 32, 32), Is("_"), Any(Hex, 8, 8)],
    &[Is("bot"), Any(Digits, 5, 16), Is(":A"), Any(Url, 34, 34)],
    // Money and mail.
    &[Is("sk_live_"), Any(Letters, 10, 99)],
    &[Is("sk_test_"), Any(Letters, 10, 99)],
    &[Is("sk_prod_"), Any(Letters, 10, 99)],
    &[Is("rk_live_"), Any(Letters, 10, 99)],
    &[Is("rk_test_"), Any(Letters, 10, 99)],
    &[Is("rk_prod_"), Any(Letters, 10, 99)],
    &[Is("sq0atp-"), Any(Url, 22, 60)],
    &[Is("EAAA"), Any(Url, 22, 60)],
    &[Is("EAAM"), Any(Letters, 100, END)],
    &[Is("EAAC"), Any(Letters, 100, END)],
    &[Is("SG."), Any(Url, 22, 22), Is("."), Any(Url, 43, 43)],
    &[Is("SK"), Any(Hex, 32, 32)],
    &[Is("xkeysib-"), Any(LowerHex, 64, 64), Is("-"), Any(Letters, 16, 16)],
    &[Is("shippo_live_"), Any(Hex, 40, 40)],
    &[Is("shippo_test_"), Any(Hex, 40, 40)],
    &[Is("duffel_live_"), Any(Url, 43, 43)],
    &[Is("duffel_test_"), Any(Url, 43, 43)],
    &[Is("EZAK"), Any(Letters, 54, 54)],
    &[Is("EZTK"), Any(Letters, 54, 54)],
    // Vaults.
    &[Is("hvs."), Any(Url, 90, 120)],
    &[Is("hvb."), Any(Url, 138, 300)],
    &[Is("dp.pt."), Any(Letters, 43, 43)],
    &[Is("ops_eyJ"), Any(Base64, 250, END)],
    &[Is("AGE-SECRET-KEY-1"), Any(Upper, 58, 58)],
    &[Is("p8e-"), Any(Letters, 32, 32)],
];

/// Calls `each` with everything in a text that has one of the shapes.
pub(super) fn each_in(text: &str, each: &mut dyn FnMut(&str)) {
    // A private key as files have it.
    if text.contains("-----BEGIN") && text.replace('+', " ").contains("PRIVATE KEY") {
        each(text);
    }
    let mut before = b' ';
    for (at, byte) in text.bytes().enumerate() {
        // What goes on with letters or digits in front of a shape is a longer word.
        if !before.is_ascii_alphanumeric()
            && byte.is_ascii_alphabetic()
            && let Some(rest) = text.get(at..)
            && let Some(found) = SHAPES.iter().find_map(|shape| at_start(shape, rest))
        {
            each(found);
        }
        before = byte;
    }
}

/// The beginning of a text that has a shape, if no word goes on behind it.
fn at_start<'t>(shape: &[Part], text: &'t str) -> Option<&'t str> {
    let mut rest = text;
    for part in shape {
        rest = match part {
            Is(letters) => rest.strip_prefix(letters)?,
            Any(alphabet, least, most) => {
                let length = rest.bytes().take(*most).take_while(|byte| alphabet.holds(*byte)).count();
                if length < *least {
                    return None;
                }
                rest.get(length..)?
            }
        };
    }
    let found = text.get(..text.len() - rest.len());
    found.filter(|_| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
}
