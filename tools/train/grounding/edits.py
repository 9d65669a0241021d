"""The first generator: edits of the sentence itself, by word lists and patterns. Shares nothing with rewrites.py.

Every change of CHANGES makes a statement that the sources do not hold; every style of STYLES says what the sentence says.
Both give None where they cannot do so in a sentence that someone could have written."""
import re

# Words that may stand for one another in most places.
SAME = {
    "en": [("use", "employ"), ("uses", "employs"), ("used", "employed"), ("contains", "includes"), ("contain", "include"), ("shows", "displays"), ("show", "display"), ("starts", "begins"),
           ("creates", "generates"), ("create", "generate"), ("created", "generated"), ("removes", "deletes"), ("removed", "deleted"), ("remove", "delete"), ("sends", "transmits"), ("sent", "transmitted"),
           ("requires", "needs"), ("require", "need"), ("provides", "offers"), ("provide", "offer"), ("large", "big"), ("usually", "normally"), ("often", "frequently"), ("because", "since"),
           ("called", "named"), ("shown", "displayed"), ("helps", "assists"), ("changed", "modified"), ("stored", "kept"), ("stores", "keeps"), ("via", "through"),
           ("whole", "entire"), ("quickly", "rapidly"), ("important", "significant"), ("multiple", "several"), ("error", "fault"), ("configured", "set up"), ("buy", "purchase"), ("reduce", "lower"),
           ("reduced", "lowered"), ("many", "numerous"), ("checks", "verifies"), ("allowed", "permitted"), ("forbidden", "prohibited"), 
           ("returns", "gives back"), ("stays", "remains"), ("customers", "clients"), ("customer", "client"), ("repaired", "fixed"), ("finished", "completed"),
           ("ends", "finishes"), ("every", "each"), ("refused", "rejected"), ("refuses", "rejects"), ("pause", "break"),
           ("written", "saved"), ("happens", "occurs"), ("happen", "occur"), ("answers", "responds"), ("reaches", "gets to"), ("receives", "gets"), ("speed", "pace"), ("choose", "pick"), ("permit", "authorisation"),
           ("limits", "restricts"), ("joined", "connected"), ("fee", "charge"), ("owner", "proprietor"), ("illness", "disease"), ("study", "investigation"), ("analysis", "examination"),
           ("evidence", "proof"), ("suggest", "indicate"), ("suggests", "indicates"), ("demonstrate", "show"), ("observed", "seen"), ("associated with", "linked to"), ("role", "part"), ("effect", "impact")],
    "es": [("usa", "utiliza"), ("usan", "utilizan"), ("usar", "utilizar"), ("muestra", "presenta"), ("crea", "genera"), ("crear", "generar"), ("elimina", "borra"), ("devuelve", "retorna"), ("guarda", "almacena"),
           ("guardan", "almacenan"), ("necesita", "requiere"), ("comienza", "empieza"), ("termina", "acaba"), ("solo", "únicamente"), ("contiene", "incluye"), ("permite", "deja"), ("error", "fallo"), ("cambia", "modifica"),
           ("después", "luego"), ("obtiene", "consigue"), ("fichero", "archivo"), ("también", "además"), ("fija", "establece"), ("dura", "se prolonga"), ("cuesta", "vale"), ("indica", "señala"), ("aparato", "equipo"),
           ("conserva", "mantiene"), ("precio", "importe"), ("recibe", "obtiene"), ("anularse", "cancelarse"), ("anula", "cancela"),
           ("permitidos", "autorizados"), ("permitido", "autorizado"), ("niños", "menores"), ("coche", "vehículo"), ("comprar", "adquirir"), ("rápido", "veloz"), ("avisa", "notifica"), ("orden", "instrucción")],
}
# The force of a statement in other words of the same force.
FORCE = {
    "en": [(r"\bmust not\b", ["is not allowed to", "may not"]), (r"\bcannot\b(?! be)", ["is unable to"]), (r"\bcannot be\b", ["can't be"]), (r"\bmust\b(?! not| never)", ["has to", "needs to"]),
           (r"\bat least (?=\w)", ["no less than ", "a minimum of "]), (r"\bat most (?=\w)", ["no more than ", "a maximum of "]), (r"\bup to (?=\d)", ["as much as "]), (r"\bmore than (?=\d)", ["over "]), (r"\bless than (?=\d)", ["under "]),
           (r"\balways\b", ["in every case", "invariably"]), (r"\bnever\b", ["at no time"]), (r"(?<!the )(?<!an )\bonly\b(?! if| when| one| way)", ["solely"]), (r"\bbefore (?=the (?:\w+ ){0,2}\w+[.,])", ["prior to "]),
           (r"\bby default\b", ["as standard"]), (r"\bimmediately|at once\b", ["straight away", "without delay"]), (r"\bas soon as\b", ["once"]), (r"\bif (?=the|a|it|there)", ["in case "]),
           (r"\bis required\b", ["is needed", "is mandatory"]), (r"\bis optional\b", ["may be left out"]), (r"\bunless\b", ["except when"]), (r"\babout (?=\d)", ["roughly ", "around "]), (r"\bevery (?=day|week|month|year)\b", ["each "]), (r"\bonce a (day|week|month|year)", [r"one time per \1"])],
    "es": [(r"\bno puede\b", ["no es capaz de"]), (r"\bcomo máximo\b", ["a lo sumo"]), (r"\bal menos\b", ["como mínimo", "por lo menos"]), (r"\bsiempre\b", ["en todos los casos", "en todo momento"]), (r"\bnunca\b", ["en ningún momento"]),
           (r"(?<!con )\bmás de (?=\d)", ["por encima de "]), (r"\bpor defecto\b", ["si no se indica otra cosa", "de forma predeterminada"]), (r"\bsolo\b", ["solamente", "únicamente"]), (r"\bhasta (?=\d)", ["un máximo de "]),
           (r"\bdebe\b", ["ha de"]), (r"\bdeben\b", ["han de"]), (r"(?<!con )\bmenos de (?=\d)", ["por debajo de "])],
}
SHORT = {"en": [(r"\bdo not\b", "don't"), (r"\bdoes not\b", "doesn't"), (r"\bis not\b", "isn't"), (r"\bare not\b", "aren't"), (r"\bcannot\b", "can't"), (r"\bwill not\b", "won't"), (r"(?<=\d) kilobytes?\b", " kB"), (r"(?<=\d) megabytes?\b", " MB"),
                (r"(?<=\d) seconds?\b", " s"), (r"(?<=\d) minutes?\b", " min"), (r"(?<=\d) hours?\b", " h"), (r"(?<=\d) percent\b", "%"), (r"\bmaximum\b", "max."), (r"\bapproximately\b|\babout (?=\d)", "approx. "),
                (r"\bfor example\b", "e.g."), (r"\bconfiguration\b", "config"), (r"\badministrator\b", "admin"), (r"\bapplications?\b", "app"), (r"\bdocumentation\b", "docs"), (r"\brepository\b", "repo"), (r"\bdirectory\b", "dir")],
         "es": [(r"(?<=\d) segundos?\b", " s"), (r"(?<=\d) minutos?\b", " min"), (r"(?<=\d) horas?\b", " h"), (r"(?<=\d) por ciento\b", " %"), (r"\bmáximo\b", "máx."), (r"\baproximadamente\b", "aprox."), (r"\bpor ejemplo\b", "p. ej."), (r"\badministrador\b", "admin")]}
