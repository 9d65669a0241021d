"""The first generator: edits of the sentence itself, by word lists and patterns. Shares nothing with rewrites.py."""
import re

# Words that may stand for one another.
SAME = {
    "en": [("use", "employ"), ("uses", "employs"), ("used", "employed"), ("contains", "includes"), ("contain", "include"), ("shows", "displays"), ("show", "display"),
           ("starts", "begins"), ("start", "begin"), ("creates", "generates"), ("create", "generate"), ("created", "generated"), ("removes", "deletes"), ("removed", "deleted"),
           ("returns", "gives back"), ("sends", "transmits"), ("sent", "transmitted"), ("allows", "lets"), ("requires", "needs"), ("require", "need"), ("required", "needed"),
           ("supports", "handles"), ("provides", "offers"), ("provide", "offer"), ("provided", "supplied"), ("large", "big"), ("small", "little"), ("usually", "normally"),
           ("often", "frequently"), ("also", "additionally"), ("however", "but"), ("because", "since"), ("about", "around"), ("called", "named"), ("method", "approach"),
           ("shown", "displayed"), ("found", "discovered"), ("helps", "assists"), ("changed", "modified"), ("change", "modify"), ("stored", "kept"), ("stores", "keeps"),
           ("via", "through"), ("each", "every"), ("whole", "entire"), ("quickly", "rapidly"), ("important", "significant"), ("multiple", "several"), ("fails", "breaks down"),
           ("error", "fault"), ("configured", "set up"), ("value", "setting"), ("written", "recorded"), ("buy", "purchase"), ("get", "obtain"), ("increase", "raise"),
           ("reduce", "lower"), ("reduced", "lowered"), ("people", "persons"), ("many", "numerous"), ("made", "produced"), ("known", "understood"), ("checks", "verifies")],
    "es": [("usa", "utiliza"), ("usar", "utilizar"), ("muestra", "presenta"), ("crea", "genera"), ("crear", "generar"), ("elimina", "borra"), ("devuelve", "retorna"), ("guarda", "almacena"),
           ("necesita", "requiere"), ("comienza", "empieza"), ("termina", "acaba"), ("solo", "únicamente"), ("siempre", "en todo momento"), ("contiene", "incluye"), ("permite", "deja"),
           ("error", "fallo"), ("cambia", "modifica"), ("después", "luego"), ("mandar", "enviar"), ("obtiene", "consigue"), ("archivo", "fichero"), ("también", "además")],
}
SHORT = [(r"\bdo not\b", "don't"), (r"\bdoes not\b", "doesn't"), (r"\bis not\b", "isn't"), (r"\bare not\b", "aren't"), (r"\bfor example\b", "e.g."), (r"\bkilobytes?\b", "kB"), (r"\bmegabytes?\b", "MB"),
         (r"\bseconds?\b", "s"), (r"\bminutes?\b", "min"), (r"\bhours?\b", "h"), (r"\bpercent\b", "%"), (r"\bmaximum\b", "max"), (r"\bminimum\b", "min"), (r"\bapproximately\b", "approx."), (r"\band\b", "&")]
DROP = [r"\s*\([^()]{3,60}\)", r",? (?:for example|in general|of course|usually|typically|currently|in fact|however|por ejemplo|en general|normalmente)\b,?"]
TAIL = re.compile(r"^(?P<main>.{25,}?),? (?P<tail>(?:when|if|because|while|before|after|unless|until|by default|cuando|si|porque|mientras|antes de|por defecto)\b[^,]{5,80})\.$")
PASSIVE = re.compile(r"^(?P<a>(?:The|A|An|Each|All|Every|`)[^,]{2,50}?) (?P<be>is|are|was|were) (?P<v>\w+ed|sent|kept|written|made|built|given|held) by (?P<b>[^,.;]{3,40})(?P<rest>[^.]*)\.$")
ACTIVE = re.compile(r"^(?P<a>(?:The|A|An|Each|Every|This) (?:[\w`-]+ ){1,3}?)(?P<v>creates|sends|stores|returns|uses|contains|provides|removes|supports|reads|handles|defines|exposes|starts|evaluates|replaces) (?P<b>(?:the|a|an|all|each|every|its)? ?[^,.;]{3,50}?)(?P<rest>(?: (?:to|from|in|when|if|for|with|by|at|on|as) [^.]*)?)\.$")
FORMS = {"creates": "created", "sends": "sent", "stores": "stored", "returns": "returned", "uses": "used", "contains": "contained", "provides": "provided", "removes": "removed",
         "supports": "supported", "reads": "read", "handles": "handled", "defines": "defined", "exposes": "exposed", "starts": "started", "evaluates": "evaluated", "replaces": "replaced"}
