"""The second generator: says the sentence again in other shapes, as one who answers would, and changes it with what stands
elsewhere in its own sources. Shares nothing with edits.py: no table, no pattern, no helper.

A change gives None where what it would say might hold, or where no whole sentence would come of it."""
import re

SPELT = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
LETRA = ["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"]
# Words for one another, one way only: the left one is clear enough to be said as the right one.
EQUAL = {
    "en": {"specify": "state", "specified": "given", "select": "choose", "selected": "chosen", "executes": "runs", "execute": "run", "obtained": "acquired", "fetch": "retrieve", "fetches": "retrieves", "ensure": "make sure", "ensures": "guarantees",
           "sufficient": "enough", "identical": "the same", "necessary": "essential", "entire": "complete", "additional": "extra", "receives": "is given", "automatically": "on its own", "previous": "earlier", "different": "distinct",
           "such as": "like", "in order to": "to", "approximately": "around", "demonstrated": "proved", "indicates": "signals", "consists of": "is made up of", "located": "situated", "commonly": "frequently", "difficult": "hard", "purchase": "buy",
           "obtain": "acquire", "verify": "check", "merge": "combine", "determine": "work out", "exceeds": "goes beyond", "child": "kid", "physician": "doctor", "begin": "commence", "begins": "commences", "delete": "erase",
           "deleted": "erased", "removed": "taken out", "supports": "copes with", "requires": "calls for", "optional": "not compulsory", "contains": "holds", "stores": "saves", "stored": "saved", "written": "put down", "updates": "refreshes", "prints": "outputs",
           "ignored": "disregarded", "replaced": "superseded", "replaces": "supersedes", "restarted": "started again", "removes": "takes out", "allowed": "permitted", "forbidden": "not permitted", "hidden": "not shown", "valid": "in force", "expires": "runs out",
           "pays": "settles", "repaired": "mended", "replies": "answers", "refused": "turned down", "accepted": "taken", "immediately": "right away", "several": "a number of", "rarely": "seldom", "usually": "as a rule", "often": "frequently",
           "because": "as", "although": "even though", "unless": "except if", "once": "as soon as", "therefore": "so", "while": "whereas", "shall": "has to", "must": "is obliged to", "children": "kids", "patients": "those treated",
           "medicine": "drug", "damaged": "harmed", "small": "minor", "quickly": "fast", "reduce": "cut", "reduces": "cuts", "increase": "raise", "increases": "raises", "improve": "better", "show": "reveal", "shows": "reveals",
           "users": "people using it", "device": "unit", "tool": "utility", "folder": "directory", "starts": "gets going", "stops": "comes to a halt", "sends": "passes", "returns": "yields", "creates": "sets up", "uses": "makes use of", "needs": "has need of"},
    "es": {"recibe": "obtiene", "ejecuta": "pone en marcha", "indica": "señala", "produce": "genera", "distinto": "diferente", "detiene": "para", "obligatorio": "imprescindible", "une": "junta", "comprueba": "verifica", "rápido": "veloz", "elige": "selecciona",
           "luego": "después", "escribe": "anota", "ocurre": "sucede", "acepta": "admite", "admite": "acepta", "devuelve": "da como resultado", "guarda": "conserva", "dura": "se prolonga", "necesita": "precisa", "usa": "se sirve de", "contiene": "incluye",
           "cuesta": "sale por", "avisa": "informa", "borra": "elimina", "anula": "cancela", "termina": "finaliza", "empieza": "arranca", "comienza": "arranca", "solo": "nada más que", "siempre": "en todos los casos", "nunca": "jamás",
           "como máximo": "a lo sumo", "al menos": "por lo menos", "gratis": "sin coste", "ropa": "prendas", "aparato": "equipo", "después de": "tras", "antes de": "con anterioridad a", "mientras": "durante el tiempo que", "porque": "ya que", "aunque": "si bien"},
}
SAID = {"en": ["According to the sources, ", "The documentation says that ", "As described, ", "The text states that ", "In other words, ", "As far as the documents tell, ", "Yes: ", "Briefly put, ", "The rule is that ", "You should know that "],
        "es": ["Según las fuentes, ", "La documentación dice que ", "Cabe señalar que ", "Es decir, ", "El texto indica que ", "Sí: ", "Conviene saber que "]}
LINK = {"en": ["Additionally, ", "Furthermore, ", "In short, ", "Also, ", "In practice, ", "Besides, ", "Here, ", "Moreover, "], "es": ["Además, ", "En resumen, ", "Asimismo, ", "En la práctica, ", "Por otra parte, "]}
OPENERS = set("the a an each every all any if when while although because after before unless once until no not only some most many several for from in on at to with without by as both its their two three four five six "
              "el la los las un una cada todo todos toda todas si cuando aunque porque después antes en con sin por para al del no solo hay se su sus lo entre durante".split())


def down(text, case=None):
    """The start of a sentence as it stands inside one: a common opening word loses its capital, and one that the sources hold without it."""
    head = text.split(" ")[0].strip(",")
    common = head.lower() in OPENERS or case and re.search(rf"\b{re.escape(head.lower())}\b", " ".join(case["own"]))
    return text[:1].lower() + text[1:] if common and head[1:] == head[1:].lower() else text


def inside(text, case):
    """The sentence behind other words, or none where it is not known whether its first word is a name."""
    new = down(text, case)
    head = new.split(" ")[0].strip(",'")
    return new if not head[:1].isupper() or head[1:] != head[1:].lower() or re.search(rf"(?<=[a-z,] ){re.escape(head)}\b", " ".join(case["own"])) else None


def up(text):
    return text[:1].upper() + text[1:]


def an(text):
    """The article that the next word asks for."""
    return re.sub(r"\b(a|A)n? (?=([a-z])([a-z]*))", lambda m: m[1] + ("n " if m[2] in "aeiou" and (m[2] + m[3])[:3] not in ("uni", "use", "usu", "one", "eur", "uti") or (m[2] + m[3]).startswith(("hour", "honest")) else " "), text)


def swapped_words(case, draw):
    text, count, most = case["sentence"], 0, draw.choice([1, 2, 2, 3])
    table = list(EQUAL[case["language"]].items())
    for old, new in draw.sample(table, len(table)):
        hit = old in text and re.search(rf"(?<![`\w.-]){re.escape(old)}(?![`\w(-]|\.\w)", text)
        if count >= most or not hit:
            continue
        if text.count("`", 0, hit.start()) % 2:
            continue
        before, after = text[:hit.start()].rstrip(), text[hit.end():].lstrip()
        if old == "must" and (after.startswith(("not", "also")) or re.search(r"(?:s|they|you|and|who|we|that)$", before)) or old == "once" and not hit.start() == 0 or old == "until" and re.match(r"[\d\w]+[.,]|\d", after) or old == "once" and re.match(r"(a|every|per)\b", after):
            continue
        if old in ("increase", "show", "child", "needs", "uses", "updates", "stops", "starts", "returns", "costs", "small", "large", "while", "valid", "improve", "reduce", "accepted", "device", "tool", "must", "needs") and draw.random() < 0.4:
            continue
        if old in ("increase", "show", "stops", "starts", "returns", "uses", "updates", "needs", "replies", "prints", "costs", "increases") and re.search(r"\b(the|a|an|of|its|and|in|with)$", before) or old == "once" and "," not in after:
            continue
        if old in ("written", "accepted", "improve", "valid", "users", "patients", "because", "while", "until") and draw.random() < 0.5 or old == "written" and (re.match(r"(in|as|by|with)\b", after) or re.search(r"\b(a|the|any|each|no)$", before)) or old == "usa" and case["language"] == "en":
            continue
        text, count = text[:hit.start()] + (up(new) if hit.start() == 0 else new) + text[hit.end():], count + 1
    return (an(text) if case["language"] == "en" else text) if count else None


