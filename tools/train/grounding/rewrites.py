"""The second generator: says the sentence again in other shapes, and changes it with what stands elsewhere in its own
sources. Shares nothing with edits.py."""
import re

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
EQUAL = {
    "en": [("specify", "define"), ("specified", "defined"), ("select", "choose"), ("selected", "chosen"), ("run", "execute"), ("runs", "executes"), ("obtained", "gained"), ("fetch", "retrieve"),
           ("ensure", "make sure"), ("enough", "sufficient"), ("identical", "the same"), ("occurs", "happens"), ("necessary", "required"), ("entire", "complete"), ("additional", "extra"),
           ("permitted", "allowed"), ("receives", "gets"), ("receive", "get"), ("automatically", "by itself"), ("previous", "earlier"), ("different", "distinct"), ("such as", "like"),
           ("in order to", "to"), ("approximately", "roughly"), ("demonstrated", "shown"), ("indicates", "suggests"), ("consists of", "is made up of"), ("located", "situated"), ("begin", "start"),
           ("begins", "starts"), ("commonly", "frequently"), ("difficult", "hard"), ("purchase", "buy"), ("obtain", "get"), ("replaced", "substituted"), ("verify", "check"), ("merge", "combine"),
           ("determine", "find out"), ("represents", "stands for"), ("exceeds", "is above"), ("complete", "finish"), ("declared", "stated"), ("child", "kid"), ("physician", "doctor")],
    "es": [("recibe", "obtiene"), ("ejecuta", "corre"), ("indica", "señala"), ("produce", "genera"), ("distinto", "diferente"), ("detiene", "para"), ("obligatorio", "necesario"), ("une", "junta"),
           ("comprueba", "verifica"), ("rápido", "veloz"), ("elige", "selecciona"), ("luego", "después"), ("escribe", "anota"), ("ocurre", "sucede"), ("acepta", "admite")],
}
SAID = {"en": ["According to the sources, ", "The documentation says that ", "As described, ", "Note that ", "In other words, ", "It should be noted that "],
        "es": ["Según las fuentes, ", "La documentación dice que ", "Cabe señalar que ", "Es decir, "]}
LINK = {"en": ["Additionally, ", "Furthermore, ", "In short, ", "Also, ", "In practice, "], "es": ["Además, ", "En resumen, ", "Asimismo, "]}
ADVERBS = r"(automatically|usually|typically|generally|often|currently|also|normalmente|automáticamente|también)"


def down(text):
    head = text.split(" ")[0].strip("`\"(,")
    return text if head == "I" or text[:1] == "`" or re.search(r"[A-Z0-9_]", head[1:]) else text[:1].lower() + text[1:]


def up(text):
    return text[:1].upper() + text[1:]


def swapped_words(case, draw):
    text, count = case["sentence"], 0
    for a, b in draw.sample(EQUAL[case["language"]], len(EQUAL[case["language"]])):
        for old, new in ((a, b), (b, a)):
            if count < 4 and re.search(rf"(?<![`\w-]){re.escape(old)}(?![`\w-])", text):
                text, count = re.sub(rf"(?<![`\w-]){re.escape(old)}(?![`\w-])", new, text, count=1), count + 1
                break
    return text if count else None


def attributed(case, draw):
    return draw.choice(SAID[case["language"]]) + down(case["sentence"])


def linked(case, draw):
    return draw.choice(LINK[case["language"]]) + down(case["sentence"])


def spelled(case, draw):
    text = re.sub(r"(?<![\w.,/`:$-])(\d{1,2})(?= [a-z])", lambda m: WORDS[int(m[1])] if int(m[1]) <= 12 else m[1], case["sentence"]) if case["language"] == "en" else case["sentence"]
    text = re.sub(r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?= [a-z])", lambda m: str(WORDS.index(m[1])), text) if text == case["sentence"] else text
    text = re.sub(r"(?<=\d)%", " percent", text) if "%" in text else re.sub(r"(?<=\d) percent\b", "%", text)
    text = re.sub(r"\b(\d{1,3}),(\d{3})\b", r"\1\2", text)
    return text if text != case["sentence"] else None


