//! The error-code table, its pages and its index say the same, and failures cross a status unchanged.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use assay_domain::{Code, Failure};
use assay_wire::{FromWire as _, ToWire as _, error, from_status, to_status};
use proptest::prelude::*;

fn pages() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors")
}

/// The upper-case name that gRPC gives a status.
fn grpc_name(code: tonic::Code) -> String {
    let mut name = String::new();
    for letter in format!("{code:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_uppercase());
    }
    name
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let files: BTreeSet<String> = std::fs::read_dir(pages())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    let codes: BTreeSet<String> = Code::ALL.iter().map(|code| format!("{code}.md")).collect();
    assert_eq!(files, codes);
}

#[test]
fn every_page_repeats_its_row_of_the_table() {
    for row in error::table() {
        let page = std::fs::read_to_string(pages().join(format!("{}.md", row.code))).unwrap();
        let head = format!(
            "# `{}`\n\n{}\n\n| gRPC | HTTP |\n|---|---|\n| `{}` | {} |\n",
            row.code,
            row.meaning,
            grpc_name(row.grpc),
            row.http
        );
        assert!(page.starts_with(&head), "docs/errors/{}.md must start with\n{head}", row.code);
        for part in ["## Typical causes", "## What to do", "## Example"] {
            assert!(page.contains(part), "docs/errors/{}.md lacks {part}", row.code);
        }
        assert!(
            page.contains(&format!("\"code\": \"{}\"", row.code)),
            "the example of {} names its code",
            row.code
        );
    }
}

#[test]
fn the_index_holds_exactly_the_table() {
    let index = std::fs::read_to_string(pages().join("README.md")).unwrap();
    let rows: Vec<String> = index.lines().filter(|line| line.starts_with("| [")).map(str::to_owned).collect();
    let expected: Vec<String> = error::table()
        .map(|row| {
            format!(
                "| [`{0}`]({0}.md) | `{1}` | {2} | {3} |",
                row.code,
                grpc_name(row.grpc),
                row.http,
                row.meaning
            )
        })
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn every_failure_survives_a_status_and_a_message() {
    for code in Code::ALL {
        for field in ["", "query", "items[3].id"] {
            let failure = Failure::new(*code, "what is wrong: ñ, \"x\"\nand what to do").field(field);
            assert_eq!(from_status(&to_status(&failure)), failure);
            assert_eq!(Failure::from_wire(failure.to_wire()).unwrap(), failure);
        }
    }
}

#[test]
fn foreign_statuses_are_folded_into_our_codes() {
    for (status, code) in [
        (tonic::Status::cancelled("Timeout expired"), Code::DeadlineExceeded),
        (tonic::Status::cancelled("operation was canceled"), Code::Cancelled),
        (tonic::Status::deadline_exceeded("late"), Code::DeadlineExceeded),
        (tonic::Status::unavailable("connection refused"), Code::Unavailable),
        (tonic::Status::unknown("transport error"), Code::Unavailable),
        (
            tonic::Status::unknown("h2 protocol error: error reading a body from connection"),
            Code::Unavailable,
        ),
        (tonic::Status::unknown("?"), Code::Internal),
        (tonic::Status::out_of_range("decoded message length too large"), Code::PayloadTooLarge),
        (tonic::Status::unimplemented(""), Code::Unimplemented),
    ] {
        assert_eq!(from_status(&status).code, code, "{status:?}");
    }
    let silent = from_status(&tonic::Status::unimplemented(""));
    assert_eq!(silent.message, error::meaning(Code::Unimplemented));
}

#[test]
fn unknown_code_falls_back_to_its_grpc_status() {
    let mut status = tonic::Status::not_found("gone");
    status.metadata_mut().insert(error::CODE_KEY, "code_of_tomorrow".parse().unwrap());
    assert_eq!(from_status(&status).code, Code::NotFound);
}

#[test]
fn non_ascii_field_stays_out_of_the_header() {
    let failure = Failure::new(Code::InvalidArgument, "unknown field `añadir`").field("añadir");
    let back = from_status(&to_status(&failure));
    assert_eq!((back.code, back.field.as_str()), (Code::InvalidArgument, ""));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_message_is_bounded_and_never_breaks_a_status(message in "\\PC{0,3000}") {
        let failure = Failure::new(Code::Internal, message.clone());
        let back = from_status(&to_status(&failure));
        prop_assert_eq!(back.code, Code::Internal);
        if message.chars().count() <= error::MESSAGE_CHARS && !message.is_empty() {
            prop_assert_eq!(back.message, message);
        } else {
            prop_assert!(back.message.chars().count() <= error::MESSAGE_CHARS + 3);
        }
    }
}
