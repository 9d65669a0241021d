//! Marks what belongs to the site and not to the page: navigation, heads, feet, hidden elements.

use super::names::{is_block, is_heading, is_hidden};
use super::tree::{Id, Node, Tree};

/// Classes of parts that no page says, wherever they stand.
const CHROME: &[&str] = &[
    // Shown to screen readers alone.
    "sr-only",
    "visually-hidden",
    "screen-reader-text",
    "screen-reader-only",
    "visuallyhidden",
    // Sphinx: permalinks, links to sources, lists of the pages below.
    "headerlink",
    "viewcode-link",
    "viewcode-back",
    "toctree-wrapper",
    "sphinxsidebar",
    "rst-footer-buttons",
    "rst-breadcrumbs-buttons",
    "wy-breadcrumbs",
    "rst-versions",
    "linenos",
    "lineno",
    // Furo and the PyData theme.
    "related-pages",
    "content-icon-container",
    "back-to-top",
    "view-this-page",
    "edit-this-page",
    "prev-next-area",
    "sd-hide-link-text",
    // DocBook and Asciidoctor.
    "navheader",
    "navfooter",
    "toc",
    "indexterm",
    // Docusaurus.
    "hash-link",
    "theme-edit-this-page",
    "theme-doc-toc-mobile",
    "theme-doc-breadcrumbs",
    "theme-doc-footer",
    "pagination-nav",
    "theme-doc-version-badge",
    // MkDocs.
    "md-content__button",
    "md-source-file",
    "md-feedback",
    "md-tags",
    "md-skip",
    "toclink-icon",
    // Hugo, Jekyll, mdBook, and highlighters with numbers of lines.
    "td-heading-self-link",
    "header-anchor",
    "anchor-link",
    "anchorjs-link",
    "heading-anchor",
    "lnt",
    "ln",
    "rouge-gutter",
    "hljs-ln-numbers",
    "line-numbers-rows",
    "line-numbers-wrapper",
    "react-syntax-highlighter-line-number",
    "boring",
    "page-meta",
    "td-page-meta",
    "td-page-meta__lastmod",
    "td-toc",
    // Rustdoc.
    "hideme",
    // Any generator.
    "breadcrumb",
    "breadcrumbs",
    "table-of-contents",
    "tableofcontents",
    "skip-link",
    "skip-to-content",
    "skiplink",
    "pagination",
    "pager",
    "edit-page",
    "edit-link",
    "cookie-banner",
    "cookie-consent",
    "copybtn",
    "copy-button",
    "clippy",
];

/// Classes of parts around the content, where the page does not mark its content.
const AROUND: &[&str] = &[
    "sidebar",
    "menu",
    "menu-bar",
    "navbar",
    "nav",
    "navigation",
    "related",
    "searchbox",
    "search",
    "footer",
    "page-footer",
    "site-footer",
    "site-header",
    "header",
    "topbar",
    "nav-wrapper",
    "nav-chapters",
    "mobile-nav-chapters",
    "wy-nav-side",
    "wy-nav-top",
    "toc-drawer",
    "sidebar-drawer",
    "mobile-header",
    "md-sidebar",
    "cookie",
    "cookies",
    "top-nav",
    "sub-nav",
    "bottom-nav",
    "skip-nav",
];

/// Ids of parts around the content: Sphinx, Doxygen, Javadoc, Asciidoctor, mdBook.
const AROUND_IDS: &[&str] = &[
    "toc",
    "nav-path",
    "side-nav",
    "sidebar",
    "footer",
    "footer-text",
    "mdbook-menu-bar",
    "menu-bar",
    "navbar",
];

/// How much of what stands around the content is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// What is hidden.
    Hidden,
    /// Navigation inside of the content too.
    Chrome,
    /// The parts around the content too.
    Around,
}

/// Marks what is not read and gives the element whose content is: the page's content where it is marked as such.
pub(super) fn content(tree: &mut Tree<'_>, part: bool) -> Id {
    mark(tree, Left::Chrome);
    let main = main(tree).filter(|_| !part);
    if let Some(main) = main.filter(|main| length(tree, *main) > 0) {
        return main;
    }
    mark(tree, Left::Around);
    // A page that is nothing but navigation is read as such, unless its content is marked and empty.
    if main.is_none() && length(tree, 0) == 0 {
        mark(tree, Left::Hidden);
    }
    0
}

