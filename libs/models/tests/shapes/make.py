"""Makes models of the real shapes with random weights and writes what ONNX Runtime says of a few texts.

    python make.py FOLDER

Writes FOLDER/{embed,rerank,entail,spans}/{f32,int8}/ with model.onnx, tokenizer.json and config.json, and
FOLDER/expected.json. The numbers of the int8 models hold for one text at a time.
"""

import json
import sys
from pathlib import Path

import networks
import numpy as np
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SENTENCES = [
    "Refunds are paid within five business days.",
    "A refund is instant.",
    "The parser reads one file at a time and reports the line of the first error.",
    "Set the option --retries to 3; the default is 5, and 0 switches retries off.",
    "It is forbidden to share the key with others, even inside one team.",
    "Los pagos se liquidan los viernes, no los lunes; el café está incluido.",
    "The cache holds 512 entries and drops the oldest one.",
]
LONG = " ".join(SENTENCES * 4)


def tokenizer(kind):
    """A tokenizer of the kind that the network's checkpoints have, trained on the sentences."""
    if kind == "wordpiece":
        t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=SPECIAL, show_progress=False)
    elif kind == "unigram":
        t = Tokenizer(models.Unigram())
        t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Strip()])
        t.pre_tokenizer, t.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=400, special_tokens=SPECIAL, unk_token="[UNK]", show_progress=False)
    else:
        t = Tokenizer(models.BPE())
        t.normalizer = normalizers.NFC()
        t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
        letters = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=SPECIAL, initial_alphabet=letters, show_progress=False)
    t.train_from_iterator(SENTENCES, trainer)
    second = "[CLS] $A [SEP] $B [SEP]" if kind == "bytes" else "[CLS] $A [SEP] $B:1 [SEP]:1"
    ids = [(name, t.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair=second, special_tokens=ids)
    return t


class Reference:
    """A model in ONNX Runtime."""

    def __init__(self, path, tokens):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.tokens = tokens
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def run(self, text, second=None):
        row = self.tokens.encode(text, second)
        given = {"input_ids": row.ids, "attention_mask": row.attention_mask, "token_type_ids": row.type_ids}
        given = {i.name: np.array([given[i.name]], dtype=np.int64) for i in self.session.get_inputs()}
        return row, self.session.run(None, given)[0][0]


def embed(model):
    def vector(text):
        mean = model.run(text)[1].mean(axis=0)
        return (mean / np.linalg.norm(mean)).tolist()
    return [{"text": text, "vector": vector(text)} for text in SENTENCES + [LONG]]


def rerank(model):
    query = "How fast are refunds paid?"
    return {"query": query, "passages": [{"text": text, "logit": float(model.run(query, text)[1][0])}
                                         for text in SENTENCES + [LONG]]}


def entail(model):
    pairs = [(a, b) for a in SENTENCES[:3] + [LONG] for b in SENTENCES[1:4]]
    return [{"premise": a, "hypothesis": b, "logits": model.run(a, b)[1].tolist()} for a, b in pairs]


def spans(model):
    question, answer = "How are refunds paid?", " ".join(SENTENCES[1:4] + [SENTENCES[5]])
    passages = [SENTENCES[0], LONG, SENTENCES[4]]
    lines = "".join(f"passage {n}: {text}\n" for n, text in enumerate(passages, 1))
    prompt = (f"Answer the following question briefly:\n{question}\n"
              f"Base the answer only on these {len(passages)} passages:\n{lines}output:\n")
    row, logits = model.run(prompt, answer)
    tokens = [{"from": len(answer[:start].encode()), "to": len(answer[:end].encode()),
               "difference": float(values[1] - values[0])}
              for whose, (start, end), values in zip(row.sequence_ids, row.offsets, logits)
              if whose == 1 and start < end]
    return {"question": question, "passages": passages, "answer": answer, "tokens": tokens}


NAMES = {"0": "contradiction", "1": "entailment", "2": "neutral"}
MODELS = {
    "embed": ("wordpiece", lambda n: networks.bert(n, 0, True, 14), {}, embed),
    "rerank": ("wordpiece", lambda n: networks.bert(n, 1, False, 17), {}, rerank),
    "entail": ("unigram", lambda n: networks.deberta(n, 3, 14), {"id2label": NAMES}, entail),
    "spans": ("bytes", lambda n: networks.modernbert(n, 2, 18), {"max_position_embeddings": 8192}, spans),
}


def main(folder):
    expected = {}
    for name, (kind, build, config, ask) in MODELS.items():
        tokens = tokenizer(kind)
        model = build(tokens.get_vocab_size())
        for number in ("f32", "int8"):
            there = folder / name / number
            there.mkdir(parents=True, exist_ok=True)
            path = there / "model.onnx"
            if number == "f32":
                path.write_bytes(model.SerializeToString())
            else:
                # Seven bits: processors without dot products of bytes add pairs in 16 bits, which eight overflow.
                quantize_dynamic(model, path, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8,
                                 extra_options={"MatMulConstBOnly": True})
            tokens.save(str(there / "tokenizer.json"))
            (there / "config.json").write_text(json.dumps({"pad_token_id": 0, **config}))
            expected.setdefault(name, {})[number] = ask(Reference(path, tokens))
    (folder / "expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
