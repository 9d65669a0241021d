"""Makes a model of the real shape with random weights and writes what ONNX Runtime says of a few texts.

    python make.py FOLDER

Writes FOLDER/embed/{f32,int8}/ with model.onnx, tokenizer.json and config.json, and
FOLDER/expected.json. The numbers of the int8 models hold for one text at a time.
"""

import json
import sys
from pathlib import Path

import networks
import numpy as np
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

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


def tokenizer():
    """A tokenizer of the kind that the network's checkpoints have, trained on the sentences."""
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=SPECIAL, show_progress=False)
    t.train_from_iterator(SENTENCES, trainer)
    second = "[CLS] $A [SEP] $B:1 [SEP]:1"
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


MODELS = {"embed": (lambda n: networks.bert(n, 0, True, 14), {}, embed)}


def main(folder):
    expected = {}
    for name, (build, config, ask) in MODELS.items():
        tokens = tokenizer()
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
