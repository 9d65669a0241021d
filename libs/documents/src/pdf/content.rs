//! Content of a page: its operators, as far as they place text, give runs of text with their places.

use std::collections::HashMap;
use std::rc::Rc;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::font::{Font, get, number};
use super::{MAX_STREAM_BYTES, PdfError};

/// Bytes that all streams of a file may unpack to.
const MAX_BYTES: usize = 512 << 20;
/// Operators of all pages that are read.
const MAX_OPERATIONS: usize = 30_000_000;
/// Forms of all pages that are read, each as often as it is drawn.
const MAX_DRAWN_FORMS: usize = 20_000;
/// Forms inside each other.
const MAX_FORMS: usize = 8;
/// Saved states.
const MAX_STATES: usize = 512;
/// Gap between characters, in sizes, from which on it is a space between words.
pub(super) const SPACE: f32 = 0.17;
/// Gap between words, in sizes, that ends a run.
const FAR: f32 = 0.9;

/// Gap behind a written space, in sizes, that ends a run.
const FAR_AFTER_SPACE: f32 = 4.0;

/// What is left of the work that a file may make.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: usize,
    operations: usize,
    forms: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: MAX_BYTES, operations: MAX_OPERATIONS, forms: MAX_DRAWN_FORMS }
    }
}

impl Budget {
    /// Content of a stream; none where it is damaged or too large.
    pub(super) fn unpack(&mut self, stream: &Stream) -> Option<Vec<u8>> {
        let content = stream.get_plain_content_with_limit(MAX_STREAM_BYTES.min(self.bytes)).ok()?;
        self.bytes = self.bytes.saturating_sub(content.len());
        Some(content)
    }
}

/// Words of one line that stand close, in one font.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    pub(super) x0: f32,
    pub(super) x1: f32,
    /// Its baseline; pages grow upwards.
    pub(super) y: f32,
    pub(super) size: f32,
    pub(super) text: String,
    pub(super) fixed: bool,
    pub(super) bold: bool,
}

/// A transformation: `[a b c d e f]` of section 8.3 of ISO 32000-1.
type Matrix = [f32; 6];

const SAME: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// The transformation that does `one` and then `next`.
fn then(one: &Matrix, next: &Matrix) -> Matrix {
    let [a, b, c, d, e, f] = *one;
    let [g, h, i, j, k, l] = *next;
    [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l]
}

#[derive(Debug, Clone)]
struct State {
    place: Matrix,
    font: Option<Rc<Font>>,
    size: f32,
    char_space: f32,
    word_space: f32,
    scale: f32,
    leading: f32,
    rise: f32,
}

/// Fonts by their objects.
pub(super) type Fonts = HashMap<ObjectId, Rc<Font>>;

/// A page that is being read.
pub(super) struct Page<'d, 'b> {
    pdf: &'d Document,
    id: ObjectId,
    fonts: &'b mut Fonts,
    budget: &'b mut Budget,
    state: State,
    saved: Vec<State>,
    text: Matrix,
    line: Matrix,
    runs: Vec<Run>,
}

