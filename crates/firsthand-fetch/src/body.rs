//! The body of an answer, unpacked piece by piece under two ceilings: one for what is sent, one for what comes out.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use async_compression::tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use async_compression::zstd::DParameter;
use bytes::Bytes;
use futures_util::stream;
use hyper::body::Body as _;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use reqwest::{Response, Version};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::time::Instant;
use tokio_util::io::StreamReader;

use crate::client::{left, meant};
use crate::error::{FetchError, Phase, Size};
use crate::limits::Limits;

/// How often a body may be packed.
const MOST_CODINGS: usize = 2;

/// The largest window that a zstd frame may ask for, as a power of two: what RFC 8878 has every reader support.
const WINDOW_LOG_MAX: u32 = 23;

/// The most that is unpacked at once.
const PIECE: usize = 32 << 10;

/// A way of packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Gzip,
    Brotli,
    Zstd,
    /// As zlib, or without its head: servers do both.
    Deflate,
}

/// A body that is read.
pub(crate) struct Body {
    source: Source,
    limits: Limits,
    until: Instant,
    unpacked: u64,
    /// How long it will be, where that is known.
    pub(crate) total: Option<u64>,
}

enum Source {
    Plain(Sent),
    Packed(Reader),
}

/// A body as it is sent.
struct Sent {
    body: reqwest::Body,
    /// Whether the protocol tells a body that ended from one that was given up.
    tells_its_end: bool,
    so_far: u64,
    most: u64,
}

impl Sent {
    fn of(response: Response, most: u64) -> Self {
        let tells_its_end = response.version() == Version::HTTP_2;
        Self { body: response.into(), tells_its_end, so_far: 0, most }
    }

    async fn piece(&mut self) -> Result<Option<Bytes>, FetchError> {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context)).await;
            let Some(frame) = frame else { break };
            // Trailers say nothing that is read.
            let Ok(piece) = frame.map_err(|error| meant(&error))?.into_data() else { continue };
            self.so_far += piece.len() as u64;
            return if self.so_far > self.most { Err(FetchError::TooLarge(Size::Sent)) } else { Ok(Some(piece)) };
        }
        // A stream of h2 that its server resets, as if there were no error, ends like a whole one.
        if self.tells_its_end && !self.body.is_end_stream() { Err(FetchError::CutOff) } else { Ok(None) }
    }
}

type Reader = Pin<Box<dyn AsyncBufRead + Send>>;

impl Body {
    /// The body of an answer. Fails at once where its head says that it is too large, or packed in a way that is not known.
    pub(crate) async fn of(response: Response, limits: Limits, until: Instant) -> Result<Self, FetchError> {
        let codings = codings(response.headers())?;
        if response.content_length().is_some_and(|length| length > limits.sent) {
            return Err(FetchError::TooLarge(Size::Sent));
        }
        let total = response.content_length().filter(|_| codings.is_empty());
        let source = if codings.is_empty() {
            Source::Plain(Sent::of(response, limits.sent))
        } else {
            let unpacked = in_time(unpack(Sent::of(response, limits.sent), &codings), limits, until);
            Source::Packed(unpacked.await?)
        };
        Ok(Self { source, limits, until, unpacked: 0, total })
    }

    /// All of it. A body of one piece is not copied. `tell` is told the bytes so far and how many there will be.
    pub(crate) async fn whole(mut self, mut tell: impl FnMut(u64, Option<u64>)) -> Result<Bytes, FetchError> {
        let Some(first) = self.piece().await? else { return Ok(Bytes::new()) };
        tell(self.unpacked, self.total);
        let Some(second) = self.piece().await? else { return Ok(first) };
        let set_aside = self.total.unwrap_or_default().min(SET_ASIDE);
        let mut all = Vec::with_capacity(usize::try_from(set_aside).unwrap_or_default());
        all.extend_from_slice(&first);
        all.extend_from_slice(&second);
        tell(self.unpacked, self.total);
        while let Some(piece) = self.piece().await? {
            all.extend_from_slice(&piece);
            tell(self.unpacked, self.total);
        }
        Ok(all.into())
    }

    /// The next piece; `None` behind the last one.
    pub(crate) async fn piece(&mut self) -> Result<Option<Bytes>, FetchError> {
        let (limits, until) = (self.limits, self.until);
        let piece = in_time(self.source.piece(), limits, until).await?;
        let Some(piece) = piece else { return Ok(None) };
        self.unpacked += piece.len() as u64;
        if self.unpacked > self.limits.unpacked {
            return Err(FetchError::TooLarge(Size::Unpacked));
        }
        Ok(Some(piece))
    }
}

/// What is set aside at once for a body that says how long it is.
const SET_ASIDE: u64 = 1 << 20;

async fn in_time<T>(
    work: impl Future<Output = Result<T, FetchError>>,
    limits: Limits,
    until: Instant,
) -> Result<T, FetchError> {
    let left = left(until)?;
    let phase = if left < limits.idle { Phase::Whole } else { Phase::Idle };
    tokio::time::timeout(left.min(limits.idle), work).await.map_err(|_| FetchError::TimedOut(phase))?
}