PAIRS = {"second": (60, "minute"), "minute": (60, "hour"), "hour": (24, "day"), "month": (12, "year"), "day": (7, "week")}
DROP = [r"(?<=[a-z`]) \((?![^()]*\d)[^()]{3,60}\)", r",? (?:of course|in fact|however),"]
AT_END = re.compile(r"^(?P<main>[^,;:]{18,}?),? (?P<tail>(?:when|if|because|while|after|unless|until|as soon as|once|cuando|si|porque|mientras|antes de|después de|en cuanto)\b[^,;:]{8,80}|by default|por defecto)\.$")
PREPOSED = re.compile(r"^(?P<main>[^,;:]{18,}?) (?P<tail>(?:during|after|in the case of|for each|at the end of|at the beginning of|in version|since version|durante|en el caso de|al final de|en la versión) [^,;:]{4,40})\.$")
NOUN = r"(?:[Tt]he|[Aa]n?|[Ee]ach|[Ee]very|[Ii]ts|[Aa]ll) (?:[\w-]+ ){0,2}?(?:`[^`]+`|[\w-]+)"
FORMS = {"creates": "created", "sends": "sent", "stores": "stored", "returns": "returned", "uses": "used", "contains": "contained", "provides": "provided", "removes": "removed", "reads": "read", "handles": "handled",
         "defines": "defined", "exposes": "exposed", "starts": "started", "evaluates": "evaluated", "replaces": "replaced", "limits": "limited", "sets": "set", "writes": "written", "accepts": "accepted", "covers": "covered",
         "shows": "shown", "holds": "held", "measures": "measured", "protects": "protected", "adds": "added", "deletes": "deleted", "receives": "received", "compares": "compared", "closes": "closed", "opens": "opened",
         "prints": "printed", "restarts": "restarted", "changes": "changed", "produces": "produced", "controls": "controlled", "checks": "checked", "converts": "converted", "issues": "issued", "pays": "paid", "selects": "selected",
         "fetches": "fetched", "encrypts": "encrypted", "copies": "copied", "blocks": "blocked", "describes": "described", "joins": "joined", "counts": "counted", "approves": "approved", "answers": "answered", "inhibits": "inhibited"}
BACK = {v: k for k, v in FORMS.items()}
ACTIVE = re.compile(rf"^(?P<a>{NOUN}) (?P<v>{'|'.join(FORMS)}) (?P<b>{NOUN}|`[^`]+`|[a-z]+s)(?P<rest>(?: (?:to|from|in|into|when|if|with|at|on|as|after|before|until|every) [^,;:]*)?)\.$")
PASSIVE = re.compile(rf"^(?P<a>{NOUN}) (?P<be>is|are) (?P<v>{'|'.join(BACK)}) by (?P<b>{NOUN}|`[^`]+`)(?P<rest>(?: (?:to|from|in|into|when|if|with|at|on|as|after|before|until|every) [^,;:]*)?)\.$")
NOMINAL = [(r"\bto configure (?=the|a|its)", "for the configuration of "), (r"\bto create (?=the|a|its)", "for the creation of "), (r"\bto remove (?=the|a|its)", "for the removal of "), (r"\bto install (?=the|a|its)", "for the installation of "),
           (r"\bto store (?=the|a|its)", "for the storage of "), (r"\bto select (?=the|a|its)", "for the selection of "), (r"\bto measure (?=the|a|its)", "for the measurement of "), (r"\bto reduce (?=the|a|its)", "for the reduction of "),
           (r"\bto detect (?=the|a|its)", "for the detection of "), (r"\bto treat\b", "for the treatment of"), (r"\bpara crear (?=una?\b|la\b)", "para la creación de "), (r"\bpara usar (?=una?\b|la\b)", "para el uso de "), (r"\bpara leer (?=una?\b|la\b)", "para la lectura de "),
           (r"^Restoring (?=the|an?|all)", "The restoration of "), (r"^Storing (?=the|an?|all)", "The storage of "), (r"^Adding (?=the|an?|all)", "The addition of "), (r"^Removing (?=the|an?|all)", "The removal of "), (r"^Deleting (?=the|an?|all)", "The deletion of "), (r"^Installing (?=the|an?|all)", "The installation of "), (r"^Changing (?=the|an?|both)", "A change of "),
           (r"\bafter restarting\b", "after a restart of"), (r"\bbefore upgrading\b", "before an upgrade of"), (r"\bwhile reading\b", "during the reading of"), (r"\bwhen starting\b", "at the start of"), (r"\bafter removing\b", "after the removal of"),
           (r"\bafter installing\b", "after the installation of"), (r"\ballows (?:you )?to ([a-z]+)\b", r"makes it possible to \1"), (r"\bhelps to prevent\b", "helps in the prevention of"), (r"\bis used to (measure|treat|reduce|create|remove|select|store)\b", None)]
NOUNS_OF = {"measure": "the measurement of", "treat": "the treatment of", "reduce": "the reduction of", "create": "the creation of", "remove": "the removal of", "select": "the selection of", "store": "the storage of"}


def lower_first(text):
    word = text.split(" ")[0]
    return text if word in ("I", "AVAP", "Prometheus") or word[:1] in "`\"" or any(c.isupper() or c.isdigit() for c in word[1:]) or proper(word) else text[:1].lower() + text[1:]


def proper(word):
    """Whether a word at the start is a name and keeps its capital: it is no common opening word."""
    common = ("the a an each every all any if when while although because after before unless once until no not only some most many several for from in on at to with without by as both its their two three four five six seven eight nine ten "
              "el la los las un una cada todo todos toda todas si cuando aunque porque después antes en con sin por para al del no solo hay se no su sus").split()
    return word.lower().strip(",") not in common and not re.search(r"(s|ing|tion|ed|er|ment|ity|age|os|as|o|a)$", word.strip(","))


def upper_first(text):
    return text[:1].upper() + text[1:]


def outside_code(text, change):
    """Applies a change to what is no inline code."""
    parts = text.split("`")
    return "`".join(change(p) if i % 2 == 0 else p for i, p in enumerate(parts))


def article(text):
    """`a` and `an` as the next word wants them."""
    vowel = lambda w: w[:1].lower() in "aeiou" and not re.match(r"(?i)uni|use|usu|eu|one|ubi|ura", w) or re.match(r"(?i)hour|honest|heir", w)
    return re.sub(r"\b([Aa])n? (?=([a-z]\w+))", lambda m: m[1] + ("n " if vowel(m[2]) else " "), text)


def synonyms(case, draw):
    text, pairs = case["sentence"], list(SAME[case["language"]])
    draw.shuffle(pairs)
    done, want = 0, draw.choice([1, 2, 3])
    for one, two in pairs:
        back = " " not in two and draw.random() < 0.3
        one, two = (two, one) if back and two not in ("part", "pace", "proof", "document", "break", "since", "pick", "gets", "gets to", "seen", "charge", "permitted", "several", "fault", "completed", "finishes", "saved", "impact", "keeps", "kept", "vale", "deja", "copia", "clients", "client", "each", "lower", "lowered") else (one, two)
        if one not in text:
            continue
        # "Refuses to", "each of" and the like want their own word.
        new = outside_code(text, lambda p: re.sub(rf"(?<![\w.-]){one}(?![\w(-]|\.\w{'| to ' if one in ('refuses', 'refused') else '| of ' if one == 'every' else ''})", two, p, count=1))
        done, text = done + (new != text), new
        if done >= want:
            break
    return article(text) if done and case["language"] == "en" else text if done else None


