// The page of records: search, one record, the log as a whole.

import { $, badge, button, el, empty, fill, get, moment, named, problem, t } from "./page.js";
import { recordView } from "./record.js";

const FIELDS = ["text", "verdict", "outcome", "query_type", "session", "since", "until"];

function row(record) {
  const verdict = record.validation_result?.status;
  return el("tr", {}, el("td", {}, el("time", { datetime: record.timestamp }, moment(record.timestamp))),
    el("td", {}, verdict ? badge("verdict", verdict) : badge("outcome", record.outcome)),
    el("td", { class: "quiet" }, record.route ? named("type", record.route.query_type) : ""),
    el("td", {}, el("a", { href: `/records/${record.audit_id}` }, record.query || t("record.erased"))));
}

function wanted() {
  const given = new URLSearchParams();
  for (const name of FIELDS) {
    const value = $(name).value.trim();
    if (value) given.set(name, value);
  }
  return given;
}

/** Dates of the form are the reader's; the server takes milliseconds since the Unix epoch. */
const MOMENTS = { since: "from_ms", until: "until_ms" };
function asked(given) {
  const sent = new URLSearchParams({ limit: "50" });
  for (const [name, value] of given) {
    if (name in MOMENTS) sent.set(MOMENTS[name], String(new Date(value).getTime()));
    else sent.set(name, value);
  }
  return sent;
}

function list() {
  const given = wanted();
  history.replaceState(null, "", given.size ? `?${given}` : location.pathname);
  fill($("found"), async current => {
    $("state").textContent = "";
    const sent = asked(given);
    const page = await get(`/v1/audit?${sent}`);
    if (!current()) return [];
    const body = el("tbody", {}, ...page.records.map(row));
    const count = token => { $("state").textContent = t("records.count", { count: `${body.childElementCount}${token ? "+" : ""}` }); };
    count(page.next_page_token);
    if (!page.records.length) return empty(t(given.size ? "records.none" : "records.empty"));
    const more = button(t("records.more"), async () => {
      more.disabled = true;
      try {
        sent.set("page_token", more.dataset.token);
        const next = await get(`/v1/audit?${sent}`);
        if (!current()) return;
        body.append(...next.records.map(row));
        count(next.next_page_token);
        if (next.next_page_token) more.dataset.token = next.next_page_token; else more.remove();
      } catch (error) {
        const box = problem(error, () => { box.replaceWith(more); more.click(); });
        more.replaceWith(box);
      } finally { more.disabled = false; }
    }, { "data-token": page.next_page_token ?? "" });
    const heads = ["time", "verdict", "type", "question"].map(name => el("th", { scope: "col" }, t(`records.${name}`)));
    return [el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body)), page.next_page_token ? more : ""];
  });
}

/** What the service itself finds when it reads its whole log. */
async function log() {
  const found = await get("/v1/audit/verify");
  const head = el("p", { class: found.ok ? "badge PASS" : "badge REJECT", role: found.ok ? "status" : "alert" }, t(found.ok ? "log.holds" : "log.broken"));
  const parts = [head, el("p", { class: "quiet" }, t("log.counted", { leaves: found.leaves, checkpoints: found.checkpoints_checked, erased: found.payloads_erased }))];
  if (found.findings.length) parts.push(el("ul", { class: "steps" }, ...found.findings.map(one => el("li", { class: "FAILED" }, `✗ ${one}`))));
  parts.push(el("p", { class: "quiet" }, t("log.key"), " ", el("code", {}, found.public_key)));
  return parts;
}

const id = location.pathname.split("/")[2];
if (id) {
  $("search").hidden = true;
  fill($("found"), async () => {
    const record = await get(`/v1/audit/${encodeURIComponent(id)}`);
    document.title = `${record.query} · Assay`;
    return [el("p", {}, el("a", { href: "/records" }, t("records.back"))), el("h1", {}, record.query || t("record.erased")), ...recordView(record)];
  });
} else {
  const given = new URLSearchParams(location.search);
  for (const name of FIELDS) if (given.has(name)) $(name).value = given.get(name);
  $("search").addEventListener("submit", event => { event.preventDefault(); list(); });
  $("verify").addEventListener("click", () => fill($("log"), log));
  list();
}
