//! `.eval` archives: zip files with a JSON document for each sample, packed with Zstandard or deflate.

use std::collections::HashSet;
use std::io::{self, Cursor, Read};

use ruzstd::decoding::StreamingDecoder;
use zip::{CompressionMethod, ZipArchive};

use crate::error::ReadError;

/// How much any archive may unpack to, in bytes, however small it is.
const FREE: u64 = 256 << 20;
/// How many times its own size an archive may unpack to.
const MAX_RATIO: u64 = 250;
/// How much an archive may unpack to, in bytes.
const MAX: u64 = 2 << 30;
/// How zip names Zstandard, which is unpacked here: the archive's reader would need a library in C for it.
const ZSTD: u16 = 93;

/// Whether it is a zip file.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Calls `each` with the number and the bytes of every sample, in the order of the archive.
pub(super) fn each_sample(
    bytes: &[u8],
    mut each: impl FnMut(usize, &[u8]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let mut budget = length.saturating_mul(MAX_RATIO).saturating_add(FREE).min(MAX);
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| broken("a broken or cut off zip file"))?;
    names_once(bytes, archive.central_directory_start())?;
    let mut number = 0;
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).and_then(Result::ok).unwrap_or_default();
        if !(name.starts_with("samples/") && name.ends_with(".json")) {
            continue;
        }
        let sample = unpack(&mut archive, index, budget)?;
        budget = budget.saturating_sub(u64::try_from(sample.len()).unwrap_or(u64::MAX));
        each(number, &sample)?;
        number += 1;
    }
    Ok(())
}

/// Fails where two files of an archive have one name: programs read different ones of the two.
fn names_once(bytes: &[u8], directory: u64) -> Result<(), ReadError> {
    /// The fixed part of a file's entry, and where in it the lengths of what follows stand.
    const ENTRY: usize = 46;
    const LENGTHS: [usize; 3] = [28, 30, 32];
    let mut rest = usize::try_from(directory).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
    let mut names = HashSet::new();
    while let Some(entry) = rest.get(..ENTRY).filter(|entry| entry.starts_with(b"PK\x01\x02")) {
        let length = |at: &usize| match entry.get(*at..*at + 2) {
            Some([low, high]) => usize::from(u16::from_le_bytes([*low, *high])),
            Some(_) | None => 0,
        };
        let [name, extra, comment] = LENGTHS.each_ref().map(length);
        if !names.insert(rest.get(ENTRY..ENTRY + name).unwrap_or_default()) {
            return Err(broken("two files of one name in a zip file"));
        }
        rest = rest.get(ENTRY + name + extra + comment..).unwrap_or_default();
    }
    Ok(())
}

fn unpack(archive: &mut ZipArchive<Cursor<&[u8]>>, index: usize, budget: u64) -> Result<Vec<u8>, ReadError> {
    let bad = |_| broken("a broken sample in a zip file");
    let mut sample = Vec::new();
    let raw = archive.by_index_raw(index).map_err(|_| broken("a broken sample in a zip file"))?;
    #[expect(deprecated, reason = "the only way to name a method that the archive's reader does not unpack")]
    let is_zstd = raw.compression() == CompressionMethod::Unsupported(ZSTD);
    if is_zstd {
        frames(raw, budget, &mut sample).map_err(bad)?;
    } else {
        drop(raw);
        let file =
            archive.by_index(index).map_err(|_| broken("a sample in a zip file that is packed in an unknown way"))?;
        file.take(budget + 1).read_to_end(&mut sample).map_err(bad)?;
    }
    if u64::try_from(sample.len()).unwrap_or(u64::MAX) > budget {
        return Err(broken("a zip file that unpacks to far more than its size"));
    }
    Ok(sample)
}

/// Unpacks all frames of Zstandard data.
fn frames(mut packed: impl Read, budget: u64, sample: &mut Vec<u8>) -> io::Result<()> {
    let mut bytes = Vec::new();
    packed.read_to_end(&mut bytes)?;
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let left = budget.saturating_sub(u64::try_from(sample.len()).unwrap_or(u64::MAX));
        let decoder = StreamingDecoder::new(&mut rest).map_err(io::Error::other)?;
        decoder.take(left + 1).read_to_end(sample)?;
        if u64::try_from(sample.len()).unwrap_or(u64::MAX) > budget {
            break;
        }
    }
    Ok(())
}

fn broken(found: &'static str) -> ReadError {
    ReadError::unexpected("", found, "a whole `.eval` archive")
}