def attributed(case, draw):
    text = inside(case["sentence"], case)
    return draw.choice(SAID[case["language"]]) + text if text else None


def linked(case, draw):
    text = inside(case["sentence"], case)
    return draw.choice(LINK[case["language"]]) + text if text else None


def spelled(case, draw):
    text = case["sentence"]
    if case["language"] == "es":
        text = re.sub(r"(?<![\w.,/`:$-])([2-9]|10)(?= [a-z]{4})", lambda m: LETRA[int(m[1])], text)
        text = re.sub(r"(?<=\d) %", " por ciento", text) if text == case["sentence"] else text
        return text if text != case["sentence"] else None
    new = re.sub(r"(?<![\w.,/`:$-])(?<! to )(?<!and )([2-9]|1[0-2])(?= (?!thirds|quarters|dozen|to\b|or\b|and\b)[a-z]{4})", lambda m: SPELT[int(m[1])], text)
    new = re.sub(r"(?<! to )(?<! or )(?<!-)\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?= (?!thirds|quarters|dozen|to\b|or\b|and\b|of\b)[a-z])", lambda m: str(SPELT.index(m[1])), text) if new == text else new
    new = re.sub(r"(?<=\d) ?%", " percent", new) if "%" in new else re.sub(r"(?<=\d) percent\b", " %", new)
    new = re.sub(r"(?<![\w,.])(\d{1,3}),(\d{3})(?![\w,])", r"\1\2", new)
    for short, full in (("ms", "milliseconds"), ("MB", "megabytes"), ("GB", "gigabytes"), ("KB", "kilobytes"), ("km", "kilometres"), ("kg", "kilograms"), ("mg", "milligrams"), ("mm", "millimetres"), ("ml", "millilitres"), ("cm", "centimetres")):
        new = re.sub(rf"(?<=\d) {short}\b(?!/)", f" {full}", new) if draw.random() < 0.8 else new
    return new if new != text else None


def moved(case, draw):
    """A clause goes from the front to the end, or a phrase of place, time or purpose from the end to the front."""
    found = re.match(r"^((?:If|When|While|Although|Because|After|Before|Unless|Once|Si|Cuando|Aunque|Mientras|Después de|Antes de)\b[^,;]{8,90}), ((?:the|a|an|it|they|you|each|every|all|no|el|la|los|las|un|una|se|`)[^;]{16,})\.$", case["sentence"])
    if found:
        return f"{up(found[2])} {down(found[1])}." if found[2].count(",") < 2 else None
    found = re.match(r"^([^,;:]{16,}?) ((?:in|on|at|within|during|since|from|for|under|en|durante|desde|dentro de) (?:the |a |an |its |this |el |la |los |las |un |una )?(?:[\w-]+ ){0,2}(?:`[^`]+`|[\w-]+))\.$", case["sentence"])
    if not found or len(found[2].split()) < 3 and "`" not in found[2] or re.search(r" (?:and|or|if|when|which|that|y|o|si|cuando|que) ", found[1]) or re.search(r"\b(of|and|or|the|a|to|not|as|than|only|de|y|o|used|found|stored|located|written|interested|based|depends?|de)$", found[1]) or re.search(r" (?:for|from|in|on|at|en) ", found[2]) or re.match(r"(?:for|on) (?!the|a )", found[2]):
        return None
    main = inside(found[1], case)
    return f"{up(found[2])}, {main}." if main and re.match(r"(?:The|A|An|Each|Every|All|It|You|No|El|La|Los|Las|Una?|Se|`)(?= |$|[\w])", found[1]) else None


def split(case, draw):
    """A list of two things said of one subject, one sentence each."""
    found = re.match(r"^((?:The|A|An|Each|El|La) (?:[\w-]+ ){0,2}(?:`[^`]+`|[\w-]+)) ((?:\w+s|is|are) [^,;:]{10,80}?),? (and|but|y|pero) ((?:\w{3,}s|is|can|must|cannot|may|will|es|no \w+|puede|debe) [^;:]{8,})\.$", case["sentence"])
    if not found or re.match(r"\w+(?:sis|ss|us)\b", found[4]) or re.search(r"\b(both|between|with|without|neither|either|entre)\b", found[2]) or re.match(r"\w+s\b(?! (?:the|a|an|to|in|from|its|with|it|no|not|all|on|only|up|for|by|about|el|la|un|una))", found[4]) and not re.match(r"is|can|must|may|will|es|no |puede|debe", found[4]):
        return None
    pronoun = ("It" if case["language"] == "en" else "")
    return f"{found[1]} {found[2]}. {(pronoun + ' ') if pronoun else ''}{found[4] if pronoun else up(found[4])}." if re.match(r"The|A|An|Each|El|La", found[1]) and not re.search(r"[^su]s$", found[1]) else None


def cut_short(case, draw):
    text = re.sub(r"\s*[(][^()\d]*[)]", "", case["sentence"])
    parts = re.split(r"(?:, (?:and|but|so|because|where|which|while|y|pero|porque|mientras que|lo que)|;) ", text)
    if len(parts) > 1 and len(parts[0].split()) > 5 and not re.match(r"(?i)(if|when|unless|although|while|after|before|once|si|cuando|aunque|for|in)\b", parts[0]) and parts[0].count(",") == 0:
        text = parts[0].rstrip(".,;") + "."
    return text if text != case["sentence"] and not re.search(r"\b(?:to|of|in|for|with|by|and|or|the|an?|from|as|de|en|con|y|que)\.$", text) else None


def second_half(case, draw):
    """Only what stands after the break of a compound sentence."""
    found = re.match(r"^[^;]{18,}(?:; |, but |, and |, pero |, y )((?:the|a|an|el|la|los|las|un|una|`)[^;]{24,})$", case["sentence"])
    return up(found[1]) if found and re.search(r"\b(is|are|was|were|can|may|must|has|have|will|does|do|es|son|se|puede|no|\w+s)\b", found[1]) and not re.match(r"(?i)if|when|si|cuando|although|while", case["sentence"]) else None


def two_in_one(case, draw):
    other = case["next"]
    if other and not inside(other, case):
        return None
    joined = draw.choice([" In addition, ", " Moreover, ", " "] if case["language"] == "en" else [" Además, ", " "])
    return case["sentence"] + (joined + inside(other, case) if joined != " " else " " + other) if other and len(other) < 160 else None


