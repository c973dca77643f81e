//! Reads a file or standard input whole, unpacked, within bounds.
//!
//! What is packed is known by its first bytes, not by its name. A few kilobytes can be made to unpack to terabytes, so
//! what comes out is bounded by a length and by a multiple of what went in.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// The longest text that is read, in bytes: far above any recorded conversation, below what a small machine can hold.
const MAX_TEXT: u64 = 2 << 30;

/// The longest line, in bytes: a record is looked at whole, and none that was recorded is nearly as long.
const MAX_LINE: u64 = 256 << 20;

/// How much any packed file may unpack to, in bytes, however small it is: one very long and very dull conversation.
const FREE_TEXT: u64 = 32 << 20;

/// How many times its own size a packed file may unpack to. Recorded conversations pack to a thirtieth at best.
const MAX_RATIO: u64 = 100;

/// How much is read at a time, in bytes.
const CHUNK: usize = 128 << 10;

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Not at all.
    Plain,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Packing {
    /// By the first bytes.
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // A skippable frame may come first.
            [low, 0x2a, 0x4d, 0x18, ..] if low & 0xf0 == 0x50 => Self::Zstd,
            _ => Self::Plain,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

/// Why bytes could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    /// The operating system does not give them.
    #[error("cannot be read: {}", reason(.0))]
    Read(#[source] io::Error),
    /// Something else than a file has the name.
    #[error("is a directory; expected a file")]
    Directory,
    /// The packed data are broken or cut off.
    #[error("broken {packing} data: {found}; expected whole {packing} data")]
    Broken {
        /// How it is packed.
        packing: &'static str,
        /// What is wrong.
        found: String,
    },
    /// It unpacks to too many times its size.
    #[error(
        "found {packing} data that unpack to more than {MAX_RATIO} times their size; expected less (a decompression bomb?)"
    )]
    Bomb {
        /// How it is packed.
        packing: &'static str,
    },
    /// It is too long.
    #[error("found more than {} bytes; expected at most that", MAX_TEXT)]
    TooLong,
    /// A line of it is too long.
    #[error("found a line of more than {} bytes; expected records of at most that", MAX_LINE)]
    LongLine,
    /// A message or a part of it is broken.
    #[error("found a broken message or part beside it; expected JSON")]
    Piece,
    /// There is no memory for it.
    #[error("found more text than there is memory for")]
    Memory,
}

/// What the operating system says, in plain words: the number of its error helps nobody.
pub(crate) fn reason(error: &io::Error) -> String {
    let kind = error.kind();
    if kind == io::ErrorKind::NotFound { "there is no such file".to_owned() } else { kind.to_string() }
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    let (file, length) = open(path)?;
    read_from(file, length)
}

/// Reads standard input.
pub(crate) fn read_stdin() -> Result<Vec<u8>, InputError> {
    read_from(io::stdin().lock(), 0)
}

/// The unpacked beginning of a file, `most` bytes at most.
pub(crate) fn head(path: &Path, most: usize) -> Result<Vec<u8>, InputError> {
    let (file, _) = open(path)?;
    let mut source = BufReader::with_capacity(most.min(CHUNK), file);
    let packing = packing_of(&mut source)?;
    let mut head = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    let read = match packing {
        Packing::Plain => source.take(limit).read_to_end(&mut head),
        Packing::Gzip => MultiGzDecoder::new(source).take(limit).read_to_end(&mut head),
        Packing::Zstd => match StreamingDecoder::new(source) {
            Ok(unpacked) => unpacked.take(limit).read_to_end(&mut head),
            Err(error) => return Err(broken(packing, error.to_string())),
        },
    };
    match read {
        Ok(_) => Ok(head),
        Err(error) => Err(failed(packing, error)),
    }
}

/// How much memory a file will take, as far as that is known before it is read, in bytes.
pub(crate) fn weight(path: &Path) -> u64 {
    /// What a packed conversation usually unpacks to.
    const USUAL_RATIO: u64 = 12;
    let packed = path.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
    let length = fs::metadata(path).map_or(0, |file| file.len());
    if packed { length.saturating_mul(USUAL_RATIO) } else { length }
}

fn open(path: &Path) -> Result<(File, u64), InputError> {
    let file = File::open(path).map_err(InputError::Read)?;
    let about = file.metadata().map_err(InputError::Read)?;
    if about.is_dir() {
        return Err(InputError::Directory);
    }
    Ok((file, about.len()))
}

fn read_from(source: impl Read, length: u64) -> Result<Vec<u8>, InputError> {
    let taken = Rc::new(Cell::new(0));
    let mut source = BufReader::with_capacity(CHUNK, Counted { source, taken: Rc::clone(&taken) });
    let packing = packing_of(&mut source)?;
    let mut text = Text { bytes: Vec::new(), line: 0, packing, taken };
    match packing {
        Packing::Plain => {
            text.expect(length)?;
            text.fill(&mut source)?;
        }
        Packing::Gzip => text.fill(&mut MultiGzDecoder::new(source))?,
        Packing::Zstd => unpack_zstd(source, &mut text)?,
    }
    text.bytes.shrink_to_fit();
    Ok(text.bytes)
}