impl Source {
    async fn piece(&mut self) -> Result<Option<Bytes>, FetchError> {
        match self {
            Self::Plain(sent) => sent.piece().await,
            Self::Packed(reader) => {
                let mut piece = Vec::with_capacity(PIECE);
                let count = reader.read_buf(&mut piece).await.map_err(|error| of_io(&error))?;
                Ok((count > 0).then(|| piece.into()))
            }
        }
    }
}

/// How a body is packed, in the order in which that is undone.
fn codings(headers: &HeaderMap) -> Result<Vec<Coding>, FetchError> {
    let mut codings = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let value = value.to_str().map_err(|_| FetchError::UnsupportedContentEncoding)?;
        for name in value.split(',').map(|name| name.trim().to_ascii_lowercase()) {
            match name.as_str() {
                "" | "identity" => {}
                "gzip" | "x-gzip" => codings.push(Coding::Gzip),
                "br" => codings.push(Coding::Brotli),
                "zstd" => codings.push(Coding::Zstd),
                "deflate" => codings.push(Coding::Deflate),
                _ => return Err(FetchError::UnsupportedContentEncoding),
            }
            if codings.len() > MOST_CODINGS {
                return Err(FetchError::UnsupportedContentEncoding);
            }
        }
    }
    codings.reverse();
    Ok(codings)
}

async fn unpack(sent: Sent, codings: &[Coding]) -> Result<Reader, FetchError> {
    let pieces = stream::try_unfold(sent, async |mut sent: Sent| {
        let piece = sent.piece().await.map_err(io::Error::other)?;
        Ok::<_, io::Error>(piece.map(|piece| (piece, sent)))
    });
    let mut reader: Reader = Box::pin(StreamReader::new(pieces));
    // Answers without a body (to some statuses, or an empty page) say how they would be packed.
    if reader.fill_buf().await.map_err(|error| of_io(&error))?.is_empty() {
        return Ok(reader);
    }
    for coding in codings {
        reader = unpack_once(reader, *coding).await?;
    }
    Ok(reader)
}

async fn unpack_once(mut reader: Reader, coding: Coding) -> Result<Reader, FetchError> {
    Ok(match coding {
        Coding::Gzip => {
            let mut decoder = GzipDecoder::new(reader);
            decoder.multiple_members(true);
            Box::pin(BufReader::with_capacity(PIECE, decoder))
        }
        Coding::Brotli => Box::pin(BufReader::with_capacity(PIECE, BrotliDecoder::new(reader))),
        Coding::Zstd => {
            let window = [DParameter::window_log_max(WINDOW_LOG_MAX)];
            let mut decoder = ZstdDecoder::with_params(reader, &window);
            decoder.multiple_members(true);
            Box::pin(BufReader::with_capacity(PIECE, decoder))
        }
        Coding::Deflate if starts_as_zlib(reader.fill_buf().await.map_err(|error| of_io(&error))?) => {
            Box::pin(BufReader::with_capacity(PIECE, ZlibDecoder::new(reader)))
        }
        Coding::Deflate => Box::pin(BufReader::with_capacity(PIECE, DeflateDecoder::new(reader))),
    })
}

/// Whether bytes begin with the head of zlib (RFC 1950). One byte alone is looked at for its method.
fn starts_as_zlib(bytes: &[u8]) -> bool {
    match bytes {
        [first, second, ..] => {
            first & 0x0f == 8 && first >> 4 <= 7 && u16::from_be_bytes([*first, *second]).is_multiple_of(31)
        }
        [first] => first & 0x0f == 8,
        [] => false,
    }
}

/// What went wrong below a reader: an error of ours, or one of the packing.
fn of_io(error: &io::Error) -> FetchError {
    if let Some(own) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        return *own;
    }
    if error.kind() == io::ErrorKind::UnexpectedEof { FetchError::CutOff } else { FetchError::BrokenContentEncoding }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    fn read(values: &[&str]) -> Result<Vec<Coding>, FetchError> {
        let values = values.iter().map(|value| (CONTENT_ENCODING, value.parse().unwrap()));
        codings(&HeaderMap::from_iter(values))
    }

    #[test]
    fn codings_are_undone_from_the_last_to_the_first() {
        assert_eq!(read(&["gzip, br"]), Ok(vec![Coding::Brotli, Coding::Gzip]));
        assert_eq!(read(&["Identity", "X-GZIP"]), Ok(vec![Coding::Gzip]));
        assert_eq!(read(&[]), Ok(vec![]));
        for bad in ["compress", "gzip, gzip, gzip", "aes128gcm", "gzip;q=1", "dcb", "exi"] {
            assert_eq!(read(&[bad]), Err(FetchError::UnsupportedContentEncoding), "{bad}");
        }
    }

    #[test]
    fn both_forms_of_deflate_are_told_apart() {
        assert!(starts_as_zlib(&[0x78, 0x9c]) && starts_as_zlib(&[0x78, 0x01]) && starts_as_zlib(&[0x78, 0xda]));
        assert!(!starts_as_zlib(&[0x4b, 0x4c]) && !starts_as_zlib(&[0x78, 0x9d]) && !starts_as_zlib(&[]));
    }
}