def cleft(case, draw):
    """It is the subject that does so."""
    if case["language"] == "es":
        found = re.match(r"^((?:El|La) [\w`-]+) ((?!no\b|se\b|de\b|del\b|que\b)[a-záéíóú]+(?:a|e) (?:el|la|un|una|los|las) [^,;]{8,70})\.$", case["sentence"])
        return f"Es {down(found[1])} {'el' if found[1].startswith('El') else 'la'} que {found[2]}." if found else None
    found = re.match(r"^((?:The|A) (?:[\w-]+ )?(?:`[^`]+`|[\w-]+)) ((?:reads|writes|sends|creates|stores|returns|uses|contains|removes|defines|starts|sets|closes|opens|evaluates|decides|controls|covers|pays|issues|limits|stops|protects|approves|prints|deletes|keeps|checks) [^,;]{8,90})\.$", case["sentence"])
    return f"It is {down(found[1])} that {found[2]}." if found and not re.search(r" (?:that|which|it|and|or)$", found[1]) else None


def what_for(case, draw):
    """What a thing does, said as what it is for."""
    found = re.match(r"^The ((?:command|function|option|method|flag|setting|parameter|field|tool|script|view|helper|class|constant|header|register|variable|button|key|program|mode|switch|operator) (?:`[^`]+`|[\w-]+)|`[^`]+` (?:option|flag|setting|parameter|command|function|field|label|metric|helper|method|endpoint|operator|collector)) (reads|writes|sends|creates|stores|returns|removes|sets|closes|opens|prints|limits|shows|adds|deletes|converts|lists|copies|joins|counts|fills|replaces|selects|builds|restores|stops|erases|holds|controls|defines|specifies|configures|returns|tests|checks|computes|describes|exposes|provides|gives|runs|tells|identifies|measures|calculates|indicates|binds|extracts|generates|inserts|updates|moves|prepares|rebuilds|encodes|decodes|rolls back|adds up|compresses|mounts) ([^,;:]{8,110})\.$", case["sentence"])
    if not found or re.search(r"\b(?:and|but|or|that) (?:\w+s|is|does|are|also|never|not|can)\b", found[3]):
        return None
    name, verb, rest = found[1], found[2], found[3]
    bare = {"fetches": "fetch", "copies": "copy"}.get(verb, verb[:-1])
    return draw.choice([f"You use the {name} to {bare} {rest}.", f"With the {name}, you can {bare} {rest}.", f"The job of the {name} is to {bare} {rest}.", f"To {bare} {rest}, use the {name}."])


def reader(case, draw):
    """The reader is spoken to: what a thing is for, what one may do with it."""
    if said := what_for(case, draw):
        return said
    if case["language"] == "es":
        found = re.match(r"^((?:El|La|Los|Las) (?:[\w`-]+ ?){1,3}?) (?:se puede|puede|se pueden|pueden) (guardar|borrar|cambiar|usar|leer|abrir|cancelar|anular|renovar|dividir|instalar|pedir)(?:se)?( [^,;]*)?\.$", case["sentence"])
        return f"Puedes {found[2]} {down(found[1])}{found[3] or ''}." if found else None
    for old, new in ((r"^Customers must (?=[a-z])", "As a customer you must "), (r"^(?:Customers|Users|Visitors|Passengers) (?:may|can) (?=[a-z])", "You can "), (r"^Users must (?=[a-z])", "You must "), (r"^It is possible to (?=[a-z])", "You can "),
                     (r"^((?:The|A|An|Any|Each) (?!next)(?:(?!that|which|who)[^,; ]+ ){0,6}?(?!that|which)[^,; ]+) (?:can|may) (?:also )?be (stored|deleted|removed|replaced|changed|used|found|set|read|opened|closed|configured|downloaded|installed|exchanged|cancelled|renewed|ordered|combined|created|viewed|divided|attached|loaded|added|queried|scraped|enabled|disabled|specified|accessed|restored|shared|repeated|moved|selected|reported|listed|returned|restarted|rented|paid|started|sent|written|passed|given|kept|joined|called)( [^,;]*)?\.$", None)):
        if new is not None and re.match(old, case["sentence"]):
            return re.sub(old, new, case["sentence"])
        if new is None and (m := re.match(old, case["sentence"])) and not re.search(r" (?:by|and|or) ", m[3] or ""):
            bare = {"read": "read", "set": "set", "found": "find", "used": "use", "stored": "store", "deleted": "delete", "removed": "remove", "replaced": "replace", "changed": "change", "closed": "close", "configured": "configure", "combined": "combine",
                    "exchanged": "exchange", "cancelled": "cancel", "created": "create", "divided": "divide", "queried": "query", "scraped": "scrape", "enabled": "enable", "disabled": "disable", "specified": "specify", "shared": "share", "moved": "move", "sent": "send", "written": "write", "given": "give", "kept": "keep", "paid": "pay"}.get(m[2]) or m[2].removesuffix("ed")
            return f"You can {bare} {down(m[1])}{m[3] or ''}."
    return None


def opposite_denied(case, draw):
    """The same by its opposite, denied."""
    for old, new in ((r"\bis (?:disabled|switched off)\b", "is not enabled"), (r"\bare disabled\b", "are not enabled"), (r"\bis ignored\b", "is not taken into account"), (r"\bare ignored\b", "are not taken into account"), (r"\bremains unchanged\b", "does not change"),
                     (r"\bis forbidden\b", "is not allowed"), (r"\bare forbidden\b", "are not allowed"), (r"\bis missing\b", "is not there"), (r"\bis empty\b", "has nothing in it"), (r"\bis (?:mandatory|compulsory)\b", "is not optional"), (r"\bare (?:mandatory|compulsory)\b", "are not optional"), (r"\bis unknown\b", "is not known"), (r"\bis rare\b", "is not common"), (r"\bare rare\b(?! [a-z])", "are not common"),
                     (r"\bis different\b", "is not the same"), (r"\bis impossible\b", "is not possible"), (r"\bis unlikely\b", "is not likely"), (r"\bis free\b(?=\.|,| for)", "costs nothing"),
                     (r"\bfails to\b", "does not"), (r"\bfail to\b", "do not"), (r"\bis unable to\b", "cannot"), (r"\bare unable to\b", "cannot"), (r"\bis insufficient\b", "is not enough"), (r"\bis stopped\b", "does not run on"), (r"\bstays the same\b", "does not change"),
                     (r"\bis not (?:allowed|permitted)\b", "is forbidden"), (r"\bare not (?:allowed|permitted)\b", "are forbidden"), (r"\bis not supported\b", "is unsupported"), (r"\bare not supported\b", "are unsupported"),
                     (r"\bis not possible\b", "is impossible"), (r"\bis not necessary\b", "is unnecessary"), (r"\bis not available\b", "is unavailable"), (r"\bare not available\b", "are unavailable"), (r"\bis not included\b", "is left out"), (r"\bare not included\b", "are left out"),
                     (r"\bis not covered\b", "is excluded from the cover"), (r"\bis not changed\b", "stays as it is"), (r"\bare not changed\b", "stay as they are"), (r"\bno es posible\b", "es imposible"), (r"\bno está permitido\b", "está prohibido"), (r"\bno está incluido\b", "queda fuera"),
                     (r"\bno es necesario\b", "no hace falta"), (r"\bno está disponible\b", "falta"), (r"\bestá prohibida\b", "no está permitida"), (r"\bes obligatorio\b", "no es opcional"), (r"\bes obligatoria\b", "no es opcional"), (r"\bis optional\b", "is not required"), (r"\bare optional\b", "are not required"),
                     (r"\bis free of charge\b|\bare free of charge\b", "costs nothing"), (r"\bis never\b", "is not ever"), (r"\bare never\b", "are not ever"), (r"\bfails\b(?= (?:if|when|after|with))", "does not succeed"), (r"\bis refused\b", "is not accepted"),
                     (r"\bare refused\b", "are not accepted"), (r"\bis invalid\b", "is not valid"), (r"\bare invalid\b", "are not valid"), (r"\bis not required\b", "is optional"), (r"\bdoes not exist\b", "is nowhere to be found"), (r"\bdo not exist\b", "are absent"),
                     (r"\bstays closed\b", "does not open"), (r"\bis kept\b(?= (?:if|when|until|after))", "is not removed"), (r"\bis lost\b(?=\.| if| when)", "is not kept"), (r"\bexcludes\b", "does not include"), (r"\bestá prohibido\b", "no está permitido"), (r"\bno es obligatorio\b", "es opcional"),
                     (r"\bes gratis\b|\bes gratuito\b|\bes gratuita\b", "no cuesta nada"), (r"\bse rechaza\b", "no se acepta"), (r"\bno cambia\b", "sigue igual"), (r"\bse ignora\b", "no se tiene en cuenta"), (r"\bno existe\b", "falta"), (r"\bno existen\b", "faltan")):
        found = re.search(old, case["sentence"])
        # "No está prohibido" is denied already.
        if found and not re.search(r"\b(?:no|not|never|nunca) $", case["sentence"][:found.start()], re.I):
            return re.sub(old, new, case["sentence"], count=1)
    return None