fn packing_of(source: &mut impl BufRead) -> Result<Packing, InputError> {
    loop {
        match source.fill_buf() {
            Ok(head) => return Ok(Packing::of(head)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(InputError::Read(error)),
        }
    }
}

/// A file may be several frames one after the other, with frames among them that hold nothing.
fn unpack_zstd(mut source: impl BufRead, text: &mut Text) -> Result<(), InputError> {
    while !source.fill_buf().map_err(InputError::Read)?.is_empty() {
        let mut frame = match StreamingDecoder::new_with_decoder(&mut source, FrameDecoder::new()) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let skipped = io::copy(&mut (&mut source).take(u64::from(length)), &mut io::sink());
                if skipped.map_err(InputError::Read)? < u64::from(length) {
                    return Err(broken(Packing::Zstd, "it ends before its end (cut off?)".to_owned()));
                }
                continue;
            }
            Err(error) => return Err(broken(Packing::Zstd, error.to_string())),
        };
        text.fill(&mut frame)?;
        let decoder = frame.into_frame_decoder();
        if let Some(stated) = decoder.get_checksum_from_data()
            && decoder.get_calculated_checksum() != Some(stated)
        {
            return Err(broken(Packing::Zstd, "its checksum does not fit".to_owned()));
        }
    }
    Ok(())
}

fn broken(packing: Packing, found: String) -> InputError {
    InputError::Broken { packing: packing.name(), found }
}

fn failed(packing: Packing, error: io::Error) -> InputError {
    match packing {
        Packing::Plain => InputError::Read(error),
        Packing::Gzip | Packing::Zstd if error.kind() == io::ErrorKind::UnexpectedEof => {
            broken(packing, "it ends before its end (cut off?)".to_owned())
        }
        // The unpackers' own errors carry no kind of the operating system's.
        Packing::Gzip | Packing::Zstd if error.raw_os_error().is_some() => InputError::Read(error),
        Packing::Gzip | Packing::Zstd => broken(packing, error.to_string()),
    }
}

/// Counts what is read from a source.
struct Counted<R> {
    source: R,
    taken: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.taken.set(self.taken.get().saturating_add(u64::try_from(read).unwrap_or(u64::MAX)));
        Ok(read)
    }
}

/// What has been unpacked so far.
struct Text {
    bytes: Vec<u8>,
    /// How long its last line is.
    line: u64,
    packing: Packing,
    taken: Rc<Cell<u64>>,
}

impl Text {
    /// Makes room for a known length, and one byte more so that the end is seen without growing.
    fn expect(&mut self, length: u64) -> Result<(), InputError> {
        if length > MAX_TEXT {
            return Err(InputError::TooLong);
        }
        let length = usize::try_from(length).map_err(|_| InputError::Memory)?;
        self.bytes.try_reserve_exact(length.saturating_add(1)).map_err(|_| InputError::Memory)
    }

    fn fill(&mut self, source: &mut impl Read) -> Result<(), InputError> {
        let chunk = u64::try_from(CHUNK).unwrap_or(u64::MAX);
        loop {
            if self.bytes.capacity() == self.bytes.len() {
                // A quarter more at a time: half of what doubling would leave unused at worst.
                let more = (self.bytes.len() / 4).max(CHUNK);
                self.bytes.try_reserve_exact(more).map_err(|_| InputError::Memory)?;
            }
            // `read_to_end` would grow past a full buffer on its own terms; what is read fits what is reserved.
            let room = u64::try_from(self.bytes.capacity() - self.bytes.len()).unwrap_or(chunk).min(chunk);
            let before = self.bytes.len();
            match source.by_ref().take(room).read_to_end(&mut self.bytes) {
                Ok(0) => return Ok(()),
                Ok(_) => self.bound(before)?,
                Err(error) => return Err(failed(self.packing, error)),
            }
        }
    }

    /// `before` is how much there was before the last piece.
    fn bound(&mut self, before: usize) -> Result<(), InputError> {
        let piece = self.bytes.get(before..).unwrap_or_default();
        let since = piece.iter().rev().position(|byte| *byte == b'\n');
        let carried = if since.is_some() { 0 } else { self.line };
        self.line = carried.saturating_add(u64::try_from(since.unwrap_or(piece.len())).unwrap_or(u64::MAX));
        if self.line > MAX_LINE {
            return Err(InputError::LongLine);
        }
        let length = u64::try_from(self.bytes.len()).unwrap_or(u64::MAX);
        let packed = self.packing != Packing::Plain;
        if packed && length > FREE_TEXT && length / MAX_RATIO > self.taken.get() {
            return Err(InputError::Bomb { packing: self.packing.name() });
        }
        if length > MAX_TEXT { Err(InputError::TooLong) } else { Ok(()) }
    }
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