NOMINAL = [(r"\bto configure\b", "for the configuration of"), (r"\bto create\b", "for the creation of"), (r"\bto remove\b", "for the removal of"), (r"\bto install\b", "for the installation of"),
           (r"\bto use\b", "for the use of"), (r"\bto store\b", "for the storage of"), (r"\bto select\b", "for the selection of"), (r"\bto measure\b", "for the measurement of"),
           (r"\bto reduce\b", "for the reduction of"), (r"\bto evaluate\b", "for the evaluation of"), (r"\bto detect\b", "for the detection of"), (r"\bto treat\b", "for the treatment of"),
           (r"\bpara crear\b", "para la creación de"), (r"\bpara usar\b", "para el uso de"), (r"\bpara leer\b", "para la lectura de")]


def lower_first(text):
    word = text.split(" ")[0]
    return text if word == "I" or word[:1] in "`\"" or any(c.isupper() or c.isdigit() for c in word[1:]) else text[:1].lower() + text[1:]


def upper_first(text):
    return text[:1].upper() + text[1:]


def outside_code(text, change):
    """Applies a change to what is no inline code."""
    parts = text.split("`")
    return "`".join(change(p) if i % 2 == 0 else p for i, p in enumerate(parts))


def synonyms(case, draw):
    text, pairs = case["sentence"], list(SAME[case["language"]])
    draw.shuffle(pairs)
    done = 0
    for one, two in pairs:
        one, two = (one, two) if draw.random() < 0.7 or " " in two else (two, one)
        new = outside_code(text, lambda p: re.sub(rf"\b{one}\b", two, p, count=1))
        done, text = done + (new != text), new
        if done >= 3:
            break
    return text if done else None


def clause_order(case, draw):
    found = TAIL.match(case["sentence"])
    return f"{upper_first(found['tail'])}, {lower_first(found['main'])}." if found else None


def active_passive(case, draw):
    found = PASSIVE.match(case["sentence"])
    if found and case["language"] == "en":
        verb = {"sent": "sent", "kept": "kept", "written": "wrote", "made": "made", "built": "built", "given": "gave", "held": "held"}.get(found["v"], found["v"])
        do = {"is": "does", "are": "do"}.get(found["be"])
        base = re.sub(r"ed$", "", verb)
        said = f"{verb}" if not do else (base + ("es" if base.endswith(("s", "x", "z", "h")) else "s") if verb.endswith("ed") and not found["b"].endswith("s") else base)
        return f"{upper_first(found['b'])} {said} {lower_first(found['a'])}{found['rest']}."
    found = ACTIVE.match(case["sentence"])
    if found and case["language"] == "en":
        plural = re.search(r"(s|all [\w ]+)$", found["b"]) and not found["b"].startswith(("a ", "an ", "each ", "every "))
        return f"{upper_first(found['b'])} {'are' if plural else 'is'} {FORMS[found['v']]} by {lower_first(found['a']).strip()}{found['rest']}."
    return None


def merged(case, draw):
    other = case["next"]
    if not other or len(other) + len(case["sentence"]) > 300:
        return None
    return case["sentence"][:-1] + draw.choice([", and ", "; ", ", while "] if case["language"] == "en" else [", y ", "; "]) + lower_first(other)


def split(case, draw):
    found = re.match(r"^(.{25,}?), (?:and|but) ((?:it|they|the|a|an|you|this) .{15,})$", case["sentence"])
    return f"{found[1]}. {upper_first(found[2])}" if found else None


def nominalisation(case, draw):
    for old, new in NOMINAL:
        text = outside_code(case["sentence"], lambda p: re.sub(old, new, p, count=1))
        if text != case["sentence"]:
            return text
    return None


def abbreviation(case, draw):
    text = case["sentence"]
    for old, new in draw.sample(SHORT, len(SHORT)):
        text = outside_code(text, lambda p: re.sub(old, new, p, flags=re.I))
    return text if text != case["sentence"] else None


def shortened(case, draw):
    text = case["sentence"]
    for drop in DROP:
        text = re.sub(drop, "", text, flags=re.I)
    found = re.match(r"^(.{30,}?), (?:which|who|where|lo que|que) [^,]{8,}\.$", text)
    text = found[1] + "." if found else text
    return upper_first(text.strip()) if text != case["sentence"] and len(text.split()) > 4 else None