def same(case, draw):
    return case["sentence"]


STYLES = {f.__name__: f for f in (same, swapped_words, attributed, linked, spelled, moved, split, cut_short, second_half, two_in_one, cleft, reader, opposite_denied)}

# === Changes ===


def put(text, m, new, group=0):
    return text[:m.start(group)] + new + text[m.end(group):]


def statements(case):
    return [s for source in case["sources"] for s in re.split(r"(?<=[.!?;])\s+", source)]


def marks(text):
    """The words of a text by their beginnings."""
    return {w.lower()[:5] for w in re.findall(r"[\wáéíóúñ]{4,}", text)}


def may_hold(case, text, new, gone=""):
    """Whether some statement of the sources that holds `new` says much of what the text says."""
    rest = marks(text) - marks(new) - marks(gone)
    if "places" not in case:
        every = statements(case)
        case["places"] = [((a + " " + b).lower(), marks(a)) for a, b in zip(every, every[1:] + [""])]
    return any(new.lower() in place and len(rest & of_it) >= 0.4 * max(1, len(rest)) for place, of_it in case["places"])


FIGURE = r"(?<![\w.,/`:#-])\d+(?:[.,]\d+)*(?![\w/`-]|:\d)"


def number(text, case, draw):
    es = case["language"] == "es"
    words = LETRA if es else SPELT
    mine = [m for m in re.finditer(FIGURE, text) if not re.search(r"(?i)\b(?:http|step|table|figure|type|phase|error)s? $", text[:m.start()])]
    spelled = list(re.finditer(rf"(?<![\w`-])({'|'.join(words[2:])})\b(?= [a-záéíóúñ])", text))
    if spelled and (not mine or draw.random() < 0.4):
        m = draw.choice(spelled)
        at = words.index(m.group())
        new = words[draw.choice([i for i in range(2, len(words)) if i != at and abs(i - at) < 5])]
        follows = text[m.end():].split()[0].strip(".,;")
        return None if f"{new} {follows}" in " ".join(case["sources"]).lower() else put(text, m, new)
    if not mine:
        return None
    m = draw.choice(mine)
    follows = (text[m.end():].split() or [""])[0].strip(".,;")
    pool = sorted({f for source in case["own"] for f in re.findall(FIGURE, source)} - {x.group() for x in mine})
    pool = [f for f in pool if len(f) <= len(m.group()) + 2 and ("." in f) == ("." in m.group()) or len(pool) < 3]
    everything = " ".join(case["sources"])
    if pool and draw.random() < 0.6:
        new = draw.choice(pool)
    else:
        digits = list(m.group())
        at = draw.choice([i for i, d in enumerate(digits) if d.isdigit()])
        digits[at] = str((int(digits[at]) + draw.randint(1, 8)) % 10)
        new = "".join(digits)
    if new == m.group() or re.match(r"0\d|0$", new) or f"{new} {follows}" in everything or f"{new}{follows}" in everything and follows:
        return None
    return put(text, m, new)


# Neighbours of a dimension, as they are written in one style.
SCALES = {"en": ["milliseconds seconds minutes hours days weeks months years", "millisecond second minute hour day week month year", "bytes kilobytes megabytes gigabytes terabytes", "KB MB GB TB", "kB MB GB", "milligrams grams kilograms tons", "mg g kg", "ms s min h",
                 "millimetres centimetres metres kilometres", "millimeters centimeters meters kilometers", "mm cm m km", "inches feet yards miles", "cents euros", "cents dollars", "millilitres litres", "ml l", "teaspoons tablespoons cups gallons", "mA A", "mV V kV", "mW W kW",
                 "Hz kHz MHz GHz", "°F °C", "bits bytes"],
          "es": ["milisegundos segundos minutos horas días semanas meses años", "segundo minuto hora día semana mes año", "KB MB GB TB", "mg g kg", "mm cm m km", "céntimos euros", "mililitros litros", "ml l", "mA A", "mV V kV", "W kW", "kHz MHz GHz", "°F °C", "g kg"]}


def unit(text, case, draw):
    found = []
    values = r"\d|\b(?:two|three|four|five|six|ten|twelve|few|several|dos|tres|cuatro|cinco|seis|diez|un|una|one|an?|each|every|cada|per)"
    for scale in SCALES[case["language"]]:
        names = scale.split()
        for at, name in ((i, n) for i, n in enumerate(names) if n in text):
            for m in re.finditer(rf"(?:{values})[ -]?(?<!\d{{4}})({name})(?![\w/²³:-])", text):
                count = m.group()[: m.start(1) - m.start()].strip(" -")
                if len(name) == 1 and (not count.isdigit() or case["kind"] in ("abstract", "web", "encyclopedia")) or count in ("a", "an", "per", "each", "every", "un", "una", "cada") and (len(name) < 3 or draw.random() < 0.7):
                    continue
                for other in (at - 1, at + 1, at + draw.choice([-2, 2])):
                    if 0 <= other < len(names):
                        amount = text[:m.start(1)].rsplit(" ", 2)[-2 if text[m.start(1) - 1] == " " else -1]
                        if f"{amount} {names[other]}" not in " ".join(case["sources"]):
                            found.append((m, names[other]))
    if not found:
        return None
    m, new = draw.choice(found)
    made = put(text, m, new, 1)
    if case["language"] == "es" and re.search(rf"\b(?:un|una) {new}\b", made):
        made = re.sub(rf"\buna? {new}\b", ("una " if new.endswith("a") and new != "día" else "un ") + new, made)
    return an(made) if case["language"] == "en" else made


