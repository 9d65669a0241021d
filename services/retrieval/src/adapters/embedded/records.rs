//! Records in a file: where each lies, and how its bytes are read.

use crate::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Place of a record in a file: first byte and length.
pub(super) type Span = (u64, u64);

/// Bytes of a record.
pub(super) fn read_span(file: &File, (start, length): Span) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0_u8; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut bytes, start)
        .map_err(|error| Error::Corrupt(format!("a record is cut off: {error}")))?;
    Ok(bytes)
}

pub(super) fn spans(bytes: &[u8]) -> Vec<Span> {
    let read = |bytes: &[u8]| bytes.first_chunk::<8>().map_or(0, |chunk| u64::from_le_bytes(*chunk));
    let (records, _) = bytes.as_chunks::<16>();
    records.iter().map(|record| (read(record), read(record.get(8..).unwrap_or_default()))).collect()
}

/// Little-endian floats.
pub(super) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}
