#!/usr/bin/env python3
"""The perturbation suite: supported claims in many styles, each changed in one point, by two generators, and by hand.

usage: suite.py make DATA OUT.jsonl [SEED]      writes the generated cases, one a line, in the form of `assay check --jsonl`
       suite.py report TOOL FILE...             catch and false rejection of each kind, generator, text kind and style

TOOL is a command that reads such lines and writes one verdict a line: `grounding-features judge`, or `assay check --jsonl -`.
FILE is what `make` wrote, suite/written.jsonl, or suite/held.jsonl, which nobody may fit or tune to. A claim counts as caught if some claim of the answer is UNSUPPORTED or
CONTRADICTED. Bounds are Wilson's at 95 %.
"""
import collections, json, math, pathlib, random, shlex, subprocess, sys

import edits, rewrites, texts

# Styles that leave the words as they are: every third is enough.
LIGHT = {"verbatim", "same", "attributed", "linked", "merged", "two_in_one", "shortened", "cut_short"}
# Words put before a sentence: a change is made in the sentence, not in them.
BEFORE = {"attributed", "linked"}
# How often a change is tried on a sentence: what nearly every sentence allows seldom, what few allow in several wordings.
TRIES = {"number": 2, "unit": 3, "identifier": 2, "path": 3, "quantifier": 2, "direction": 2, "entity": 1, "negation": 0.7, "fabrication": 0.5, "other_source": 0.4}
HERE = pathlib.Path(__file__).resolve().parent
GENERATORS = {"edits": edits, "rewrites": rewrites}
BAD = ("UNSUPPORTED", "CONTRADICTED")


def ask(case, claim, **more):
    sources = [{"id": str(n), "text": text} for n, text in enumerate(case["sources"], 1)]
    return {"question": "", "sources": sources, "answer": claim, **more}


def generated(data, seed):
    """All cases of both generators; `label` holds what they are."""
    draw = random.Random(seed)
    found = []
    for name, generator in GENERATORS.items():
        seen, used = set(), collections.Counter()
        for number, case in enumerate(texts.cases(data, seed + (name == "rewrites"))):
            said = {style: text for style, make in generator.STYLES.items() if (text := make(case, draw)) and len(text) < 420}
            label = lambda **more: {"generator": name, "base": case["base"], "text_kind": case["kind"], "language": case["language"], "sentence": number, **more}
            strong, light = [style for style in said if style not in LIGHT], [style for style in said if style in LIGHT]
            # The styles that few sentences allow come first.
            for style in sorted(strong, key=lambda s: used[s])[:4] + [style for style in light if draw.random() < 0.25]:
                if said[style] not in seen:
                    seen.add(said[style])
                    used[style] += 1
                    found.append(ask(case, said[style], origin=case["sentence"], label=label(style=style, change="", good=True)))
            for change, make in generator.CHANGES.items():
                tries = TRIES[change]
                for _ in range(tries if tries >= 1 else int(draw.random() < tries)):
                    style = draw.choice(strong if strong and draw.random() < 0.6 else list(said))
                    new = make(case["sentence"] if style in BEFORE else said[style], case, draw)
                    if new and style in BEFORE and change not in ("fabrication", "other_source"):
                        new = generator.STYLES[style]({**case, "sentence": new}, draw)
                    # What is said already, or what some source says all the same, is no change.
                    if not new or new in seen or new in said.values() or any(new.rstrip(".").lower() in source.lower() for source in case["sources"]):
                        continue
                    seen.add(new)
                    found.append(ask(case, new, origin=said[style], label=label(style=style, change=change, good=False)))
    for number, case in enumerate(found):
        case["id"] = f"{case['label']['generator']}-{number}"
    return found


def written(path):
    """The cases written by hand, each against its own text and two others of the language."""
    bases = texts.rows(path)
    found = []
    for base in bases:
        alike = [other for other in bases if other["language"] == base["language"]]
        at = alike.index(base)
        sources = [alike[(at + step) % len(alike)]["text"] for step in range(3)]
        for good, part in ((True, "supported"), (False, "changed")):
            for number, (kind, claim) in enumerate(base[part]):
                label = {"generator": "written", "base": base["base"], "text_kind": base["text_kind"], "language": base["language"], "style": kind if good else "",
                         "change": "" if good else kind, "good": good}
                found.append(ask({"sources": sources}, claim, id=f"{base['base']}-{part[0]}{number}", label=label))
    return found