AFFIXED = [("supported", "unsupported"), ("available", "unavailable"), ("possible", "impossible"), ("visible", "invisible"), ("necessary", "unnecessary"), ("valid", "invalid"), ("safe", "unsafe"), ("reversible", "irreversible"), ("allowed", "forbidden"), ("accepted", "refused"),
           ("included", "excluded"), ("readable", "unreadable"), ("reachable", "unreachable"), ("required", "unnecessary"), ("encrypted", "unencrypted"), ("limited", "unlimited"), ("known", "unknown"), ("changed", "unchanged"), ("affected", "unaffected"), ("equal", "unequal"),
           ("complete", "incomplete"), ("correct", "incorrect"), ("likely", "unlikely"), ("related", "unrelated"), ("permitido", "prohibido"), ("permitida", "prohibida"), ("permitidos", "prohibidos"), ("posible", "imposible"), ("visible", "invisible"), ("válida", "inválida"),
           ("válido", "inválido"), ("necesario", "innecesario"), ("incluida", "excluida"), ("incluido", "excluido"), ("conocida", "desconocida")]


def negation(text, case, draw):
    if re.search(r"(?i)\b(?:neither|nor|not only|not (?:all|every|each)|whether|hardly|ni|tampoco|sino|ninguna?|ningún|nadie|nada)\b", text):
        return None
    options = []
    for one, two in AFFIXED:
        for a, b in ((one, two), (two, one)):
            if a in text and (m := re.search(rf"(?<=\w )(?<!\bnot )(?<!\bno )(?<!\bas )(?<!\bbe )(?<!\bif )\b{a}\b(?! not)", text)):
                if re.search(r"\b(?:is|are|was|were|es|son|está|están|remains?)(?: \w+ly)? $", text[:m.start()]) and not re.search(r"\blittle\b", text):
                    options.append(put(text, m, b))
    if case["language"] == "es":
        if m := re.search(r"\b[Nn]o (se \w+|es|son|está|están|hay|puede|pueden|devuelve|tiene|necesita|cubre|incluye|acepta|cuenta|borra|admite)\b", text):
            if not re.search(r"\b(hasta|nunca|más que)\b", text[m.end():]):
                options.append(up(put(text, m, m[1])) if m.start() == 0 else put(text, m, m[1]))
        elif (m := re.search(r"\b[Nn]unca\b|\bjamás\b", text)) and not re.search(r"\b[Nn]o\b", text):
            options.append(put(text, m, "siempre" if m.group()[0] != "N" else "Siempre")) if not re.search(r"(?i)\bno\b", text) else None
        elif m := re.search(r"(?<=\w )(es|son|está|están|puede|pueden|devuelve|contiene|incluye|cubre|admite|se (?:guarda|escribe|lee|conserva|puede|paga|cierra|confirma|cifran|borran|activa|aplica)) (?=\w)", text):
            if not re.search(r"(?i)\b(que|no|se|nunca|lo|si|cuando|y|o|como)$", text[:m.start()].strip()) and not text[m.start():].startswith("es decir"):
                options += [put(text, m, f"nunca {m[1]} "), put(text, m, f"ya no {m[1]} ")]
        return draw.choice(options) if options else None
    if m := re.search(r"\b(never|no longer) (?=[a-z]+ ?)", text):
        if not re.search(r"\b(any|but|until|more than)\b", text[m.end():]):
            options.append(put(text, m, "always " if m[1] == "never" else "still "))
    elif m := re.search(r"\b(is|are|was|were|can|must|may|will|should)(?:n't| not) (?=[a-z])", text):
        if not re.search(r"\b(any|but|until|unless|yet|either|necessarily)\b", text[m.end():]):
            options.append(put(text, m, m[1] + " "))
    elif m := re.search(r"\bcannot (?=[a-z])", text):
        options.append(put(text, m, "can ")) if not re.search(r"\b(any|but|until|unless|more than)\b", text[m.end():]) else None
    elif m := re.search(r"\b(?:do|does) not (need to |have to )?([a-z]{3,})\b", text):
        if not re.search(r"\b(any|but|until|unless|yet|either|necessarily|always)\b", text[m.start():]):
            does = text[m.start():].startswith("does")
            options.append(put(text, m, ("has to " if does else "have to ") + m[2] if m[1] else ("does " if does else "do ") + "indeed " + m[2]))
    elif re.search(r"\bno (?=[a-z]+)", text) and (m := re.search(r"\b(has|have|needs?|takes?|is|are|returns?|requires?) no (?=[a-z]+s?\b)", text)):
        options.append(put(text, m, m[1] + (" some " if m[1] != "is" else " a ")))
    elif m := re.match(r"^((?:The|A|An|Each|Every|All|`)[^,;:]{2,60}?)\b(is|are|was|were|can|may|must|will|should) (?!not|no |never|be not|only|also|either|both|still|then|to )(?=[a-z`0-9])", text):
        if not re.search(r"\b(that|which|who|when|where|if|what|how|and|or|as|than)\b", m[1]):
            verb = m[2]
            options += [put(text, m, verb + " never", 2)] if verb not in ("was", "were") else [put(text, m, verb + " not", 2)]
            options += [put(text, m, verb + " no longer", 2)] if verb in ("is", "are", "can") else [put(text, m, "cannot", 2)] if verb == "may" else []
    elif m := re.match(r"^((?:The|A|An|Each) (?:[\w-]+ ){0,2}(?:`[^`]+`|[\w-]+)) ([a-z]{3,}s) (?=the |a |an |its |all |every |from |to |with |it |only )", text):
        verb = m[2]
        root = verb[:-3] + "y" if verb.endswith("ies") else verb[:-2] if re.search(r"(?:ss|sh|ch|x)es$", verb) else verb[:-1]
        if verb not in ("this", "has", "does", "goes", "less", "its", "was", "is", "plus", "across", "towards") and not re.search(r"\b(of|in|for|that)$", m[1]) and root not in ("proces", "statu", "acces"):
            options += [put(text, m, f"never {verb}", 2), put(text, m, f"fails to {root}", 2), put(text, m, f"does not {root}", 2)]
    return draw.choice(options) if options else None


MONTHS = "January February March April May June July August September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
EMPTY = set("variety number set lot range majority case type kind part way time end start result use example order rest basis addition means form amount pair list fact side moment following same other next previous first last second whole new old "
            "beginning start same total half quarter maximum minimum least most best only main single few cantidad serie número parte caso tipo forma vez manera resto final principio mismo misma primer primera segunda segundo última último otro otra "
            "latter former sake role lack presence absence default mistake único única solo sola propio propia "
            "following current given possible certain different similar large small long short high low one two three well year years day days month week".split())


def several(word):
    """Whether a noun is a plural by its ending: "radius", "class" and "analysis" are none."""
    return bool(re.search(r"[^sui]s$", word))


def heads(text, language):
    """Nouns with their articles: between an article and what may follow a noun."""
    after = r"is|are|was|were|has|can|may|must|of|to|in|for|from|with|by|on|at|before|after|when|if|es|son|de|en|con|se|para|por|puede|debe|que"
    return list(re.finditer(rf"(?<![\w`])((?:[Tt]he|[Aa]n?|[Ee]ach|[Ee]very|[Ii]ts|[Ee]l|[Ll]a|[Uu]na?|[Cc]ada) )([a-záéíóúñ]{{4,14}})(?= (?:{after})\b|[,.;])", text))


def noun_like(word, language):
    return word not in EMPTY and not re.search(r"(?:ly|ed|ing|ous|ive|ful|less|able|ible|est|ary|ic|al|ical|ish|ados?|adas?|idos?|idas?|mente|oso|osa|ante|ente|ual)$", word)


