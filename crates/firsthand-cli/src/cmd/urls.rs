//! `firsthand urls`: the addresses in a text.

use firsthand::address::Form;
use firsthand::find::{Format, Found, Voice, Written, shown, written};

use crate::args::{Side, TextFormat, Urls};
use crate::cmd::given;
use crate::engine::Record;
use crate::exit::Exit;
use crate::hint::Failure;
use crate::out::{Out, width};
use crate::safe::short_address;
use crate::table::{Cell, Column, Table};
use firsthand_wire::answer::UrlLine;

pub(super) fn run(options: &Urls) -> Result<Exit, Failure> {
    let Record { file, bytes } = given::record(&options.file)?;
    let text = text(&file, &bytes)?;
    let mut printer = Printer::new(options);
    match options.side {
        Side::Source => shown(text, format(options.format), Voice::World, &mut |found| {
            let Found { start, end, spelling, form } = found;
            match form {
                Form::Absolute | Form::Bare => {}
                // A link of a page leads nowhere without the page's own address, which a file does not tell.
                Form::Relative => return,
            }
            let raw = text.get(start..end);
            printer.print(&UrlLine { url: &spelling, start: Some(start), end: Some(end), raw });
        }),
        Side::Model => written(text, &mut |written| {
            // Several spellings may fold into one key and one spelling may be put together from several places, so what
            // the model side finds has no single place.
            let Written { key, spelling, .. } = written;
            printer.print(&UrlLine { url: spelling.unwrap_or(key), start: None, end: None, raw: None });
        }),
    }
    printer.finish()
}

fn text<'b>(file: &str, bytes: &'b [u8]) -> Result<&'b str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let why = format!("line {line}: byte {} of the file is not UTF-8; expected UTF-8 text", before.len());
        Failure::File { file: file.to_owned(), why }
    })
}

fn format(format: TextFormat) -> Format {
    match format {
        TextFormat::Auto => Format::Auto,
        TextFormat::Plain => Format::Plain,
        TextFormat::Markdown => Format::Markdown,
        TextFormat::Html => Format::Html,
        TextFormat::Json => Format::Json,
    }
}

/// Prints what is found as it is found; a table waits for its widest cell.
struct Printer {
    out: Out,
    view: View,
    count: u64,
    failed: Option<std::io::Error>,
}

enum View {
    Count { json: bool },
    Json,
    Table(Table<2>),
}

impl Printer {
    fn new(options: &Urls) -> Self {
        let view = match (options.count, options.json) {
            (true, json) => View::Count { json },
            (false, true) => View::Json,
            (false, false) => View::Table(Table::new([Column::Right("byte"), Column::Left("address")])),
        };
        let out = if options.json { Out::data() } else { Out::tables() };
        Self { out, view, count: 0, failed: None }
    }

    fn print(&mut self, line: &UrlLine<'_>) {
        self.count += 1;
        match &mut self.view {
            View::Count { .. } => {}
            View::Json if self.failed.is_some() => {}
            View::Json => self.failed = self.out.json(line).err(),
            View::Table(table) => {
                let start = line.start.map_or_else(String::new, |start| start.to_string());
                table.row([Cell::new(&start), Cell::new(&short_address(line.url))]);
            }
        }
    }

    fn finish(mut self) -> Result<Exit, Failure> {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        let count = self.count;
        match self.view {
            View::Json => {}
            View::Count { json: true } => self.out.json(&serde_json::json!({ "count": count }))?,
            View::Count { json: false } => self.out.write(format!("{count}\n").as_bytes())?,
            View::Table(_) if count == 0 => self.out.write(b"No addresses.\n")?,
            View::Table(table) => self.out.write(table.render(width()).as_bytes())?,
        }
        self.out.flush()?;
        Ok(Exit::Done)
    }
}