def force(case, draw):
    """Another word of the same force: an obligation, a bound, a frequency."""
    text, done = case["sentence"], 0
    for old, new in draw.sample(FORCE[case["language"]], len(FORCE[case["language"]])):
        if not new or done:
            continue
        # "has to" and its like want a subject in the singular.
        if new[0].split()[0] in ("has", "is", "no") and re.match(r"\\b(?:must|cannot|no)", old) and not re.match(rf"^(?:The|A|An|Each|Every|El|La|Una?) (?:[\w-]+ )?(?:`[^`]+`|[\w-]*[^s\W])(?: [a-z]+)? {old}(?! (?:never|also|be at))", text):
            continue
        if old.startswith(r"\bif") and re.search(r"\b(?:determine|see|check|checks|tell|know|tests?|only|even|as|decide|ask) if\b", text):
            continue
        changed = outside_code(text, lambda p: re.sub(old, draw.choice(new), p, count=1))
        done, text = done + (changed != text), changed
    return text if done else None


def clause_order(case, draw):
    found = AT_END.match(case["sentence"]) or PREPOSED.match(case["sentence"])
    # "Deleted two years after the last message", "up to 85 %, after that …": the phrase needs what stands before it.
    if found and (re.search(r"\b(?:\d+|one|two|three|four|five|six|ten|twelve|half an?|una?|dos|tres|seis|diez) (?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|segundos?|minutos?|horas?|días?|semanas?|meses|años?)$", found["main"])
                  and re.match(r"(?:before|after|antes de|después de)\b", found["tail"]) or re.match(r"(?:after that|before that|después de eso|antes de eso)\b", found["tail"])):
        return None
    # "Begins when the lock opens and ends when …": the clause belongs to a part of what stands before it.
    if found and re.search(r" (?:when|if|because|while|after|unless|until|cuando|si|porque) ", found["main"]) and re.search(r" (?:and|or|y|o) ", found["main"]):
        return None
    return f"{upper_first(found['tail'])}, {lower_first(found['main'])}." if found and not re.search(r" (?:and|but|or|y|pero|o) ", found["tail"]) and not re.search(r"\b(so|whether|not|or|and|as|even|only|valid|open|remain|que|no|solo|incluso|until)$", found["main"]) else None


def active_passive(case, draw):
    if case["language"] != "en":
        return None
    found = PASSIVE.match(case["sentence"])
    if found:
        verb = BACK[found["v"]]
        many = re.match(r"(?i)all ", found["b"]) or re.search(r"[^su]s$", found["b"])
        return f"{upper_first(found['b'])} {re.sub(r'(?<=[hs])es$|s$', '', verb) if many else verb} {lower_first(found['a'])}{found['rest']}."
    found = ACTIVE.match(case["sentence"])
    if found and not re.search(r" (?:and|but|or) ", found["rest"]) and not re.search(r"\b(?:a|an) (?:new|single)? ?lot$", found["b"]):
        plural = re.search(r"[^su]s$", found["b"]) and not found["b"].startswith(("a ", "an ", "each ", "every "))
        return f"{upper_first(found['b'])} {'are' if plural else 'is'} {FORMS[found['v']]} by {lower_first(found['a'])}{found['rest']}."
    return None


def merged(case, draw):
    other = case["next"]
    if not other or len(other) + len(case["sentence"]) > 300:
        return None
    other = lower_first(other)
    # A capital that stays must be one of a name.
    if other[:1].isupper() and not re.search(rf"(?<=[a-z,] ){re.escape(other.split()[0])}\b", everything(case)):
        return None
    return case["sentence"][:-1] + draw.choice([", and ", "; "] if case["language"] == "en" else [" y ", "; "]) + other


def split(case, draw):
    """A compound sentence as two."""
    found = re.match(r"^([^;]{20,}?)(?:; |, (?:and|but|while|y|pero|mientras que) )((?:(?:it|they|the|a|an|you|this|each|el|la|los|las|un|una) |`).{14,})$", case["sentence"])
    return f"{found[1]}. {upper_first(found[2])}" if found and not re.match(r"(?i)if|when|si|cuando|although|while", found[1]) else None


def nominalisation(case, draw):
    if re.search(r"\b(?:allow|allows|let|ask|asks|force|enable|permit|cause|want|wants|need|needs|required|you|them)\b", case["sentence"]):
        return None
    for old, new in NOMINAL:
        if new is None:
            text = re.sub(old, lambda m: f"is used for {NOUNS_OF[m[1]]}", case["sentence"], count=1)
        else:
            if new.startswith("for ") and re.search(rf"\b(?:need|needs|want|wants|have|has|able|possible|how|likely|order|possibility|ability|easy|needed|required|allows|enough|tries|wish|like|fails|us|you|it|them) (?={old.lstrip(chr(92) + 'b')})", case["sentence"]):
                continue
            text = outside_code(case["sentence"], lambda p: re.sub(old, new, p, count=1))
        if text != case["sentence"]:
            return text
    return None


def abbreviation(case, draw):
    text = case["sentence"]
    for old, new in draw.sample(SHORT[case["language"]], len(SHORT[case["language"]])):
        text = outside_code(text, lambda p: re.sub(old, new, p))
    return text if text != case["sentence"] else None


def converted(case, draw):
    """The same amount in another unit or form."""
    text = case["sentence"]
    options = []
    for m in re.finditer(r"(?<![\w.,-])(\d+) (second|minute|hour|month|day)s\b", text):
        many, unit = PAIRS[m[2]]
        if int(m[1]) % many == 0:
            n = int(m[1]) // many
            options.append((m, f"{'one' if n == 1 else n} {unit}{'s' if n > 1 else ''}"))
    options += [(m, "half an hour") for m in re.finditer(r"(?<![\w.,-])30 minutes\b", text)]
    options += [(m, f"{int(m[1].replace(',', '')) // 1000} {'s' if m[2] == 'ms' else 'kg' if m[2] == 'g' else 'm'}") for m in re.finditer(r"(?<![\w.-])(\d+,?000) (ms|g|mm)\b", text)]
    options += [(m, f"{round(float(m[1]) * 1000)} {'ml' if m[2] != 'seconds' else 'ms'}") for m in re.finditer(r"(?<![\w.,-])(\d+\.\d) (litres|seconds)\b", text)]
    options += [(m, m.group().replace(",", "")) for m in re.finditer(r"(?<![\d,.$])\d{1,3}(?:,\d{3})+(?!,?\d|-)", text)] if case["language"] == "en" else []
    options += [(m, "a quarter") for m in re.finditer(r"\b25 ?%", text)] + [(m, "half") for m in re.finditer(r"\b50 ?%(?= of)", text)]
    options += [(m, "un minuto") for m in re.finditer(r"\b60 segundos\b", text)] + [(m, "media hora") for m in re.finditer(r"\b30 minutos\b", text)]
    options += [(m, "un día") for m in re.finditer(r"\b24 horas\b", text)] + [(m, f"{int(m[1]) // 12} año{'s' if int(m[1]) > 12 else ''}") for m in re.finditer(r"\b(12|24|36) meses\b", text)]
    if not options:
        return None
    m, new = draw.choice(options)
    return text[:m.start()] + new + text[m.end():]