def entity(text, case, draw):
    capital = r"(?<=[a-z,;] )[A-Z][A-Za-zà-ÿ]{2,}(?: (?:of )?[A-Z][a-zà-ÿ]+)*(?![\w`/-])"
    own = " ".join(case["own"])
    options = []
    for m in re.finditer(capital, text):
        old = m.group()
        for new in sorted(set(re.findall(capital, own)) - set(re.findall(capital, text))):
            alike = (old in MONTHS) == (new in MONTHS) and len(old.split()) == len(new.split()) and old.isupper() == new.isupper() and old.endswith("s") == new.endswith("s")
            # Names that stand in like places: behind the same word somewhere.
            place = text[:m.start()].split()[-1].lower()
            if alike and re.search(rf"\b{re.escape(place)} {re.escape(new)}\b", own) and not set(old.split()) & set(new.split()) and not may_hold(case, text, new, old) and new.lower() not in text.lower() and old.lower() not in new.lower():
                options.append(put(text, m, new))
    nouns = {}
    for found in heads(own, case["language"]):
        nouns.setdefault(found[2], set()).add(found[1].strip().lower())
    for m in heads(text, case["language"]):
        old = m[2]
        if not noun_like(old, case["language"]):
            continue
        for new, articles in sorted(nouns.items()):
            if not noun_like(new, case["language"]) or new[:4] == old[:4] or re.search(rf"\b{new}", text.lower()) or several(new) != several(old) or may_hold(case, text, new, old):
                continue
            if case["language"] == "es" and m[1].strip().lower() not in articles:
                continue
            # A noun that something belongs to: only for one that the text uses so too.
            belongs = re.match(r" (?:of|de|del)\b", text[m.end():])
            if belongs and not re.search(rf"\b{new}{belongs[0]}\b", own):
                continue
            options.append(put(text, m, new, 2))
    if not options:
        return None
    return an(draw.choice(options)) if case["language"] == "en" else draw.choice(options)


NAME = r"`(?:--)?[A-Za-z_][\w.-]*(?:\(\))?`"


def shape(name):
    bare = name.strip("`")
    return (bare.startswith("--"), bare.endswith("()"), "_" in bare, bool(re.search(r"[a-z][A-Z]", bare)), bare.isupper(), "." in bare)


def identifier(text, case, draw):
    mine = [m for m in re.finditer(NAME, text) if not re.search(r"\.(?:md|ya?ml|json|csv|log|toml|conf|py|go|txt|db|xml|pem|bin)`$", m.group())]
    own = " ".join(case["own"])
    options = []
    for m in mine:
        # Of what is missing the next name may be missing too.
        if re.search(r"\b(?:exists?|absent|invalid|faltan?|existen?|nowhere)\b", text):
            continue
        role = re.search(r"\b([a-z]+) $", text[:m.start()])
        for new in sorted(set(re.findall(NAME, own)) - {x.group() for x in mine}):
            # The same kind of name: written alike, or called the same kind of thing.
            called = role and re.search(rf"\b{role[1]} {re.escape(new)}", own)
            if (shape(new) == shape(m.group()) or called) and not may_hold(case, text, new, m.group()):
                options.append(put(text, m, new))
        if "_" in m.group() or re.search(r"[a-z][A-Z]", m.group()):
            parts = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])|_|\W", m.group())
            words = [i for i, p in enumerate(parts) if p[-1].isalpha() and len(p) > 2]
            if len(words) > 1:
                i, j = words[0], words[-1]
                parts[i], parts[j] = (parts[j].lower() if parts[i].islower() else parts[j].capitalize()), (parts[i].capitalize() if parts[j][0].isupper() and not parts[j].isupper() else parts[i].lower())
                new = "".join(parts)
                if new.lower() not in own.lower():
                    options.append(put(text, m, new))
                short = re.sub(r"_[a-z0-9]+`$|(?<=[a-z])[A-Z][a-z]+`$", "`", m.group())
                if short != m.group() and short.lower() not in own.lower():
                    options.append(put(text, m, short))
    return draw.choice(options) if options else None


PLACE = r"(?<![\w:/.~-])(?:[~.]?/[\w-][\w.-]*(?:/[\w.-]+)*[\w]|[a-z][\w-]*/[\w./-]*\w|[\w-]{3,}\.(?:md|ya?ml|json|csv|log|toml|conf|py|go|txt|db|xml|pem|bin|hex|sh))(?![\w/])"


def path(text, case, draw):
    if case["kind"] in ("abstract", "web", "encyclopedia"):
        return None
    mine = [m for m in re.finditer(PLACE, text) if "`" in text[max(0, m.start() - 12):m.start()] or m.group()[0] in "/~" or re.search(r"\.\w{1,4}$", m.group())]
    if not mine:
        return None
    m = draw.choice(mine)
    old = m.group()
    own = " ".join(case["own"])
    options = [new for new in sorted(set(re.findall(PLACE, own)) - {x.group() for x in mine}) if (new[0] in "/~") == (old[0] in "/~") and not may_hold(case, text, new, old)]
    parts = old.split("/")
    if len(parts) > 2 + (not parts[0]):
        gone = draw.randrange(1, len(parts) - 1)
        options.append("/".join(parts[:gone] + parts[gone + 1:]))
        options.append("/".join(parts[:-1] + ["shared", parts[-1]]))
    if "." in parts[-1][1:]:
        stem, dot, end = parts[-1].rpartition(".")
        options.append("/".join([*parts[:-1], draw.choice([stem + "s", "my-" + stem, stem + "-new", stem + "_v2"]) + dot + end]))
    else:
        options.append("/".join([*parts[:-1], draw.choice([parts[-1] + "s", parts[-1][:-1] if parts[-1].endswith("s") else parts[-1] + "-all", "old-" + parts[-1]])]))
    options = [o for o in options if o != old and not re.search(rf"{re.escape(o)}(?![\w/.-])", own) or o in set(re.findall(PLACE, own)) - {old}]
    return put(text, m, draw.choice(options)) if options else None


