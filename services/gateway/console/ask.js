// The page that asks: a conversation, each answer as it comes, its sources beside it.

import { settled, sources, text } from "./answer.js";
import { $, button, call, el, events, get, named, problem, Problem, t } from "./page.js";

const conversation = () => "console-" + Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, "0")).join("");
let session = conversation();
let running = null;

/** A question with the places of its answer; `say` tells how far it is, in one line that screen readers speak. */
function turn(question) {
  const state = el("p", { class: "loading", role: "status" }, t("ask.asking"));
  const answer = el("div", { class: "answer", "aria-busy": "true" });
  const beside = el("div", { class: "beside" });
  const article = el("article", { class: "turn" }, el("h2", {}, question), state, el("div", { class: "columns" }, answer, beside));
  $("turns").prepend(article);
  $("welcome").hidden = true;
  const say = (text, kind) => { state.textContent = text; state.className = kind; };
  return { answer, beside, say };
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
  const { answer, beside, say } = turn(question);
  const collection = $("collection").value;
  let shown = sources([]), draft = "", ended = false;
  const failed = error => { say("", "spoken"); answer.replaceChildren(problem(error, () => ask(question, type))); };
  const on = (name, data) => {
    if (name === "routed") say(`${named("type", data.route.query_type)} · ${t("ask.reading")}`, "loading");
    else if (name === "sources") { shown = sources(data.sources); beside.replaceChildren(shown.place); }
    else if (name === "segment") { say("", "spoken"); draft += data.text; answer.replaceChildren(el("div", { class: "text" }, ...text(draft, shown))); }
    else if (name === "retracted") { say(t("ask.retracted"), "loading"); draft = ""; answer.replaceChildren(); }
    else if (name === "settled") {
      shown = sources(data.sources, collection || "default", data.index_manifest);
      beside.replaceChildren(shown.place);
      settled(answer, data, shown);
      instead(data, question, answer);
      say([named("outcome", data.outcome), data.verdict && named("verdict", data.verdict)].filter(Boolean).join(" · "), "spoken");
      ended = true;
    } else if (name === "failed") { failed(new Problem(data)); ended = true; }
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
    if (ended) return;
    if (error.name === "AbortError") { say(t("ask.stopped"), "empty"); answer.replaceChildren(); }
    else failed(error);
  } finally {
    answer.removeAttribute("aria-busy");
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
