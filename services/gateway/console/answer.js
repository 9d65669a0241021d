// A settled answer: its text with markers and claims, its sources, its code, its checks, what readers may say of it.

import { markdown } from "./markdown.js";
import { badge, button, el, facts, get, named, post, problem, Problem, t } from "./page.js";

/** What was not checked comes first, then what failed: a reader should not have to look for it. */
const ORDER = ["NOT_CHECKED", "FAILED", "FLAGGED", "PASSED", "NOT_APPLICABLE"];
const FAILED = new Set(["UNSUPPORTED", "CONTRADICTED"]);

/** Lines with their numbers; `cited` are marked. */
export function numbered(text, first, cited) {
  const list = el("pre", { class: "lines", tabindex: "0" });
  text.replace(/\n$/, "").split("\n").forEach((line, index) => {
    const number = first + index;
    const marked = cited && number >= cited[0] && number <= cited[1];
    list.append(el("span", { class: marked ? "line cited" : "line", "data-line": number }, `${line}\n`));
  });
  return list;
}

/** The blocks of a document as a reader sees them; those with `cited` lines are marked. */
export function asShown(blocks, cited) {
  return el("div", { class: "shown", tabindex: "0" }, ...blocks.map(block => {
    const kinds = { heading: "strong", code: "code", caption: "em" };
    const mark = block.kind === "item" ? `${block.label ? `${block.label}.` : "•"} `
      : block.kind === "admonition" && block.label ? `${block.label}: ` : null;
    const marked = cited && cited[0] <= block.lines[1] && block.lines[0] <= cited[1];
    const words = block.kind === "row" ? block.text.split("\t").map(cell => el("span", { class: "cell" }, cell)) : [block.text];
    return el("p", { class: `block ${block.kind}${marked ? " cited" : ""}`, "data-line": block.lines[0], "data-last": block.lines[1] }, mark, el(kinds[block.kind] ?? "span", {}, ...words));
  }));
}

/** Lines of a document with a button that shows them as a reader sees them, and back; so from the start if `shown`. */
export function readable(found, cited, shown) {
  const lines = numbered(found.text, found.first_line, cited);
  if (!found.blocks?.length) return lines;
  const place = el("div", {}, lines);
  const turn = button(t("source.shown"), () => {
    const raw = place.firstChild !== lines;
    place.firstChild.replaceWith(raw ? lines : asShown(found.blocks, cited));
    turn.textContent = t(raw ? "source.shown" : "source.lines");
  }, { class: "quiet" });
  place.append(turn);
  if (shown) turn.click();
  return place;
}

/**
 * The sources beside an answer; `show(number, lines)` opens one at the cited lines. More of a file needs the manifest of
 * the index that was searched.
 */
export function sources(list, collection, manifest) {
  const place = el("aside", { class: "sources", "aria-label": t("sources") });
  const cards = new Map();
  if (list.length) place.append(el("h3", {}, t("sources")));
  for (const source of list) {
    const [first, last] = source.lines;
    const name = `${source.path || named("kind", source.kind)}:${first}-${last}`;
    const text = el("div", {}, numbered(source.text, first));
    const more = manifest && source.path && source.kind !== "editor"
      ? button(t("sources.more"), () => context(text, source, collection, manifest).then(() => more.remove(), error => more.replaceWith(problem(error))))
      : null;
    const card = el("details", { class: "source" },
      el("summary", {}, el("span", { class: "marker" }, String(source.number)), " ", el("code", {}, name),
        source.title ? el("span", { class: "quiet" }, ` ${source.title}`) : null),
      text, el("p", { class: "row" }, more,
        source.sha256 ? el("span", { class: "quiet" }, "SHA-256 ", el("code", {}, source.sha256.slice(0, 12))) : null));
    cards.set(source.number, { card, text, source });
    place.append(card);
  }
  const show = (number, lines) => {
    const found = cards.get(number);
    if (!found) return;
    found.card.open = true;
    const [from, to] = lines ?? found.source.lines;
    for (const line of found.text.querySelectorAll("[data-line]")) {
      const at = Number(line.dataset.line), end = Number(line.dataset.last ?? at);
      line.classList.toggle("cited", from <= end && at <= to);
    }
    found.text.querySelector(".cited")?.scrollIntoView({ block: "nearest" });
    found.card.querySelector("summary").focus();
  };
  return { place, show, has: number => cards.has(number) };
}

/** Puts the lines around a source in its place; refuses those of another index than `manifest`. */
export async function context(place, source, collection, manifest) {
  const [first, last] = source.lines;
  const parameters = new URLSearchParams({ path: source.path, first: String(Math.max(1, first - 12)), last: String(last + 12) });
  const found = await get(`/v1/collections/${encodeURIComponent(collection)}/lines?${parameters}`);
  if (found.index_manifest !== manifest) throw new Problem({ detail: t("sources.changed") });
  place.replaceChildren(readable(found, [first, last]));
}

