//! Admonitions, topics and images.

use assay_domain::LineRange;

use super::Reader;
use super::explicit::Directive;
use super::line::Line;
use super::lists::from_line;
use super::place::{Note, Pending, Place};
use crate::inline::Inline;
use crate::{Kind, Style};

/// What Sphinx shows above an admonition.
pub(super) fn label(name: &str) -> Option<&'static str> {
    Some(match name {
        "attention" => "Attention",
        "caution" => "Caution",
        "danger" => "Danger",
        "error" => "Error",
        "hint" => "Hint",
        "important" => "Important",
        "note" => "Note",
        "tip" => "Tip",
        "warning" => "Warning",
        "seealso" => "See also",
        _ => return None,
    })
}

impl Reader<'_, '_> {
    /// Reads the content of an admonition.
    pub(super) fn admonition(
        &mut self,
        label: &str,
        lines: &[Line<'_>],
        directive: &Directive<'_>,
        place: &mut Place,
    ) {
        self.settle(place);
        self.names_of(directive);
        let note = Note { label: label.to_owned(), group: self.builder.group(), lead: place.lead };
        self.inside(lines, Place { note: Some(note), ..place.inner() });
    }

    /// Reads an admonition with a title of its own; without content the title is its text.
    pub(super) fn titled(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let title = self.inline(&directive.argument);
        if !directive.has_content() {
            self.settle(place);
            return self.paragraph(title, directive.lines, place);
        }
        let label = title.text().split_whitespace().collect::<Vec<_>>().join(" ");
        self.admonition(&label, &directive.content(), directive, place);
    }

    /// Reads an image that stands for itself.
    pub(super) fn image(&mut self, directive: &Directive<'_>, place: &mut Place) {
        self.settle(place);
        self.names_of(directive);
        let alternative = directive.option("alt").unwrap_or("");
        let inline =
            image(&directive.words(), alternative, directive.option("target"), directive.line_of("alt"));
        self.builder.block(Kind::Caption, inline, directive.lines, 0, place.lead);
    }

    /// Reads an image with its caption and legend.
    pub(super) fn figure(&mut self, directive: &Directive<'_>, place: &mut Place) {
        if !directive.has_content() {
            return self.image(directive, place);
        }
        self.settle(place);
        self.names_of(directive);
        let line = directive.lines.first;
        let image = image(&directive.words(), "", directive.option("target"), line);
        let pending = Pending::Caption { image, lines: LineRange::new(line, line) };
        self.inside(&directive.content(), place.holding(pending));
    }

    /// Reads a paragraph that is an image by its substitution; whether it is one.
    pub(super) fn image_alone(&mut self, lines: &[Line<'_>], range: LineRange, place: &mut Place) -> bool {
        let [line] = lines else { return false };
        let name = line.text.strip_prefix('|').and_then(|name| name.trim_end_matches('_').strip_suffix('|'));
        let known = name.and_then(|name| self.names.substitutions.get(&super::names::normal(name)));
        let Some(known) = known.filter(|known| known.directive == "image") else { return false };
        let inline =
            image(known.first(), known.option(":alt:").unwrap_or(""), known.option(":target:"), line.number);
        self.settle(place);
        self.builder.block(Kind::Caption, inline, range, 0, place.lead);
        true
    }

    /// Adds the caption of code or a table; the block that leads what it belongs to.
    pub(super) fn caption(&mut self, lines: &[Line<'_>], first: u32, place: &mut Place) -> Option<usize> {
        let lead = self.lead(place);
        let inline = self.inline(lines);
        self.builder.block(Kind::Caption, inline, from_line(first, lines), 0, lead).or(lead)
    }
}

/// An image whose text is its alternative.
fn image(target: &str, alternative: &str, link: Option<&str>, line: u32) -> Inline {
    let mut inline = Inline::default();
    let linked = link.map(|link| inline.open(Style::Link(link.to_owned())));
    inline.styled(Style::Image(target.to_owned()), alternative, line);
    if linked.is_some() {
        inline.close();
    }
    inline
}