def clause_front(case, draw):
    found = re.match(r"^((?:If|When|While|Although|Because|After|Before|Unless|Once|Si|Cuando|Aunque|Mientras)\b[^,]{8,90}), (.{20,})\.$", case["sentence"])
    return f"{up(found[2])} {down(found[1])}." if found else None


def relative(case, draw):
    found = re.match(r"^(The [\w `-]{3,40}?|A [\w `-]{3,40}?) (is|are|was) ([^,.]{10,80}?) (?:and|that|which) ((?:is|are|has|have|can|will|uses|was) .{10,})$", case["sentence"])
    return f"{found[1]}, which {found[2]} {found[3]}, {found[4]}" if found else None


def adverb_moved(case, draw):
    found = re.search(rf" {ADVERBS} ", case["sentence"])
    return up(found[1]) + ", " + down(case["sentence"][:found.start()] + " " + case["sentence"][found.end():]) if found else None


def cut_short(case, draw):
    text = re.sub(r"\s*[(][^()]*[)]", "", case["sentence"])
    parts = re.split(r"(?:, (?:and|but|so|because|where|which|y|pero)|;) ", text)
    text = parts[0].rstrip(".,;") + "." if len(parts) > 1 and len(parts[0].split()) > 6 else text
    return text if text != case["sentence"] else None


def two_in_one(case, draw):
    other = case["next"]
    joined = (" In addition, " if case["language"] == "en" else " Además, ")
    return case["sentence"] + joined + down(other) if other and len(other) < 160 else None


def cleft(case, draw):
    found = re.match(r"^(The [\w`-]+(?: [\w`-]+)?) (is|are) (?!not)(.{12,})\.$", case["sentence"])
    return f"What {down(found[1])} {found[2]} is {found[3]}." if found and draw.random() < 0.3 else (
        f"There is one thing to know: {down(case['sentence'])}" if case["language"] == "en" and draw.random() < 0.2 else None)


def demonstrative(case, draw):
    text = re.sub(r"^(The|A|An) ", lambda m: {"The": "This", "A": "Any", "An": "Any"}[m[1]] + " ", case["sentence"])
    return text if text != case["sentence"] else None


def same(case, draw):
    return case["sentence"]


STYLES = {f.__name__: f for f in (same, swapped_words, attributed, linked, spelled, clause_front, relative, adverb_moved, cut_short, two_in_one, cleft, demonstrative)}

# === Changes ===


def around(case):
    return " ".join(case["sources"])


def put(text, m, new, group=0):
    return text[:m.start(group)] + new + text[m.end(group):]


NUMBER = r"(?<![\w.,/`:-])\d+(?:[.,]\d+)*(?![\w/:-])"


def number(text, case, draw):
    mine = list(re.finditer(NUMBER, text))
    spelled = list(re.finditer(r"\b(two|three|four|five|six|seven|eight|nine|ten|dos|tres|cuatro|cinco|diez)\b(?= [a-z])", text))
    if mine and draw.random() < 0.8 or mine and not spelled:
        m = draw.choice(mine)
        others = sorted(set(re.findall(NUMBER, around(case))) - {m.group() for m in mine})
        if others and draw.random() < 0.7:
            return put(text, m, draw.choice(others))
        digits = list(m.group())
        at = draw.randrange(len(digits))
        if not digits[at].isdigit():
            return None
        digits[at] = str((int(digits[at]) + draw.randint(1, 8)) % 10 or 7)
        new = "".join(digits)
        return put(text, m, new) if new != m.group() and not (len(new) > 1 and new[0] == "0") else None
    if spelled:
        m = draw.choice(spelled)
        pool = ["two", "three", "four", "five", "six", "nine", "twelve"] if m.group() in WORDS else ["dos", "tres", "cuatro", "cinco", "diez"]
        return put(text, m, draw.choice([w for w in pool if w != m.group()]))
    return None


DIMENSIONS = [r"milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|segundos?|minutos?|horas?|días?", r"kilobytes?|megabytes?|gigabytes?|bytes?|bits?|[KMGT]i?B", r"mg|kg|grams?|pounds?|ounces?",
              r"millimet(?:er|re)s?|centimet(?:er|re)s?|met(?:er|re)s?|kilomet(?:er|re)s?|miles?|feet|inches", r"dollars|cents|euros", r"liters?|litres?|gallons?|cups?"]
