// The review queue: one record after another, by keyboard if you like, and how often reviewers overturned the checks.

import { $, button, el, empty, fill, get, moment, named, post, problem, t } from "./page.js";
import { recordView } from "./record.js";

const DECISIONS = ["CONFIRM", "OVERTURN", "NEEDS_SOURCE"];
let queue = [], at = 0, decision = "";

function tab(item, index) {
  return el("li", {}, button("", () => show(index), { "aria-current": index === at ? "true" : null, class: "waiting" }));
}

function list() {
  $("queue").replaceChildren(...queue.map((item, index) => {
    const line = tab(item, index), face = line.firstChild;
    face.append(el("span", { class: `badge ${item.validation_result?.status ?? ""}` }, named("verdict", item.validation_result?.status ?? item.outcome)),
      " ", item.query || t("record.erased"), el("span", { class: "quiet" }, ` ${moment(item.timestamp)}${item.claimed_by ? ` · ${t("review.by", { who: item.claimed_by })}` : ""}`));
    return line;
  }));
  $("count").textContent = t("review.count", { count: queue.length });
}

function show(index) {
  if (!queue.length) {
    $("record").replaceChildren(empty(t("review.empty")));
    $("decide").hidden = true;
    return;
  }
  at = Math.max(0, Math.min(index, queue.length - 1));
  list();
  $("queue").children[at].firstChild.scrollIntoView({ block: "nearest" });
  choose("");
  $("decide").hidden = false;
  $("state").replaceChildren();
  const wanted = queue[at].audit_id;
  fill($("record"), async () => {
    const record = await get(`/v1/audit/${wanted}`);
    return [el("h2", {}, record.query || t("record.erased")), ...recordView(record)];
  });
}

function choose(name) {
  decision = name;
  for (const one of DECISIONS) $(one).setAttribute("aria-pressed", String(one === name));
  if (name) $("reason").focus(); else $("reason").value = "";
}

async function act(what) {
  const item = queue[at];
  if (!item) return;
  try { await what(item); } catch (error) { $("state").replaceChildren(problem(error)); }
}

const claim = () => act(async item => {
  await post(`/v1/reviews/${item.audit_id}/claim`, {});
  $("state").replaceChildren(el("p", { role: "status" }, t("review.claimed")));
});
const release = () => act(async item => {
  await post(`/v1/reviews/${item.audit_id}/release`, {});
  $("state").replaceChildren(el("p", { role: "status" }, t("review.released")));
});
const decide = () => act(async item => {
  if (!decision) { $("state").replaceChildren(el("p", { role: "alert" }, t("review.choose"))); return; }
  await post(`/v1/reviews/${item.audit_id}/decision`, { decision, reason: $("reason").value });
  queue.splice(at, 1);
  show(at);
  list();
  $("state").replaceChildren(el("p", { role: "status" }, t("review.decided", { decision: named("said", decision) })));
  fill($("rates"), rates);
  document.activeElement?.blur();
});

/** A share with its interval, drawn between 0 and 1; the figures stand beside it. */
function bar(share, interval) {
  const drawn = el("div", { class: "bar", "aria-hidden": "true" }, el("span", { class: "span" }), el("span", { class: "dot" }));
  const [low, high] = interval ?? [share, share];
  for (const [name, value] of Object.entries({ "--low": low, "--high": high, "--share": share })) drawn.style.setProperty(name, String(value));
  return drawn;
}

const percent = value => `${Math.round(value * 100)} %`;

function rateRow(rate, name) {
  const share = rate.overturned_share;
  return el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, `${rate.overturned} / ${rate.confirmed + rate.overturned}`),
    el("td", {}, share === null ? "–" : percent(share)), el("td", {}, rate.interval ? `${percent(rate.interval[0])}–${percent(rate.interval[1])}` : "–"),
    el("td", {}, share === null ? "" : bar(share, rate.interval)));
}

async function rates() {
  const found = await get("/v1/reviews/rates");
  const body = el("tbody");
  if (found.doubted) body.append(rateRow(found.doubted, t("rates.doubted")));
  for (const one of found.policies ?? []) body.append(rateRow(one, `${t("rates.policy")} ${one.name}`));
  for (const one of found.checks ?? []) body.append(rateRow(one, named("check", one.name)));
  for (const one of found.weeks ?? []) body.append(rateRow(one, t("rates.week", { day: one.name.slice(0, 10) })));
  const heads = ["what", "overturned", "share", "interval", "plot"].map(name => el("th", { scope: "col" }, t(`rates.${name}`)));
  return [el("div", { class: "wide", tabindex: "0" }, el("table", { class: "rates" }, el("thead", {}, el("tr", {}, ...heads)), body)),
    el("p", { class: "quiet" }, found.catch ? "" : t("rates.catch", { why: found.no_catch ?? "" }))];
}

const KEYS = { j: () => show(at + 1), k: () => show(at - 1), c: claim, r: release, 1: () => choose("CONFIRM"), 2: () => choose("OVERTURN"), 3: () => choose("NEEDS_SOURCE") };
addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); decide(); return; }
  if (event.key === "Escape") { document.activeElement?.blur(); choose(""); return; }
  if (event.ctrlKey || event.metaKey || event.altKey || /^(input|textarea|select)$/i.test(event.target.tagName)) return;
  const run = KEYS[event.key];
  if (run) { event.preventDefault(); run(); }
});
for (const name of DECISIONS) $(name).addEventListener("click", () => choose(name));
$("claim").addEventListener("click", claim);
$("release").addEventListener("click", release);
$("decide").addEventListener("submit", event => { event.preventDefault(); decide(); });
$("verdict").addEventListener("change", load);

async function load() {
  const wanted = new URLSearchParams({ limit: "100" });
  if ($("verdict").value) wanted.set("verdict", $("verdict").value);
  await fill($("record"), async () => {
    queue = (await get(`/v1/reviews?${wanted}`)).records;
    return "";
  });
  if ($("record").querySelector(".problem")) return;
  list();
  show(0);
}

load();
fill($("rates"), rates);
