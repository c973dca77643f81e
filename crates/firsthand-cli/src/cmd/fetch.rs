//! `firsthand fetch`: what stands at addresses, as text for a model.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::Path;

use firsthand::conversation::{Body, Call, Content, Item, Producer, Ran, ToolResult};
use firsthand::reference::Reference;
use firsthand_fetch::error::{FetchError, Size};
use firsthand_fetch::open::{Answer, Hop, Opened};
use firsthand_fetch::save::{Existing, is_free};
use firsthand_log::Surface;
use firsthand_page::{Limits, Page, PageError};
use firsthand_wire::answer::FetchAnswer;
use firsthand_wire::format::own;

use crate::args::Fetch;
use crate::cmd::leave::{self, Asked};
use crate::engine;
use crate::exit::Exit;
use crate::hint::Failure;
use crate::out::Out;
use crate::progress::Transfer;

/// The tool that is called where none is named.
const TOOL: &str = "web_fetch";

/// From this status on an answer is no page.
const FIRST_FAILURE: u16 = 400;

/// What came of one address.
struct Came {
    answer: FetchAnswer,
    exit: Exit,
    /// The text for the model.
    text: String,
    /// What the world wrote: links are read from it.
    source: String,
    mime: Option<String>,
    redirects: Vec<String>,
}

pub(super) fn run(options: &Fetch) -> Result<Exit, Failure> {
    let Fetch { leave: common, output, append, .. } = options;
    if output.is_some() && common.urls.len() > 1 {
        return Err(Failure::Usage("found several addresses with `--output`; expected one".to_owned()));
    }
    if let Some(file) = output {
        is_free(file, Existing::Replace).map_err(|error| cannot_write(file, &error))?;
    }
    let way = leave::way_out(common)?;
    let (setting, opened) = leave::opened(common)?;
    let record = append.then(|| Appended::to(options)).transpose()?;
    let going = match leave::asked(common, TOOL, Surface::Fetch, &setting, opened)? {
        Asked::Going(going) => *going,
        Asked::Stays(exit) => return Ok(exit),
    };
    let mut transfer = Transfer::new();
    let came = engine::fetch(&going.leaving, going.permit, &way, &mut |progress| transfer.tell(progress));
    transfer.finish();
    let all = match came {
        Ok(all) => all,
        Err(error) => return leave::not_opened(error, (&going.leaving, &going.answer, &going.log), common.json),
    };
    going.log.keep_refusals(&going.leaving, &going.answer, &all)?;
    let asked = going.answer.urls.iter().map(|url| url.url.as_str());
    let mut all: Vec<Came> = asked.zip(&all).map(|(url, opened)| read(url, opened, options)).collect();
    if let Some(record) = record {
        record.append(&all)?;
    }
    if let (Some(file), [came]) = (output, all.as_mut_slice()) {
        save(file, came)?;
    }
    print(&all, options)?;
    Ok(all.iter().map(|came| came.exit).max().unwrap_or(Exit::Done))
}

/// What a page says, or why it says nothing.
fn read(url: &str, opened: &Opened<Answer>, options: &Fetch) -> Came {
    let Opened { hops, end } = opened;
    // What a reference stands for, and where that led, is told nobody.
    let is_hidden = Reference::parse(url).is_some();
    let redirects = if is_hidden { Vec::new() } else { targets(hops) };
    let failed = |error: FetchError| Came {
        exit: leave::failure(error),
        answer: leave::failed(url, error, hops.len()),
        text: String::new(),
        source: error.to_string(),
        mime: None,
        redirects: redirects.clone(),
    };
    let came = match end {
        Ok(came) => came,
        Err(error) => return failed(*error),
    };
    let mut answer = FetchAnswer {
        status: Some(came.status),
        hops: hops.len(),
        bytes: u64::try_from(came.body.len()).unwrap_or(u64::MAX),
        media_type: came.content_type.clone(),
        ..FetchAnswer::open(url)
    };
    if came.status >= FIRST_FAILURE {
        let failed = failed(FetchError::HttpStatus(came.status));
        answer.error.clone_from(&failed.answer.error);
        return Came { answer, ..failed };
    }
    let (body, content_type) = (&came.body, came.content_type.as_deref());
    let page = match is_hidden {
        true => firsthand_page::read_hidden(body, content_type, Limits::default()),
        false => firsthand_page::read(body, content_type, &came.address, Limits::default()),
    };
    let page = match page {
        Ok(page) => page,
        Err(error) => {
            let is_long = matches!(error, PageError::TooLarge { .. });
            let failed = failed(match is_long {
                true => FetchError::TooLarge(Size::Unpacked),
                false => FetchError::UnsupportedContentType,
            });
            answer.error.clone_from(&failed.answer.error);
            return Came { answer, ..failed };
        }
    };
    let (text, next) = page.told(options.offset, options.limit);
    answer.next = next;
    let mime = if page.is_html { Some("text/html".to_owned()) } else { answer.media_type.clone() };
    let Page { title, source, .. } = page;
    answer.title = title;
    Came { answer, exit: Exit::Done, text, source, mime, redirects }
}