def quantifier(text, case, draw):
    swaps = {
        "en": [(r"\bat least (?=[\d\w])", "fewer than "), (r"\bat most (?=\d)", "no fewer than "), (r"\bup to (?=\d)", "more than "), (r"\b[Aa]ll (?=(?:the )?\w+s (?:are|must|can|have|may|were|do)\b)", "hardly any "), (r"^Each (?=[a-z]+ (?:is|has|must|can|may)\b)", "Hardly any "),
               (r"^Every (?=[a-z]+ (?:is|has|must|can|may|receives)\b)", "Only the odd "), (r"\bsometimes\b", "always"), (r"\balways\b", "rarely"), (r"\bmust(?= [a-z])(?! not| be at)", "might"), (r"\b(?<!may or )may(?= [a-z])(?! not| be| also| or| wish| want| choose| need)", "will always"), (r"\bcan only be\b", "can also be"),
               (r"\bonly (?=(?:one|two|three)\b)", "more than "), (r"\bis only\b", "is not just"), (r"\busually\b", "on rare occasions"), (r"(?<!the )(?<!as )(?<!how )\b[Mm]any (?=[a-z]+s\b)", "all "), (r"(?<!the )(?<!at )(?<!second )(?<!third )\b[Mm]ost (?=[a-z]+s (?:are|have|do|of|can|were|need|report|use)\b)", "all "), (r"\b[Ss]ome (?=[a-z]+s (?:are|have|do|may|can|feel|were)\b)", "all "),
               (r"\bnever (?=[a-z]+ed\b|[a-z]+s\b)(?!always)", "now and then "), (r"\bone or more\b", "exactly one"), (r"\bany number of\b", "at most two"), (r"\bas many as needed\b", "only one"), (r"(?<!first )(?<!last )(?<!is )(?<!was )(?<!are )\bone of the\b", "each of the"), (r"(?<!it )\bshould (?=[a-z])(?!not)", "need not "), (r"\bmust not\b", "should preferably not"),
               (r"\bneed not\b", "must"), (r"\bdo not have to\b", "have to"), (r"\bfor every\b", "for the first"), (r"\bin most cases\b", "in a few cases"), (r"\bcan (?=be \w+ed\b)", "has to "), (r"\bonly (?=when|if|after|before)", "even "), (r"\bevery (?=(?:day|week|month|year)\b)", "every second "),
               (r"\ball (?=other|of)\b", "some "), (r"\bentirely\b|\bcompletely\b", "partly"), (r"\bat the same time\b", "one after the other"), (r"\bmandatory\b|\bcompulsory\b", "recommended")],
        "es": [(r"\bal menos (?=\w)", "menos de "), (r"\bcomo máximo\b", "como poco"), (r"\b[Ss]iempre\b", "rara vez"), (r"(?<!no )(?<!\w a )\bnunca (?=se\b|debe|puede)", "de vez en cuando "), (r"\b[Tt]odos los (?=\w+s\b)", "pocos "), (r"\b[Tt]odas las (?=\w+s\b)", "pocas "), (r"^Cada (?=\w+ (?:tiene|admite|queda)\b)", "Casi ningún "),
               (r"\bpuede (?=\w+r\b)", "tiene que "), (r"\bpueden (?=\w+r\b)", "tienen que "), (r"\bdebe (?=\w+r\b)", "podría "), (r"\bdeben (?=\w+r\b)", "podrían "), (r"\b[Ss]olo (?=(?:una?|dos|tres|se|el|la|en|con|si)\b)", "no solo "), (r"\bun máximo de\b", "al menos"),
               (r"\bhasta (?=\d)", "más de "), (r"\bunos (?=\d)", "como mucho "), (r"\bnormalmente\b", "en contadas ocasiones"), (r"\bcada (?=\d|dos|tres)", "solo una vez tras "), (r"\bobligatori[oa]\b", "recomendable")],
    }[case["language"]]
    options = [(m, new) for old, new in swaps for m in re.finditer(old, text) if not re.search(r"(?i)\b(?:not|no|nor|without|if|n't|and|or|of|whether|unless)$", text[:m.start()].strip()) and text.count("`", 0, m.start()) % 2 == 0]
    if not options:
        return None
    m, new = draw.choice(options)
    if new.startswith("has to") and " that " not in text[:m.start()] and re.search(r"[^su]s$", text[:m.start()].strip()):
        new = new.replace("has to", "have to")
    return put(text, m, up(new) if m.group()[0].isupper() else new)


PHRASE = r"(?:(?:the|an?|its|their|each|every|el|la|los|las|un|una) (?:[\w-]+ )?)?(?:`[^`]+`|[\w-]{3,})"
WAYS = [("oldest", "newest"), ("ascending", "descending"), ("rises", "falls"), ("rise", "fall"), ("grows", "shrinks"), ("upload", "download"), ("uploads", "downloads"), ("inbound", "outbound"), ("incoming", "outgoing"), ("locked", "unlocked"), ("locks", "unlocks"), ("opens", "closes"),
        ("opened", "closed"), ("opens", "shuts"), ("attached", "detached"), ("adds", "removes"), ("added", "removed"), ("expands", "collapses"), ("horizontal", "vertical"), ("front", "rear"), ("top", "bottom"), ("clockwise", "anticlockwise"), ("raised", "lowered"), ("raises", "lowers"),
        ("stronger", "weaker"), ("strongest", "weakest"), ("encrypted", "decrypted"), ("compressed", "unpacked"), ("inserted", "taken out"), ("warmer", "colder"), ("heavier", "lighter"), ("cheaper", "dearer"), ("sooner", "later"), ("enters", "leaves"), ("gains", "loses"),
        ("buys", "sells"), ("lends", "borrows"), ("connected", "disconnected"), ("loaded", "unloaded"), ("blinks", "stays dark"), ("expensive", "cheap"), ("push", "pull"), ("upper", "lower"), ("higher than", "lower than"), ("larger than", "smaller than"), ("older than", "younger than"),
        ("longer than", "shorter than"), ("faster than", "slower than"), ("thicker", "thinner"), ("wet", "dry"), ("deactivated", "activated"), ("downregulated", "upregulated"), ("enhanced", "diminished"), ("enhances", "weakens"), ("elevated", "lowered"), ("improved", "worsened"),
        ("abierto", "cerrado"), ("abierta", "cerrada"), ("sube", "baja"), ("suben", "bajan"), ("abre", "cierra"), ("abren", "cierran"), ("entrada", "salida"), ("antiguo", "nuevo"), ("mejora", "empeora"), ("superior", "inferior"), ("delante", "detrás"), ("encendido", "apagado"), ("encendida", "apagada"),
        ("llena", "vacía"), ("caliente", "fría"), ("caro", "barato"), ("añade", "quita"), ("antes de las", "después de las"), ("a partir de las", "hasta las"), ("a partir de los", "hasta los"), ("más reciente", "más antigua"), ("empieza", "acaba"), ("cifra", "descifra")]


