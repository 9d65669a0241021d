//! A page as the rules see it: anchors, links and blocks of text, each with its lines.

use std::collections::HashSet;

use assay_documents::{Block, Files, Format, Style, Warning, WarningKind, read};
use assay_domain::LineRange;

use crate::{File, Finding, Place, Rule};

/// A page.
pub(crate) struct Page<'f> {
    pub(crate) path: &'f str,
    pub(crate) format: Format,
    /// Whether it has front matter, from which the generator of a site makes menus.
    pub(crate) front: bool,
    /// Names that a fragment may have.
    pub(crate) anchors: HashSet<String>,
    pub(crate) links: Vec<Link>,
    /// Its own blocks, without those of included files.
    pub(crate) blocks: Vec<Block>,
    warnings: Vec<Warning>,
}

/// A link or an image.
pub(crate) struct Link {
    /// Its target as written.
    pub(crate) target: String,
    pub(crate) image: bool,
    pub(crate) lines: LineRange,
}

impl<'f> Page<'f> {
    /// Reads a document; none for code and files of other kinds.
    pub(crate) fn of(file: &'f File, files: &dyn Files) -> Option<Self> {
        let format = Format::of_file(&file.path, &file.text)?;
        if matches!(format, Format::Code(_) | Format::Avap) {
            return None;
        }
        let mut document = read(format, &file.path, &file.text, files);
        document.blocks.retain(|block| block.file.is_none());
        let outside = document.targets.into_iter().map(|(target, line)| Link {
            target,
            image: false,
            lines: LineRange::new(line, line),
        });
        Some(Self {
            path: &file.path,
            format,
            front: document.front_matter_lines > 0,
            anchors: document.anchors.into_iter().map(|(anchor, _)| anchor).collect(),
            links: document.blocks.iter().flat_map(links).chain(outside).collect(),
            blocks: document.blocks,
            warnings: document.warnings,
        })
    }

    /// What the reading left out. A missing include is none of it: a generator may make the file.
    pub(crate) fn unread(&self) -> impl Iterator<Item = Finding> {
        let told = self.warnings.iter().filter(|warning| warning.kind != WarningKind::MissingInclude);
        told.map(|warning| {
            let line = warning.line.max(1);
            Finding {
                rule: Rule::Unread,
                place: self.place(LineRange::new(line, line)),
                message: warning.message.clone(),
                related: Vec::new(),
            }
        })
    }

    pub(crate) fn place(&self, lines: LineRange) -> Place {
        Place { path: self.path.to_owned(), lines }
    }
}

/// The links and images of a block.
fn links(block: &Block) -> impl Iterator<Item = Link> {
    block.spans.iter().filter_map(|span| {
        let (target, image) = match &span.style {
            Style::Link(target) => (target, false),
            Style::Image(target) => (target, true),
            _ => return None,
        };
        Some(Link { target: target.clone(), image, lines: block.lines_of(&span.range) })
    })
}
