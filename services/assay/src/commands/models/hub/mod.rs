//! A client of a Hugging Face compatible hub: what a repository holds, and its files from any byte on.

pub(super) mod choice;
pub(super) mod error;
pub(super) mod fetch;
pub(super) mod reference;

use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_RANGE, LOCATION, RANGE};
use reqwest::{Response, StatusCode, Url};
use serde_json::Value;

use super::options::HubOptions;
use assay_domain::{Code, Failure};
use error::Error;
use reference::Repository;

/// Redirects that are followed.
const REDIRECTS: usize = 5;
/// Largest answer that describes a repository, in bytes.
const DESCRIPTION: usize = 8 << 20;

/// A hub, and what may be sent to it.
#[derive(Debug)]
pub(crate) struct Hub {
    client: reqwest::Client,
    address: Url,
    token: Option<String>,
    most: u64,
}

/// What a repository holds at one commit.
#[derive(Debug)]
pub(crate) struct Listing {
    /// `OWNER/NAME`.
    pub(crate) id: String,
    /// The commit.
    pub(crate) commit: String,
    /// Licence, in the hub's words.
    pub(crate) license: Option<String>,
    /// Its files.
    pub(crate) files: Vec<Remote>,
}

/// A file of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remote {
    /// Path inside the repository.
    pub(crate) path: String,
    /// Size, where the hub says.
    pub(crate) bytes: Option<u64>,
    /// SHA-256, where the hub says: of what it keeps outside git, so of every model file.
    pub(crate) sha256: Option<String>,
}

// === impl Hub ===

impl Hub {
    /// The hub of the settings.
    ///
    /// # Errors
    /// `CONFIGURATION` if a setting cannot work or the token cannot be read.
    pub(crate) fn new(options: &HubOptions) -> Result<Self, Failure> {
        options.check()?;
        let wrong = |field: &str, text: String| Failure::new(Code::Configuration, text).field(field);
        let address = options.address().map_err(|text| wrong("models.hub", text))?;
        let token = options.token()?;
        let client = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(options.connect_seconds))
            .read_timeout(options.stall())
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| Failure::internal(format!("no HTTP client: {error}")))?;
        Ok(Self { client, address, token, most: options.max_bytes })
    }

    /// The address below that of the hub; each part is one segment.
    fn below<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.address.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(parts);
        }
        url
    }

    /// What a repository holds.
    ///
    /// # Errors
    /// If the hub cannot be reached, refuses, knows no such repository, or answers something else.
    pub(crate) async fn listing(&self, repository: &Repository) -> Result<Listing, Error> {
        let parts = ["api", "models"].into_iter().chain(repository.id.split('/'));
        let mut url = self.below(parts.chain(["revision", repository.revision.as_str()]));
        url.set_query(Some("blobs=true"));
        let mut reply = self.get(url.clone(), 0).await?.0;
        let wrong = |reason: &str| Error::Reply { address: url.to_string(), reason: reason.to_owned() };
        let mut text = Vec::new();
        while let Some(piece) = reply.chunk().await.map_err(|error| wrong(&cause(&error)))? {
            text.extend_from_slice(&piece);
            if text.len() > DESCRIPTION {
                return Err(wrong("it describes the repository in more than 8 MiB"));
            }
        }
        let read: Value =
            serde_json::from_slice(&text).map_err(|error| wrong(&format!("no JSON: {error}")))?;
        let listing = Listing::of(&repository.id, &read);
        listing.ok_or_else(|| wrong("`sha` or `siblings` is missing"))
    }

    /// A file from this byte on, and the SHA-256 that the hub names on the way. The byte is where the answer begins: 0 if
    /// the server sends the file as a whole.
    async fn open(
        &self,
        listing: &Listing,
        path: &str,
        from: u64,
    ) -> Result<(Response, Option<String>, u64), Error> {
        let parts = listing.id.split('/').chain(["resolve", listing.commit.as_str()]);
        let url = self.below(parts.chain(path.split('/')));
        let (reply, sha256) = self.get(url.clone(), from).await?;
        let begins = match reply.status() {
            StatusCode::PARTIAL_CONTENT => {
                let range = reply.headers().get(CONTENT_RANGE).and_then(|value| value.to_str().ok());
                range.and_then(begin).filter(|begins| *begins == from).ok_or_else(|| Error::Reply {
                    address: url.to_string(),
                    reason: "it sends another part of the file than was asked for".to_owned(),
                })?
            }
            _ => 0,
        };
        Ok((reply, sha256, begins))
    }

    /// An answer to a request, redirects followed; the token goes to the hub alone.
    async fn get(&self, first: Url, from: u64) -> Result<(Response, Option<String>), Error> {
        let (mut url, mut sha256) = (first.clone(), None);
        for _ in 0..=REDIRECTS {
            let mut request = self.client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
            if let Some(token) = self.token.as_ref().filter(|_| url.origin() == self.address.origin()) {
                request = request.bearer_auth(token);
            }
            if from > 0 {
                request = request.header(RANGE, format!("bytes={from}-"));
            }
            let address = url.to_string();
            let unreachable = |error: reqwest::Error| Error::Unreachable {
                address: address.clone(),
                reason: cause(&error),
            };
            let reply = request.send().await.map_err(unreachable)?;
            let header = |name: &str| {
                let value = reply.headers().get(name).and_then(|value| value.to_str().ok());
                value.map(|value| value.trim_start_matches("W/").trim_matches('"').to_owned())
            };
            sha256 = sha256.or_else(|| header("x-linked-etag").filter(|tag| is_sha256(tag)));
            let status = reply.status();
            if !status.is_redirection() {
                let said = header("x-error-message").map_or_else(String::new, |text| format!(" ({text})"));
                return match status.as_u16() {
                    200 | 206 => Ok((reply, sha256)),
                    status @ (401 | 403) => Err(Error::Refused { address, status, said }),
                    404 => Err(Error::Absent { address, said }),
                    416 => Err(Error::Range { address }),
                    _ => Err(Error::Reply { address, reason: format!("status {}{said}", status.as_u16()) }),
                };
            }
            let wrong = |reason: &str| Error::Reply { address: address.clone(), reason: reason.to_owned() };
            let to = reply.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let next = to.and_then(|to| url.join(to).ok());
            url = next.ok_or_else(|| wrong("it redirects to no address"))?;
            if first.scheme() == "https" && url.scheme() != "https" {
                return Err(wrong("it redirects from https to an address without"));
            }
        }
        Err(Error::Reply { address: first.to_string(), reason: format!("more than {REDIRECTS} redirects") })
    }

    /// Most bytes that a model may have.
    #[must_use]
    pub(crate) fn most(&self) -> u64 {
        self.most
    }
}

