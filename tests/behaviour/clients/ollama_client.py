"""The official Ollama client against Assay: only its host differs. Usage: ollama_client.py URL."""

import sys

import ollama

QUESTION = [{"role": "user", "content": "When does the importer stop?"}]


def main(url: str) -> None:
    client = ollama.Client(host=url)
    names = [model.model for model in client.list().models]
    assert names[0] == "assay:latest", names
    assert client.show("assay").capabilities == ["completion"]
    assert client.ps().models[0].model == "assay:latest"

    plain = client.chat("assay/retrieval", QUESTION, options={"temperature": 1})
    assert "one hundred errors" in plain.message.content and plain.done_reason == "stop", plain
    assert plain.done and plain.total_duration > 0 and plain.eval_count == 0, plain

    parts = list(client.chat("assay/retrieval", QUESTION, stream=True))
    assert "".join(part.message.content for part in parts) == plain.message.content, parts
    assert [part.done for part in parts][-1] and not any(part.done for part in parts[:-1]), parts

    made = client.generate("assay/retrieval", QUESTION[0]["content"])
    assert made.response == plain.message.content, made

    try:
        client.chat("llama3", QUESTION)
    except ollama.ResponseError as error:
        assert error.status_code == 404 and "llama3" in error.error, error
    else:
        raise AssertionError("a model that is not here")
    try:
        client.chat("assay", QUESTION, format="json")
    except ollama.ResponseError as error:
        assert error.status_code == 400, error
    else:
        raise AssertionError("an answer in another format")


if __name__ == "__main__":
    main(sys.argv[1])
    print("the Ollama client is content")
