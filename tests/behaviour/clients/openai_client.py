"""The official OpenAI client against Assay: only its base address differs. Usage: openai_client.py URL [KEY]."""

import sys

import openai
from openai import OpenAI

QUESTION = [{"role": "user", "content": "When does the importer stop?"}]


def main(url: str, key: str) -> None:
    client = OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)

    names = [model.id for model in client.models.list()]
    assert names[0] == "assay" and "assay/retrieval" in names, names
    assert client.models.retrieve("assay/retrieval").owned_by == "assay"

    plain = client.chat.completions.create(
        model="assay/retrieval", messages=QUESTION, temperature=0.5, user="someone"
    )
    choice = plain.choices[0]
    assert choice.finish_reason == "stop", plain
    assert "one hundred errors" in choice.message.content and "[^1]" in choice.message.content, plain
    assert plain.usage.total_tokens == 0, "nothing was spent on a model"
    assert plain._request_id and plain.id.startswith("chatcmpl-"), plain
    ours = plain.model_extra["assay"]
    assert ours["verdict"] == "PASS", ours
    assert ours["ignored"] == ["temperature", "user"], ours["ignored"]
    assert ours["sources"][0]["path"].endswith("importer.md"), ours["sources"]
    assert ours["audit"]["id"] in plain.id

    cited = choice.message.annotations[0].url_citation
    assert choice.message.content[cited.start_index : cited.end_index].startswith("[^"), plain
    assert "importer.md, lines" in cited.title and cited.url.startswith(f"{url}/records/"), cited

    first = client.responses.create(model="assay/retrieval", input=QUESTION[0]["content"])
    assert "one hundred errors" in first.output_text and first.status == "completed", first
    note = first.output[0].content[0].annotations[0]
    assert note.type == "url_citation" and first.output_text[note.start_index : note.end_index].startswith("[^"), note
    again = client.responses.create(
        model="assay/retrieval", input="What does the importer skip?", previous_response_id=first.id
    )
    assert again.previous_response_id == first.id and "empty rows" in again.output_text, again
    with client.responses.stream(model="assay/retrieval", input=QUESTION[0]["content"]) as events:
        kinds = [event.type for event in events]
        assert events.get_final_response().output_text == first.output_text
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds

    vectors = client.embeddings.create(model="any", input=["rows", "errors"])
    assert [one.index for one in vectors.data] == [0, 1] and len(vectors.data[0].embedding) > 16, vectors.model
    try:
        client.files.list()
    except openai.NotFoundError as error:
        assert error.code == "not_found", error
    else:
        raise AssertionError("files are not served")

    pieces, ends, usage, ours = [], [], None, None
    stream = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=QUESTION,
        stream=True,
        stream_options={"include_usage": True},
        extra_body={"assay": {"query_type": "RETRIEVAL"}},
    )
    for chunk in stream:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            pieces.append(choice.delta.content or "")
            ends.append(choice.finish_reason)
        ours = (chunk.model_extra or {}).get("assay", ours)
    assert "".join(pieces) == plain.choices[0].message.content, pieces
    assert ends[-1] == "stop" and usage.total_tokens == 0, (ends, usage)
    assert ours["verdict"] == "PASS" and "gpt-4o-mini" in str(ours["warnings"]), ours

    noted = client.chat.completions.create(
        model="assay/retrieval", messages=QUESTION, extra_headers={"Assay-Footnotes": "true"}
    )
    assert "\n[^1]: " in noted.choices[0].message.content, noted

    with client.chat.completions.stream(model="assay/retrieval", messages=QUESTION) as events:
        final = events.get_final_completion()
    assert final.choices[0].message.content == plain.choices[0].message.content, final

    try:
        client.chat.completions.create(model="assay", messages=QUESTION, n=2)
    except openai.BadRequestError as error:
        assert error.param == "n" and error.code == "invalid_argument" and error.request_id, error
    else:
        raise AssertionError("two answers to one question")
    try:
        client.models.retrieve("gpt-4o")
    except openai.NotFoundError as error:
        assert error.code == "not_found", error
    else:
        raise AssertionError("a model that is not here")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "none")
    print("the OpenAI client is content")