def shortened(case, draw):
    text = case["sentence"]
    for drop in DROP:
        text = re.sub(drop, "", text, flags=re.I)
    found = re.match(r"^([^,]{24,}), (?:which|who|where|lo que|que|but|and|because|so that|pero|ya que) [^,]{8,}\.$", text)
    text = found[1] + "." if found and not re.match(r"(?i)if|when|unless|si|cuando|although|while|after|before", text) else text
    whole = not re.search(r"\b(?:to|of|in|for|with|by|and|or|the|an?|from|de|en|con|y|que)\.$", text)
    return upper_first(text.strip()) if text != case["sentence"] and whole and len(text.split()) > 4 else None


def list_to_prose(case, draw):
    text = case["sentence"]
    if (found := re.match(r"^(.{12,90}?[a-z]): ((?:[^,;]{3,30}, )+[^,;]{3,40})\.$", text)) and not re.search(r"\b(?:is|are|has|it|selects|gives|es|son|hay|se)\b", found[2]):
        return f"{found[1]}, namely {found[2]}."
    item = r"((?:`[^`]+`|[\w-]+)(?: [a-z][\w-]+)?)"
    if found := re.search(rf"(?<=[a-z`] ){item}, {item},? (and|y) {item}(?=[.]$| (?:is|are|was|were|have|do|se|son|están)\b)", text[12:]):
        text, head = text[12:], text[:12]
        as_well = {"and": " as well as ", "y": " así como "}[found[3]]
        return head + text[:found.start()] + f"{found[1]} {found[3]} {found[2]}{as_well}{found[4]}" + text[found.end():]
    if found := re.search(rf"(?<=[a-z] )(`[^`]+`) and (`[^`]+`)(?=[.]$)", text):
        return text[:found.start()] + f"both {found[1]} and {found[2]}" + text[found.end():] if not text[:found.start()].endswith(("both ", "between ")) else None
    return None


def verbatim(case, draw):
    return case["sentence"]


STYLES = {f.__name__: f for f in (verbatim, synonyms, force, clause_order, active_passive, merged, split, nominalisation, abbreviation, converted, shortened, list_to_prose)}

# === Changes ===

UNITS = [["seconds", "minutes", "hours", "days", "weeks", "months", "years"], ["second", "minute", "hour", "day", "week", "month", "year"], ["KB", "MB", "GB", "TB"], ["kB", "MB", "GB"], ["µg", "mg", "g", "kg"],
         ["mm", "cm", "m", "km"], ["miles", "feet", "inches"], ["ms", "s", "min"], ["segundos", "minutos", "horas", "días", "semanas", "meses", "años"], ["pounds", "ounces"], ["milliseconds", "seconds"], ["mV", "V", "kV"],
         ["mA", "A"], ["mW", "W", "kW"], ["Hz", "kHz", "MHz", "GHz"], ["ml", "litres"], ["cups", "tablespoons", "teaspoons"], ["bytes", "bits"], ["euros", "cents"], ["euros", "céntimos"], ["°C", "°F"], ["kWh", "Wh"],
         ["milliseconds", "minutes"], ["cubic metres", "litres"], ["pixels", "millimetres"], ["mb", "gb"], ["ml", "litros"], ["pages", "lines"]]
AGAINST = [("increase", "decrease"), ("increases", "decreases"), ("increased", "decreased"), ("increasing", "decreasing"), ("before", "after"), ("after", "before"), ("above", "below"), ("below", "above"), ("higher", "lower"), ("lower", "higher"),
           ("maximum", "minimum"), ("minimum", "maximum"), ("enabled", "disabled"), ("disabled", "enabled"), ("starts", "stops"), ("begins", "ends"), ("ends", "begins"), ("greater than", "smaller than"), ("larger", "smaller"),
           ("smaller", "larger"), ("longer than", "shorter than"), ("longer", "shorter"), ("faster", "slower"), ("slower", "faster"), ("more than", "less than"), ("less than", "more than"), ("older than", "newer than"), ("inside", "outside"),
           ("outside", "inside"), ("true", "false"), ("false", "true"), ("positive", "negative"), ("internal", "external"), ("left", "right"), ("right", "left"), ("activated", "inhibited"), ("promotes", "inhibits"), ("reduces", "increases"),
           ("reduced", "increased"), ("the first", "the last"), ("the last", "the first"), ("newest", "oldest"), ("oldest", "newest"), ("at the beginning of", "at the end of"), ("at the end of", "at the beginning of"), ("from above", "from below"),
           ("switched on", "switched off"), ("earlier", "later"), ("worse", "better"), ("better", "worse"), ("summer", "winter"), ("winter", "summer"), ("early", "late"), ("innermost", "outermost"), ("nearest", "farthest"),
           ("antes de", "después de"), ("después de", "antes de"), ("mayor", "menor"), ("menor", "mayor"), ("verdadero", "falso"), ("primera", "última"), ("izquierdo", "derecho"), ("derecho", "izquierdo"), ("más de", "menos de"),
           ("menos de", "más de"), ("al empezar", "al terminar"), ("al final", "al principio"), ("del final", "del principio"), ("dentro de", "fuera de"), ("máximo", "mínimo"), ("encima", "debajo"), ("aumenta", "disminuye"), ("enciende", "apaga")]