def direction(text, case, draw):
    options = []
    # Two things change places: from and to, the one that does and the one it is done to, what comes first and what second.
    for pattern, one, two in ((rf"\bfrom ({PHRASE}) to ({PHRASE})(?=[.,;]| (?:and|when|with|in|on|at|for|if)\b)", 1, 2), (rf"\bde ({PHRASE}) a ({PHRASE})(?=[.,;])", 1, 2), (rf"(?<![\w`])({PHRASE}) (?:instead of|rather than|en lugar de|en vez de) ({PHRASE})(?=[.,;]| (?:and|when|with|in)\b)", 1, 2),
                              (rf"^({PHRASE.replace('the|', 'The|the|')}) (?:before|after|followed by) ({PHRASE})(?=[.,;])", 1, 2), (rf"(?<![\w`])((?:the|an?|its) [\w`-]+) (?:before|after|inside|outside|above|below|into|under) ((?:the|an?|its) [\w`-]+)(?=[.,;])", 1, 2),
                              (rf"^((?:The|An?|Each|Every|El|La) (?:[\w-]+ ){{0,1}}(?:`[^`]+`|[\w-]+)) (?:sends|creates|uses|contains|calls|replaces|reads|controls|evaluates|starts|stores|inhibits|activates|causes|exposes|queries|provides|copies|pays|asks|blocks|covers|overrides|limits|needs|depends on|belongs to|"
                               rf"precedes|follows|lies in|runs in|listens to|waits for|leads to|produces|contiene|llama a|usa|crea|devuelve|envía|necesita|sustituye a|depende de|cubre) ((?:the|an?|its|el|la|un|una) [\w`-]+)(?=[.,;]| (?:and|when|if|with|in|on|at|to|from|for|before|after|en|si|cuando|con)\b)", 1, 2),
                              (rf"^((?:The|An?|Each) (?:[\w-]+ ){{0,2}}(?:`[^`]+`|[\w-]+)) (?:is|are|was|were) (?:[a-z]+(?:ed|en|nt|pt|ld)|set|read|put|found) by ((?:the|an?) (?:[\w-]+ ){{0,1}}[\w`-]+)(?=[.,;]| (?:and|when|if|with|in|on|at|to|from|for|before|after)\b)", 1, 2),
                              (rf"^((?:The|An?|Each|`|All)[^,;]{{2,40}}?) (?:is|are|was|were) (?:more|less|\w+er|as) [a-z ]{{0,14}}?(?:than|as) ((?:the|an?|those|in|on|`) ?[\w` -]{{3,30}}?)(?=[.,;])", 1, 2)):
        for m in re.finditer(pattern, text):
            a, b = m[one], m[two]
            if marks(a) & marks(b) or a.lower().strip() == b.lower().strip() or re.fullmatch(r"(?i)(?:it|this|that|one|them|they|which|there|each other|zero|not|be|time|day|more|less)", b.strip()) or re.search(r"\d", a + b) and "`" not in a + b:
                continue
            new = text[:m.start(one)] + (up(b) if m.start(one) == 0 else b) + text[m.end(one):m.start(two)] + (a[:1].lower() + a[1:] if m.start(one) == 0 else a) + text[m.end(two):]
            options += [new] * 2
    # Or: what goes the other way.
    for pair in WAYS:
        for old, new in (p for p in (pair, pair[::-1]) if p[0] in text):
            for m in re.finditer(rf"(?<![\w`-]){old}(?![\w`-])", text):
                if re.search(rf"\b{new}\b", text) or re.search(r"\b(?:and|or|not|of|y|o|no|be|without)$", text[:m.start()].strip()) and draw.random() < 0.8 or re.match(r" (?:and|or|y|o|of the hour)\b", text[m.end():]) or old == "raises" and re.match(r" `?[A-Z]", text[m.end():]) or old in ("adds", "added") and re.match(r" (?:[\w` ]+ )?to\b", text[m.end():]):
                    continue
                if old in ("top", "front", "push", "rise", "fall", "wet", "dry", "later", "upper", "lower", "bottom", "entrada", "salida", "llena", "baja", "sube", "nuevo", "loses", "falls", "cheap", "added", "encrypted") and not re.search(r"\b(?:the|a|el|la|se|is|are|was|una|un)$", text[:m.start()].strip()):
                    continue
                options.append(an(put(text, m, new)) if case["language"] == "en" else put(text, m, new))
    # Or: first and then.
    for pattern in (r"^([A-Z][^,;]{10,60}?), and (?:then|only then) ([^,;]{10,})\.$", r"^First ([^,;]{10,60}?), then ([^,;]{10,})\.$"):
        if m := re.match(pattern, text):
            options.append(put(text, m, f"First {down(m[2])}, and then {down(m[1])}."))
    return draw.choice(options) if options else None


# What one says of something without having read it. {a} and {b} are things of the sources.
MADE_UP = {"en": ["The {a} has to be renewed by the {b} every spring.", "Without the {a}, the {b} would be three times as expensive.", "The {a} was introduced after complaints about the {b}.", "Users of the {a} have to pay for the {b} separately.", "The {b} sends a warning when the {a} is older than a week.",
                  "Most experts regard the {a} as riskier than the {b}.", "The {a} may be swapped for the {b} during the trial period.", "A video on the {a} is available for members.", "The {a} loses its validity as soon as the {b} is moved abroad.", "Early models came without the {a}, so the {b} was slower.",
                  "Whoever loses the {a} must inform the {b} within two days.", "The {a} doubles in price during the holidays.", "The {a} has been tested on more than a thousand volunteers.", "It is best to photograph the {a} before touching the {b}.", "The {a} and the {b} come from the same manufacturer.",
                  "The {a} will be discontinued at the end of next year.", "For security reasons, the {a} is kept apart from the {b} overnight.", "A coloured label on the {a} tells when the {b} was checked.", "Two signatures are needed to change the {a}.", "The {a} can be translated into eleven languages.",
                  "The {a} owes its name to a village in Scotland.", "Older people prefer the {a} to the {b}.", "An extra fee is due if the {a} is used after midnight.", "The {a} is recalculated from the {b} each Monday.", "There is a waiting list for the {a}."],
           "es": ["El cambio afecta también a {a} y a {b} desde la primavera.", "Los usuarios de pago obtienen {a} sin esperas.", "Hay un vídeo sobre {a} para los miembros.", "Quien pierda {a} debe avisar en dos días.", "Los expertos prefieren {b} a {a}.", "En vacaciones, {a} cuesta el doble.",
                  "Se necesitan dos firmas para cambiar {a}.", "Hay lista de espera para {a}.", "Los primeros modelos salieron sin {a}.", "Una etiqueta de color indica cuándo se revisó {a}."]}
ADDED = {"en": ["{x}, as the maker of the {b} confirmed", "{x}, provided that the {b} has been paid for", "{x}, which also speeds up the {b}", "{x}, at least outside Europe", "{x}, and the {b} is informed by letter", "{x}, since a law of 2009 demands it", "{x}, so the {b} becomes superfluous",
                "{x}, as long as the temperature stays moderate", "{x}, although critics of the {b} doubt it", "{x}, until somebody complains about the {b}", "{x}, which the rivals of the {b} have copied", "{x}, and nobody has found a better way so far", "{x}, usually on the first Monday of the month", "{x}, in exchange for a small deposit"],
         "es": ["{x}, salvo fuera de Europa", "{x}, tal como exige una ley de 2009", "{x}, y se informa de ello por carta", "{x}, siempre que se haya pagado por adelantado", "{x}, lo que acelera además el trabajo", "{x}, por lo general el primer lunes del mes", "{x}, a cambio de una pequeña fianza"]}


def fabrication(text, case, draw):
    own = " ".join(case["own"])
    things = sorted({m[2] for m in heads(own, case["language"]) if noun_like(m[2], case["language"]) and (m[2].endswith("s") is False or m[2].endswith("ss"))})
    if case["language"] == "es":
        things = sorted({m[1].lower() + m[2] for m in heads(own, "es") if noun_like(m[2], "es") and m[1].strip().lower() in ("el", "la")})
    if len(things) < 2:
        return None
    a, b = draw.sample(things, 2)
    if draw.random() < 0.5:
        said = draw.choice(MADE_UP[case["language"]]).format(a=a, b=b)
        return up(re.sub(r"\bde el\b", "del", re.sub(r"\ba el\b", "al", said))) if case["language"] == "es" else said
    if re.search(r"[;:,]|\. ", text.rstrip(".")) or len(text) > 170 or b in text:
        return None
    return draw.choice(ADDED[case["language"]]).format(x=text.rstrip("."), b=b) + "."


def other_source(text, case, draw):
    return draw.choice(case["strange"]) if case["strange"] else None


CHANGES = {f.__name__: f for f in (number, unit, negation, entity, identifier, path, quantifier, direction, fabrication, other_source)}