/** A block of code with the lines that the parser found fault with. */
function code(language, text, block) {
  const lines = el("pre", { class: "lines", tabindex: "0" });
  const found = new Map();
  for (const diagnostic of block?.diagnostics ?? [])
    found.set(diagnostic.line, [...(found.get(diagnostic.line) ?? []), diagnostic]);
  text.split("\n").forEach((line, index) => {
    const wrong = found.get(index + 1) ?? [];
    const worst = wrong.some(one => one.severity === "error") ? "error" : wrong.length ? "warning" : "";
    lines.append(el("span", { class: `line ${worst}`, "data-line": index + 1 }, `${line}\n`));
    for (const one of wrong) lines.append(el("span", { class: `finding ${one.severity}` },
      `${one.code}: ${one.message}${one.suggestion ? ` → ${one.suggestion}` : ""}\n`));
  });
  const copy = button(t("code.copy"), async () => {
    try { await navigator.clipboard.writeText(text); copy.textContent = t("code.copied"); }
    catch { getSelection().selectAllChildren(lines); copy.textContent = t("code.selected"); }
  });
  const status = block ? badge("block", block.status) : null;
  return el("figure", { class: "code" }, el("figcaption", { class: "row" },
    el("span", {}, block?.language || language || t("code.plain")), status, copy), lines);
}

/** Why a claim has its status, in a few words. */
function why(claim) {
  const parts = [named("claim", claim.status)];
  if (claim.reason) parts.push(claim.reason);
  if (claim.decided_by) parts.push(t("claim.by", { what: claim.decided_by }));
  return parts.join(" · ");
}

/** The words of a claim, struck where it failed. */
const words = claim => FAILED.has(claim.status) ? el("s", {}, claim.text) : el("span", {}, claim.text);

function claims(list, show) {
  const judged = list.filter(claim => claim.kind === "factual");
  if (!judged.length) return null;
  const bad = judged.filter(claim => FAILED.has(claim.status)).length;
  const good = judged.filter(claim => claim.status.startsWith("SUPPORTED")).length;
  const place = el("details", { class: "claims", open: bad > 0 },
    el("summary", {}, t("claims.summary", { all: judged.length, good, bad, open: judged.length - good - bad })));
  const items = el("ol");
  for (const claim of judged) {
    const evidence = claim.evidence.map(one => el("li", {},
      button(`[${one.source}] ${one.first_line}–${one.last_line}`, () => show(one.source, [one.first_line, one.last_line]), { class: "marker" }),
      " ", el("q", {}, one.text)));
    items.append(el("li", { class: `claim ${claim.status}` }, words(claim), el("p", { class: "quiet" }, why(claim)),
      evidence.length ? el("ul", {}, ...evidence) : null));
  }
  place.append(items);
  return place;
}

/** Every check, what was not checked first. */
export function checks(list) {
  const rows = [...list].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  const body = el("tbody");
  for (const check of rows)
    body.append(el("tr", { class: check.status }, el("th", { scope: "row" }, named("check", check.name)),
      el("td", {}, badge("result", check.status)), el("td", {}, check.reason || (check.status === "PASSED" ? "" : "–"))));
  return el("div", { class: "wide", tabindex: "0" }, el("table", { class: "checks" },
    el("thead", {}, el("tr", {}, ...["check", "result", "why"].map(name => el("th", { scope: "col" }, t(`checks.${name}`))))), body));
}

/** The node maker of plain text that marks claims where they stand in it. */
function marks(text, list) {
  const judged = list.filter(claim => claim.kind === "factual" && claim.status !== "NOT_APPLICABLE"
    && text.slice(claim.utf16_start, claim.utf16_end).includes(claim.text.trim().split(/\s+/)[0]));
  return (string, offset) => {
    const nodes = [], end = offset + string.length;
    let at = offset;
    for (const claim of judged) {
      const from = Math.max(claim.utf16_start, at), to = Math.min(claim.utf16_end, end);
      if (from >= to) continue;
      if (from > at) nodes.push(string.slice(at - offset, from - offset));
      nodes.push(el(FAILED.has(claim.status) ? "s" : "span", { class: `said ${claim.status}`, title: why(claim) },
        string.slice(from - offset, to - offset)));
      at = to;
    }
    if (at < end) nodes.push(string.slice(at - offset));
    if (nodes.length === 1) return nodes[0];
    const whole = document.createDocumentFragment();
    whole.append(...nodes);
    return whole;
  };
}

