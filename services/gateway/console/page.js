// What every page shares: words, elements, calls to the server, the key of this tab.

const table = JSON.parse(document.getElementById("words").textContent);

/** The words of a key; `{name}` is replaced by the value of that name. */
export function t(key, values = {}) {
  const text = table[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Words for a name of the server, such as PASS; the name itself where there are none. */
export const named = (group, name) => table[`${group}.${name}`] ?? name;

export const $ = id => document.getElementById(id);

/** An element; a property of `attributes` that is null or false is left out. Text stays text. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

export const badge = (group, name) => el("span", { class: `badge ${name}` }, named(group, name));
export const button = (label, onclick, more = {}) => el("button", { type: "button", onclick, ...more }, label);

/** A table of two columns; rows without a value are left out. */
export function facts(rows) {
  const list = el("dl", { class: "facts" });
  for (const [name, value] of rows)
    if (value !== null && value !== undefined && value !== "") list.append(el("dt", {}, name), el("dd", {}, value));
  return list;
}

export const moment = text => {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toLocaleString(document.documentElement.lang);
};

const KEY = "assay-key";
let key = "";
try { key = sessionStorage.getItem(KEY) ?? ""; } catch { /* kept in memory alone */ }

/** Whether a link needs the key of this tab, which a link cannot send. */
export const keyed = () => key !== "";

function keep(value) {
  key = value.replace(/[^\x21-\x7e]/g, "");
  try { key ? sessionStorage.setItem(KEY, key) : sessionStorage.removeItem(KEY); } catch { /* as above */ }
}

/** What the server said instead of what was asked for. */
export class Problem extends Error {
  constructor(body) {
    super(body.detail ?? body.title ?? t("error.none"));
    this.body = body;
  }
}

/** Sends a request with the key of this tab. The only call of fetch. */
export async function call(path, options = {}) {
  const { json, ...rest } = options;
  const headers = { ...rest.headers };
  if (key) headers.authorization = `Bearer ${key}`;
  if (json !== undefined) {
    headers["content-type"] = "application/json";
    rest.method = "POST";
    rest.body = JSON.stringify(json);
  }
  let reply;
  try {
    reply = await fetch(path, { ...rest, headers, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ code: "unavailable", detail: t("error.offline") });
  }
  if (reply.ok) return reply;
  const body = { code: String(reply.status), status: reply.status, ...await reply.json().catch(() => null) };
  if (reply.status === 401) signInIsWanted(body.detail);
  throw new Problem(body);
}

export const get = async (path, options) => (await call(path, options)).json();
export const post = async (path, json) => (await call(path, { json })).json();

/** Saves a reply of the server as a file. */
export async function download(path, name) {
  const reply = await call(path);
  const address = URL.createObjectURL(await reply.blob());
  el("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

/** The events of a stream: `on(name, data)` for each. A connection that broke is a problem; an abort stays one. */
export async function events(reply, on) {
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch(error => {
      throw error.name === "AbortError" ? error : new Problem({ code: "unavailable", detail: t("ask.broke") });
    });
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      let name = "", data = "";
      for (const line of part.split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data += line.slice(5);
      }
      if (name) on(name, JSON.parse(data));
    }
  }
}

/** A failure as a reader needs it: what, which field, where to read on. A status such as 502 has no page. */
export function problem(error, again) {
  const body = error.body ?? {};
  const box = el("div", { class: "problem", role: "alert" }, el("p", {}, error.message), facts([
    [t("error.code"), /^[a-z]/.test(body.code ?? "") ? el("a", { href: `/errors/${body.code}` }, body.code) : body.code],
    [t("error.field"), body.field],
    [t("error.request"), body.request_id && el("code", {}, body.request_id)],
    [t("error.record"), body.audit_id && el("a", { href: `/records/${body.audit_id}` }, body.audit_id)]]));
  if (again) box.append(button(t("error.again"), again));
  return box;
}

export const empty = text => el("p", { class: "empty" }, text);
export const loading = () => el("p", { class: "loading", role: "status" }, t("loading"));

/**
 * Fills a place: loading, then what `load` makes, or the problem with a way to try again. The last call for a place wins;
 * `load` may ask `current()` whether it still does.
 */
export async function fill(place, load) {
  const mine = place.turn = {}, current = () => place.turn === mine;
  place.replaceChildren(loading());
  place.setAttribute("aria-busy", "true");
  let made;
  try { made = [await load(current)].flat(); }
  catch (error) { made = [problem(error, () => fill(place, load))]; }
  if (!current()) return;
  place.replaceChildren(...made);
  place.removeAttribute("aria-busy");
}

function signInIsWanted(why) {
  $("sign-in").hidden = false;
  if (why) $("sign-in-state").textContent = why;
}

/** Shows who the caller is, or that the server did not say; the form to sign in comes with a 401. */
async function who() {
  const ways = await get("/v1/sign-in").catch(() => null);
  if (ways?.sign_in) {
    $("sign-in-issuer").hidden = false;
    $("sign-in-issuer").firstChild.href = `${ways.sign_in}?return=${encodeURIComponent(location.pathname + location.search)}`;
  }
  if (ways && !ways.required) return;
  try {
    const me = await get("/v1/me");
    $("who").textContent = me.roles.length ? me.principal : t("sign.no_role", { who: me.principal });
    $("who").title = me.roles.join(", ");
    $("sign-out").hidden = false;
    $("sign-in").hidden = true;
  } catch (error) {
    if (error.body?.status === 401) return; // the form is there now
    $("who").textContent = t("sign.unknown");
    $("who").title = error.message;
    $("sign-out").hidden = !key && !ways?.sign_in;
  }
}

$("sign-in-form").addEventListener("submit", event => {
  event.preventDefault();
  keep($("key").value);
  location.reload();
});
// A key that is kept would win over the cookie of the sign-in.
$("sign-in-issuer").addEventListener("click", () => keep(""));
$("sign-out").addEventListener("click", async () => {
  keep("");
  await call("/sign-out", { method: "POST" }).catch(() => null);
  location.reload();
});
who();
