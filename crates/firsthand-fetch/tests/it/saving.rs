//! Files appear whole under their names, or not at all.

use std::path::Path;

use firsthand_fetch::error::FetchError;
use firsthand_fetch::open::{Opened, Saved, Wish};
use firsthand_fetch::save::{Existing, Place};
use tokio::io::AsyncWriteExt as _;

use crate::play::{Names, Play, door};
use crate::server::{Server, moved, ok, with};

async fn download(server: &Server, path: &str, place: &Place) -> Result<Opened<Saved>, FetchError> {
    let address = server.url(path);
    let mut play = Play::of(&[&address]);
    let permit = play.ask(&[&address]).unwrap();
    let door = door(&Names::default());
    door.download(permit, &mut play, place, Wish::default()).await.map(|mut all| all.pop().unwrap())
}

async fn end(server: &Server, place: &Place) -> Result<Saved, FetchError> {
    download(server, "/", place).await?.end
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_whole_answer_is_saved_under_the_callers_own_name() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::always(with("203 Non-Authoritative Information", "", "hello")).await;
    // The caller's name is used as it is, whatever it is.
    let path = folder.path().join("-a:b.part");
    let saved = end(&server, &Place::file(&path, Existing::Keep)).await.unwrap();
    assert_eq!((saved.path, saved.status, saved.bytes), (path.clone(), 203, 5));
    assert_eq!(std::fs::read(&path).unwrap(), b"hello");
    assert_eq!(names(folder.path()), ["-a:b.part"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o600, 0o600);
        assert_eq!(mode & 0o111, 0, "nothing that came from outside can be run");
    }
}

#[tokio::test]
async fn a_file_that_is_there_stays_unless_it_is_to_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::always(ok("new")).await;
    let path = folder.path().join("x");
    std::fs::write(&path, "old").unwrap();
    let error = end(&server, &Place::file(&path, Existing::Keep)).await.unwrap_err();
    assert_eq!((error.code(), server.connections()), ("file_exists", 0));
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    end(&server, &Place::file(&path, Existing::Replace)).await.unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    let named = Server::always(with("200 OK", "content-disposition: attachment; filename=x\r\n", "newer")).await;
    let error = end(&named, &Place::folder(folder.path(), Existing::Keep)).await.unwrap_err();
    assert_eq!(error.code(), "file_exists");
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    assert_eq!(names(folder.path()), ["x"]);
}

