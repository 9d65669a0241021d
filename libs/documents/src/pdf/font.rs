//! Fonts of a page: what their codes show, and how wide.

use std::collections::HashMap;

use lopdf::{Dictionary, Document, Object, Stream};

use super::cmap::CMap;
use super::content::Budget;

/// Widths of the printable ASCII characters in Helvetica, in thousandths of the size.
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// A font.
#[derive(Debug, Default)]
pub(super) struct Font {
    map: CMap,
    /// Texts of the codes of one byte.
    texts: Vec<String>,
    widths: HashMap<u32, f32>,
    default_width: f32,
    two_bytes: bool,
    /// Whether every character is as wide as every other.
    pub(super) fixed: bool,
    /// Whether it is bold.
    pub(super) bold: bool,
}

/// A code of a string: its text, its width in sizes, and whether it is the space of one byte.
pub(super) struct Code<'f> {
    pub(super) text: &'f str,
    pub(super) width: f32,
    pub(super) space: bool,
}

impl Font {
    /// Reads a font.
    pub(super) fn read(pdf: &Document, font: &Dictionary, budget: &mut Budget) -> Self {
        let descendant = get(pdf, font, b"DescendantFonts").and_then(|list| list.as_array().ok()?.first());
        let descendant = descendant.and_then(|one| pdf.dereference(one).ok()?.1.as_dict().ok());
        let descriptor =
            get(pdf, descendant.unwrap_or(font), b"FontDescriptor").and_then(|it| it.as_dict().ok());
        let name = font.get(b"BaseFont").and_then(Object::as_name).unwrap_or_default();
        let name = String::from_utf8_lossy(name).to_lowercase();
        let flags = descriptor.and_then(|it| it.get(b"Flags").and_then(Object::as_i64).ok()).unwrap_or(0);
        let is_fixed = ["courier", "mono", "consol", "cmtt", "typewriter", "menlo"]
            .iter()
            .any(|part| name.contains(part));
        let map = stream(pdf, font, b"ToUnicode").and_then(|stream| budget.unpack(stream));
        let map = map.map(|content| CMap::read(&content)).unwrap_or_default();
        let mut read = Self {
            two_bytes: descendant.is_some(),
            map,
            fixed: flags & 1 == 1 || is_fixed,
            bold: ["bold", "black", "cmbx", "heavy", "semibold"].iter().any(|part| name.contains(part)),
            ..Self::default()
        };
        if read.two_bytes {
            read.wide(pdf, descendant.unwrap_or(font));
        } else {
            read.narrow(pdf, font, descriptor, &name, budget);
        }
        read
    }

    /// Reads the widths of a font with codes of two bytes.
    fn wide(&mut self, pdf: &Document, font: &Dictionary) {
        self.default_width = get(pdf, font, b"DW").and_then(number).unwrap_or(1000.0);
        let Some(Ok(list)) = get(pdf, font, b"W").map(Object::as_array) else { return };
        let mut items = list.iter().take(1 << 17);
        while let Some(first) = items.next().and_then(code) {
            match items.next().and_then(|item| pdf.dereference(item).ok()).map(|(_, item)| item) {
                Some(Object::Array(widths)) => {
                    let widths = widths.iter().filter_map(number);
                    self.widths.extend((first..).zip(widths));
                }
                Some(last) => {
                    let (Some(last), Some(width)) = (code(last), items.next().and_then(number)) else {
                        return;
                    };
                    self.widths.extend((first..=last).take(1 << 16).map(|code| (code, width)));
                }
                None => return,
            }
        }
    }

    /// Reads the encoding and the widths of a font with codes of one byte.
    fn narrow(
        &mut self,
        pdf: &Document,
        font: &Dictionary,
        descriptor: Option<&Dictionary>,
        name: &str,
        budget: &mut Budget,
    ) {
        let built_in = descriptor.and_then(|it| stream(pdf, it, b"FontFile"));
        self.texts = match built_in.filter(|_| font.get(b"Encoding").is_err()) {
            Some(program) => {
                budget.unpack(program).map(|program| built_in_texts(&program)).unwrap_or_default()
            }
            None => encoded_texts(pdf, font),
        };
        // A font of type 3 measures in a space of its own.
        let matrix =
            get(pdf, font, b"FontMatrix").and_then(|it| it.as_array().ok()?.first()).and_then(number);
        let scale = matrix.map_or(1.0, |matrix| matrix * 1000.0);
        let missing = descriptor.and_then(|it| number(it.get(b"MissingWidth").ok()?));
        let first = get(pdf, font, b"FirstChar").and_then(code).unwrap_or(0);
        match get(pdf, font, b"Widths").and_then(|widths| widths.as_array().ok()) {
            Some(widths) => {
                self.default_width = missing.unwrap_or(0.0);
                let widths = widths
                    .iter()
                    .take(256)
                    .map(|width| resolved(pdf, width).and_then(number).unwrap_or(0.0) * scale);
                self.widths = (first..).zip(widths).collect();
            }
            None if self.fixed => self.default_width = 600.0,
            None => {
                let narrower = if name.contains("times") { 0.9 } else { 1.0 };
                self.default_width = 556.0 * narrower;
                self.widths = (32..).zip(HELVETICA.map(|width| f32::from(width) * narrower)).collect();
            }
        }
    }

