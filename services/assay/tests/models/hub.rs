//! A model hub on loopback: descriptions and small files on one port, large files behind a redirect on another.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// What happens to one answer.
#[derive(Debug, Clone)]
pub(crate) enum Trouble {
    /// So many bytes of the body, and then the connection ends.
    Cut(usize),
    /// So many bytes of the body, and then nothing until the client goes away.
    Hang(usize),
    /// Another status, without a body.
    Status(u16),
    /// Other bytes.
    Other(Vec<u8>),
    /// The whole file, whatever part was asked for.
    Whole,
    /// A redirect to itself.
    Circle,
}

/// A request that was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) range: Option<String>,
    pub(crate) authorization: Option<String>,
    /// Whether it reached the port of the large files.
    pub(crate) far: bool,
}

/// A repository.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    id: String,
    commit: String,
    files: BTreeMap<String, (Vec<u8>, bool)>,
    /// Whether its description names sizes and checksums.
    pub(crate) described: bool,
}

impl Repository {
    pub(crate) fn new(id: &str, commit: &str) -> Self {
        Self { id: id.into(), commit: commit.into(), files: BTreeMap::new(), described: true }
    }

    /// Adds a file that is kept in git.
    pub(crate) fn small(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(path.into(), (bytes, false));
    }

    /// Adds a file that is kept outside git.
    pub(crate) fn large(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(path.into(), (bytes, true));
    }

    pub(crate) fn without(mut self, path: &str) -> Self {
        self.files.remove(path).unwrap();
        self
    }

    pub(crate) fn at(mut self, commit: &str) -> Self {
        self.commit = commit.into();
        self
    }

    pub(crate) fn bytes(&self, path: &str) -> &[u8] {
        &self.files[path].0
    }

    fn description(&self) -> Value {
        let file = |(path, (bytes, large)): (&String, &(Vec<u8>, bool))| {
            let mut file = json!({ "rfilename": path });
            if self.described {
                file["size"] = bytes.len().into();
                if *large {
                    file["lfs"] = json!({ "sha256": sha256(bytes), "size": bytes.len(), "pointerSize": 134 });
                }
            }
            file
        };
        let files: Vec<Value> = self.files.iter().map(file).collect();
        json!({ "id": self.id, "sha": self.commit, "siblings": files, "cardData": { "license": "apache-2.0" } })
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Debug, Default)]
struct State {
    repositories: Vec<Repository>,
    troubles: Vec<(String, VecDeque<Trouble>)>,
    asked: Vec<Asked>,
    token: Option<String>,
    /// Where the large files are.
    far: String,
}

/// A running hub; it serves until the process ends.
#[derive(Debug, Clone)]
pub(crate) struct Hub {
    near: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Hub {
    pub(crate) fn start(repositories: Vec<Repository>) -> Self {
        let state = Arc::new(Mutex::new(State { repositories, ..State::default() }));
        let listen = |far: bool| {
            let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let (address, state) = (listener.local_addr().unwrap(), Arc::clone(&state));
            std::thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let state = Arc::clone(&state);
                    std::thread::spawn(move || answer(&state, stream, far));
                }
            });
            address
        };
        let (near, far) = (listen(false), listen(true));
        state.lock().unwrap().far = format!("http://{far}");
        Self { near, state }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.near)
    }

    /// What happens to the next answers about paths that end so, one after the other.
    pub(crate) fn trouble(&self, path: &str, troubles: &[Trouble]) {
        let troubles = troubles.iter().cloned().collect();
        self.state.lock().unwrap().troubles.push((path.into(), troubles));
    }

    /// Lets only those in who bring this token.
    pub(crate) fn ask_for(&self, token: &str) {
        self.state.lock().unwrap().token = Some(token.into());
    }

    /// Puts another state of a repository in place.
    pub(crate) fn publish(&self, repository: Repository) {
        let mut state = self.state.lock().unwrap();
        state.repositories.retain(|old| old.id != repository.id);
        state.repositories.push(repository);
    }

    /// Requests so far; forgets them.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.state.lock().unwrap().asked)
    }

    /// Parts of large files that were asked for so far; forgets all requests.
    pub(crate) fn ranges(&self) -> Vec<Option<String>> {
        self.asked().into_iter().filter(|asked| asked.far).map(|asked| asked.range).collect()
    }
}

