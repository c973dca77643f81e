//! A server that writes what it is told to, byte by byte, and counts what it is asked.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

type Work = Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>;

pub(crate) struct Server {
    pub(crate) port: u16,
    heads: Arc<Mutex<Vec<String>>>,
    connections: Arc<Mutex<usize>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Each request is answered with these bytes, and the connection closed.
    pub(crate) async fn saying(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let answer = Arc::new(answer);
        Self::doing(move |mut stream, head| {
            let answer = Arc::clone(&answer);
            Box::pin(async move {
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                stream.write_all(&answer(&path)).await?;
                stream.shutdown().await
            })
        })
        .await
    }

    /// One text for everything.
    pub(crate) async fn always(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::saying(move |_| answer.clone()).await
    }

    pub(crate) async fn doing(work: impl Fn(TcpStream, String) -> Work + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (heads, connections) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<Mutex<usize>>::default());
        let (kept, counted) = (Arc::clone(&heads), Arc::clone(&connections));
        let work = Arc::new(work);
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                *counted.lock().unwrap() += 1;
                let (kept, work) = (Arc::clone(&kept), Arc::clone(&work));
                tokio::spawn(async move {
                    let head = head_of(&mut stream).await;
                    if head.is_empty() {
                        return;
                    }
                    kept.lock().unwrap().push(head.clone());
                    // A client that goes away is what many of the tests want.
                    work(stream, head).await.ok();
                });
            }
        });
        Self { port, heads, connections, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The heads of all requests.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.heads().iter().map(|head| head.split(' ').nth(1).unwrap().to_owned()).collect()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn head_of(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte).await {
            Ok(1) => head.push(byte[0]),
            _ => return String::new(),
        }
    }
    String::from_utf8(head).unwrap()
}

/// An answer with a length and a type.
pub(crate) fn ok(body: impl AsRef<[u8]>) -> Vec<u8> {
    with("200 OK", "content-type: text/plain\r\n", body)
}

pub(crate) fn with(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut answer = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

pub(crate) fn moved(to: &str) -> Vec<u8> {
    with("302 Found", &format!("location: {to}\r\n"), "")
}