impl<'d, 'b> Page<'d, 'b> {
    pub(super) fn new(pdf: &'d Document, id: ObjectId, fonts: &'b mut Fonts, budget: &'b mut Budget) -> Self {
        let state = State {
            place: rotation(pdf, id),
            font: None,
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        Self { pdf, id, fonts, budget, state, saved: Vec::new(), text: SAME, line: SAME, runs: Vec::new() }
    }

    /// The page's runs of text, in the order of its content.
    pub(super) fn runs(mut self) -> Result<Vec<Run>, PdfError> {
        let limit = MAX_STREAM_BYTES.min(self.budget.bytes);
        let content = self.pdf.get_page_content_with_limit(self.id, limit).map_err(|_| PdfError::Bomb)?;
        self.budget.bytes = self.budget.bytes.saturating_sub(content.len());
        let (own, referenced) = self.pdf.get_page_resources(self.id).unwrap_or_default();
        let referenced = referenced.into_iter().filter_map(|id| self.pdf.get_dictionary(id).ok());
        let resources: Vec<&Dictionary> = own.into_iter().chain(referenced).collect();
        self.content(&content, &resources, 0)?;
        Ok(self.runs)
    }

    fn content(
        &mut self,
        content: &[u8],
        resources: &[&'d Dictionary],
        depth: usize,
    ) -> Result<(), PdfError> {
        for operation in Content::decode_iter(content) {
            self.budget.operations = self.budget.operations.checked_sub(1).ok_or(PdfError::Bomb)?;
            // What comes behind damage is lost; what came before it is text.
            let Ok(operation) = operation else { break };
            self.operation(&operation, resources, depth)?;
        }
        Ok(())
    }

    fn operation(
        &mut self,
        operation: &Operation,
        resources: &[&'d Dictionary],
        depth: usize,
    ) -> Result<(), PdfError> {
        let operands = &operation.operands;
        let at = |index: usize| operands.get(index).and_then(number).unwrap_or(0.0);
        match operation.operator.as_str() {
            "q" if self.saved.len() < MAX_STATES => self.saved.push(self.state.clone()),
            "Q" => self.state = self.saved.pop().unwrap_or_else(|| self.state.clone()),
            "cm" => self.state.place = then(&matrix(operands), &self.state.place),
            "BT" => (self.text, self.line) = (SAME, SAME),
            "Tf" => {
                self.state.size = at(1);
                let name = operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default();
                self.state.font = self.font(name, resources);
            }
            "Tc" => self.state.char_space = at(0),
            "Tw" => self.state.word_space = at(0),
            "Tz" => self.state.scale = at(0) / 100.0,
            "TL" => self.state.leading = at(0),
            "Ts" => self.state.rise = at(0),
            "Tm" => self.set_line(matrix(operands)),
            "Td" => self.move_line(at(0), at(1)),
            "TD" => {
                self.state.leading = -at(1);
                self.move_line(at(0), at(1));
            }
            "T*" => self.move_line(0.0, -self.state.leading),
            "Tj" => self.show_all(operands),
            "'" => {
                self.move_line(0.0, -self.state.leading);
                self.show_all(operands);
            }
            "\"" => {
                (self.state.word_space, self.state.char_space) = (at(0), at(1));
                self.move_line(0.0, -self.state.leading);
                self.show_all(operands.get(2..).unwrap_or(&[]));
            }
            "TJ" => {
                if let Some(Ok(items)) = operands.first().map(Object::as_array) {
                    self.show_all(items);
                }
            }
            "Do" if depth < MAX_FORMS => self.form(operands, resources, depth)?,
            _ => {}
        }
        Ok(())
    }

    fn set_line(&mut self, line: Matrix) {
        (self.text, self.line) = (line, line);
    }

    fn move_line(&mut self, x: f32, y: f32) {
        self.set_line(then(&[1.0, 0.0, 0.0, 1.0, x, y], &self.line));
    }

    fn font(&mut self, name: &[u8], resources: &[&'d Dictionary]) -> Option<Rc<Font>> {
        let pdf = self.pdf;
        let object = resources.iter().find_map(|it| get(pdf, it, b"Font")?.as_dict().ok()?.get(name).ok())?;
        let id = object.as_reference().ok();
        if let Some(known) = id.and_then(|id| self.fonts.get(&id)) {
            return Some(known.clone());
        }
        let dictionary = pdf.dereference(object).ok()?.1.as_dict().ok()?;
        let font = Rc::new(Font::read(pdf, dictionary, self.budget));
        if let Some(id) = id {
            self.fonts.insert(id, font.clone());
        }
        Some(font)
    }

    fn form(
        &mut self,
        operands: &[Object],
        resources: &[&'d Dictionary],
        depth: usize,
    ) -> Result<(), PdfError> {
        let pdf = self.pdf;
        let Some(Ok(name)) = operands.first().map(Object::as_name) else { return Ok(()) };
        let object = resources.iter().find_map(|it| get(pdf, it, b"XObject")?.as_dict().ok()?.get(name).ok());
        let stream = object.and_then(|object| pdf.dereference(object).ok()?.1.as_stream().ok());
        let is_form = |stream: &&Stream| {
            stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|it| it == b"Form")
        };
        let Some(stream) = stream.filter(is_form) else { return Ok(()) };
        self.budget.forms = self.budget.forms.checked_sub(1).ok_or(PdfError::Bomb)?;
        let Some(content) = self.budget.unpack(stream) else { return Ok(()) };
        let own = get(pdf, &stream.dict, b"Resources").and_then(|it| it.as_dict().ok());
        let own: Vec<&Dictionary> = own.map_or_else(|| resources.to_vec(), |own| vec![own]);
        let place =
            get(pdf, &stream.dict, b"Matrix").and_then(|it| it.as_array().ok()).map_or(SAME, |it| matrix(it));
        let before = (self.state.clone(), std::mem::take(&mut self.saved));
        self.state.place = then(&place, &self.state.place);
        let read = self.content(&content, &own, depth + 1);
        (self.state, self.saved) = before;
        read
    }

    fn show_all(&mut self, items: &[Object]) {
        for item in items {
            match item {
                Object::String(bytes, _) => self.show(bytes),
                item => {
                    let back = number(item).unwrap_or(0.0) / 1000.0 * self.state.size * self.state.scale;
                    self.text = then(&[1.0, 0.0, 0.0, 1.0, -back, 0.0], &self.text);
                }
            }
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        let State { size, char_space, word_space, scale, rise, .. } = self.state;
        for code in font.codes(bytes) {
            let place =
                then(&[size * scale, 0.0, 0.0, size, 0.0, rise], &then(&self.text, &self.state.place));
            self.add(&place, code.text, code.width, &font);
            let space = if code.space { word_space } else { 0.0 };
            let forward = (code.width * size + char_space + space) * scale;
            self.text = then(&[1.0, 0.0, 0.0, 1.0, forward, 0.0], &self.text);
        }
    }

    /// Adds a character to the last run, or begins another one.
    fn add(&mut self, place: &Matrix, text: &str, width: f32, font: &Font) {
        let [a, b, _, d, x, y] = *place;
        let size = d.abs();
        // What stands upright or upside down is a mark on the page, not its text.
        if b.abs() > 0.1 * a.abs() || a <= 0.0 || !(size > 0.0 && x.is_finite() && y.is_finite()) {
            return;
        }
        let (text, end) = (text.trim_matches('\0'), x + width * a);
        let blank = text.trim().is_empty();
        if let Some(run) = self.runs.last_mut() {
            let gap = (x - run.x1) / size;
            // A line that is set to both edges has a space of its own in each wide gap.
            let far = if run.text.ends_with(' ') { FAR_AFTER_SPACE } else { FAR };
            let same = (run.y - y).abs() < 0.1 * size && (run.size - size).abs() < 0.1 * size;
            if same && run.fixed == font.fixed && run.bold == font.bold && (-0.3..far).contains(&gap) {
                if gap > SPACE && !run.text.ends_with(' ') {
                    run.text.push_str(&spaces(gap, font.fixed));
                }
                run.text.push_str(if blank { " " } else { text });
                run.x1 = end;
                return;
            }
        }
        if !blank {
            let text = text.to_owned();
            self.runs.push(Run { x0: x, x1: end, y, size, text, fixed: font.fixed, bold: font.bold });
        }
    }
}

/// Spaces for a gap, in sizes: as many as it is wide in a font of one width.
pub(super) fn spaces(gap: f32, fixed: bool) -> String {
    let count = if fixed { (gap / 0.6).round().clamp(1.0, 40.0) } else { 1.0 };
    " ".repeat(count as usize)
}

fn matrix(operands: &[Object]) -> Matrix {
    let mut matrix = [0.0; 6];
    for (slot, operand) in matrix.iter_mut().zip(operands) {
        *slot = number(operand).unwrap_or(0.0);
    }
    matrix
}

/// Turns a page that is shown turned.
fn rotation(pdf: &Document, id: ObjectId) -> Matrix {
    let mut node = pdf.get_dictionary(id).ok();
    for _ in 0..32 {
        let Some(dictionary) = node else { break };
        if let Some(turn) = get(pdf, dictionary, b"Rotate").and_then(|it| it.as_i64().ok()) {
            return match turn.rem_euclid(360) {
                90 => [0.0, -1.0, 1.0, 0.0, 0.0, 0.0],
                180 => [-1.0, 0.0, 0.0, -1.0, 0.0, 0.0],
                270 => [0.0, 1.0, -1.0, 0.0, 0.0, 0.0],
                _ => SAME,
            };
        }
        node = get(pdf, dictionary, b"Parent").and_then(|it| it.as_dict().ok());
    }
    SAME
}
