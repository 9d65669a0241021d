// The page of the index: collections, what each is made of, its documents, their mistakes.

import { readable } from "./answer.js";
import { $, button, el, empty, facts, fill, get, moment, named, problem, t } from "./page.js";

const path = (name, rest) => `/v1/collections/${encodeURIComponent(name)}${rest}`;

/** A place in a file, opened where it stands; `said` stands behind it. */
function place(collection, at, end, said) {
  const colon = at.lastIndexOf(":");
  const file = at.slice(0, colon), line = Number(at.slice(colon + 1)), last = end ?? line;
  const lines = el("div");
  const open = button(at, async () => {
    open.disabled = true;
    try {
      const parameters = new URLSearchParams({ path: file, first: String(Math.max(1, line - 3)), last: String(Math.max(last, line + 17)) });
      const found = await get(path(collection, `/lines?${parameters}`));
      lines.replaceChildren(readable(found, [line, last]));
    } catch (error) { lines.replaceChildren(problem(error)); open.disabled = false; }
  }, { class: "marker" });
  return el("li", {}, open, said && ` ${said}`, lines);
}

/** Lines of a document that are opened at once. */
const PAGE = 200;

/** The rows of a document: its facts, and below them the document itself once it is opened. */
function opened(collection, one) {
  const cell = el("td", { colspan: "4" }), below = el("tr", { hidden: "" }, cell);
  const open = button(one.path, () => {
    below.hidden = !below.hidden;
    open.setAttribute("aria-expanded", String(!below.hidden));
    if (below.hidden || cell.firstChild) return;
    fill(cell, async () => {
      const parameters = new URLSearchParams({ path: one.path, first: "1", last: String(PAGE) });
      const found = await get(path(collection, `/lines?${parameters}`));
      const more = found.line_count > PAGE ? el("p", { class: "quiet" }, t("index.first", { count: PAGE })) : null;
      return [readable(found, null, true), more].filter(Boolean);
    });
  }, { class: "marker", "aria-expanded": "false" });
  return [el("tr", {}, el("td", {}, open), el("td", {}, one.title), el("td", { class: "number" }, String(one.chunks)),
    el("td", {}, el("code", {}, one.sha256.slice(0, 12)))), below];
}

/** What the lint found, by rule. */
function mistakes(collection, { files, total, findings }) {
  if (!total) return empty(t("lint.none", { files }));
  return el("div", {}, el("p", {}, t("lint.counted", { total, files })),
    findings.length < total ? el("p", { class: "quiet" }, t("lint.first", { count: findings.length })) : null,
    ...[...Map.groupBy(findings, one => one.rule)].flatMap(([rule, all]) => [el("h4", {}, named("lint", rule)),
      el("ul", { class: "places" }, ...all.map(one => place(collection, `${one.path}:${one.first_line}`, one.last_line, one.message)))]));
}

/** Documents in which two collections differ, by path and hash. */
function difference(one, other) {
  const hashes = found => new Map(found.documents.map(document => [document.path, document.sha256]));
  const before = hashes(one), after = hashes(other), rows = [];
  for (const [file, hash] of before)
    if (!after.has(file)) rows.push(["missing", file]); else if (after.get(file) !== hash) rows.push(["changed", file]);
  for (const file of after.keys()) if (!before.has(file)) rows.push(["added", file]);
  return rows;
}

async function show(collection, all) {
  const found = await get(path(collection.name, ""));
  const rows = el("tbody");
  const draw = words => rows.replaceChildren(...found.documents.filter(one => one.path.toLowerCase().includes(words.toLowerCase())).slice(0, 500)
    .flatMap(one => opened(collection.name, one)));
  draw("");
  const filter = el("input", { type: "search", "aria-label": t("index.filter"), placeholder: t("index.filter"), oninput: event => draw(event.target.value) });
  const result = el("div", { "aria-live": "polite" });
  const other = el("select", { "aria-label": t("index.other"), onchange: () => fill(result, async () => {
    if (!other.value) return [];
    const changed = difference(found, await get(path(other.value, "")));
    return changed.length ? el("ul", {}, ...changed.map(([what, file]) => el("li", {}, el("span", { class: "badge" }, t(`index.${what}`)), ` ${file}`))) : empty(t("index.same"));
  }) }, el("option", { value: "" }, t("index.other")), ...all.filter(one => one !== collection).map(one => el("option", {}, one.name)));
  const linted = el("div", { "aria-live": "polite" });
  const look = button(t("lint.look"), () => fill(linted, async () => mistakes(collection.name, await get(path(collection.name, "/lint")))));
  const heads = ["path", "title", "chunks", "hash"].map(name => el("th", { scope: "col" }, t(`index.${name}`)));
  return [el("h2", {}, collection.name), facts([[t("index.manifest"), el("code", {}, collection.manifest)], [t("index.created"), moment(collection.created)],
    [t("index.chunker"), collection.chunker], [t("index.analysis"), collection.analysis], [t("index.model"), collection.embedding_model]]),
  el("section", {}, el("h3", {}, t("index.lint")), el("p", {}, t("index.blocks", { blocks: collection.lint.blocks, invalid: collection.lint.invalid_blocks })),
    el("ul", { class: "places" }, ...collection.lint.invalid_at.map(at => place(collection.name, at)))),
  el("section", {}, el("h3", {}, t("lint.title")), el("p", {}, look), linted),
  el("section", {}, el("h3", {}, t("index.drift")), el("p", { class: "quiet" }, t("index.verify")), el("pre", {}, `assay index verify --collection ${collection.name} PATH…`),
    all.length > 1 ? el("p", {}, other) : null, result),
  el("section", {}, el("h3", {}, t("index.documents", { count: found.documents.length })), el("p", {}, filter),
    el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), rows)))];
}

fill($("collections"), async () => {
  const { collections } = await get("/v1/collections");
  if (!collections.length) return [empty(t("index.empty")), el("pre", {}, "assay ingest docs/")];
  const rows = collections.map(one => el("tr", {}, el("th", { scope: "row" }, button(one.name, () => fill($("one"), () => show(one, collections)))),
    el("td", { class: "number" }, String(one.files)), el("td", { class: "number" }, String(one.chunks)), el("td", {}, moment(one.created)),
    el("td", {}, t("index.invalid", { invalid: one.lint.invalid_blocks, blocks: one.lint.blocks }))));
  const heads = ["name", "files", "chunks", "created", "lint"].map(name => el("th", { scope: "col" }, t(`index.${name}`)));
  fill($("one"), () => show(collections[0], collections));
  return el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows)));
});