CHOICES = [["seconds", "minutes", "hours", "days", "months", "years"], ["bytes", "kilobytes", "megabytes", "GB"], ["mg", "kg", "pounds"], ["meters", "kilometers", "miles", "feet"], ["cents", "dollars", "euros"], ["liters", "gallons", "cups"]]


def unit(text, case, draw):
    for pattern, choices in draw.sample(list(zip(DIMENSIONS, CHOICES)), len(CHOICES)):
        m = re.search(rf"(?:\d|\b(?:two|three|four|five|six|ten|few|several)\b)[ -]?({pattern})\b", text)
        if m:
            stem = m[1].lower().rstrip("s")[:4]
            return put(text, m, draw.choice([c for c in choices if c.lower()[:4] != stem]), 1)
    return None


def negation(text, case, draw):
    if case["language"] == "es":
        m = re.search(r"\bno (se|es|son|está|hay|puede|devuelve|tiene)\b|\bnunca\b", text)
        if m:
            return put(text, m, m[1] or "siempre")
        m = re.search(r"\b(es|son|se|puede|devuelve)\b", text)
        return put(text, m, "nunca " + m[1]) if m else None
    m = re.search(r"\b(never|no longer|not) ", text)
    if m and draw.random() < 0.8:
        return put(text, m, "")
    m = re.search(r"\b(with) (?=a |an |the )|\b(can|may) (?=be |[a-z]+)|\b(supports?|allows?|contains?|includes?|shows?|showed|provides?|works?|uses|has|have)\b (?!been)", text)
    if not m:
        m = re.search(r"\b(is|are|was|were) (?!not|no)", text)
        return put(text, m, m[1] + " never ") if m else None
    if m[1]:
        return put(text, m, "without", 1)
    if m[2]:
        return put(text, m, "cannot", 2)
    verb = m[3]
    return put(text, m, ("fails to " if verb.endswith("s") else "failed to " if verb.endswith("ed") else "fail to ") + re.sub(r"(?<=[a-z]{2})(s|ed)$", "", verb), 3)


def entity(text, case, draw):
    capital = r"(?<=[a-z,;] )[A-Z][A-Za-z]{2,}(?: [A-Z][a-z]+)?"
    mine = list(re.finditer(capital, text))
    others = sorted(set(re.findall(capital, around(case))) - set(m.group() for m in mine))
    if mine and others and draw.random() < 0.6:
        return put(text, draw.choice(mine), draw.choice(others))
    # Another noun of the sources in the place of one.
    noun = r"\b(?:the|a|an|each|every|el|la|un|una) ([a-záéíóúñ]{4,12})(?= (?:is|are|was|of|to|in|for|from|and|with|es|de|en|con|se)\b|[,.])"
    mine = list(re.finditer(noun, text))
    others = sorted(set(re.findall(noun, around(case))) - set(re.findall(r"\w+", text)))
    others = [o for o in others if not o.endswith(("ing", "ly", "ed"))]
    if mine and others:
        m = draw.choice(mine)
        return put(text, m, draw.choice(others), 1) if m[1] not in ("same", "following", "first", "number") else None
    return None


NAME = r"`[A-Za-z_][\w.-]*(?:\(\))?`"


def identifier(text, case, draw):
    mine = list(re.finditer(NAME, text))
    others = sorted(set(re.findall(NAME, around(case))) - {m.group() for m in mine})
    return put(text, draw.choice(mine), draw.choice(others)) if mine and others else None


PATH = r"(?<![\w:])(?:/[\w.-]+/[\w./-]*\w|[\w.-]+(?:/[\w.-]+){2,})|\b[\w-]{3,}\.(?:md|yml|yaml|json|csv|log|toml|conf)\b"


