// The page that asks: a conversation, each answer as it comes, its sources beside it.

import { settled, sources, text } from "./answer.js";
import { $, button, call, el, events, get, named, problem, Problem, t } from "./page.js";

const conversation = () => "console-" + Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, "0")).join("");
let session = conversation();
let running = null;

function turn(question) {
  const answer = el("div", { class: "answer", "aria-live": "polite" }, el("p", { class: "loading", role: "status" }, t("ask.asking")));
  const beside = el("div", { class: "beside" });
  const article = el("article", { class: "turn" }, el("h2", {}, question), el("div", { class: "columns" }, answer, beside));
  $("turns").prepend(article);
  $("welcome").hidden = true;
  return { answer, beside };
}

/** A way on where the router thought of small talk or of the platform. */
function instead(a, question, place) {
  if (a.outcome !== "ABSTAINED" || !["PLATFORM", "CONVERSATIONAL"].includes(a.query_type)) return;
  place.append(el("p", {}, button(t("ask.search"), () => ask(question, "RETRIEVAL"))));
}

async function ask(question, type) {
  running?.abort();
  const mine = running = new AbortController();
  $("stop").disabled = false;
  const { answer, beside } = turn(question);
  const collection = $("collection").value;
  let shown = sources([]), draft = "", ended = false;
  const failed = error => answer.replaceChildren(problem(error, () => ask(question, type)));
  const on = (name, data) => {
    if (name === "routed") answer.replaceChildren(el("p", { class: "loading", role: "status" }, named("type", data.route.query_type), " · ", t("ask.reading")));
    else if (name === "sources") { shown = sources(data.sources); beside.replaceChildren(shown.place); }
    else if (name === "segment") { draft += data.text; answer.replaceChildren(el("div", { class: "text" }, ...text(draft, shown))); }
    else if (name === "retracted") { draft = ""; answer.replaceChildren(el("p", { class: "loading", role: "status" }, t("ask.retracted"))); }
    else if (name === "settled") {
      ended = true;
      shown = sources(data.sources, collection || "default", data.index_manifest);
      beside.replaceChildren(shown.place);
      settled(answer, data, shown);
      instead(data, question, answer);
    } else if (name === "failed") { ended = true; failed(new Problem(data)); }
  };
  const body = { query: question, mode: $("mode").value, session };
  if (type) body.query_type = type;
  if (collection) body.collection = collection;
  try {
    const reply = await call("/v1/ask", { method: "POST", signal: mine.signal, body: JSON.stringify(body),
      headers: { "content-type": "application/json", accept: "text/event-stream" } });
    await events(reply, on);
    if (!ended) failed(new Problem({ code: "unavailable", detail: t("ask.broke") }));
  } catch (error) {
    if (error.name === "AbortError") answer.replaceChildren(el("p", { class: "empty" }, t("ask.stopped")));
    else failed(error);
  } finally {
    if (running === mine) { running = null; $("stop").disabled = true; }
  }
}

$("ask").addEventListener("submit", event => {
  event.preventDefault();
  const question = $("query").value.trim();
  if (!question) return;
  $("query").value = "";
  ask(question, $("type").value);
});
$("query").addEventListener("keydown", event => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("ask").requestSubmit();
});
$("stop").addEventListener("click", () => running?.abort());
$("fresh").addEventListener("click", () => {
  running?.abort();
  session = conversation();
  $("turns").replaceChildren();
  $("welcome").hidden = false;
  $("query").focus();
});

try {
  const { collections } = await get("/v1/collections");
  for (const one of collections) {
    const label = t("ask.files", { name: one.name, files: one.files });
    if (one.name === "default") $("collection").options[0].textContent = label;
    else $("collection").append(el("option", { value: one.name }, label));
  }
  $("nothing").hidden = collections.length > 0;
} catch { /* the list is a convenience; asking says what is wrong */ }
