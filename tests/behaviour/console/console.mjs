// The console in a real Chromium: a reviewer's quarter of an hour, every page without serious findings of axe, no
// request to another origin. Usage: console.mjs URL KEY-FILE; ASSAY_TEST_BROWSER is a folder with playwright-core and
// axe-core, ASSAY_PICTURES one for pictures of each step at two widths.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [origin, keyFile] = process.argv.slice(2);
const require = createRequire(join(process.env.ASSAY_TEST_BROWSER, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const pictures = process.env.ASSAY_PICTURES;
const wide = { width: 1280, height: 860 }, narrow = { width: 360, height: 760 };

const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: wide, locale: "en-GB" });
const page = await context.newPage();
const foreign = [], defects = [];
page.on("request", request => { if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${origin}/`)) foreign.push(request.url()); });
page.on("pageerror", error => defects.push(String(error)));
page.on("console", message => { if (message.type() === "error" && !/Failed to load resource/.test(message.text())) defects.push(message.text()); });

/** Takes a picture of a step at two widths; nothing may be wider than the page. */
async function step(name) {
  for (const [size, viewport] of [["wide", wide], ["narrow", narrow]]) {
    await page.setViewportSize(viewport);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${name} is ${over} pixels too wide at ${viewport.width}`);
    if (pictures) await page.screenshot({ path: join(pictures, `${name}-${size}.jpg`), type: "jpeg", quality: 72 });
  }
  for (const width of [320, 1600]) {
    await page.setViewportSize({ width, height: 800 });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${name} is ${over} pixels too wide at ${width}`);
  }
  await page.setViewportSize(wide);
  console.log(`step ${name}`);
}

/** No serious finding of axe, in light and in dark. */
async function accessible(name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document));
    const serious = violations.filter(one => ["serious", "critical"].includes(one.impact));
    assert.deepEqual(serious.map(one => `${one.id}: ${one.nodes.map(node => node.html).slice(0, 3).join(" | ")}`), [], `${name} in ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

const answers = page.locator("article.turn");
async function ask(question) {
  const before = await answers.count();
  await page.fill("#query", question);
  await page.keyboard.press("Enter");
  await page.waitForFunction(count => document.querySelectorAll("article.turn").length > count, before);
  const first = answers.first();
  await first.locator(".feedback").waitFor();
  return first;
}

// Five questions, one answered wrongly on purpose.
await page.goto(`${origin}/`);
const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
const bytes = await page.evaluate(() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter(entry => !entry.name.includes("/v1/")).reduce((all, entry) => all + entry.decodedBodySize, 0));
console.log(`first contentful paint ${paint?.toFixed(0)} ms, ${(bytes / 1000).toFixed(1)} kB`);
assert.ok(bytes < 150_000, `${bytes} bytes`);
await accessible("ask, empty");
const right = ["When does the importer stop?", "What does the importer do with empty rows?", "Where does the importer write its report?", "How large may the files of the importer be?"];
for (const question of right) {
  const turn = await ask(question);
  await turn.locator(".badge.PASS").first().waitFor();
}
const good = answers.first();
await good.locator(".text button.marker").first().click();
assert.ok(await good.locator("details.source[open] .line.cited").count() > 0, "the marker opens the cited lines");
await good.locator("details.source[open] button", { hasText: "More of the file" }).click();
await page.waitForFunction(() => document.querySelectorAll("details.source[open] .line").length >= 5);
assert.equal(await good.locator("> [role=status]").innerText(), "Answered · Passed", "one line says that the answer is there");
await good.locator("button.verdict").click();
assert.equal(await good.locator("table.checks").isVisible(), true);
await accessible("ask, answered");
await step("1-asked");
const wrong = await ask("At what hour does the importer run?");
await wrong.locator(".badge.REJECT").first().waitFor();
assert.match(await wrong.locator(".rejection").innerText(), /\S/);
await wrong.locator("button", { hasText: /^Wrong$/ }).click();
await wrong.locator("input[aria-label^='Why']").fill("It runs at another hour.");
await wrong.locator("button", { hasText: /^Send$/ }).click();
await wrong.locator(".feedback [role=status]").waitFor();
await step("2-rejected");
await accessible("ask, rejected");

// Found in the queue and overturned by keyboard.
await page.goto(`${origin}/review`);
await page.locator("#record .badge.verdict, #record .badge.REJECT").first().waitFor();
await page.locator("#rates table").waitFor();
const waiting = await page.locator("#queue li").count();
assert.ok(waiting >= 1);
await page.uncheck("#shortcuts");
await page.locator("h1").click();
await page.keyboard.press("2");
assert.equal(await page.locator("#OVERTURN").getAttribute("aria-pressed"), "false", "single keys are off");
await page.check("#shortcuts");
await page.locator("h1").click();
await page.keyboard.press("c");
await page.locator("#state [role=status]").waitFor();
await page.keyboard.press("2");
await page.keyboard.type("The page was changed; five is right now.");
await page.keyboard.press("Escape");
assert.equal(await page.inputValue("#reason"), "The page was changed; five is right now.");
await step("3-review");
await accessible("review");
await page.keyboard.press("Control+Enter");
await page.waitForFunction(count => document.querySelectorAll("#queue li").length === count - 1, waiting);
await page.waitForFunction(() => /1 \/ 1/.test(document.querySelector("#rates")?.innerText ?? ""));
assert.match(await page.locator("#state").innerText(), /Recorded: Overturn/);
await step("4-rates");

// The receipt, verified by the browser.
await page.goto(`${origin}/records?text=importer`);
await page.locator("#found tbody tr").first().waitFor();
assert.equal(await page.locator("#found tbody tr").count(), 5);
assert.equal(await page.locator("#state").innerText(), "Records: 5");
await accessible("records");
await step("5-records");
// Two searches, of which the first is answered last.
let release;
const held = new Promise(done => { release = done; });
await page.route(/\/v1\/audit\?.*text=rows/, async route => { await held; await route.continue(); });
await page.fill("#text", "rows");
await page.keyboard.press("Enter");
await page.fill("#text", "importer");
await page.keyboard.press("Enter");
await page.locator("#found tbody tr").nth(4).waitFor();
const late = page.waitForResponse(/text=rows/);
release();
await (await late).finished();
await page.evaluate(() => new Promise(requestAnimationFrame));
assert.equal(await page.locator("#found tbody tr").count(), 5, "the last search wins");
await page.locator("#found a", { hasText: right[0] }).click();
await page.locator("form input[aria-label^='Public key']").fill("no key");
await page.locator("button", { hasText: "Verify here" }).click();
await page.locator(".problem", { hasText: "no key of a log" }).waitFor();
await page.locator("form input[aria-label^='Public key']").fill(readFileSync(keyFile, "utf8").trim());
await page.locator("button", { hasText: "Verify here" }).click();
await page.locator(".steps li").first().waitFor();
assert.deepEqual(await page.locator(".steps li").allInnerTexts(), [
  "✓ The key is the one you pasted", "✓ The receipt is that of the record shown", "✓ Question and answer fit the leaf", "✓ The leaf has its hash",
  "✓ The log signed the checkpoint", "✓ The leaf is in the signed tree"]);
await accessible("record");
await step("6-receipt");

// A receipt that somebody changed.
await page.route("**/receipt?payload=true", async route => {
  const receipt = await (await route.fetch()).json();
  receipt.entry.sealed.payload = receipt.entry.sealed.payload.replace("importer", "exporter");
  await route.fulfill({ json: receipt });
});
await page.locator("button", { hasText: "Verify here" }).click();
await page.locator(".badge.REJECT[role=alert]").waitFor();
await page.unroute("**/receipt?payload=true");

// A receipt of another record.
const own = page.url().split("/").at(-1);
const other = await page.evaluate(async own => (await (await fetch("/v1/audit?text=importer")).json()).records.map(one => one.audit_id).find(id => id !== own), own);
await page.route("**/receipt?payload=true", async route => route.fulfill({ response: await route.fetch({ url: route.request().url().replace(own, other) }) }));
await page.locator("button", { hasText: "Verify here" }).click();
const whole = page.locator(".steps", { has: page.locator("li.PASSED", { hasText: "Question and answer fit the leaf" }) });
await whole.locator("li.FAILED", { hasText: "The receipt is that of the record shown" }).waitFor();
await page.unroute("**/receipt?payload=true");

// The person's data erased, the log still good.
const erased = await page.evaluate(async () => (await fetch("/v1/erase", { method: "POST",
  headers: { "content-type": "application/json" }, body: JSON.stringify({ principal: "local" }) })).json());
// Five records, the feedback and the decision.
assert.equal(erased.payloads, 7);
await page.goto(`${origin}/records`);
await page.locator("#verify").click();
await page.locator("#log .badge.PASS").waitFor();
assert.equal(await page.locator("#found a", { hasText: right[0] }).count(), 0);
await step("7-erased");

// The other pages, the other language, a server that went away.
await page.goto(`${origin}/index`);
await page.locator("#one h2").waitFor();
await page.locator("button", { hasText: "Look for mistakes" }).click();
await page.locator("h4", { hasText: "Dead links" }).waitFor();
await page.locator("#one button", { hasText: "importer.md:13" }).click();
await page.locator("#one .line", { hasText: "See" }).waitFor();
await accessible("index");
await step("8-index");
await page.goto(`${origin}/evaluation`);
await page.locator("#runs .empty, #runs table").first().waitFor();
await accessible("evaluation");
await page.locator("header a[hreflang=es]").click();
await page.locator("html[lang=es]").waitFor();
await page.goto(`${origin}/`);
assert.equal(await page.locator("h1").innerText(), "Pregunta a la documentación");
await accessible("ask in Spanish");
await context.setOffline(true);
await page.fill("#query", "¿Cuándo se detiene?");
await page.keyboard.press("Enter");
await page.locator(".problem[role=alert]").waitFor();
await context.setOffline(false);

assert.deepEqual(foreign, [], "no request leaves the origin");
assert.deepEqual(defects, [], "no script fails");
await browser.close();
console.log("done");
