//! Nothing that is printed or logged holds an address, a host, a path, a header or a body.

use firsthand::private::Private;
use firsthand_fetch::client::Settings;
use firsthand_fetch::open::{Door, Wish};
use firsthand_fetch::reach::Reach;
use firsthand_fetch::save::{Existing, Place};

use crate::play::{Names, Play, door, settings};
use crate::server::{Server, moved, with};

const CANARY: &str = "kanarienvogel";

fn is_silent(what: &str, text: &str) {
    assert!(!text.to_lowercase().contains(CANARY), "{what}: {text}");
    assert!(!text.contains("127.0.0.1") && !text.contains("://"), "{what}: {text}");
}

#[tokio::test]
async fn results_and_errors_print_nothing_of_what_they_hold() {
    let headers = format!("x: {CANARY}\r\ncontent-type: text/{CANARY}\r\n");
    let answers = [
        with("200 OK", &headers, CANARY),
        with("404 Not Found", &headers, CANARY),
        moved(&format!("http://{CANARY}.example:1/{CANARY}")),
        moved(&format!("http://10.0.0.1/{CANARY}")),
        moved(&format!("ftp://{CANARY}/")),
        format!("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{CANARY}").into_bytes(),
        format!("{CANARY}\r\n\r\n").into_bytes(),
        with("200 OK", &format!("content-encoding: {CANARY}\r\n"), ""),
    ];
    for answer in answers {
        let server = Server::always(answer).await;
        for host in ["127.0.0.1", "kanarienvogel.example"] {
            let address = format!("http://{host}:{}/{CANARY}?{CANARY}={CANARY}", server.port);
            let mut play = Play::of(&[&address]);
            let door = door(&Names::of(&[&["127.0.0.1"], &[]]));
            let opened = door.fetch(play.ask(&[&address]).unwrap(), &mut play, Wish::default()).await.unwrap();
            is_silent("opened", &format!("{opened:?}"));
            for error in opened.iter().filter_map(|opened| opened.end.as_ref().err()) {
                is_silent("error", &format!("{error} {error:?} {}", error.code()));
            }
            let folder = tempfile::tempdir().unwrap();
            let place = Place::file(folder.path().join(CANARY), Existing::Keep);
            is_silent("place", &format!("{place:?}"));
            let permit = play.ask(&[&address]).unwrap();
            let saved = door.download(permit, &mut play, &place, Wish::default()).await.unwrap();
            is_silent("saved", &format!("{saved:?}"));
        }
    }
    let address = format!("http://10.0.0.1/{CANARY}");
    let mut play = Play::of(&[&address]);
    let permit = play.ask(&[&address]).unwrap();
    let error = door(&Names::default()).fetch(permit, &mut play, Wish::default()).await.unwrap_err();
    is_silent("refused", &format!("{error} {error:?}"));
}

#[tokio::test]
async fn settings_print_nothing_of_what_they_hold() {
    let reach = Reach::new(Private::parse(["kanarienvogel.example"], ["127.0.0.1"]).unwrap());
    let proxy = Some(format!("http://{CANARY}:{CANARY}@{CANARY}.example"));
    let settings = Settings { reach, proxy, ..settings(&Names::default()) };
    is_silent("settings", &format!("{settings:?}"));
    let door = Door::new(settings).unwrap();
    is_silent("door", &format!("{door:?}"));
    let bad = Settings { proxy: Some(CANARY.to_owned()), ..Settings::default() };
    let error = Door::new(bad).unwrap_err();
    is_silent("bad settings", &format!("{error} {error:?}"));
}
