// The page of evaluations: runs of golden sets, their figures, two of them side by side.

import { $, download, el, empty, fill, get, keyed, moment, problem, t } from "./page.js";

const figure = value => Number.isFinite(value) ? value.toFixed(3) : "–";
const interval = one => one?.interval ? ` (${figure(one.interval[0])}–${figure(one.interval[1])})` : "";
const cell = one => el("td", { class: "number", title: one?.reason ?? null }, figure(one?.value), el("span", { class: "quiet" }, interval(one)));

const signed = value => (value > 0 ? "+" : "") + figure(value);
const grid = (heads, rows) => el("div", { class: "wide", tabindex: "0" }, el("table", {},
  el("thead", {}, el("tr", {}, ...heads.map(name => el("th", { scope: "col" }, name)))), el("tbody", {}, ...rows)));

/** Whether two runs differ, by the test of `assay eval compare`, and what they were made with. */
async function compared(one, other) {
  const { scores, differs, unpaired } = await get(`/v1/evaluations/compare?${new URLSearchParams({ first: one.name, second: other.name })}`);
  const rows = Object.entries(scores).map(([name, score]) => el("tr", {}, el("th", { scope: "row" }, name),
    el("td", { class: "number" }, figure(score.first)), el("td", { class: "number" }, figure(score.second)),
    el("td", { class: "number" }, signed(score.difference), el("span", { class: "quiet" }, interval(score))),
    el("td", { class: "number" }, score.p_value < 0.001 ? "< 0.001" : figure(score.p_value)), el("td", {}, t(`compare.${score.verdict.replace(" ", "_")}`))));
  const made = Object.entries(differs).map(([name, values]) =>
    el("tr", {}, el("th", { scope: "row" }, name), ...values.map(value => el("td", {}, value))));
  return [el("h2", {}, t("evaluation.compared")),
    rows.length ? grid([t("evaluation.figure"), one.name, other.name, t("evaluation.difference"), t("compare.p_value"), t("compare.verdict")], rows) : empty(t("compare.none")),
    el("p", { class: "quiet" }, t("compare.test")), el("p", {}, t("compare.unpaired", { count: unpaired })),
    el("h3", {}, t("compare.differs")), made.length ? grid([t("compare.setting"), one.name, other.name], made) : empty(t("compare.same"))];
}

/** The page of a run; where a key is needed, it comes as a file. */
function page(run) {
  const path = `/v1/evaluations/${encodeURIComponent(run.name)}/report`;
  return el("a", { href: path, onclick: event => {
    if (!keyed()) return;
    event.preventDefault();
    download(path, `${run.name}.html`).catch(error => $("runs").append(problem(error)));
  } }, run.name);
}

fill($("runs"), async () => {
  const { folder, runs } = await get("/v1/evaluations");
  if (!runs.length) return [empty(t("evaluation.empty", { folder })), el("pre", {}, "assay eval run golden.jsonl --repeat 5")];
  const chosen = new Set();
  const rows = runs.map(run => {
    const box = el("input", { type: "checkbox", "aria-label": t("evaluation.choose", { name: run.name }), onchange: () => {
      if (box.checked) chosen.add(run); else chosen.delete(run);
      $("compared").hidden = chosen.size !== 2;
      if (chosen.size === 2) fill($("compared"), () => compared(...chosen));
    } });
    return el("tr", {}, el("td", {}, box), el("th", { scope: "row" }, run.report ? page(run) : run.name),
      el("td", {}, moment(run.ended)), el("td", {}, run.standing ?? ""), el("td", { class: "number" }, String(run.answers ?? "")),
      cell(run.figures?.faithfulness), cell(run.figures?.context_recall), cell(run.figures?.syntactic_validity));
  });
  const heads = ["", t("evaluation.run"), t("evaluation.ended"), t("evaluation.standing"), t("evaluation.answers"), "faithfulness", "context_recall", "syntactic_validity"];
  return [el("p", { class: "quiet" }, t("evaluation.two")), grid(heads, rows)];
});
