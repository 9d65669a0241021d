// The review queue: one record after another, by keyboard if you like, and how often reviewers overturned the checks.

import { $, button, el, empty, fill, get, moment, named, post, problem, t } from "./page.js";
import { recordView } from "./record.js";

const DECISIONS = ["CONFIRM", "OVERTURN", "NEEDS_SOURCE"];
let queue = [], shown = null, decision = "", more = false, busy = false;

/** A waiting record; a click shows it. */
function line(item) {
  const face = button("", () => show(item), { class: "waiting" });
  face.append(el("span", { class: `badge ${item.validation_result?.status ?? ""}` }, named("verdict", item.validation_result?.status ?? item.outcome)),
    " ", item.query || t("record.erased"), el("span", { class: "quiet" }, ` ${moment(item.timestamp)}${item.claimed_by ? ` · ${t("review.by", { who: item.claimed_by })}` : ""}`));
  return el("li", {}, face);
}

const count = () => { $("count").textContent = t("review.count", { count: more ? `${queue.length}+` : queue.length }); };
const say = (text, role = "status") => $("state").replaceChildren(el("p", { role }, text));

/** Shows a record of the queue, or that nothing waits; the lines of the queue stay, and so does the focus. */
function show(item) {
  shown = item;
  choose("");
  $("state").replaceChildren();
  $("decide").hidden = !item;
  [...$("queue").children].forEach((one, index) => one.firstChild.setAttribute("aria-current", String(queue[index] === item)));
  $("queue").children[queue.indexOf(item)]?.scrollIntoView({ block: "nearest" });
  fill($("record"), async () => {
    if (!item) return empty(t("review.empty"));
    const record = await get(`/v1/audit/${item.audit_id}`);
    return [el("h2", {}, record.query || t("record.erased")), ...recordView(record)];
  });
}

/** Shows a neighbour of the record in the queue; at an end nothing happens. */
function move(by) {
  const next = queue[queue.indexOf(shown) + by];
  if (next) show(next);
}

function choose(name) {
  decision = name;
  for (const one of DECISIONS) $(one).setAttribute("aria-pressed", String(one === name));
  if (name) $("reason").focus(); else $("reason").value = "";
}

/** Does something with the record that is shown, one thing at a time. */
async function act(what) {
  const item = shown;
  if (!item || busy) return;
  busy = true;
  try { await what(item); } catch (error) { $("state").replaceChildren(problem(error)); } finally { busy = false; }
}

/** Claims the record, or releases it. */
const hand = (what, words) => act(async item => {
  await post(`/v1/reviews/${item.audit_id}/${what}`, {});
  if (shown === item) say(words);
});
const claim = () => hand("claim", t("review.claimed")), release = () => hand("release", t("review.released"));

/** Sends the decision and goes on; the reader may have moved on, or filtered anew, before it was stored. */
const decide = () => act(async item => {
  const said = decision;
  if (!said) { say(t("review.choose"), "alert"); return; }
  await post(`/v1/reviews/${item.audit_id}/decision`, { decision: said, reason: $("reason").value });
  const index = queue.indexOf(item);
  if (index >= 0) {
    queue.splice(index, 1);
    $("queue").children[index].remove();
    count();
  }
  if (shown === item) {
    if (more && !queue.length) await load(); else show(queue[index] ?? queue[index - 1]);
    $("queue").children[queue.indexOf(shown)]?.firstChild.focus();
  }
  say(t("review.decided", { decision: named("said", said) }));
  fill($("rates"), rates);
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

const KEYS = { j: () => move(1), k: () => move(-1), c: claim, r: release, 1: () => choose("CONFIRM"), 2: () => choose("OVERTURN"), 3: () => choose("NEEDS_SOURCE") };
addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); decide(); return; }
  if (event.key === "Escape" && event.target === $("reason")) { $("reason").blur(); return; }
  if (!$("shortcuts").checked || event.ctrlKey || event.metaKey || event.altKey || /^(input|textarea|select)$/i.test(event.target.tagName)) return;
  const run = KEYS[event.key];
  if (run) { event.preventDefault(); run(); }
});

/** Set where the reader switched single keys off (WCAG 2.1.4). */
const OFF = "assay-shortcuts-off";
try { $("shortcuts").checked = localStorage.getItem(OFF) === null; } catch { /* on, until the page is left */ }
$("shortcuts").addEventListener("change", () => {
  try { $("shortcuts").checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1"); } catch { /* as above */ }
});
for (const name of DECISIONS) $(name).addEventListener("click", () => choose(name));
$("claim").addEventListener("click", claim);
$("release").addEventListener("click", release);
$("decide").addEventListener("submit", event => { event.preventDefault(); decide(); });
$("verdict").addEventListener("change", load);

/** Loads the queue from its beginning and shows the first record; nothing can be decided until then. */
function load() {
  return fill($("record"), async current => {
    queue = [];
    shown = null;
    $("decide").hidden = true;
    $("queue").replaceChildren();
    $("count").textContent = "";
    const wanted = new URLSearchParams({ limit: "100" });
    if ($("verdict").value) wanted.set("verdict", $("verdict").value);
    const page = await get(`/v1/reviews?${wanted}`);
    if (!current()) return;
    queue = page.records;
    more = page.next_page_token !== null;
    $("queue").replaceChildren(...queue.map(line));
    count();
    show(queue[0]);
  });
}

load();
fill($("rates"), rates);