fn answer(state: &Mutex<State>, stream: TcpStream, far: bool) -> Option<()> {
    let mut head = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let line = head.next()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let headers: BTreeMap<String, String> = head
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned())))
        .collect();
    let (range, authorization) = (headers.get("range").cloned(), headers.get("authorization").cloned());
    let (trouble, found) = {
        let mut state = state.lock().unwrap();
        let asked =
            Asked { path: path.clone(), range: range.clone(), authorization: authorization.clone(), far };
        state.asked.push(asked);
        if !far
            && state.token.is_some()
            && authorization != state.token.as_ref().map(|token| format!("Bearer {token}"))
        {
            (Some(Trouble::Status(401)), None)
        } else {
            let found = found(&state, &path, far);
            // A redirect has no body that could be in trouble.
            let of = |(end, _): &&mut (String, VecDeque<Trouble>)| path.ends_with(end.as_str());
            let ready = !matches!(found, Some(Found::Elsewhere { .. }));
            let trouble =
                state.troubles.iter_mut().filter(|_| ready).find(of).and_then(|(_, left)| left.pop_front());
            (trouble, found)
        }
    };
    send(stream, trouble, found, range.as_deref(), &path).ok()
}

enum Found {
    Body(Vec<u8>),
    Elsewhere { to: String, sha256: String },
}

fn found(state: &State, path: &str, far: bool) -> Option<Found> {
    let mut all = state.repositories.iter();
    if let Some(named) = path.strip_prefix("/api/models/") {
        let named = named.strip_suffix("?blobs=true")?;
        let repository = all.find(|repository| {
            let revision = named.strip_prefix(&format!("{}/revision/", repository.id));
            revision.is_some_and(|revision| revision == "main" || revision == repository.commit)
        })?;
        return Some(Found::Body(repository.description().to_string().into_bytes()));
    }
    let path = path.strip_prefix("/far").filter(|_| far).unwrap_or(path);
    all.find_map(|repository| {
        let name = path.strip_prefix(&format!("/{}/resolve/{}/", repository.id, repository.commit))?;
        let (bytes, large) = repository.files.get(name)?;
        let to = || Found::Elsewhere { to: format!("{}/far{path}", state.far), sha256: sha256(bytes) };
        Some(if *large && !far { to() } else { Found::Body(bytes.clone()) })
    })
}

fn send(
    mut stream: TcpStream,
    trouble: Option<Trouble>,
    found: Option<Found>,
    range: Option<&str>,
    path: &str,
) -> std::io::Result<()> {
    let mut body = match (&trouble, found) {
        (Some(Trouble::Status(status)), _) => {
            let said = "X-Error-Message: not for you\r\n";
            return write!(
                stream,
                "HTTP/1.1 {status} No\r\n{said}Content-Length: 0\r\nConnection: close\r\n\r\n"
            );
        }
        (Some(Trouble::Circle), _) => {
            let head = format!(
                "HTTP/1.1 302 Found\r\nLocation: {path}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            return stream.write_all(head.as_bytes());
        }
        (_, None) => {
            return stream.write_all(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
        (_, Some(Found::Elsewhere { to, sha256 })) => {
            return write!(
                stream,
                "HTTP/1.1 302 Found\r\nLocation: {to}\r\nX-Linked-ETag: \"{sha256}\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
        }
        (_, Some(Found::Body(body))) => body,
    };
    if let Some(Trouble::Other(other)) = &trouble {
        body.clone_from(other);
    }
    let whole = matches!(trouble, Some(Trouble::Whole));
    let from: Option<usize> = range.filter(|_| !whole).and_then(|range| {
        range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok().filter(|from| *from < body.len())
    });
    let (status, shown) = match from {
        Some(from) => (206, format!("Content-Range: bytes {from}-{}/{}\r\n", body.len() - 1, body.len())),
        None => (200, String::new()),
    };
    let body = &body[from.unwrap_or(0)..];
    let head = format!(
        "HTTP/1.1 {status} Fine\r\n{shown}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    match trouble {
        Some(Trouble::Cut(bytes)) => stream.write_all(&body[..bytes]),
        Some(Trouble::Hang(bytes)) => {
            stream.write_all(&body[..bytes])?;
            stream.flush()?;
            // Until the client goes away.
            std::io::copy(&mut stream, &mut std::io::sink()).map(drop)
        }
        _ => stream.write_all(body),
    }
}
