// Markdown of answers as elements: text is written as text, never as markup. Offsets into the text are kept, so that
// claims can be marked where they stand.

import { el } from "./page.js";

/** A fence at any depth of a list; after backticks none may follow in the line (CommonMark 4.5). */
const FENCE = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})\s*(\S*)/;
const INLINE = /\[\^([1-9]\d*)(?::(\d+)(?:-(\d+))?)?\]|`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\(([^)\s]+)\)/g;

/**
 * Renders `text`. `on.text(string, offset)` makes the node of plain text at a UTF-16 offset, `on.marker(number, lines,
 * written)` that of a citation, `on.code(language, code, line)` that of a block whose code begins at `line` of the text.
 */
export function markdown(text, on) {
  const blocks = [];
  const lines = text.split("\n");
  let at = 0, index = 0;
  const take = () => { const line = lines[index++]; const start = at; at += line.length + 1; return [line, start]; };
  while (index < lines.length) {
    const [line, start] = take();
    const fence = FENCE.exec(line);
    if (fence) {
      const code = [], first = index + 1, indent = new RegExp(`^[ \\t]{0,${fence[1].length}}`);
      while (index < lines.length) {
        const [inner] = take();
        const end = inner.trim();
        if (end.startsWith(fence[2]) && /^(`+|~+)$/.test(end)) break;
        code.push(inner.replace(indent, ""));
      }
      blocks.push(on.code(fence[3], code.join("\n"), first));
      continue;
    }
    if (!line.trim()) continue;
    const heading = /^(#{1,6})\s+/.exec(line);
    const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+/.exec(line);
    const row = line.trim().startsWith("|");
    if (heading) {
      const level = Math.min(heading[1].length + 2, 6);
      blocks.push(el(`h${level}`, {}, ...inline(line.slice(heading[0].length), start + heading[0].length, on)));
    } else if (item) {
      const ordered = /\d/.test(item[2]);
      const list = el(ordered ? "ol" : "ul", ordered && parseInt(item[2], 10) !== 1 ? { start: parseInt(item[2], 10) } : {});
      let next = [line, start];
      while (next) {
        const [words, from] = next;
        const mark = /^(\s*)([-*+]|\d{1,9}[.)])\s+/.exec(words);
        const skip = mark ? mark[0].length : words.length - words.trimStart().length;
        const children = inline(words.slice(skip), from + skip, on);
        if (mark) list.append(el("li", {}, ...children)); else list.lastChild.append(" ", ...children);
        const follows = lines[index];
        next = follows !== undefined && /^(\s*([-*+]|\d{1,9}[.)])\s+|\s{2,}\S)/.test(follows) && !FENCE.test(follows) ? take() : null;
      }
      blocks.push(list);
    } else if (row) {
      const body = el("table");
      let next = [line, start];
      while (next) {
        const [words, from] = next;
        if (!/^[\s|:-]+$/.test(words)) {
          const cells = el("tr");
          for (const cell of words.matchAll(/[^|]+/g))
            if (cell[0].trim()) cells.append(el(body.childElementCount ? "td" : "th", {}, ...inline(cell[0], from + cell.index, on)));
          body.append(cells);
        }
        next = lines[index]?.trim().startsWith("|") ? take() : null;
      }
      blocks.push(el("div", { class: "wide", tabindex: "0" }, body));
    } else {
      const paragraph = el("p", {}, ...inline(line, start, on));
      while (lines[index]?.trim() && !FENCE.test(lines[index]) && !/^(#{1,6}\s|\s*([-*+]|\d{1,9}[.)])\s|\s*\|)/.test(lines[index])) {
        const [more, from] = take();
        paragraph.append("\n", ...inline(more, from, on));
      }
      blocks.push(paragraph);
    }
  }
  return blocks;
}

/** The nodes of a line. */
function inline(text, offset, on) {
  const nodes = [];
  let at = 0;
  for (const hit of text.matchAll(INLINE)) {
    if (hit.index > at) nodes.push(on.text(text.slice(at, hit.index), offset + at));
    const [whole, marker, first, last, code, strong, label] = hit;
    if (marker) nodes.push(on.marker(Number(marker), first ? [Number(first), Number(last ?? first)] : null, whole));
    else if (code !== undefined) nodes.push(el("code", {}, on.text(code, offset + hit.index + 1)));
    else if (strong !== undefined) nodes.push(el("strong", {}, on.text(strong, offset + hit.index + 2)));
    // No link leaves this page: where it leads is text.
    else nodes.push(on.text(label, offset + hit.index + 1), ` (${hit[7]})`);
    at = hit.index + whole.length;
  }
  if (at < text.length) nodes.push(on.text(text.slice(at), offset + at));
  return nodes;
}
