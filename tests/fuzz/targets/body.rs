//! Any body of a request is read or refused in words; what is read keeps the limits.
#![no_main]

use assay_gateway::body::Ask;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| match Ask::parse(data) {
    Ok(ask) => assert!(ask.question.check_limits().is_ok()),
    Err(refused) => assert!(!refused.message.is_empty(), "{refused:?}"),
});
