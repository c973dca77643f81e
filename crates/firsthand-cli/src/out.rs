//! Standard output and standard error.

use std::io::{self, BufWriter, IsTerminal as _, Write as _};

use anstream::AutoStream;
use firsthand_wire::error::without_addresses;

use crate::safe::Addresses;

/// Standard output, coloured on a terminal only.
///
/// Who reads it may go away (`firsthand trace ... | head`). That is no error: what is written afterwards goes nowhere, and
/// [`Out::is_closed`] says so to whoever would work on for nothing.
pub(crate) struct Out {
    stream: BufWriter<AutoStream<io::Stdout>>,
    closed: bool,
}

impl std::fmt::Debug for Out {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Out").field("closed", &self.closed).finish_non_exhaustive()
    }
}

impl Out {
    /// Standard output for tables: styles are stripped where it is no terminal or colours are not wanted.
    pub(crate) fn tables() -> Self {
        Self::over(AutoStream::auto(io::stdout()))
    }

    /// Standard output for data: bytes as they are.
    pub(crate) fn data() -> Self {
        Self::over(AutoStream::always_ansi(io::stdout()))
    }

    fn over(stream: AutoStream<io::Stdout>) -> Self {
        Self { stream: BufWriter::with_capacity(64 << 10, stream), closed: false }
    }

    /// Writes all of it.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let written = self.stream.write_all(bytes);
        self.unless_closed(written)
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        self.write(&json_line(value)?)
    }

    /// Hands on what is still held back.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let flushed = self.stream.flush();
        self.unless_closed(flushed)
    }

    /// Whether nobody reads any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    fn unless_closed(&mut self, result: io::Result<()>) -> io::Result<()> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => other,
        }
    }
}

/// A value as one line of JSON.
pub(crate) fn json_line(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// The width of the terminal that standard output is, in columns; `None` where it is none.
pub(crate) fn width() -> Option<usize> {
    /// Narrower than this, tables are unreadable whatever is done.
    const LEAST: usize = 40;
    if !io::stdout().is_terminal() {
        return None;
    }
    let (terminal_size::Width(width), _) = terminal_size::terminal_size()?;
    Some(usize::from(width).max(LEAST))
}

/// How a table for people looks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look {
    /// How much of each address it shows.
    pub(crate) addresses: Addresses,
    /// No line is wider than so many columns.
    pub(crate) width: Option<usize>,
}

impl Look {
    /// Fitting the terminal, or with all addresses whole.
    pub(crate) fn of(full: bool) -> Self {
        match full {
            true => Self { addresses: Addresses::Whole, width: None },
            false => Self { addresses: Addresses::Short, width: width() },
        }
    }
}

/// Writes a message to standard error, with the program's name before it. Hidden characters are spelled out.
///
/// SECURITY: no message carries an address; whoever makes one names file, place, and kind. What people typed as a file's
/// name may be one all the same.
pub(crate) fn message(text: &str) {
    let mut stream = anstream::stderr().lock();
    let lines: Vec<String> = text.lines().map(|line| crate::safe::plain(&without_addresses(line))).collect();
    // Nobody is left to tell where standard error itself is gone.
    drop(writeln!(stream, "firsthand: {}", lines.join("\n  ")));
}