#[tokio::test]
async fn several_answers_never_take_one_name() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::saying(|path| ok(path)).await;
    let (one, other) = (server.url("/1"), server.url("/2"));
    let mut play = Play::of(&[&one, &other]);
    let door = door(&Names::default());
    let path = folder.path().join("x");
    let permit = play.ask(&[&one, &other]).unwrap();
    let place = Place::file(&path, Existing::Replace);
    let error = door.download(permit, &mut play, &place, Wish::default()).await.unwrap_err();
    assert_eq!((error.code(), server.connections()), ("file_exists", 0));
    let permit = play.ask(&[&one, &other]).unwrap();
    let place = Place::folder(folder.path(), Existing::Keep);
    door.download(permit, &mut play, &place, Wish::default()).await.unwrap();
    assert_eq!(names(folder.path()), ["1", "2"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("target");
    std::os::unix::fs::symlink(&target, folder.path().join("link")).unwrap();
    let server = Server::always(ok("new")).await;
    let place = Place::file(folder.path().join("link"), Existing::Keep);
    assert_eq!(end(&server, &place).await.unwrap_err().code(), "file_exists");
    let place = Place::file(folder.path().join("link"), Existing::Replace);
    end(&server, &place).await.unwrap();
    assert!(!target.exists() && folder.path().join("link").symlink_metadata().unwrap().is_file());
}

#[tokio::test]
async fn a_name_of_the_servers_stays_in_the_folder() {
    for (disposition, path, name) in [
        ("attachment; filename=\"../../x.txt\"", "/", "x.txt"),
        ("attachment; filename*=UTF-8''..%2F..%2Fy.txt", "/", "y.txt"),
        ("attachment; filename=\"/etc/passwd\"", "/", "passwd"),
        ("attachment; filename=..", "/", "download"),
        ("attachment; filename=.bashrc", "/", "bashrc"),
        ("attachment; filename=con.txt", "/", "_con.txt"),
        ("inline", "/a/report%20May.pdf?x=/y", "report May.pdf"),
        ("inline", "/a/..%2f..%2fz", "z"),
        ("inline", "/", "download"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::always(with("200 OK", &format!("content-disposition: {disposition}\r\n"), "x")).await;
        let saved = download(&server, path, &Place::folder(folder.path(), Existing::Keep)).await.unwrap();
        assert_eq!(saved.end.unwrap().path, folder.path().join(name), "{disposition} {path}");
        assert_eq!(names(folder.path()), [name]);
    }
}

#[tokio::test]
async fn what_fails_leaves_nothing_behind() {
    let cut = Server::always("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nshort").await;
    let large = Server::doing(|mut stream, _| {
        Box::pin(async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            loop {
                stream.write_all(&[b'x'; 0x4000]).await?;
            }
        })
    })
    .await;
    let packed = Server::always(with("200 OK", "content-encoding: gzip\r\n", "never packed")).await;
    let missing = Server::always(with("404 Not Found", "", "no such file")).await;
    let part = Server::always(with("206 Partial Content", "content-range: bytes 0-4/100\r\n", "hello")).await;
    let refused = Server::always(moved("http://10.0.0.1/")).await;
    for (server, code) in [
        (&cut, "cut_off"),
        (&large, "too_large"),
        (&part, "cut_off"),
        (&packed, "broken_content_encoding"),
        (&missing, "http_status"),
        (&refused, "private_address"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for place in
            [Place::file(folder.path().join("x"), Existing::Replace), Place::folder(folder.path(), Existing::Keep)]
        {
            assert_eq!(end(server, &place).await.unwrap_err().code(), code);
            assert!(names(folder.path()).is_empty(), "{code}");
        }
    }
}

#[tokio::test]
async fn a_download_that_is_given_up_leaves_nothing_behind() {
    let stuck = Server::doing(|mut stream, _| {
        Box::pin(async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello").await?;
            std::future::pending().await
        })
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let place = Place::folder(folder.path(), Existing::Keep);
    let given_up = tokio::time::timeout(std::time::Duration::from_millis(300), end(&stuck, &place)).await;
    assert!(given_up.is_err());
    assert!(names(folder.path()).is_empty());
}

#[tokio::test]
async fn no_folder_is_made_and_no_path_before_an_answer_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::always(ok("x")).await;
    let place = Place::file(folder.path().join("none/x"), Existing::Keep);
    assert_eq!(end(&server, &place).await.unwrap_err(), FetchError::WriteFailed(std::io::ErrorKind::NotFound));
    assert!(names(folder.path()).is_empty());
    let closed = "http://10.0.0.1/";
    let mut play = Play::of(&[closed]);
    let permit = play.ask(&[closed]).unwrap();
    let place = Place::file(folder.path().join("x"), Existing::Keep);
    assert!(door(&Names::default()).download(permit, &mut play, &place, Wish::default()).await.is_err());
    assert!(names(folder.path()).is_empty());
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_is_not_replaced_and_nothing_is_sent_for_it() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    let folder = tempfile::tempdir().unwrap();
    let server = Server::always(ok("hello")).await;
    let (socket, to_socket, to_device) =
        (folder.path().join("socket"), folder.path().join("to-socket"), folder.path().join("to-device"));
    let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    symlink(&socket, &to_socket).unwrap();
    symlink("/dev/null", &to_device).unwrap();
    for path in [&socket, &to_socket, &to_device, &folder.path().to_owned()] {
        let error = end(&server, &Place::file(path, Existing::Replace)).await.unwrap_err();
        assert_eq!((error.code(), server.connections()), ("write_failed", 0));
    }
    assert!(socket.symlink_metadata().unwrap().file_type().is_socket());
    assert!(to_device.symlink_metadata().unwrap().is_symlink() && to_socket.symlink_metadata().unwrap().is_symlink());
    assert_eq!(names(folder.path()).len(), 3);
}

#[tokio::test]
async fn an_address_that_is_told_nobody_names_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::folder_named_by_server(folder.path(), Existing::Keep);
    let server = Server::saying(|path| match path {
        "/named" => with("200 OK", "content-disposition: attachment; filename=tide.csv\r\n", "x"),
        "/moved" => moved("/canary-2"),
        _ => ok("x"),
    })
    .await;
    for path in ["/named", "/canary", "/moved"] {
        drop(download(&server, path, &place).await.unwrap());
    }
    assert_eq!(names(folder.path()), ["download", "tide.csv"]);
}

/// Given up by a killed process: no code of ours runs then.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_download_has_no_name_until_it_is_whole() {
    let server = Server::always(ok("hello")).await;
    let folder = tempfile::tempdir().unwrap();
    for place in [Place::folder(folder.path(), Existing::Keep), Place::file(folder.path().join("x"), Existing::Replace)]
    {
        let address = server.url("/");
        let mut play = Play::of(&[&address]);
        let permit = play.ask(&[&address]).unwrap();
        let mut seen = Vec::new();
        let mut progress = |_| seen.push(names(folder.path()));
        let wish = Wish { progress: Some(&mut progress), ..Wish::default() };
        let saved = door(&Names::default()).download(permit, &mut play, &place, wish).await.unwrap().pop().unwrap();
        assert_eq!(seen, [Vec::<String>::new()]);
        std::fs::remove_file(saved.end.unwrap().path).unwrap();
        assert!(names(folder.path()).is_empty());
    }
}