/** The text of an answer, or of a draft under way, which has neither claims nor blocks yet. */
export function text(words, shown, list = [], blocks = []) {
  return markdown(words, {
    text: marks(words, list),
    marker: (number, lines, written) => shown.has(number)
      ? button(String(number), () => shown.show(number, lines), { class: "marker", "aria-label": t("sources.open", { number }) })
      : el("span", shown.unlisted ? { class: "marker" } : { class: "marker broken", title: t("sources.unknown") }, written),
    code: (language, program, line) => code(language, program, blocks.find(block => block.first_line === line)),
  });
}

/** What a reader says of an answer: right, or wrong and where. */
function feedback(id, list) {
  const place = el("div", { class: "feedback" });
  const ask = () => place.replaceChildren(el("span", { class: "quiet" }, t("feedback.ask")),
    button(t("feedback.right"), () => send({ rating: "RIGHT" })), button(t("feedback.wrong"), detail));
  const send = async body => {
    try { await post(`/v1/audit/${id}/feedback`, body); place.replaceChildren(el("span", { role: "status" }, t("feedback.thanks"))); }
    catch (error) { place.replaceChildren(problem(error, ask)); }
  };
  const detail = () => {
    const which = el("select", { "aria-label": t("feedback.which") }, el("option", { value: "" }, t("feedback.all")));
    list.forEach((claim, index) => { if (claim.kind === "factual") which.append(el("option", { value: index }, claim.text.slice(0, 80))); });
    const reason = el("input", { maxlength: "4096", "aria-label": t("feedback.reason"), placeholder: t("feedback.reason") });
    place.replaceChildren(el("form", { class: "row", onsubmit: event => {
      event.preventDefault();
      send({ rating: "WRONG", ...(which.value === "" ? {} : { claim: Number(which.value) }), ...(reason.value ? { reason: reason.value } : {}) });
    } }, which, reason, el("button", {}, t("feedback.send")), button(t("cancel"), ask)));
    reason.focus();
  };
  ask();
  return place;
}

/** A settled answer in `place`; `shown` are its sources. */
export function settled(place, a, shown) {
  const rejection = a.rejection;
  const panel = el("section", { class: "panel", hidden: true, "aria-label": t("checks.title") });
  panel.append(checks(a.checks));
  const open = a.checks.filter(check => check.status === "NOT_CHECKED").length;
  const verdict = a.verdict ? button(`${named("verdict", a.verdict)}${open ? ` · ${t("checks.open", { open })}` : ""}`, () => {
    panel.hidden = !panel.hidden;
    verdict.setAttribute("aria-expanded", String(!panel.hidden));
  }, { class: `badge verdict ${a.verdict}`, "aria-expanded": "false", title: t("checks.title") }) : null;
  const head = el("p", { class: "row head" }, badge("outcome", a.outcome), verdict, el("span", { class: "quiet" }, named("type", a.query_type)));
  const parts = [head, panel];
  if (rejection) {
    parts.push(el("div", { class: "rejection" }, el("p", {}, el("strong", {}, rejection.reason)), el("p", {}, rejection.suggestion),
      el("ul", {}, ...rejection.validation.errors.map(one => el("li", {}, el("strong", {}, named("check", one.kind)), " ", one.detail)))));
    if (rejection.partial_response) parts.push(el("p", { class: "quiet" }, t("answer.stands")));
  }
  if (a.failure) parts.push(problem(new Problem(a.failure)));
  parts.push(el("div", { class: "text" }, ...text(rejection ? rejection.partial_response || "" : a.text, shown, rejection ? [] : a.claims, rejection ? [] : a.code)));
  const warnings = a.warnings.filter(Boolean);
  if (warnings.length) parts.push(el("ul", { class: "warnings" }, ...warnings.map(one => el("li", {}, one))));
  parts.push(claims(a.claims, shown.show));
  const ms = Math.round(a.timing_ms.total);
  parts.push(el("details", { class: "made" }, el("summary", {}, t("made.title", { ms })), facts([
    [t("made.route"), `${named("type", a.route.query_type)} (${a.route.layer}: ${a.route.reason})`],
    [t("made.by"), `${a.model} ${a.generator ?? ""}`.trim()], [t("made.grounding"), named("grounding", a.grounding)],
    [t("made.attempts"), String(a.attempts)], [t("made.support"), a.support === null ? null : a.support.toFixed(2)],
    [t("made.index"), a.index_manifest && el("code", {}, a.index_manifest.slice(0, 12))],
    [t("made.audit"), el("a", { href: `/records/${a.audit.id}` }, a.audit.id)], [t("made.state"), named("audit", a.audit.state)]])));
  parts.push(feedback(a.audit.id, a.claims));
  place.replaceChildren(...parts.filter(Boolean));
}
