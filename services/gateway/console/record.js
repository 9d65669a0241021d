// One record of the audit log, for a reader; on its own page and in the review queue.

import { checks, context, text } from "./answer.js";
import { badge, button, download, el, facts, get, moment, named, problem, Problem, t } from "./page.js";
import { able, verifierKey, verify } from "./verify.js";

/** A record names its sources in its citations; it has no list of them. */
const nothing = { unlisted: true, has: () => false, show: () => undefined };

/** The words of a claim, or the hash that policy keeps of them. */
const claimed = claim => claim.startsWith("salted-sha256:") ? el("code", { title: t("record.digest") }, `${claim.slice(0, 26)}…`) : el("q", {}, claim);

/** The collection whose index a record was answered from; no other holds the cited lines for sure. */
async function collectionOf(manifest) {
  const { collections } = await get("/v1/collections");
  const found = collections.find(one => one.manifest === manifest);
  if (!found) throw new Problem({ detail: t("record.gone") });
  return found.name;
}

/** A citation with a button for its lines, unless it cites nothing. */
function citation(record, one) {
  const place = el("div");
  const [first, last] = one.line_range.split("-").map(Number);
  const open = button(`${one.source}:${one.line_range}`, async () => {
    open.disabled = true;
    try { await context(place, { path: one.source, lines: [first, last] }, await collectionOf(record.index_manifest), record.index_manifest); }
    catch (error) { place.replaceChildren(problem(error)); open.disabled = false; }
  }, { class: "marker" });
  return el("li", {}, badge("citation", one.validation_status), " ", claimed(one.claim), " ", one.source && one.line_range ? open : null,
    one.semantic_score === null ? null : el("span", { class: "quiet" }, ` ${one.semantic_score.toFixed(2)}`), place);
}

/** The receipt: to download, and to verify here against a key that the reader brings. */
function receipt(record) {
  const result = el("div", { "aria-live": "polite" });
  const key = el("input", { placeholder: t("receipt.key"), "aria-label": t("receipt.key"), spellcheck: "false", autocomplete: "off" });
  const path = `/v1/audit/${record.audit_id}/receipt`, whole = record.payload_erased ? path : `${path}?payload=true`;
  const run = async event => {
    event.preventDefault();
    try {
      if (!await able()) {
        result.replaceChildren(el("p", {}, t("receipt.unable")), el("pre", {}, `assay audit prove ${record.audit_id} -o receipt.json\nassay audit verify receipt.json --key log.pub`));
        return;
      }
      if (key.value.trim() && !await verifierKey(key.value)) throw new Problem({ detail: t("receipt.no_key") });
      const steps = await verify(await get(whole), record, key.value);
      const ok = steps.every(step => step.ok);
      result.replaceChildren(el("p", { class: ok ? "badge PASS" : "badge REJECT", role: ok ? "status" : "alert" }, t(ok ? "receipt.holds" : "receipt.broken")),
        el("ul", { class: "steps" }, ...steps.map(step => el("li", { class: step.ok ? "PASSED" : "FAILED" }, `${step.ok ? "✓" : "✗"} ${t(`receipt.${step.name}`)}`))));
    } catch (error) { result.replaceChildren(problem(error)); }
  };
  return el("section", {}, el("h3", {}, t("receipt.title")), el("p", { class: "quiet" }, t("receipt.about", { leaf: record.receipt.leaf_index })),
    el("form", { class: "row", onsubmit: run }, key, el("button", {}, t("receipt.verify")),
      button(t("receipt.download"), () => download(path, `receipt-${record.audit_id}.json`).catch(error => result.replaceChildren(problem(error))))), result);
}

/** A record as a page shows it. */
export function recordView(record) {
  const found = record.validation_result;
  const parts = [el("p", { class: "row head" }, badge("outcome", record.outcome), found?.status ? badge("verdict", found.status) : null,
    record.route ? el("span", { class: "quiet" }, named("type", record.route.query_type)) : null,
    el("time", { class: "quiet", datetime: record.timestamp }, moment(record.timestamp)))];
  if (record.payload_erased) parts.push(el("p", { class: "empty" }, t("record.erased")));
  if (record.errors.length) parts.push(el("ul", { class: "warnings" }, ...record.errors.map(one => el("li", {}, one))));
  if (record.answer) parts.push(el("div", { class: "text" }, ...text(record.answer, nothing)));
  else if (!record.payload_erased && record.outcome === "ANSWERED") parts.push(el("p", { class: "empty" }, t("record.digest")));
  if (record.citations.length) parts.push(el("section", {}, el("h3", {}, t("record.citations")), el("ul", { class: "citations" }, ...record.citations.map(one => citation(record, one)))));
  if (found?.checks.length) parts.push(el("section", {}, el("h3", {}, t("checks.title")), checks(found.checks)));
  if (record.notes?.length) parts.push(el("section", {}, el("h3", {}, t("record.notes")), el("ul", {}, ...record.notes.map(note =>
    el("li", {}, badge("said", note.said), ` ${note.principal} `, el("q", {}, note.reason), el("span", { class: "quiet" }, ` ${moment(note.stored)}`))))));
  parts.push(el("details", { class: "made" }, el("summary", {}, t("record.made")), facts([
    [t("record.principal"), record.principal], [t("record.session"), record.session_id], [t("made.by"), record.model_version],
    [t("record.policy"), found?.policy], [t("made.grounding"), named("grounding", record.grounding)],
    [t("made.support"), found?.confidence_score === null || found === null ? null : found.confidence_score.toFixed(2)],
    [t("made.attempts"), String(record.attempts.length)], [t("record.time"), `${Math.round(record.processing_time_ms)} ms`],
    [t("made.index"), record.index_manifest && el("code", {}, record.index_manifest.slice(0, 12))], ["id", el("code", {}, record.audit_id)]])));
  if (record.receipt) parts.push(receipt(record));
  return parts;
}
