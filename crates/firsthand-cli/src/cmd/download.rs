//! `firsthand download`: what addresses hold, in files.

use std::path::PathBuf;

use firsthand::reference::Reference;
use firsthand_fetch::open::{Opened, Saved};
use firsthand_fetch::save::{Existing, Place};
use firsthand_log::Surface;
use firsthand_wire::answer::FetchAnswer;

use crate::args::Download;
use crate::cmd::leave::{self, Asked};
use crate::engine;
use crate::exit::Exit;
use crate::hint::Failure;
use crate::out::Out;
use crate::progress::Transfer;
use crate::safe::file_name;

/// The tool that is called where none is named.
const TOOL: &str = "download_file";

pub(super) fn run(options: &Download) -> Result<Exit, Failure> {
    let Download { leave: common, output, into } = options;
    let place = match output {
        Some(_) if common.urls.len() > 1 => {
            let why = "found several addresses with `--output`; expected one, or `--into`";
            return Err(Failure::Usage(why.to_owned()));
        }
        Some(file) => Place::file(file, Existing::Replace),
        None => {
            let folder = into.clone().unwrap_or_else(|| PathBuf::from("."));
            // A name of the address would tell what a reference stands for.
            let is_hidden = common.urls.iter().any(|url| url.to_str().and_then(Reference::parse).is_some());
            match is_hidden {
                true => Place::folder_named_by_server(folder, Existing::Keep),
                false => Place::folder(folder, Existing::Keep),
            }
        }
    };
    let way = leave::way_out(common)?;
    let (setting, opened) = leave::opened(common)?;
    let going = match leave::asked(common, TOOL, Surface::Download, &setting, opened)? {
        Asked::Going(going) => *going,
        Asked::Stays(exit) => return Ok(exit),
    };
    let mut transfer = Transfer::new();
    let came = engine::download(&going.leaving, going.permit, &way, &place, &mut |progress| transfer.tell(progress));
    transfer.finish();
    let all = match came {
        Ok(all) => all,
        Err(error) => return leave::not_opened(error, (&going.leaving, &going.answer, &going.log), common.json),
    };
    going.log.keep_refusals(&going.leaving, &going.answer, &all)?;
    let mut out = if common.json { Out::data() } else { Out::tables() };
    let mut exit = Exit::Done;
    for (Opened { hops, end }, asked) in all.iter().zip(&going.answer.urls) {
        let answer = match end {
            Ok(saved) => told(&asked.url, saved, hops.len()),
            Err(error) => {
                exit = exit.max(leave::failure(*error));
                leave::failed(&asked.url, *error, hops.len())
            }
        };
        match (common.json, &answer.path) {
            (true, _) => out.json(&answer)?,
            (false, Some(path)) => out.write(format!("{} ({} bytes)\n", file_name(path), answer.bytes).as_bytes())?,
            (false, None) => {}
        }
    }
    out.flush()?;
    Ok(exit)
}

fn told(url: &str, saved: &Saved, hops: usize) -> FetchAnswer {
    FetchAnswer {
        status: Some(saved.status),
        hops,
        bytes: saved.bytes,
        media_type: saved.content_type.clone(),
        path: Some(saved.path.to_string_lossy().into_owned()),
        ..FetchAnswer::open(url)
    }
}
