"""Answers of pipelines, checked by Assay. Usage: pipelines.py URL. What is not installed is named and passed over."""

import sys

# recipe: any pipeline
import json
import urllib.request


def check(answer, sources, url="http://127.0.0.1:7100", key=None, **more):
    body = {"answer": answer, "sources": [{"text": text} for text in sources], "require_citations": False, **more}
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
    request = urllib.request.Request(f"{url}/v1/check", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


# end


def langchain():
    # recipe: LangChain
    from langchain_core.documents import Document
    from langchain_core.runnables import RunnableLambda

    def checked(out):
        report = check(out["answer"], [page.page_content for page in out["context"]])
        return {**out, "verdict": report["verdict"], "report": report}

    # Your chain returns {"answer": …, "context": [documents]}, as create_retrieval_chain does.
    chain = RunnableLambda(lambda question: {"answer": "It stops after 200 errors.", "context": [Document("It stops after 100 errors.")]})
    out = (chain | RunnableLambda(checked)).invoke("When does the importer stop?")
    # end
    return out["verdict"]


def llamaindex():
    # recipe: LlamaIndex
    from llama_index.core.base.response.schema import Response
    from llama_index.core.schema import NodeWithScore, TextNode

    # Your query engine gives this: response = query_engine.query("When does the importer stop?")
    source = NodeWithScore(node=TextNode(text="It stops after 100 errors."))
    response = Response("It stops after 200 errors.", source_nodes=[source])
    report = check(str(response), [node.get_content() for node in response.source_nodes])
    # end
    return report["verdict"]


def haystack():
    # recipe: Haystack
    from haystack import Document, Pipeline, component

    @component
    class AssayCheck:
        @component.output_types(verdict=str, report=dict)
        def run(self, answer: str, documents: list[Document]):
            report = check(answer, [document.content for document in documents])
            return {"verdict": report["verdict"], "report": report}

    pipeline = Pipeline()
    pipeline.add_component("assay", AssayCheck())
    documents = [Document(content="It stops after 100 errors.")]
    out = pipeline.run({"assay": {"answer": "It stops after 200 errors.", "documents": documents}})
    # end
    return out["assay"]["verdict"]


SOURCE = "The importer stops after 100 errors."
ANSWER = "The importer stops after 200 errors."


def main(url):
    # The recipes ask the address of `assay up`; here it is the one of the test.
    check.__defaults__ = (url, None)
    assert check("The importer stops after 100 errors.", [SOURCE])["verdict"] == "PASS"
    assert check(ANSWER, [SOURCE])["verdict"] == "REJECT"
    batch = {"batch": [{"id": 1, "answer": ANSWER}, {"id": 2}]}
    request = urllib.request.Request(f"{url}/v1/check", json.dumps(batch).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        results = json.load(reply)["results"]
    assert [result["id"] for result in results] == [1, 2] and "error" in results[1], results
    for pipeline in (langchain, llamaindex, haystack):
        try:
            verdict = pipeline()
        except ImportError as error:
            print(f"SKIPPED: {pipeline.__name__}: {error}")
            continue
        assert verdict == "REJECT", (pipeline.__name__, verdict)
        print(f"{pipeline.__name__}: {verdict}")


if __name__ == "__main__":
    main(sys.argv[1])
