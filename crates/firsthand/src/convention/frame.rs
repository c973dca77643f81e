//! Frames: the fixed bytes of an address, with slots in them.

use super::slot::Slot;

/// Which value of a slot comes next, or of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Fixed(String),
    Slot(Slot),
    /// One of a few words, by the number of the choice.
    Choice(usize),
}

/// An address with slots: `https://doi.org/{doi}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub(super) pieces: Vec<Piece>,
}

/// What an address has in the slots of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filled {
    /// The values of the slots.
    pub(crate) slots: Vec<(Slot, String)>,
    /// The word of each choice, in the order of the frame.
    choices: Vec<String>,
}

impl Filled {
    /// The value of a slot.
    pub(crate) fn of(&self, slot: Slot) -> Option<&str> {
        self.slots.iter().find(|(other, _)| *other == slot).map(|(_, value)| &**value)
    }

    /// The same choices with other values.
    pub(crate) fn with(&self, slots: &[Slot], values: &[String]) -> Self {
        Self { slots: slots.iter().copied().zip(values.iter().cloned()).collect(), choices: self.choices.clone() }
    }
}

/// How many places are tried at which a slot may end.
const MOST_ENDS: usize = 8;

impl Frame {
    /// Reads a frame. `choice` gives the number of a choice by its name.
    pub(super) fn parse(text: &str, choice: impl Fn(&str) -> Option<usize>) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((fixed, behind)) = rest.split_once('{') {
            if !fixed.is_empty() {
                pieces.push(Piece::Fixed(fixed.to_owned()));
            }
            let Some((name, behind)) = behind.split_once('}') else {
                return Err(format!("the frame `{text}` has a brace that is not closed"));
            };
            let slot = choice(name).map(Piece::Choice).or_else(|| Slot::named(name).map(Piece::Slot));
            pieces.push(slot.ok_or_else(|| {
                format!("the slot `{name}` has no grammar and no list of choices, so it could be chosen freely")
            })?);
            rest = behind;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Fixed(rest.to_owned()));
        }
        let frame = Self { pieces };
        frame.is_safe().map_err(|problem| format!("the frame `{text}` {problem}"))?;
        Ok(frame)
    }

    /// Whether no value can change where the address leads or where the next slot begins.
    fn is_safe(&self) -> Result<(), &'static str> {
        let Some(Piece::Fixed(start)) = self.pieces.first() else { return Err("begins with a slot") };
        if !start.starts_with("https://") {
            return Err("does not begin with `https://`");
        }
        let mut in_host = true;
        let mut pieces = self.pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            match (piece, pieces.peek()) {
                (Piece::Fixed(text), _) => {
                    if text.contains(['#', '\\', '}', '%', '@']) || text.bytes().any(|byte| !byte.is_ascii_graphic()) {
                        return Err("holds what addresses are not opened with");
                    }
                    in_host &= !text.trim_start_matches("https://").contains('/');
                }
                (Piece::Slot(_), _) if in_host => return Err("has a slot in its host"),
                (Piece::Slot(_) | Piece::Choice(_), Some(Piece::Slot(_) | Piece::Choice(_))) => {
                    return Err("has two slots with nothing between them");
                }
                (Piece::Slot(slot), Some(Piece::Fixed(_))) if slot.holds_slashes() => {
                    return Err("goes on behind a slot whose values may hold a slash");
                }
                (Piece::Slot(_) | Piece::Choice(_), _) => {}
            }
        }
        if in_host {
            return Err("has no path");
        }
        if self.has_a_fixed_site() { Ok(()) } else { Err("has a choice in its site or its port") }
    }

    /// Whether choices in the host are labels before a whole site.
    fn has_a_fixed_site(&self) -> bool {
        let mut behind_choice: Option<&str> = None;
        let mut before = "";
        for piece in &self.pieces {
            match piece {
                Piece::Choice(_) => {
                    if !(before.ends_with("://") || before.ends_with('.')) {
                        return false;
                    }
                    behind_choice = Some("");
                    before = "";
                }
                Piece::Slot(_) => return false,
                Piece::Fixed(text) => {
                    let text = text.as_str();
                    let rest = text.strip_prefix("https://").unwrap_or(text);
                    let host = rest.split('/').next().unwrap_or_default();
                    if rest.contains('/') {
                        return behind_choice.is_none()
                            || host.strip_prefix('.').is_some_and(|tail| psl::domain_str(tail).is_some());
                    }
                    if host.contains(':') {
                        return false;
                    }
                    before = text;
                }
            }
        }
        false
    }

    /// The host; its labels may be choices, its site is fixed.
    pub(super) fn host(&self) -> &str {
        // Slots stand in no host, so that its end is in the first fixed piece that has a slash behind the scheme.
        let fixed = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Fixed(text) => Some(text.strip_prefix("https://").unwrap_or(text)),
            Piece::Slot(_) | Piece::Choice(_) => None,
        });
        let host = fixed.filter_map(|text| text.split_once('/')).map(|(host, _)| host).next();
        host.unwrap_or_default().trim_start_matches('.')
    }

    /// The slots that it has.
    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Slot(slot) => Some(*slot),
            Piece::Fixed(_) | Piece::Choice(_) => None,
        })
    }

    /// The choices that it has.
    pub(super) fn choices(&self) -> impl Iterator<Item = usize> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Choice(number) => Some(*number),
            Piece::Fixed(_) | Piece::Slot(_) => None,
        })
    }

    /// What the joint key of an address has in the slots.
    pub(crate) fn read(&self, key: &str, choices: &[Vec<String>]) -> Option<Filled> {
        let (first, rest) = self.pieces.split_first()?;
        let Piece::Fixed(first) = first else { return None };
        let first = first.strip_prefix("https://").unwrap_or(first);
        let first = first.strip_prefix("www.").unwrap_or(first);
        // Joint keys have no slash at their ends.
        let first = if rest.is_empty() { first.strip_suffix('/').unwrap_or(first) } else { first };
        let mut filled = Filled::default();
        fill(rest, key.strip_prefix(first)?, choices, &mut filled).then_some(filled)
    }

    /// The address with these values.
    pub(crate) fn write(&self, filled: &Filled) -> Option<String> {
        let mut address = String::new();
        let mut choices = filled.choices.iter();
        for piece in &self.pieces {
            match piece {
                Piece::Fixed(text) => address.push_str(text),
                Piece::Choice(_) => address.push_str(choices.next()?),
                Piece::Slot(slot) => {
                    let (_, value) = filled.slots.iter().find(|(other, _)| other == slot)?;
                    address.push_str(&slot.into_address(value));
                }
            }
        }
        Some(address)
    }
}