def path(text, case, draw):
    m = re.search(PATH, text)
    if not m:
        return None
    others = sorted(set(re.findall(PATH, around(case))) - {m.group()})
    if others and draw.random() < 0.5:
        return put(text, m, draw.choice(others))
    parts = m.group().split("/")
    at = draw.randrange(len(parts))
    parts[at] = draw.choice(["old", "shared", "archive", "tmp"]) + (parts[at][parts[at].rfind("."):] if "." in parts[at] else "")
    return put(text, m, "/".join(parts))


def quantifier(text, case, draw):
    swaps = [(r"\bat least\b", "at most"), (r"\bat most\b", "at least"), (r"\bup to\b", "more than"), (r"\bmore than\b", "less than"), (r"\bless than\b", "more than"), (r"\bAll\b", "Few"), (r"\bEach\b", "Hardly any"),
             (r"\bsometimes\b", "always"), (r"\balways\b", "rarely"), (r"\bonly\b", "not only"), (r"\bmany\b", "hardly any"), (r"\bmost\b", "no"), (r"\bany\b", "only one"), (r"\ball\b", "a few"),
             (r"\bmust\b", "might"), (r"\bmay\b", "always"), (r"\bcan\b", "always has to"), (r"\bseveral\b", "all"), (r"\busually\b", "rarely"), (r"\bsolo\b", "no solo"), (r"\bsiempre\b", "rara vez"),
             (r"\btodos los\b", "pocos"), (r"\bcada\b", "ningún"), (r"\bpuede\b", "siempre tiene que")]
    options = [(m, new) for old, new in swaps for m in re.finditer(old, text)]
    if not options:
        return None
    m, new = draw.choice(options)
    return put(text, m, new)


def direction(text, case, draw):
    for pattern in (r"\b(from) (?:the |an? )?([\w`-]+) (to) (?:the |an? )?([\w`-]+)\b", r"\b([\w`-]{4,}) (before|after|instead of|rather than|over|causes|replaces|calls|sends|precedes|contains|depends on|inherits from) (?:the |an? |to )?([\w`-]{4,})\b"):
        m = re.search(pattern, text)
        if m:
            one, two = (2, 4) if m.lastindex == 4 else (1, 3)
            if m[one].lower() != m[two].lower():
                return text[:m.start(one)] + m[two] + text[m.end(one):m.start(two)] + m[one] + text[m.end(two):]
    m = re.match(r"^(The|An?) ([\w`-]+) (sends|creates|uses|contains|calls|replaces|reads|controls|evaluates|starts|stores|inhibits|activates|causes|exposes|scrapes|queries|provides) (the |an? |its )?([\w`-]+)\b(.*)$", text)
    if m and m[2] != m[5]:
        return f"{m[1]} {m[5]} {m[3]} {m[4] or ''}{m[2]}{m[6]}"
    m = re.match(r"^(.{4,40}) (is|was|are) (\w+ed|sent|kept|written) by ([\w `-]{4,40}?)((?: (?:in|on|at|to|for|when)\b.*)?\.)$", text)
    return f"{up(m[4])} {m[2]} {m[3]} by {down(m[1])}{m[5]}" if m else None


TEMPLATES = {"en": ["The {a} has to be renewed by the {b} every spring.", "Without the {a}, the {b} would be three times as expensive.", "The {a} was introduced after complaints about the {b}.",
                    "Users of the {a} have to pay for the {b} separately.", "The {b} warns the operator when the {a} is older than a week.", "Most experts regard the {a} as riskier than the {b}."],
             "es": ["El {a} se renueva cada primavera con el {b}.", "Sin el {a}, el {b} sería tres veces más caro.", "El {a} se introdujo tras varias quejas sobre el {b}."]}


def fabrication(text, case, draw):
    nouns = sorted(set(re.findall(r"\b(?:the|a|an|el|la|un|una) ([a-záéíóúñ]{4,14})\b", around(case))))
    if len(nouns) < 2:
        return None
    a, b = draw.sample(nouns, 2)
    return draw.choice(TEMPLATES[case["language"]]).format(a=a, b=b)


def other_source(text, case, draw):
    return draw.choice(case["strange"]) if case["strange"] else None


CHANGES = {f.__name__: f for f in (number, unit, negation, entity, identifier, path, quantifier, direction, fabrication, other_source)}
