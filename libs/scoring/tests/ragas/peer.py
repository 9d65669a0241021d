"""Scores lines of verdicts with the package ragas: one JSON array of four figures a line, null where it gives NaN."""
import importlib
import json
import logging
import math
import os
import sys
import warnings

os.environ["RAGAS_DO_NOT_TRACK"] = "true"
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

# The package gives its metrics the names of its modules: the modules themselves are asked for here.
_answer_relevance, _context_precision, _context_recall, _faithfulness = (
    importlib.import_module(f"ragas.metrics._{name}")
    for name in ("answer_relevance", "context_precision", "context_recall", "faithfulness")
)


class Vectors:
    """Embeds the question asked as (1, 0), and each derived question at the angle of its similarity."""

    def __init__(self, similarities):
        self.similarities = similarities

    def embed_query(self, _):
        return [1.0, 0.0]

    def embed_documents(self, texts):
        assert len(texts) == len(self.similarities)
        side = lambda cosine: math.sqrt(max(0.0, 1.0 - cosine * cosine))
        return [[0.0, 0.0] if s is None else [s, side(s)] for s in self.similarities]


def faithfulness(statements):
    metric = _faithfulness.Faithfulness()
    answers = [
        _faithfulness.StatementFaithfulnessAnswer(statement=one.get("text", ""), reason="", verdict=int(one["supported"]))
        for one in statements
    ]
    return metric._compute_score(_faithfulness.NLIStatementOutput(statements=answers))


def answer_relevancy(questions):
    metric = _answer_relevance.ResponseRelevancy(embeddings=Vectors([one["similarity"] for one in questions]))
    answers = [
        _answer_relevance.ResponseRelevanceOutput(question=one["question"], noncommittal=int(one["noncommittal"]))
        for one in questions
    ]
    return metric._calculate_score(answers, {"user_input": "question"})


def context_precision(contexts):
    metric = _context_precision.LLMContextPrecisionWithReference()
    return metric._calculate_average_precision(
        [_context_precision.Verification(reason="", verdict=int(one)) for one in contexts]
    )


def context_recall(reference):
    metric = _context_recall.LLMContextRecall()
    return metric._compute_score(
        [
            _context_recall.ContextRecallClassification(statement=one.get("text", ""), reason="", attributed=int(one["attributed"]))
            for one in reference
        ]
    )


for line in sys.stdin:
    verdicts = json.loads(line)
    figures = [
        faithfulness(verdicts["statements"]),
        answer_relevancy(verdicts["questions"]),
        context_precision(verdicts["contexts"]),
        context_recall(verdicts["reference"]),
    ]
    print(json.dumps([None if math.isnan(figure) else float(figure) for figure in figures]))