# Only where the grammar stays whole: what must stand before and after.
QUANTITY = {
    "en": [(r"\b[Aa]ll (?=(?:of )?(?:the )?[a-z]+s\b)", "some "), (r"\bEvery (?=[a-z]+ [a-z]+s\b)", "Not every "), (r"\balways\b", "sometimes"), (r"\bnever\b", "sometimes"), (r"\bmust not\b", "may"), (r"\bmust\b(?! not| have| never)", "may"),
           (r"\bmay(?= be\b| not be\b)", "must"), (r"\bshould\b(?! not)", "must"), (r"\bmust be\b", "can be"), (r"(?<!as )(?<!how )(?<!so )(?<!too )\b[Mm]any (?=[a-z]+s\b)", "few "), (r"(?<!the )\bmost (?=(?:of the )?[a-z]+s\b)", "few "), (r"\b[Ss]ome (?=[a-z]+s\b)", "all "),
           (r"\busually\b", "never"), (r"\boften\b", "rarely"), (r"\bonly (?=in|on|when|if|for|to|from|after|before|with|by|at)", "not only "), (r"(?<!from )(?<!for )(?<!with )\b[Ss]everal (?=[a-z]+s\b)", "no "), (r"\bat least\b", "at most"), (r"\bat most\b", "at least"),
           (r"\bup to (?=\d)", "at least "), (r"\bNo (?=[a-z]+ (?:is|are|can|may|has)\b)", "Any "), (r"\bnone of\b", "some of"), (r"\bcan be\b", "must be"), (r"\bexactly\b", "at least"), (r"\bis optional\b", "is mandatory"), (r"\bis recommended\b", "is required"),
           (r"\bdoes not need to\b", "must not"), (r"\bat the latest\b", "at the earliest"), (r"\bin every case\b", "in some cases"), (r"\bnearly all\b", "hardly any"), (r"\beach (?=[a-z]+ (?:is|has|can|must)\b)", "only one ")],
    "es": [(r"\b[Tt]odos los\b", "algunos"), (r"\b[Tt]odas las\b", "algunas"), (r"\bsiempre\b", "a veces"), (r"\bpuede\b(?! que)", "debe"), (r"\bpueden\b", "deben"), (r"\bdebe\b", "puede"), (r"\bdeben\b", "pueden"), (r"(?<!no )\bnunca (?=se\b|debe|puede)", "a veces "), (r"\bcomo máximo\b", "como mínimo"),
           (r"\bal menos\b", "como máximo"), (r"\bun máximo de\b", "un mínimo de"), (r"\bCada (?=\w+ \w+[ea]\b)", "Casi ningún "), (r"\bcomo mínimo\b", "como máximo"), (r"\b[Ss]olo (?=se|en|el|la|los|si|con|para|está|puede)", "No solo "), (r"\bhasta (?=\d)", "desde ")],
}
TWINS = {"en": ["client server", "user administrator", "sender receiver", "leader follower", "source target", "request response", "buyer seller", "patient doctor", "tenant landlord", "row column", "input output",
                "parent child", "producer consumer", "publisher subscriber", "reader writer", "host guest", "teacher student", "employer employee", "summer winter", "mother father", "brother sister", "morning evening", "bank insurer",
                "function variable", "file directory", "memory disk", "operator manufacturer", "police operator", "controller worker", "certificate token", "password username", "fax email",
                "water oil", "adults children", "heart liver", "mice rats", "men women", "children adults", "counter gauge", "alert rule", "loop function", "text number", "error warning", "green red",
                "owner tenant", "bones vegetables", "train bus", "manager employee", "antenna battery", "passphrase certificate", "queue topic", "package release", "oven freezer", "black white",
                "blue yellow", "north south", "east west", "upstream downstream", "bus boat", "king pope", "film novel", "album film", "song poem", "river lake", "company university", "court parliament", "president mayor"],
         "es": ["cliente servidor", "usuario administrador", "fichero directorio", "memoria batería", "función variable", "recepción cafetería", "filtro cable", "puerta ventana", "entrada salida", "clave contraseña", "lista tabla",
                "verde roja", "adulto profesor", "banco seguro", "agua leche", "empresa familia", "médico farmacéutico", "tren autobús", "jefatura administración", "biblioteca secretaría", "correo teléfono", "error aviso", "verano invierno",
                "tarjeta transferencia", "socio empleado", "conductor propietario", "piscina sala", "motor filtro", "placa pantalla", "mes año"]}
# Pairs that mean something else in texts of general matter.
TECHNICAL = {"source", "function", "loop", "rule", "text", "row", "client", "certificate", "controller", "queue", "package", "counter", "input", "parent", "memory", "file"}
KNOWN = [["Linux", "Windows", "macOS", "Solaris"], ["PostgreSQL", "MySQL", "SQLite", "Oracle"], ["Python", "Ruby", "Java", "Perl"], ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
         ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"], ["enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre"],
         ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"], ["Germany", "France", "Spain", "Italy", "Norway", "Japan", "China", "India", "Canada", "Brazil", "Mexico", "Russia", "Turkey", "Egypt", "England"],
         ["London", "Paris", "Berlin", "Rome", "Madrid", "Vienna", "Tokyo", "Chicago", "Boston", "Toronto", "Moscow"], ["English", "French", "German", "Spanish", "Italian", "Dutch", "Chinese", "Japanese", "American", "British", "Indian"],
         ["HTTP", "FTP", "SMTP"], ["JSON", "XML", "CSV", "YAML"], ["GET", "POST", "DELETE", "PUT"], ["UTC", "CET"], ["North", "South"], ["East", "West"], ["Kubernetes", "Nomad"], ["Docker", "Podman"], ["Christian", "Muslim", "Jewish"]]
PLACES = ["Marlow", "Osaka", "Lisbon", "Bergen", "Tallinn", "Quito", "Adelaide", "Ghent", "Leeds"]
PERSONS = ["Petrov", "Fischer", "Marta Olsen", "Daniel Roy", "Ines Calder", "Whitcombe", "Okafor"]
THINGS = ["Kestrel", "Halcyon", "Nimbus", "Aurora", "Orion", "Tamarin", "Redwood", "Quanta"]

TAILS = {
    "any": ["and this was confirmed by an independent audit in {y}", "and it can be undone within {n} days", "which makes it the cheapest choice", "and it was designed by a team in {p}", "which is why most experts advise against it", "and this has been so since {y}",
            "although {n} complaints about it were received last year", "which saves about {m} % of the cost", "as was decided by the board in {y}", "and a second check follows {n} days later", "a practice that was borrowed from the navy", "even on public holidays"],
    "tech": ["and it also sends a daily report to the administrator", "and it requires a paid licence", "because the older design caused outages", "and it needs at least {n} GB of memory", "and the result is cached for {n} minutes", "and a copy is kept in the cloud for {n} weeks",
             "which doubles the throughput on modern processors", "and an e-mail is sent when it fails", "provided that two-factor authentication is switched on", "which is only supported on Windows", "and the event is written to an audit trail",
             "unless the cluster has fewer than {n} nodes", "and it can be rolled back from the web console", "which was first introduced in version {n}.{m}", "and it is disabled on virtual machines", "and the operation is repeated up to {n} times", "using a checksum of 256 bits"],
    "life": ["and it should be repeated every {n} months", "particularly in people older than {m}", "as a survey of {m}00 people showed", "which costs around {m} dollars", "and children are affected most", "a view that is disputed by scholars in {p}", "and the effect disappears after {n} weeks",
             "according to a report from {y}", "which was later adapted for television", "and more than {m},000 people took part", "after a long dispute with the authorities", "and it won a prize in {p}", "which is cheaper in winter", "while smokers were excluded"],
    "es": ["y además envía un informe diario al administrador", "y exige una licencia de pago", "porque el diseño anterior causaba cortes", "y necesita al menos {n} GB de memoria", "y se puede deshacer en un plazo de {n} días", "lo que supone un ahorro del {m} %", "como confirmó una auditoría en {y}",
           "salvo en los días festivos", "y se repite cada {n} semanas", "según un estudio realizado en {p}", "y se avisa al cliente por teléfono", "a cambio de un pequeño recargo de {n} euros", "lo que solo funciona en Windows", "y queda anotado en un libro de registro", "y se guarda una copia en la nube durante {n} meses"],
}
ALONE = {"en": ["A background job repeats the work every night.", "The vendor stopped selling it in the spring of {y}.", "Administrators are told about it by text message.", "It was first proposed by a student in {p}.", "The licence forbids its use in schools.",
                "Half of the users switch it off within {n} months.", "A reduced price applies to members of the association.", "The inventor received a medal for it in {y}.", "Support for older devices ended {n} years ago.", "The colour of the case was changed after complaints.",
                "A deposit of {m} dollars has to be paid in advance.", "Insurance companies demand a written report every {n} months.", "The test was repeated with {m} volunteers.", "Training courses are offered twice a year in {p}.", "A telephone hotline is open on weekdays until {n} p.m.",
                "Its successor is expected to be faster and lighter.", "The original manuscript is kept in {p}.", "Spare parts can be ordered for {n} years.", "Experts recommend replacing it every {n} years.", "The committee rejected the proposal by {n} votes."],
         "es": ["Una tarea nocturna repite el trabajo.", "El fabricante dejó de venderlo en la primavera de {y}.", "Los administradores reciben un mensaje de texto.", "Los socios pagan un precio reducido.", "Hay que dejar una fianza de {m} euros.", "El servicio de atención telefónica abre hasta las {n} de la tarde.",
                "Se ofrecen cursos de formación dos veces al año en {p}.", "Las piezas de repuesto se pueden pedir durante {n} años.", "La propuesta fue rechazada por {n} votos.", "Un estudio con {m} voluntarios confirmó el resultado."]}


