"""The official OpenAI client and an answer that did not pass its checks. Usage: openai_rejected.py URL."""

import sys

import openai
from openai import OpenAI

QUESTION = [{"role": "user", "content": "When does the importer stop?"}]


def main(url: str) -> None:
    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    ask = client.chat.completions.create

    plain = ask(model="assay/retrieval", messages=QUESTION)
    assert plain.choices[0].finish_reason == "content_filter", plain
    assert plain.choices[0].message.refusal, plain
    ours = plain.model_extra["assay"]
    assert ours["verdict"] == "REJECT" and ours["rejection"]["validation"]["ok"] is False, ours
    assert plain.usage is None or plain.usage.completion_tokens > 0, plain.usage

    chunks = list(ask(model="assay/retrieval", messages=QUESTION, stream=True))
    assert chunks[-1].choices[0].finish_reason == "content_filter", chunks[-1]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text == plain.choices[0].message.content, text

    for stream in (False, True):
        try:
            reply = ask(
                model="assay/retrieval",
                messages=QUESTION,
                stream=stream,
                extra_headers={"Assay-Reject": "error"},
            )
            list(reply if stream else [])
        except openai.UnprocessableEntityError as error:
            assert error.status_code == 422 and error.code == "answer_rejected", error
        else:
            raise AssertionError("a rejected answer that is no error")


if __name__ == "__main__":
    main(sys.argv[1])
    print("the OpenAI client understands a rejection")
