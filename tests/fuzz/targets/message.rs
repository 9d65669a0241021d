//! Any bytes of a message are decoded into our terms or refused; what is read is the same after another round.
#![no_main]

use assay_domain::code::ParsedBlock;
use assay_domain::{Answer, Draft, Hit, Question, Record, Report, Source};
use assay_proto::{audit, common};
use assay_wire::{FromWire, ToWire};
use libfuzzer_sys::fuzz_target;
use prost::Message;

fn round<T, W>(bytes: &[u8])
where
    T: FromWire<W> + ToWire<Wire = W>,
    W: Message + Default + Clone + PartialEq + std::fmt::Debug,
{
    let Ok(message) = W::decode(bytes) else { return };
    let Ok(read) = T::from_wire(message) else { return };
    let sent = read.to_wire();
    let again = T::from_wire(sent.clone()).expect("what was read once").to_wire();
    assert!(again == sent || again.encode_to_vec() == sent.encode_to_vec(), "{sent:?} {again:?}");
}

fuzz_target!(|data: &[u8]| {
    let Some((kind, bytes)) = data.split_first() else { return };
    match kind % 8 {
        0 => round::<Question, common::Question>(bytes),
        1 => round::<Source, common::Source>(bytes),
        2 => round::<Hit, common::Hit>(bytes),
        3 => round::<ParsedBlock, common::ParsedBlock>(bytes),
        4 => round::<Report, common::Report>(bytes),
        5 => round::<Answer, common::Answer>(bytes),
        6 => round::<Record, audit::Record>(bytes),
        _ => round::<Draft, common::Draft>(bytes),
    }
});