/// The innermost cause; the outer ones only repeat the address.
fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time (models.connect_seconds, models.stall_seconds)".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// The first byte of `bytes 10-99/100`.
fn begin(range: &str) -> Option<u64> {
    range.strip_prefix("bytes ")?.split('-').next()?.parse().ok()
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a word of the hub may be shown and kept as it is.
fn plain(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= 64
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

// === impl Listing ===

impl Listing {
    fn of(id: &str, read: &Value) -> Option<Self> {
        let commit = read.get("sha")?.as_str().filter(|commit| plain(commit))?.to_owned();
        let files = read.get("siblings")?.as_array()?.iter().filter_map(Remote::of).collect();
        let tagged = || {
            let tags = read.get("tags")?.as_array()?.iter().filter_map(Value::as_str);
            tags.filter_map(|tag| tag.strip_prefix("license:")).next()
        };
        let license = read.pointer("/cardData/license").and_then(Value::as_str).or_else(tagged);
        let license = license.filter(|license| plain(license));
        Some(Self { id: id.to_owned(), commit, license: license.map(str::to_owned), files })
    }

    /// The file at this path.
    #[must_use]
    pub(crate) fn file(&self, path: &str) -> Option<&Remote> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Repository and commit, for people.
    #[must_use]
    pub(crate) fn told(&self) -> String {
        format!("{}@{}", self.id, self.commit)
    }
}

// === impl Remote ===

impl Remote {
    fn of(read: &Value) -> Option<Self> {
        let path = read.get("rfilename")?.as_str()?.to_owned();
        let outside = read.get("lfs");
        let named = |key: &str| outside.and_then(|lfs| lfs.get(key)).and_then(Value::as_str);
        let sha256 = named("sha256").or_else(|| named("oid")).filter(|digest| is_sha256(digest));
        let bytes = read.get("size").or_else(|| outside?.get("size")).and_then(Value::as_u64);
        Some(Self { path, bytes, sha256: sha256.map(str::to_lowercase) })
    }
}