def list_to_prose(case, draw):
    found = re.match(r"^(.{12,90}): (.{5,}(?:, .+)+)\.$", case["sentence"])
    if found:
        return f"{found[1]}, namely {found[2]}."
    items = re.match(r"^(.*?)(\S+), (\S+),? (and|or|y|o) (\S+)(.*)$", case["sentence"])
    return f"{items[1]}{items[2]} {items[4]} {items[3]} {items[4]} also {items[5]}{items[6]}" if items and case["language"] == "en" else None


def verbatim(case, draw):
    return case["sentence"]


STYLES = {f.__name__: f for f in (verbatim, synonyms, clause_order, active_passive, merged, split, nominalisation, abbreviation, shortened, list_to_prose)}

# === Changes ===

UNITS = [["seconds", "minutes", "hours", "days", "weeks", "months", "years"], ["second", "minute", "hour", "day", "week", "month", "year"], ["KB", "MB", "GB", "TB"], ["kB", "MB", "GB"],
         ["mg", "g", "kg"], ["mm", "cm", "m", "km"], ["miles", "feet", "inches"], ["s", "ms"], ["percent", "degrees"], ["segundos", "minutos", "horas", "días"], ["pounds", "ounces"], ["milliseconds", "seconds"],
         ["cups", "tablespoons", "teaspoons"], ["bytes", "bits"]]
AGAINST = [("increase", "decrease"), ("increases", "decreases"), ("increased", "decreased"), ("before", "after"), ("above", "below"), ("higher", "lower"), ("more", "less"), ("first", "last"),
           ("maximum", "minimum"), ("enabled", "disabled"), ("enable", "disable"), ("start", "stop"), ("starts", "stops"), ("greater", "smaller"), ("larger", "smaller"), ("longer", "shorter"),
           ("faster", "slower"), ("include", "exclude"), ("includes", "excludes"), ("with", "without"), ("inside", "outside"), ("true", "false"), ("upper", "lower"), ("high", "low"),
           ("positive", "negative"), ("internal", "external"), ("left", "right"), ("antes", "después"), ("mayor", "menor"), ("verdadero", "falso"), ("primero", "último"), ("más", "menos"),
           ("activated", "inhibited"), ("promotes", "inhibits"), ("reduces", "increases"), ("reduced", "increased"), ("accept", "reject"), ("optional", "required")]
QUANTITY = [("all", "some"), ("every", "one"), ("each", "only one"), ("always", "sometimes"), ("never", "often"), ("must", "may"), ("may", "must"), ("can", "must"), ("should", "must"), ("many", "few"),
            ("most", "few"), ("some", "all"), ("only", "also"), ("usually", "never"), ("often", "rarely"), ("any", "no"), ("both", "neither"), ("todos", "algunos"), ("siempre", "a veces"), ("puede", "debe"),
            ("debe", "puede"), ("cada", "algún"), ("solo", "también"), ("several", "no")]
NAMES = ["Kestrel", "Marlow", "Osaka", "Redwood", "Petrov", "Lisbon", "Halcyon", "Bergen", "Quanta", "Nimbus", "Aurora", "Denver", "Fischer", "Orion", "Tamarin"]
INVENTED = {"en": ["and it also sends a daily report to the administrator", "and this was confirmed by an audit in 2016", "and it can be undone within a week", "which makes it the cheapest choice",
                   "and it was designed by a team in Norway", "and it requires a paid licence", "because the older design caused outages", "and it needs at least two gigabytes of memory"],
            "es": ["y además envía un informe diario al administrador", "y exige una licencia de pago", "porque el diseño anterior causaba cortes", "y necesita dos gigas de memoria"]}
ALONE = {"en": ["A background job repeats the work every night.", "The vendor stopped selling it in the spring.", "Administrators are told about it by text message.", "It was first proposed by a student in Vienna.",
                "The licence forbids its use in schools.", "Half of the users switch it off within a month."],
         "es": ["Una tarea nocturna repite el trabajo.", "El fabricante dejó de venderlo en primavera.", "Los administradores reciben un mensaje de texto."]}


def replace_span(text, start, end, new):
    return text[:start] + new + text[end:]


def pick(found, draw):
    found = list(found)
    return draw.choice(found) if found else None