def replace_span(text, start, end, new):
    return text[:start] + new + text[end:]


def pick(found, draw):
    found = list(found)
    return draw.choice(found) if found else None


def everything(case):
    return " ".join(case["sources"])


def held(case, phrase):
    """Whether the sources hold a phrase, in any case of letters."""
    return phrase.lower() in everything(case).lower()


def number(text, case, draw):
    m = pick((m for m in re.finditer(r"(?<![\w.,/`:#-])\d+(?:[.,]\d+)*(?![\w/:`-]|[.,]\d)", text) if not re.search(r"(?i)\b(?:HTTP|figure|table|chapter|phase|type|layer|step)s? $", text[:m.start()]) and not text[m.end():m.end() + 2].startswith(")")), draw)
    if not m:
        return None
    raw, after = m.group(), text[m.end():m.end() + 14].split(".")[0]
    if raw.count(".") > 1:
        parts = raw.split(".")
        at = draw.randrange(len(parts))
        parts[at] = str(int(parts[at]) + draw.choice([1, 2, 3]))
        new = ".".join(parts)
    elif re.fullmatch(r"\d{1,3}(,\d{3})+", raw):
        value = int(raw.replace(",", ""))
        new = f"{draw.choice([value * 2, value * 10, value // 2, value + 10 ** (len(str(value)) - 1)]):,}"
    elif re.search(r"[.,]", raw):
        mark = re.search(r"[.,]", raw).group()
        places = len(raw.split(mark)[1])
        value = float(raw.replace(",", "."))
        new = f"{draw.choice([value * 2, value + 1, value * 10, value / 2 + 0.1 ** places]):.{places}f}".replace(".", mark)
    else:
        value = int(raw)
        if re.search(r"(?:January|February|March|April|May|June|July|August|September|October|November|December) $", text[:m.start()]) and value < 32:
            new = str(draw.choice([d for d in range(1, 29) if d != value]))
        elif 1500 < value < 2100 and len(raw) == 4:
            new = str(value + draw.choice([-12, -7, -3, -1, 2, 4, 11]))
        elif value > 9 and value % 10 == 0:
            new = str(draw.choice([value * 2, value // 2, value * 10, value + 10 ** (len(raw) - 1), value * 3]))
        else:
            new = str(draw.choice([value + 1, value + 2, value * 2, value + 5, max(2, value - 1)]))
    return None if new == raw or held(case, new + after) else replace_span(text, m.start(), m.end(), new)


def unit(text, case, draw):
    options = []
    for group in UNITS:
        for at, word in ((i, w) for i, w in enumerate(group) if w in text):
            for m in re.finditer(rf"(?<=\d)(?<!\d{{4}})[ -]?({re.escape(word)})(?![\w/²³]|-\w)", text):
                before = text[:m.start()].rsplit(" ", 1)[-1]
                if m[1] in ("g", "s", "m", "A", "V", "pages") and (case["kind"] in ("abstract", "web", "encyclopedia") or not before[:1].isdigit()):
                    continue
                options += [(m, group[near], before) for near in (at - 1, at + 1, at + 2) if 0 <= near < len(group)]
    options = [(m, new, before) for m, new, before in options if not held(case, f"{before} {new}") and not (before == "1" and new.endswith("s") and len(new) > 2 or before != "1" and new in UNITS[1])]
    if not options:
        return None
    m, new, _ = draw.choice(options)
    return replace_span(text, m.start(1), m.end(1), new)


SINGLE = {"has": "have", "does": "do", "goes": "go"}


def base_form(verb):
    """The infinitive of a verb in the third person."""
    if verb in SINGLE:
        return SINGLE[verb]
    return verb[:-3] + "y" if verb.endswith("ies") else verb[:-2] if re.search(r"(ss|sh|ch|x|zz)es$", verb) else verb[:-1]


def third(verb):
    return "has" if verb == "have" else verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + ("es" if re.search(r"(s|sh|ch|x|z|o)$", verb) else "s")


def clause(text, at):
    """The stretch between punctuation in which a place stands."""
    return re.split(r"[;,.:]\s", text[:at])[-1] + re.split(r"[;,.:](?:\s|$)", text[at:])[0]


def negation(text, case, draw):
    if re.search(r"(?i)\bat no time\b|\ben ningún momento\b|\bnot only\b|\bneither\b|\bnot? (?:un|yet)|\bwhether\b|\bor not\b|\bno solo\b|\bni\b|\btampoco\b|\bninguna?\b|\bningún\b|\bsino\b", text):
        return None
    if case["language"] == "es":
        if m := re.search(r"(?<!\w)[Nn]o (?=(?:se |es |son |está|están|puede|pueden|devuelve|tiene|acepta|necesita|hay|cubre|cuenta|admite|incluye|recibe|genera|borra|existen|existe|lleva|empieza|requiere|debe|deben|pagan|paga|vale|sirve)\w*)", text):
            new = text[:m.start()] + text[m.end():]
            return None if re.search(r"\b(nunca|nada|nadie|hasta)\b", text) else upper_first(new)
        verbs = r"es|son|está|están|puede|pueden|devuelve|tiene|acepta|necesita|hay|cubre|admite|incluye|recibe|contiene|debe|deben|dura|pesa|cuesta|conserva|se (?:lee|guarda|guardan|escribe|conserva|puede|pueden|cierra|pone|renueva|confirma|activa|paga|pagan|solicitan|abre|cuenta|entrega|aplica|borran|copia)"
        m = re.search(rf"(?<![\wáéíóúñ`])(?:{verbs})(?![\wáéíóúñ`])", text)
        bad = m and (re.search(r"(?i)\b(?:no|nunca|nada|nadie|sin)\b", clause(text, m.start())) or re.search(r"(?i)\b(no|se|lo|la|le|les|me|te|nos|que|nunca)$", text[:m.start()].strip()) or text[m.start():].startswith(("es decir", "se puede ser")))
        return replace_span(text, m.start(), m.start(), "no ") if m and m.start() > 3 and not bad else None
    if m := re.search(r"\b(?:(is|are|was|were|can|must|should|may|will|could|has|have) not (?=[a-z])|(cannot) |(isn't|aren't|can't|wasn't) )", text):
        if re.search(r"\b(any|until|either|yet|nor|but|ever|unless)\b", text[m.end():]):
            return None
        said = m[1] or {"cannot": "can", "isn't": "is", "aren't": "are", "can't": "can", "wasn't": "was"}[m[2] or m[3]]
        return replace_span(text, m.start(), m.end(), said + " ")
    if m := re.search(r"\b(do|does|did)(?: not|n't) (?!always|usually|necessarily|just|only|have to|need to)([a-z]{3,})\b", text):
        if re.search(r"\b(any|until|either|yet|nor|but|ever|anything|unless)\b", text[m.end():]) or m[1] == "did":
            return None
        return replace_span(text, m.start(), m.end(), third(m[2]) if m[1] == "does" else m[2])
    mains = [m for m in re.finditer(r"\b(is|are|was|were|can|must|should|may|will|could)\b(?! not\b| no\b|n't| never\b| only\b| rather\b| as follows| also\b| always\b| often\b| usually\b| probably\b| still\b| to be\b)(?= [a-z0-9`])", text)]
    mains = [m for m in mains if not re.search(r"(?i)(?:\b(?:who|which|that|what|where|there|how|and|or|not|than|as|if|whether|unless|although|when)(?: \w+)? ?|, )$", text[:m.start()])]
    if not mains:
        verbs = "|".join(v for v in FORMS if v not in ("limits", "measures", "changes", "answers", "copies", "counts", "checks", "controls", "shows", "holds", "starts"))
        m = re.match(rf"^((?:The|A|An|Each) (?:[\w`.()-]+ ){{1,4}}?)({verbs}|supports|works|needs|requires|applies|lasts|costs|takes|allows|runs|waits|listens|depends|helps)\b(?= )", text)
        return replace_span(text, m.start(2), m.end(2), "does not " + base_form(m[2])) if m else None
    m = mains[0]
    # Denied twice it would say what it said.
    if re.search(r"(?i)\b(?:no|not|never|nothing|nobody|none|nor|cannot)\b|n't\b", clause(text, m.start())):
        return None
    if m[1] in ("can",) and draw.random() < 0.6:
        return replace_span(text, m.start(), m.end(), "cannot")
    return replace_span(text, m.end(), m.end(), " not")


def entity(text, case, draw):
    lower = everything(case).lower()
    options = []
    for group in KNOWN:
        for word in (w for w in group if w in text):
            for m in re.finditer(rf"(?<![\w`/.-]){word}(?![\w`/(-])", text):
                if word == "May" and not re.search(r"(?:in|of|and|to|between|until|since|\d) $", text[:m.start()]) or re.search(r"[A-Z][\w.]+ $", text[:m.start()]) or re.match(r" [A-Z]", text[m.end():]):
                    continue
                fresh = [n for n in group if n != word and not re.search(rf"\b{n}\b", text) and (n.lower() not in lower or not any(n in s and len(s) < 400 for s in re.split(r"(?<=[.!?])\s+", everything(case)) if word in s))]
                options += [(m.start(), m.end(), n) for n in draw.sample(fresh, min(2, len(fresh)))]
    for pair in TWINS[case["language"]] if case["kind"] not in ("web", "abstract") else []:
        one, two = pair.split()
        if case["kind"] == "encyclopedia" and one in TECHNICAL:
            continue
        for a, b in ((x, y) for x, y in ((one, two), (two, one)) if x in text):
            for m in re.finditer(rf"(?<![\w`/-]){a}(s?)(?= (?:is|are|was|were|must|can|may|has|have|of|to|in|from|and|or|with|at|for|by|on|es|son|de|en|con|se|no|debe|puede|tiene)\b|[,.;])", text):
                if re.search(r"\b(?:will|to|can|may|not|must)$", text[:m.start()].strip()) or a == "number" and text[m.end():].startswith(" of ") or a == "rule" and re.search(r"\b(?:general|as a)$", text[:m.start()].strip()):
                    continue
                if re.search(rf"(?i)\b{b}s?\b", text) or re.search(r"(?i)\b(?:sin|sobre)$", text[:m.start()].strip()):
                    continue
                # Where the other one of the pair does the same in the sources, nothing would be wrong.
                words = {w[:6] for w in re.findall(r"\w{4,}", text.lower())} - {a[:6]}
                if any(len(words & {w[:6] for w in re.findall(r"\w{4,}", s)}) > 0.4 * len(words) for s in re.split(r"(?<=[.!?;])\s+", lower) if f" {b}" in s):
                    continue
                if case["language"] == "es" and (a[-1] in "ao") != (b[-1] in "ao") or case["language"] == "es" and a[-1] in "ao" and a[-1] != b[-1]:
                    continue
                options.append((m.start(), m.end(), b + m[1] if not b.endswith("s") or not m[1] else b))
    names = [m for m in re.finditer(r"(?<=[a-z,] )[A-Z][a-zà-ÿ]{2,}(?:(?: of)? [A-Z][a-zà-ÿ]+)*(?![\w`-]|\.[a-z])", text)]
    if names and not re.search(r'"|\b(click|Click|button|menu|tab|page|Table|Figure|Act|War|screen)\b', text) and sum(len(n.group().split()) for n in names) < 0.4 * len(text.split()):
        m = draw.choice(names)
        if re.search(r"\b(?:in|from|near|at|inside|to|of) $", text[:m.start()]) and case["kind"] in ("encyclopedia", "web", "abstract"):
            pool = PLACES
        elif (re.search(r"\bby $", text[:m.start()]) or len(m.group().split()) == 2) and not re.search(r"\b(?:the|la|el|an?) $", text[:m.start()]) and case["kind"] in ("encyclopedia", "web"):
            pool = PERSONS
        else:
            pool = THINGS
        fresh = [n for n in pool if n.lower() not in lower]
        if fresh and m.group() not in [w for g in KNOWN for w in g]:
            options.append((m.start(), m.end(), draw.choice(fresh)))
    if not options:
        return None
    new = replace_span(text, *draw.choice(options))
    return article(new) if case["language"] == "en" else new


CODE_TWINS = [("max", "min"), ("min", "max"), ("get", "set"), ("set", "get"), ("start", "end"), ("start", "stop"), ("add", "remove"), ("total", "count"), ("count", "sum"), ("read", "write"), ("write", "read"), ("key", "id"), ("timeout", "interval"),
              ("limit", "size"), ("bytes", "lines"), ("list", "map"), ("export", "import"), ("import", "export"), ("request", "response"), ("name", "label"), ("search", "find"), ("apply", "set"), ("build", "make"), ("with", "without"), ("client", "server"),
              ("url", "path"), ("open", "close"), ("source", "target"), ("first", "last"), ("up", "down"), ("encode", "decode"), ("seconds", "ms"), ("json", "xml"), ("Json", "Xml"), ("JSON", "XML"), ("Get", "Post"), ("Post", "Put"), ("Len", "Size"),
              ("Loop", "Block"), ("Param", "Header"), ("Result", "Error"), ("Var", "Const"), ("index", "table"), ("history", "versions"), ("lock", "expire"), ("drafts", "hidden"), ("config", "syntax"), ("copias", "versiones"), ("pin", "puerto"),
              ("leer", "abrir"), ("escribir", "fijar"), ("peso", "coste"), ("codigo", "numero"), ("firmar", "cifrar"), ("max_paquetes", "max_bultos"), ("retry", "repeat"), ("shared", "private"), ("idle", "query"), ("activity", "sessions")]


def identifier(text, case, draw):
    options = []
    for m in re.finditer(r"`((?:--)?[A-Za-z_][\w.-]*\w)(\(\))?`|(?<![\w/`.-])([a-z]+(?:_[a-z]+)+)(?![\w/`.-])", text):
        name = m[1] or m[3]
        if "/" in name or re.search(r"\.(?:md|ya?ml|json|csv|log|toml|conf|go|py|db|xml|html|txt|pem|bin|hex|c|sh)$", name):
            continue
        for one, two in CODE_TWINS:
            if one in re.split(r"[_.-]|(?<=[a-z])(?=[A-Z])", name):
                options.append((m, name, name.replace(one, two, 1)))
        parts = re.split(r"_", name)
        if len(parts) > 1:
            options.append((m, name, draw.choice(["_".join(parts[1:]) if len(parts) > 2 else "_".join(reversed(parts)), "_".join(parts[:-1]) + "_" + draw.choice(["mode", "limit", "info", "path"])])))
        elif re.search(r"[a-z][A-Z]", name):
            options.append((m, name, re.sub(r"[A-Z][a-z]+$", lambda e: draw.choice([x for x in ("Mode", "List", "Info", "Value", "All") if x != e[0]]), name)))
        elif m[2]:
            options.append((m, name, name + draw.choice(["All", "Next", "Now"])))
    options = [(m, a, b) for m, a, b in options if a != b and not held(case, b)]
    if not options:
        return None
    m, a, b = draw.choice(options)
    return replace_span(text, m.start(), m.end(), m.group().replace(a, b, 1))


FILE = r"(?:md|ya?ml|json|csv|log|toml|conf|go|py|db|xml|html|txt|pem|bin|hex|sh|bak|c)"
PATH = re.compile(rf"(?<![\w:/.~-])(?:[~.]?/[\w.-]+(?:/[\w.-]+)*|[\w.-]+/[\w./-]*[\w]|[\w-]{{3,}}\.{FILE})(?![\w/])")


def path(text, case, draw):
    if case["kind"] in ("abstract", "web", "encyclopedia"):
        return None
    m = pick((m for m in PATH.finditer(text) if re.search(rf"^[~.]?/\w|\.{FILE}$|`$", m.group()) or text[m.start() - 1:m.start()] == "`"), draw)
    if not m:
        return None
    old = m.group().rstrip(".")
    parts = old.split("/")
    options = []
    if "." in parts[-1][1:]:
        stem, end = parts[-1].rsplit(".", 1)
        options += [[*parts[:-1], f"{stem}.{draw.choice([e for e in ('json', 'yaml', 'toml', 'txt', 'conf') if e != end])}"], [*parts[:-1], f"{draw.choice(['default', 'main', 'local', 'global'])}.{end}"]]
    elif len(parts) > 2:
        options.append([*parts[:-1], draw.choice(["backup", "default", "list", "status", "data"])])
    if len(parts) > 2:
        swap = {"etc": "opt", "var": "usr", "run": "tmp", "srv": "home", "lib": "share", "log": "logs", "data": "mnt", "boot": "root", "config": "settings", "v2": "v1", "dev": "sys", "~": "/etc", "admin": "api", "build": "dist", "static": "public"}
        at = draw.randrange(1 if not parts[0] else 0, len(parts) - 1)
        options.append([*parts[:at], swap.get(parts[at], parts[at] + draw.choice(["2", "-old", "s"])), *parts[at + 1:]])
    options = ["/".join(o) for o in options if "/".join(o) != old]
    new = draw.choice(options) if options else None
    return replace_span(text, m.start(), m.start() + len(old), new) if new and not held(case, new) else None


def direction(text, case, draw):
    options = [(m, b) for a, b in AGAINST if a in text for m in re.finditer(rf"(?<![`\w-]){a}(?![`\w-])", text)]
    kept = []
    for m, new in options:
        word, before, after = m.group(), text[:m.start()], text[m.end():]
        if word in ("left", "right") and not re.match(r"(?:left|right) (?:side|hand|button|edge|knob|column|corner|margin|arm|leg|eye|half|of|lane|pane|end|key|kidney|lung|ventricle)\b|(?:left|right)[.,]", text[m.start():]):
            continue
        if word in ("before", "after") and re.search(r"(?i)(?:the day|shortly|soon|immediately|minutes?|hours?|days?|weeks?|look|named|one|year|long|never|ever) $", before) and word == "after" and re.search(r"(look|named|one|year) $", before):
            continue
        if word in ("true", "false") and re.search(r"(?:come|holds?|not) $", before) or word in ("better", "worse", "early", "late", "positive", "negative", "internal") and re.search(r"(?:or|and|had) $", before) or word == "higher" and "higher education" in text:
            continue
        if re.search(r"\b(?:no|not|any) $", before) or word in ("reduced", "increased") and re.search(r"\b(?:is|are|was|were) $", before) and "by" not in after:
            continue
        if word == "lower" and re.search(r"\b(?:to|can|will|may|an?|helps?|also|which|that|not|and) $", before):
            continue
        if re.search(rf"(?i)\b{re.escape(new)}\b", text) or re.match(r" (?:and|or) ", after) and word not in ("before", "after") or before.rstrip().endswith((" and", " or")):
            continue
        kept.append((m, new))
    if not kept:
        return None
    m, new = draw.choice(kept)
    return article(replace_span(text, m.start(), m.end(), new)) if case["language"] == "en" else replace_span(text, m.start(), m.end(), new)


def quantifier(text, case, draw):
    options = [(m, new) for old, new in QUANTITY[case["language"]] for m in re.finditer(old, text)]
    options = [(m, new) for m, new in options if not re.search(r"(?i)\b(?:(?:not|no|nor|without|if|whether|of)|(?:not|nor|no|without)(?: \w+){1,2})$", text[:m.start()].strip()) and not re.match(r" not\b", text[m.end():])]
    if not options:
        return None
    m, new = draw.choice(options)
    if m.group().strip() in ("must", "may") and re.match(r" (?:have|well)\b", text[m.end():]):
        return None
    return replace_span(text, m.start(), m.end(), upper_first(new) if m.group()[0].isupper() else new)


def filled(template, draw):
    return template.format(y=draw.randint(1988, 2023), n=draw.randint(2, 9), m=draw.choice([12, 15, 18, 30, 35, 45, 60, 85]), p=draw.choice(PLACES))


def fabrication(text, case, draw):
    if draw.random() < 0.4:
        return filled(draw.choice(ALONE[case["language"]]), draw)
    kind = "es" if case["language"] == "es" else draw.choice(["any", "life" if case["kind"] in ("abstract", "web", "encyclopedia") else "tech", "life" if case["kind"] in ("abstract", "web", "encyclopedia") else "tech"])
    if len(re.split(r"[;:]|\. ", text)) > 1 or text.count(",") > 2:
        return None
    if re.search(r"(?i)\b(?:unless|except|although|because|if|when|which|salvo|porque|si|cuando)\b", text) and draw.random() < 0.7:
        return None
    return text.rstrip(".") + (", " if draw.random() < 0.7 or kind == "es" else " ") + filled(draw.choice(TAILS[kind]), draw) + "."


def other_source(text, case, draw):
    return draw.choice(case["strange"]) if case["strange"] else None


CHANGES = {f.__name__: f for f in (number, unit, negation, entity, identifier, path, quantifier, direction, fabrication, other_source)}