/// Where the request was sent on to, as a record tells it.
fn targets(hops: &[Hop]) -> Vec<String> {
    hops.iter().filter_map(|hop| Some(hop.target.as_ref()?.reveal().to_owned())).collect()
}

fn save(file: &Path, came: &mut Came) -> Result<(), Failure> {
    if came.exit != Exit::Done {
        return Ok(());
    }
    leave::whole_file(file, came.text.as_bytes(), true).map_err(|error| cannot_write(file, &error))?;
    came.answer.path = Some(file.to_string_lossy().into_owned());
    came.text.clear();
    Ok(())
}

fn cannot_write(file: &Path, error: &io::Error) -> Failure {
    Failure::File { file: file.to_string_lossy().into_owned(), why: format!("cannot be written: {}", error.kind()) }
}

fn print(all: &[Came], options: &Fetch) -> Result<(), Failure> {
    let json = options.leave.json;
    let mut out = Out::data();
    let mut is_first = true;
    for Came { answer, exit, text, .. } in all {
        if json {
            let text = (*exit == Exit::Done && answer.path.is_none()).then(|| text.clone());
            out.json(&FetchAnswer { text, ..answer.clone() })?;
        } else if !text.is_empty() {
            let between = if is_first { "" } else { "\n---\n\n" };
            is_first = false;
            let end = if text.ends_with('\n') { "" } else { "\n" };
            let shown = if io::stdout().is_terminal() { leave::shown(text) } else { text.clone() };
            out.write(format!("{between}{shown}{end}").as_bytes())?;
        }
    }
    out.flush()?;
    Ok(())
}

/// The conversation to which the call and what it returned are appended.
struct Appended<'o> {
    options: &'o Fetch,
}

impl<'o> Appended<'o> {
    fn to(options: &'o Fetch) -> Result<Self, Failure> {
        let name = options.leave.conversation.to_string_lossy();
        let refuse = |why: &str| Err(Failure::File { file: name.clone().into_owned(), why: why.to_owned() });
        if name == "-" {
            return refuse("found standard input with `--append`; expected a file");
        }
        let bytes = std::fs::read(&options.leave.conversation).unwrap_or_default();
        match firsthand_wire::format::detect(&bytes) {
            Ok(format) if format.name == own::FORMAT.name => Ok(Self { options }),
            Ok(_) | Err(_) => refuse("found another format with `--append`; expected firsthand's own"),
        }
    }

    fn append(&self, all: &[Came]) -> Result<(), Failure> {
        let file = self.options.leave.conversation.to_string_lossy().into_owned();
        let cannot = |why: String| Failure::File { file: file.clone(), why };
        let failed = |error: io::Error| cannot(format!("cannot be written: {}", error.kind()));
        let mut file =
            OpenOptions::new().read(true).append(true).open(&self.options.leave.conversation).map_err(failed)?;
        // Another process may have appended while this one fetched.
        file.lock().map_err(failed)?;
        let mut before = Vec::new();
        file.read_to_end(&mut before).map_err(failed)?;
        let number = before.split(|byte| *byte == b'\n').count();
        let lines = own::write_items(&self.items(all, number)).map_err(|error| cannot(error.to_string()))?;
        let end = if before.is_empty() || before.ends_with(b"\n") { "" } else { "\n" };
        file.write_all([end, &lines].concat().as_bytes()).map_err(|error| {
            // Half of it would make the whole conversation unreadable.
            drop(file.set_len(u64::try_from(before.len()).unwrap_or(u64::MAX)));
            failed(error)
        })
    }

    /// The calls, one for each address, then their results. `before` numbers them, so that no id stands twice.
    fn items(&self, all: &[Came], before: usize) -> Vec<Item> {
        let tool = self.options.leave.tool.clone().unwrap_or_else(|| TOOL.to_owned());
        let id = |number: usize| format!("fetch-{before}-{number}");
        let call = |(number, came): (usize, &Came)| {
            let arguments = serde_json::json!({ "url": came.answer.url }).to_string().into();
            let (server, tool) = (self.options.leave.server.clone(), tool.clone());
            Body::Call(Call { id: id(number), server, tool, arguments, ran: Ran::Client, custom: false })
        };
        let result = |(number, came): (usize, &Came)| {
            Body::Result(ToolResult {
                from: Producer::Call(id(number)),
                content: Content::Text(came.source.as_str().into()),
                is_error: came.exit != Exit::Done,
                mime: came.mime.clone(),
                redirects: came.redirects.clone(),
            })
        };
        let calls = all.iter().enumerate().map(call);
        calls.chain(all.iter().enumerate().map(result)).map(|body| Item::new("", body)).collect()
    }
}