def number(text, case, draw):
    m = pick(re.finditer(r"(?<![\w.,/`:-])\d+(?:[.,]\d+)?(?![\w/:-]|\.\d)", text), draw)
    if not m:
        return None
    raw = m.group()
    value = float(raw.replace(",", ".")) if re.fullmatch(r"\d+[.,]\d{1,2}", raw) else float(raw.replace(",", ""))
    whole = value == int(value)
    new = draw.choice([value * 10, value * 2, value + 1, value + 5, value * 3, max(1, value // 2 - 1)]) if not 1800 < value < 2100 else value + draw.choice([-7, -3, 2, 4, 11])
    said = f"{int(new)}" if whole else f"{new:.1f}"
    return None if said == raw or abs(new - value) < 1e-9 else replace_span(text, m.start(), m.end(), said)


def unit(text, case, draw):
    options = [(m, g) for g in UNITS for w in g for m in re.finditer(rf"(?<=\d)\s?({re.escape(w)})\b", text)]
    if not options:
        return None
    m, group = draw.choice(options)
    return replace_span(text, m.start(1), m.end(1), draw.choice([w for w in group if w != m[1]]))


def negation(text, case, draw):
    m = re.search(r"\b(is|are|was|were|can|must|should|may|will|does|do|has been|have been) not (?=\w)|\bcannot\b|\b(isn't|aren't|doesn't|don't)\b", text)
    if m:
        return replace_span(text, m.start(), m.end(), {"cannot": "can", "isn't": "is", "aren't": "are", "doesn't": "does", "don't": "do"}.get(m.group(), (m[1] or "") + " "))
    if case["language"] == "es":
        m = re.search(r"\b(es|son|está|se|puede|devuelve|tiene|acepta|necesita|hay)\b", text)
        if m and not re.search(r"\bno\b", text[max(0, m.start() - 4):m.start()]):
            return replace_span(text, m.start(), m.start(), "no ")
        return None
    m = re.search(r"\b(is|are|was|were|can|must|should|may|will)\b(?! not| no )", text)
    return replace_span(text, m.end(), m.end(), " not") if m else None


def entity(text, case, draw):
    m = pick(re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b", text), draw)
    return replace_span(text, m.start(), m.end(), draw.choice([n for n in NAMES if n != m.group()])) if m else None


def identifier(text, case, draw):
    m = pick(re.finditer(r"`([A-Za-z_][\w.]*\w)(\(\))?`|\b[a-z]+(?:_[a-z]+)+\b|--[a-z][\w-]+", text), draw)
    if not m:
        return None
    name = m.group().strip("`")
    for one, two in (("max", "min"), ("min", "max"), ("get", "set"), ("set", "get"), ("start", "end"), ("add", "remove"), ("_total", "_count"), ("read", "write"), ("in", "out")):
        if name.startswith(one) or one.startswith("_") and name.endswith(one):
            return replace_span(text, m.start(), m.end(), m.group().replace(one, two, 1))
    tail = "()" if name.endswith("()") else ""
    bare = name.removesuffix("()")
    new = bare + draw.choice(["_limit", "_mode", "2", "_all"]) if "_" in bare else bare + draw.choice(["Mode", "List", "All", "Once"])
    return replace_span(text, m.start(), m.end(), m.group().replace(name, new + tail, 1))


def path(text, case, draw):
    m = pick(re.finditer(r"(?<![\w:])(?:/[\w.-]+/[\w./-]*\w|[\w.-]+(?:/[\w.-]+){2,})|\b[\w-]+\.(?:md|yml|yaml|json|csv|log|toml|conf|go|py)\b", text), draw)
    if not m:
        return None
    old = m.group()
    new = re.sub(r"\.(\w+)$", lambda e: "." + ("json" if e[1] != "json" else "yaml"), old) if "." in old.rsplit("/", 1)[-1] else re.sub(r"[\w-]+(/?)$", r"backup\1", old)
    return replace_span(text, m.start(), m.end(), new) if new != old else None


def by_table(table):
    def change(text, case, draw):
        options = [(m, b) for a, b in table for m in re.finditer(rf"(?<![`\w]){a}(?![`\w])", text)]
        if not options:
            return None
        m, new = draw.choice(options)
        return replace_span(text, m.start(), m.end(), new)
    return change


def fabrication(text, case, draw):
    if draw.random() < 0.5:
        return draw.choice(ALONE[case["language"]])
    return text.rstrip(".") + (", " if draw.random() < 0.5 else " ") + draw.choice(INVENTED[case["language"]]) + "."


def other_source(text, case, draw):
    return draw.choice(case["strange"]) if case["strange"] else None


CHANGES = {"number": number, "unit": unit, "negation": negation, "entity": entity, "identifier": identifier, "path": path, "quantifier": by_table(QUANTITY), "direction": by_table(AGAINST),
           "fabrication": fabrication, "other_source": other_source}