def held(rows):
    """The cases of suite/open.jsonl and suite/held.jsonl, written without sight of rules, features and generators, halved by document:
    the open half may be read while rules are written, the held half is only counted. A source is a text, or lines of a page
    under ../shared/data/documents; without that folder its documents are left out, aloud. A case names its sources by number in its
    own document, or as `document:number`."""
    pages = HERE.parents[3] / "shared/data/documents"

    def text(source):
        if isinstance(source, str):
            return source
        first, last = source["lines"]
        return "\n".join((pages / source["page"]).read_text().splitlines()[first - 1:last])

    def there(row):
        return all(isinstance(source, str) or (pages / source["page"]).exists() for source in row["sources"])

    found = []
    documents = {row["base"]: row["sources"] for row in rows}
    for row in rows:
        if not there(row):
            print(f"left out, no pages: {row['base']}", file=sys.stderr)
            continue
        for number, case in enumerate(row["cases"]):
            named = [(row["base"], name) if isinstance(name, int) else name.split(":") for name in case["sources"]]
            label = {"generator": "held", "base": row["base"], "text_kind": row["text_kind"], "language": row["language"], "style": case["style"],
                     "change": case["change"], "good": case["good"]}
            sources = [text(documents[base][int(at) - 1]) for base, at in named]
            found.append(ask({"sources": sources}, case["claim"], id=f"{row['base']}-{number}", label=label) | {"question": case["question"]})
    return found


def load(path):
    path = pathlib.Path(path)
    rows = texts.rows(path)
    if rows and "cases" in rows[0]:
        return held(rows)
    return written(path) if rows and "supported" in rows[0] else rows


def asked(case):
    return {k: case[k] for k in ("id", "question", "sources", "answer")} | {"require_citations": False}


def run(tool, cases):
    lines = "".join(json.dumps(asked(c), ensure_ascii=False) + "\n" for c in cases)
    done = subprocess.run(shlex.split(tool), input=lines, text=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def wilson(hits, n, z=1.96):
    p = hits / n
    middle, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)


def table(title, cases, flagged, key, good):
    groups = collections.defaultdict(lambda: [0, 0])
    for case, bad in zip(cases, flagged):
        if case["label"]["good"] == good:
            groups[key(case["label"])][0] += bad
            groups[key(case["label"])][1] += 1
    print(f"\n{title}: {'falsely rejected' if good else 'caught'}")
    for name, (hits, n) in sorted(groups.items()):
        low, high = wilson(hits, n)
        print(f"  {name:28} {hits:5}/{n:<5} {hits / n:6.3f}  [{low:.3f}, {high:.3f}]")


def report(cases, flagged):
    every = lambda label: "all"
    for good in (False, True):
        table("Overall", cases, flagged, every, good)
        table("By generator", cases, flagged, lambda l: l["generator"], good)
        table("By text", cases, flagged, lambda l: f"{l['text_kind']} ({l['language']})" if l["generator"] != "written" else l["language"], good)
    table("By change", cases, flagged, lambda l: l["change"], False)
    table("By generator and change", cases, flagged, lambda l: f"{l['generator']} {l['change']}", False)
    table("By wording", cases, flagged, lambda l: f"{l['generator']} {'near copy' if l['style'] in ('near', 'verbatim', 'same', '') else 'paraphrase'}", False)
    table("By style", cases, flagged, lambda l: f"{l['generator']} {l['style']}", True)


def main():
    if len(sys.argv) >= 4 and sys.argv[1] == "make":
        seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
        cases = generated(pathlib.Path(sys.argv[2]), seed)
        pathlib.Path(sys.argv[3]).write_text("".join(json.dumps(c, ensure_ascii=False) + "\n" for c in cases))
        print(len(cases), "cases:", dict(collections.Counter((c["label"]["generator"], c["label"]["change"] or "supported") for c in cases)))
    elif len(sys.argv) >= 4 and sys.argv[1] == "report":
        for path in sys.argv[3:]:
            cases = load(path)
            out = run(sys.argv[2], cases)
            print(f"\n=== {path}: {len(cases)} cases, {len(out)} answered")
            report(cases, [any(c["status"] in BAD for c in o["claims"]) for o in out])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
