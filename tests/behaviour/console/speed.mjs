// Prints how fast the console's ask page is: first contentful paint, bytes, and script time of each interaction.
// Usage: speed.mjs URL [ROUNDS], with a collection that answers QUESTION; ASSAY_TEST_BROWSER as for console.mjs.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [origin, rounds = "15"] = process.argv.slice(2);
const question = process.env.QUESTION ?? "How do I read a request parameter in AVAP?";
const { chromium } = createRequire(join(process.env.ASSAY_TEST_BROWSER, "package.json"))("playwright-core");
const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });

/** Median and largest of some numbers. */
function told(name, times) {
  times.sort((a, b) => a - b);
  console.log(`${name.padEnd(44)} median ${times[times.length >> 1].toFixed(1)} ms, largest ${times.at(-1).toFixed(1)} ms (${times.length})`);
}

const paints = [];
let bytes = 0;
for (let round = 0; round < Number(rounds); round++) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  const entry = await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  paints.push(await entry.jsonValue());
  bytes = await page.evaluate(() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .reduce((all, one) => all + one.transferSize, 0));
  await context.close();
}
told("first contentful paint", paints);
console.log(`${"transferred by the first visit".padEnd(44)} ${(bytes / 1000).toFixed(1)} kB`);

const page = await browser.newPage();
const devtools = await page.context().newCDPSession(page);
await devtools.send("Performance.enable");
const script = async () => (await devtools.send("Performance.getMetrics")).metrics.find(one => one.name === "ScriptDuration").value * 1000;
const times = new Map();
/** Adds the script time of an interaction; it is over once the page has painted twice. */
async function measured(name, act) {
  const before = await script();
  await act();
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  times.set(name, [...times.get(name) ?? [], await script() - before]);
}
await page.goto(`${origin}/`);
for (let round = 0; round < Number(rounds); round++) {
  await page.fill("#query", "");
  await page.focus("#query");
  await measured("typing a letter", () => page.keyboard.press("a"));
  await page.fill("#query", question);
  await measured("sending a question", () => page.keyboard.press("Enter"));
  const turn = page.locator("article.turn").first();
  await turn.locator(".feedback").waitFor();
  await measured("opening the cited lines", () => turn.locator(".text button.marker").first().click());
  await measured("opening the checks", () => turn.locator("button.verdict").click());
  await measured("another collection, type or mode", () => page.selectOption("#mode", round % 2 ? "STRICT" : "LENIENT"));
  await page.click("#fresh");
}
for (const [name, all] of times) told(`script: ${name}`, all);
await browser.close();