fn fill(pieces: &[Piece], text: &str, choices: &[Vec<String>], filled: &mut Filled) -> bool {
    let Some((piece, behind)) = pieces.split_first() else { return text.is_empty() };
    match piece {
        Piece::Fixed(fixed) => {
            let fixed = if behind.is_empty() { fixed.strip_suffix('/').unwrap_or(fixed) } else { fixed };
            text.strip_prefix(fixed).is_some_and(|rest| fill(behind, rest, choices, filled))
        }
        Piece::Choice(number) => choices.get(*number).into_iter().flatten().any(|word| {
            let Some(rest) = text.strip_prefix(word.as_str()) else { return false };
            let (slots, chosen) = (filled.slots.len(), filled.choices.len());
            filled.choices.push(word.clone());
            let fits = fill(behind, rest, choices, filled);
            if !fits {
                filled.slots.truncate(slots);
                filled.choices.truncate(chosen);
            }
            fits
        }),
        Piece::Slot(slot) => {
            let next = match behind.first() {
                Some(Piece::Fixed(fixed)) => Some(if behind.len() == 1 { fixed.trim_end_matches('/') } else { fixed }),
                Some(Piece::Slot(_) | Piece::Choice(_)) | None => None,
            };
            let ends: Vec<usize> = match next.filter(|next| !next.is_empty()) {
                Some(next) => text.match_indices(next).map(|(at, _)| at).take(MOST_ENDS).collect(),
                None => vec![text.len()],
            };
            ends.into_iter().any(|end| {
                let Some((form, rest)) = text.split_at_checked(end) else { return false };
                let Some(value) = slot.out_of_address(form) else { return false };
                // A slot that stands twice has one value.
                if filled.slots.iter().any(|(other, known)| other == slot && *known != value) {
                    return false;
                }
                let (slots, chosen) = (filled.slots.len(), filled.choices.len());
                filled.slots.push((*slot, value));
                let fits = fill(behind, rest, choices, filled);
                if !fits {
                    filled.slots.truncate(slots);
                    filled.choices.truncate(chosen);
                }
                fits
            })
        }
    }
}