    /// The codes of a string.
    pub(super) fn codes<'f>(&'f self, bytes: &'f [u8]) -> impl Iterator<Item = Code<'f>> + 'f {
        bytes.chunks(if self.two_bytes { 2 } else { 1 }).map(|code| {
            let number = code.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
            let own = || self.texts.get(number as usize).map_or("", String::as_str);
            Code {
                text: self.map.get(number).unwrap_or_else(own),
                width: self.widths.get(&number).copied().unwrap_or(self.default_width) / 1000.0,
                space: code == b" ",
            }
        })
    }
}

/// Texts of the 256 codes by the encoding that the font names, glyph by glyph.
fn encoded_texts(pdf: &Document, font: &Dictionary) -> Vec<String> {
    let encoding = get(pdf, font, b"Encoding");
    let names = encoding.and_then(|it| it.as_dict().ok());
    let base = names.map_or(encoding, |names| names.get(b"BaseEncoding").ok());
    let base = base.and_then(|base| base.as_name().ok()).unwrap_or(b"StandardEncoding");
    let mut plain = Dictionary::new();
    plain.set("Type", "Font");
    plain.set("Encoding", Object::Name(base.to_vec()));
    let decoder = plain.get_font_encoding(pdf).ok();
    let of = |byte: u8| {
        decoder.as_ref().and_then(|decoder| decoder.bytes_to_string(&[byte]).ok()).unwrap_or_default()
    };
    let mut texts: Vec<String> = (0..=255).map(of).collect();
    let differences = names.and_then(|names| get(pdf, names, b"Differences")?.as_array().ok());
    let mut at = 0;
    for item in differences.into_iter().flatten().take(1024) {
        match item {
            Object::Name(name) => {
                if let Some(text) = texts.get_mut(at) {
                    *text = glyph(name);
                }
                at += 1;
            }
            item => at = code(item).map_or(at, |code| code as usize),
        }
    }
    texts
}

/// Texts of the codes by the font program's own encoding: lines `dup 12 /fi put` of its readable part.
fn built_in_texts(program: &[u8]) -> Vec<String> {
    let mut texts = vec![String::new(); 256];
    let readable = String::from_utf8_lossy(program.get(..program.len().min(1 << 16)).unwrap_or(&[]));
    let readable = readable.split("eexec").next().unwrap_or("");
    let words: Vec<&str> = readable.split_ascii_whitespace().collect();
    for window in words.windows(4) {
        let [first, number, name, last] = window else { continue };
        let slot = number.parse::<usize>().ok().and_then(|number| texts.get_mut(number));
        if let (true, Some(slot), Some(name)) =
            (*first == "dup" && *last == "put", slot, name.strip_prefix('/'))
        {
            *slot = glyph(name.as_bytes());
        }
    }
    texts
}

/// Text of a glyph by its name: of Adobe's list, `uni0041`, or parts of a ligature.
fn glyph(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let stem = name.split('.').next().unwrap_or("");
    let hex = stem.strip_prefix("uni").or_else(|| stem.strip_prefix('u')).filter(|hex| hex.len() >= 4);
    if let Some(c) = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32) {
        return c.to_string();
    }
    stem.split('_').map(listed).collect()
}

fn listed(name: &str) -> String {
    match name {
        "ff" | "fi" | "fl" | "ffi" | "ffl" => return name.to_owned(),
        _ => {}
    }
    let mut encoding = Dictionary::new();
    encoding.set("Differences", vec![Object::Integer(0), Object::Name(name.as_bytes().to_vec())]);
    let mut font = Dictionary::new();
    font.set("Type", "Font");
    font.set("Encoding", encoding);
    let none = Document::new();
    let decoded = font.get_font_encoding(&none).ok().and_then(|decoder| decoder.bytes_to_string(&[0]).ok());
    decoded.unwrap_or_default()
}

/// Value of a key, behind its reference.
pub(super) fn get<'d>(pdf: &'d Document, dictionary: &'d Dictionary, key: &[u8]) -> Option<&'d Object> {
    resolved(pdf, dictionary.get(key).ok()?)
}

fn resolved<'d>(pdf: &'d Document, object: &'d Object) -> Option<&'d Object> {
    pdf.dereference(object).ok().map(|(_, object)| object)
}

fn stream<'d>(pdf: &'d Document, dictionary: &'d Dictionary, key: &[u8]) -> Option<&'d Stream> {
    get(pdf, dictionary, key)?.as_stream().ok()
}

/// Value of a number.
pub(super) fn number(object: &Object) -> Option<f32> {
    object.as_float().ok().filter(|number| number.is_finite())
}

fn code(object: &Object) -> Option<u32> {
    object.as_i64().ok().and_then(|code| u32::try_from(code).ok()).filter(|code| *code <= 0xffff)
}