/// The one element that holds the content: `main`, and in it a single article that holds most of its words.
fn main(tree: &Tree<'_>) -> Option<Id> {
    let main = tree.find(0, |node| node.name == "main" || node.attribute("role") == Some("main"));
    let root = main.unwrap_or(0);
    let mut articles = Vec::new();
    tree.visit(root, |id, node| {
        let is_article = node.name == "article" && !node.skip;
        if is_article {
            articles.push(id);
        }
        !is_article && !node.skip
    });
    match articles.as_slice() {
        [only] if main.is_none() || 2 * length(tree, *only) >= length(tree, root) => Some(*only),
        _ => main,
    }
}

/// Bytes of shown words.
fn length(tree: &Tree<'_>, root: Id) -> usize {
    let mut length = 0;
    tree.visit(root, |_, node| {
        if node.is_text() {
            let raw = tree.text.get(node.start..node.end).unwrap_or("");
            length += raw.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
        }
        !node.skip
    });
    length
}

fn mark(tree: &mut Tree<'_>, left: Left) {
    for id in 1..tree.len() {
        let node = tree.node(id);
        let skip = !node.is_text()
            && (node.parent.is_some_and(|parent| tree.node(parent).skip)
                || hidden(node)
                || left != Left::Hidden && (chrome(tree, id, node) || permalink(tree, id, node))
                || left == Left::Around && around(tree, id, node));
        if let Some(node) = tree.node_mut(id) {
            node.skip = skip;
        }
    }
}

fn hidden(node: &Node) -> bool {
    // The tab that is not chosen is a part of what the page says.
    let tab = node.attribute("role") == Some("tabpanel");
    let style = |style: &str| {
        let style = style.replace(' ', "").to_ascii_lowercase();
        style.contains("display:none") || style.contains("visibility:hidden")
    };
    is_hidden(node.name)
        || !tab && (node.attribute("hidden").is_some() || node.attribute("style").is_some_and(style))
        || node.attribute("aria-hidden") == Some("true")
}

fn chrome(tree: &Tree<'_>, id: Id, node: &Node) -> bool {
    matches!(node.name, "nav" | "search" | "dialog")
        || matches!(
            node.attribute("role"),
            Some("navigation" | "search" | "banner" | "contentinfo" | "doc-toc")
        )
        || matches!(node.name, "header" | "footer") && of_page(tree, id)
        || node.classes().any(|class| CHROME.contains(&class))
        // Docutils: the table of contents of a page is a topic.
        || node.has_class("contents") && (node.has_class("topic") || node.has_class("local"))
        // VitePress names the language of code in a corner.
        || node.name.is_empty() && node.has_class("lang") && node.parent.is_some_and(|above| is_code(tree.node(above)))
        // Rustdoc's links to sources.
        || node.name == "a" && node.has_class("src")
        // Docusaurus makes names of its classes with a hash behind them.
        || node.classes().any(|class| class.starts_with("tocCollapsible") || class.starts_with("docItemCol_toc"))
}

fn is_code(node: &Node) -> bool {
    node.classes().any(|class| class.starts_with("language-"))
}

/// Whether a header or footer stands above or below the content, in no article of its own.
fn of_page(tree: &Tree<'_>, id: Id) -> bool {
    let inside =
        |above: Id| matches!(tree.node(above).name, "article" | "section" | "main" | "blockquote" | "figure");
    let heading = || tree.find(id, |node| node.name == "h1").is_some();
    !tree.ancestors(id).any(inside) && !heading()
}

/// Whether a link only names the place where it stands, or opens the page's source for editing.
fn permalink(tree: &Tree<'_>, id: Id, node: &Node) -> bool {
    let Some(target) = node.attribute("href").filter(|_| node.name == "a" && !node.has_block) else {
        return false;
    };
    let edits = target.contains("/edit/");
    if !edits && !target.starts_with('#') {
        return false;
    }
    let words = tree.words(id);
    edits && words.starts_with("Edit")
        || matches!(words.as_str(), "¶" | "§" | "#" | "🔗" | "ⓘ" | "⚓" | "∞" | "↩" | "↩︎" | "↑")
}

fn around(tree: &Tree<'_>, id: Id, node: &Node) -> bool {
    let named = node.classes().any(|class| AROUND.contains(&class.to_ascii_lowercase().as_str()))
        || node.attribute("id").is_some_and(|id| AROUND_IDS.contains(&id));
    // Docutils has a `sidebar` with a title inside of the content.
    let titled = || tree.find(id, |node| node.has_class("sidebar-title")).is_some();
    named
        && is_block(node.name)
        && !matches!(node.name, "body" | "html")
        && !is_heading(node.name)
        && !titled()
}
