// The page of evaluations: runs of golden sets, their figures, two of them side by side.

import { $, download, el, empty, fill, get, keyed, moment, problem, t } from "./page.js";

const figure = value => Number.isFinite(value) ? value.toFixed(3) : "–";
const interval = one => one?.interval ? ` (${figure(one.interval[0])}–${figure(one.interval[1])})` : "";
const cell = one => el("td", { class: "number", title: one?.reason ?? null }, figure(one?.value), el("span", { class: "quiet" }, interval(one)));

/** Figures of two runs that stand beside each other; whether a difference is chance, `assay eval compare` says. */
function compared(one, other) {
  const names = Object.keys(one.figures ?? {}).filter(name => name in (other.figures ?? {}));
  const rows = names.map(name => {
    const [before, after] = [one.figures[name]?.value, other.figures[name]?.value];
    const step = Number.isFinite(before) && Number.isFinite(after) ? after - before : null;
    return el("tr", {}, el("th", { scope: "row" }, name), cell(one.figures[name]), cell(other.figures[name]),
      el("td", { class: "number" }, step === null ? "–" : (step > 0 ? "+" : "") + step.toFixed(3)));
  });
  const heads = [t("evaluation.figure"), one.name, other.name, t("evaluation.difference")].map(name => el("th", { scope: "col" }, name));
  return [el("h2", {}, t("evaluation.compared")), el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows))),
    el("p", { class: "quiet" }, t("evaluation.chance")), el("pre", {}, `assay eval compare ${one.path} ${other.path}`)];
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
  const body = el("tbody", {}, ...runs.map(run => {
    const box = el("input", { type: "checkbox", "aria-label": t("evaluation.choose", { name: run.name }), onchange: () => {
      if (box.checked) chosen.add(run); else chosen.delete(run);
      $("compared").hidden = chosen.size !== 2;
      if (chosen.size === 2) $("compared").replaceChildren(...compared(...chosen));
    } });
    return el("tr", {}, el("td", {}, box), el("th", { scope: "row" }, run.report ? page(run) : run.name),
      el("td", {}, moment(run.ended)), el("td", {}, run.standing ?? ""), el("td", { class: "number" }, String(run.answers ?? "")),
      cell(run.figures?.faithfulness), cell(run.figures?.context_recall), cell(run.figures?.syntactic_validity));
  }));
  const heads = ["", t("evaluation.run"), t("evaluation.ended"), t("evaluation.standing"), t("evaluation.answers"), "faithfulness", "context_recall", "syntactic_validity"];
  return [el("p", { class: "quiet" }, t("evaluation.two")), el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads.map(name => el("th", { scope: "col" }, name)))), body))];
});
