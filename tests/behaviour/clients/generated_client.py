"""Uses a client that openapi-python-client makes of the document that a running system serves.

Takes the address of the system. Needs the packages openapi-python-client and ruff.
"""

import importlib
import os
import subprocess
import sys
import tempfile
import urllib.request


def generate(url, folder):
    """Makes the package `assay_client` in a folder; a part that the generator leaves out is a failure."""
    document = os.path.join(folder, "openapi.json")
    urllib.request.urlretrieve(f"{url}/openapi.json", document)
    programs = os.path.dirname(sys.executable)
    subprocess.run(
        [
            os.path.join(programs, "openapi-python-client"), "generate", "--path", document, "--meta", "none",
            "--output-path", os.path.join(folder, "assay_client"), "--fail-on-warning",
        ],
        check=True,
        env={**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"]},
    )
    sys.path.insert(0, folder)


def call(name, client, *path, **rest):
    """Calls a route; a reply that the document does not describe raises."""
    module = importlib.import_module(f"assay_client.api.default.{name}")
    return module.sync(*path, client=client, **rest)


def main(url):
    with tempfile.TemporaryDirectory() as folder:
        generate(url, folder)
        from assay_client import Client, models

        client = Client(base_url=url, raise_on_unexpected_status=True)
        assert "ask" in call("get_v1_me", client).roles

        answer = call("post_v1_ask", client, body=models.Asked(query="When does the importer stop?"))
        assert answer.outcome == models.AnswerOutcome.ANSWERED and "[^1]" in answer.text, answer
        assert answer.sources[0].path == "importer.md", answer.sources
        found = call("get_v1_audit_id", client, answer.id)
        assert found.query == "When does the importer stop?", found
        listed = call("get_v1_audit", client, text="importer", limit=5)
        assert listed.records[0].audit_id == answer.id, listed
        receipt = call("get_v1_audit_id_receipt", client, answer.id)
        assert receipt.entry["index"] == found.receipt.leaf_index, receipt
        said = models.Feedback(rating=models.FeedbackRating.RIGHT)
        assert call("post_v1_audit_id_feedback", client, answer.id, body=said).leaf_index > found.receipt.leaf_index

        source = models.GivenSource(text="The importer stops after 100 errors.")
        wrong = models.ToCheck(answer="The importer stops after 200 errors. [^1]", sources=[source])
        checked = call("post_v1_check", client, body=wrong, record=True)
        assert checked.verdict == "REJECT" and checked.record.state == "STORED", checked
        record = call("get_v1_audit_id", client, checked.record.audit_id)
        assert record.outcome == "CHECKED", record
        waiting = call("get_v1_reviews", client)
        assert checked.record.audit_id in [one.audit_id for one in waiting.records], waiting
        parsed = call("post_v1_parse", client, body=models.ToParse(code="addVar(x, 1)"))
        assert parsed.valid, parsed
        batch = models.BatchToParse(batch=[models.ToParse(code="addVar(x, 1)"), models.ToParse(code="if (")])
        results = call("post_v1_parse", client, body=batch).results
        assert [one.valid for one in results] == [True, False], results

        [collection] = call("get_v1_collections", client).collections
        whole = call("get_v1_collections_name", client, collection.name)
        assert [document.path for document in whole.documents] == ["importer.md"], whole
        hits = call("get_v1_search", client, q="importer").hits
        assert hits[0].path == "importer.md", hits

        problem = call("get_v1_audit_id", client, "00000000-0000-7000-8000-000000000000")
        assert problem.code == "not_found" and problem.status == 404, problem
        assert call("get_v1_audit_verify", client).ok


main(sys.argv[1])
