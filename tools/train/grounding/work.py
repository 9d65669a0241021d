"""Where the data are and which program measures: what every step of the fit is handed."""
import gzip, hashlib, json, os, pathlib, subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
OUT = ROOT / "libs/grounding/data"
SUITE = ROOT / "tools/train/grounding/suite"
QA = "grounding/ragtruth_qa_train.jsonl.gz"
# Pairs written by hand to be fitted on. The documents of the first are base texts of the generators too.
BY_HAND_PAIRS = (SUITE / "taught.jsonl", SUITE / "pairs.jsonl")


def build():
    """The program that measures, built."""
    cargo = [os.environ.get("CARGO", "cargo"), "build", "-q", "--release", "--config", "profile.release.lto=false", "-p", "assay-train", "--bin",
             "grounding-features", "--message-format=json"]
    told = subprocess.run(cargo, cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    return next(found for line in told if (found := json.loads(line).get("executable")))


class Work:
    """The folder with the public development sets, the program that measures, perhaps without a part of it, and a folder that keeps what
    it measured."""

    def __init__(self, data, tool=None, cache=None, without=None):
        self.data, self.cache, self.without = pathlib.Path(data), cache and pathlib.Path(cache), without
        self.program = tool or build()
        self.digest_of_program = hashlib.sha256(pathlib.Path(self.program).read_bytes()).hexdigest()

    def raw(self, name):
        data = (self.data / name).read_bytes()
        return gzip.decompress(data) if name.endswith(".gz") else data

    def rows(self, name):
        return [json.loads(line) for line in self.raw(name).decode().splitlines() if line.strip()]

    def digest(self, name):
        return hashlib.sha256((self.data / name).read_bytes()).hexdigest()

    def digests(self):
        """Digests of all that the models of support are fitted on: files of the data and of this tree; of a folder, of its pages together."""
        found = {name: self.digest(name) for name in (QA, "retrieval/scifact/corpus.jsonl.gz", "relevance/clapnq_dev_a.jsonl")}
        for file in (*BY_HAND_PAIRS, SUITE.parent / "handbook.jsonl", *(SUITE.parent / f"{name}.py" for name in ("texts", "suite", "edits", "rewrites"))):
            found[str(file.relative_to(ROOT))] = hashlib.sha256(file.read_bytes()).hexdigest()
        for name, folder in (("documents", self.data / "documents"), ("docs/avap", ROOT / "docs/avap")):
            pages = b"".join(page.read_bytes() for page in sorted(folder.rglob("*.md")))
            found[f"{name}/**/*.md"] = hashlib.sha256(pages).hexdigest()
        return found

    def tool(self, mode, lines=()):
        """What the program says of lines, a line each. With a cache what it said before of the same lines is taken from there."""
        text = "".join(line + "\n" for line in lines)
        mode += f" --without {self.without}" if self.without else ""
        say = lambda: subprocess.run([self.program, *mode.split()], input=text, text=True, stdout=subprocess.PIPE, check=True).stdout
        if not self.cache:
            return say().splitlines()
        kept = self.cache / f"{mode.replace(' ', '-')}-{hashlib.sha256((self.digest_of_program + mode + text).encode()).hexdigest()[:24]}.gz"
        if not kept.exists():
            self.cache.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(gzip.compress(say().encode(), 1))
        return gzip.decompress(kept.read_bytes()).decode().splitlines()

    def said(self, mode, items):
        """The same for cases, as values."""
        out = [json.loads(line) for line in self.tool(mode, (json.dumps(item, ensure_ascii=False) for item in items))]
        assert [o["id"] for o in out] == [item["id"] for item in items]
        return out
