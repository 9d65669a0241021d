//! No reader: every pair is missing.

use std::sync::LazyLock;

use assay_domain::reader::{ReaderIdentity, Reading, Window};
use assay_rpc::Context;
use async_trait::async_trait;

use crate::options::Kind;
use crate::port::{Missing, Question, Reader, Statement};

/// Reads nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

static IDENTITY: LazyLock<ReaderIdentity> =
    LazyLock::new(|| ReaderIdentity { kind: Kind::None.as_str().to_owned(), ..ReaderIdentity::default() });

#[async_trait]
impl Reader for Nobody {
    fn identity(&self) -> &ReaderIdentity {
        &IDENTITY
    }

    async fn read(&self, _: &Context, pairs: &[(Window, Statement)]) -> Vec<Result<Reading, Missing>> {
        vec![Err(Missing::Absent); pairs.len()]
    }

    async fn answers(&self, _: &Context, pairs: &[(Window, Question)]) -> Vec<Result<f64, Missing>> {
        vec![Err(Missing::Absent); pairs.len()]
    }
}
