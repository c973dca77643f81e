//! `firsthand mask`: a result without the addresses that open to whoever holds them.

use std::collections::BTreeMap;
use std::path::Path;

use firsthand::address::Address;
use firsthand::reference::Reference;
use firsthand_mask::signed::Setting as Wanted;
use firsthand_mask::store::KEPT;
use firsthand_mask::{Batch, Signed, Store, StoreError, mask};
use firsthand_wire::answer::MaskAnswer;

use crate::args::{Mask, StoreOf};
use crate::cmd::given;
use crate::engine::{self, Given, Returned};
use crate::exit::Exit;
use crate::hint::Failure;
use crate::input;
use crate::out::{Out, message};

pub(super) fn run(options: &Mask) -> Result<Exit, Failure> {
    let store = store(&options.kept)?;
    if store.is_some() && options.conversation.is_none() {
        return Err(Failure::Usage("found `--store` without `--conversation`; expected both".to_owned()));
    }
    let record = given::record(&options.file)?;
    let file = record.file.clone();
    let text = String::from_utf8(record.bytes)
        .map_err(|_| Failure::File { file, why: "found bytes that are not UTF-8; expected text".to_owned() })?;
    let known = options.conversation.as_ref().filter(|_| store.is_some());
    let known = known.map(|conversation| read(options, conversation, &text)).transpose()?;
    let mut made = Made { store: store.as_ref(), batch: None, known, references: Vec::new(), dead: 0, failed: None };
    let wanted = Wanted { generic: options.generic };
    let masked = mask(&text, wanted, &mut |address, signed| made.stand_in(address, signed));
    let has_call = made.known.as_ref().is_none_or(|known| known.has_call);
    let (references, dead) = made.kept().map_err(|error| cannot_store(&options.kept, &error))?;
    if dead > 0 {
        let why = match store {
            Some(_) if !has_call => "the conversation has no call of the id that `--call` names",
            Some(_) => "they are not the world's words in a conversation that has an id",
            None => "no store was named",
        };
        message(&format!("{dead} of the references can never be opened: {why}"));
    }
    let mut out = Out::data();
    if options.json {
        let by_provider: BTreeMap<String, usize> =
            masked.by_provider.iter().map(|(provider, count)| ((*provider).to_owned(), *count)).collect();
        let masked_places = by_provider.values().sum();
        out.json(&MaskAnswer { masked: masked_places, by_provider, references, dead, text: masked.text })?;
    } else {
        out.write(masked.text.as_bytes())?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn read(options: &Mask, conversation: &std::ffi::OsString, text: &str) -> Result<Given, Failure> {
    let Mask { run, call, tool, server, format, policy, context, .. } = options;
    given::one_stdin([&options.file, conversation], context, &policy.name)?;
    let (setting, opened) = given::opened(conversation, run.clone(), policy, format, context)?;
    let returned = match (call, tool) {
        (Some(call), _) => Returned::By(call.clone()),
        (None, tool) => Returned::Of { server: server.clone(), tool: tool.clone().unwrap_or_default() },
    };
    engine::given(opened, &setting, returned, text).map_err(given::unread)
}

/// The references that were made.
struct Made<'s> {
    store: Option<&'s Store>,
    /// Begun with the first one: all are written together.
    batch: Option<Batch<'s>>,
    known: Option<Given>,
    references: Vec<String>,
    dead: usize,
    failed: Option<StoreError>,
}

impl<'s> Made<'s> {
    /// Writes them. Without that nothing may be told of them.
    fn kept(self) -> Result<(Vec<String>, usize), StoreError> {
        let Self { batch, references, dead, failed, .. } = self;
        match (failed, batch) {
            (Some(error), _) => Err(error),
            (None, Some(batch)) => batch.keep().map(|()| (references, dead)),
            (None, None) => Ok((references, dead)),
        }
    }

    fn put(
        &mut self,
        address: &Address,
        signed: &Signed,
        of: (&'s Store, &str, usize),
    ) -> Result<Reference, StoreError> {
        let (store, conversation, item) = of;
        let now = engine::seconds().unwrap_or_default();
        let expires = signed.expires.unwrap_or(now.saturating_add(KEPT));
        let batch = match self.batch.take() {
            Some(batch) => batch,
            None => store.begin(conversation, now)?,
        };
        self.batch.insert(batch).put(address, expires, Some(item))
    }

    fn stand_in(&mut self, address: Option<&Address>, signed: &Signed) -> String {
        let opens = address.zip(self.store).filter(|(address, _)| {
            self.failed.is_none() && self.known.as_ref().is_some_and(|known| known.is_source(address))
        });
        let kept = opens.and_then(|(address, store)| {
            let known = self.known.as_ref()?;
            let (conversation, item) = (known.conversation.clone(), known.item);
            Some(self.put(address, signed, (store, &conversation, item)))
        });
        match kept {
            Some(Ok(reference)) => {
                self.references.push(reference.reveal().to_owned());
                return reference.reveal().to_owned();
            }
            Some(Err(error)) => self.failed = Some(error),
            None => self.dead += 1,
        }
        let mut random = [0; 10];
        // Without random numbers every one is the same, which opens nothing all the same.
        getrandom::fill(&mut random).unwrap_or_default();
        Reference::of(random).reveal().to_owned()
    }
}

/// The store that is named, with its key.
pub(super) fn store(kept: &StoreOf) -> Result<Option<Store>, Failure> {
    let (Some(path), Some(key)) = (&kept.store, &kept.key_file) else { return Ok(None) };
    Ok(Some(Store::new(path, self::key(key)?)))
}

/// The 32 bytes of a key file.
pub(super) fn key(file: &Path) -> Result<[u8; 32], Failure> {
    let name = file.to_string_lossy().into_owned();
    let bytes = input::read(file).map_err(|error| Failure::input(&name, &error))?;
    let why = "found no key; expected 32 bytes, or 64 hexadecimal digits".to_owned();
    key_of(&bytes).ok_or(Failure::File { file: name, why })
}

fn key_of(bytes: &[u8]) -> Option<[u8; 32]> {
    if let Ok(key) = bytes.try_into() {
        return Some(key);
    }
    let digits = std::str::from_utf8(bytes).ok()?.trim();
    let digit = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let key: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(digit).collect();
    key.filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?.try_into().ok()
}

/// Why a store cannot be used, as a message.
pub(super) fn cannot_store(kept: &StoreOf, error: &StoreError) -> Failure {
    let file = kept.store.as_ref().map_or_else(String::new, |store| store.to_string_lossy().into_owned());
    Failure::File { file, why: error.to_string() }
}
