"""A client of the older assistant, made with grpcio from its own four fields. Usage: brunix_client.py HOST:PORT."""

import base64
import importlib
import pathlib
import sys
import tempfile

import grpc
from grpc_tools import protoc

# What such a client was built from: it has never heard of the fields behind the fourth.
PROTO = """
syntax = "proto3";
package brunix;
service AssistanceEngine {
  rpc AskAgent (AgentRequest) returns (stream AgentResponse);
  rpc AskAgentStream (AgentRequest) returns (stream AgentResponse);
}
message AgentRequest {
  string query = 1;
  string session_id = 2;
  string editor_content = 3;
  string selected_text = 4;
  string extra_context = 5;
  string user_info = 6;
  string query_type = 7;
}
message AgentResponse {
  string text = 1;
  string avap_code = 2;
  bool is_final = 3;
  string validation_status = 4;
}
"""


def stubs():
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "brunix.proto").write_text(PROTO)
    done = protoc.main(
        ["protoc", f"-I{folder}", f"--python_out={folder}", f"--grpc_python_out={folder}", "brunix.proto"]
    )
    assert done == 0, "protoc"
    sys.path.insert(0, str(folder))
    return importlib.import_module("brunix_pb2"), importlib.import_module("brunix_pb2_grpc")


def main(address: str) -> None:
    messages, services = stubs()
    engine = services.AssistanceEngineStub(grpc.insecure_channel(address))
    request = messages.AgentRequest(
        query="When does the importer stop?",
        query_type="RETRIEVAL",
        user_info='{"user": "root"}',
        editor_content=base64.b64encode(b"addVar(x, 1)").decode(),
    )
    whole = list(engine.AskAgent(request))
    assert len(whole) == 1 and whole[0].is_final, whole
    assert "one hundred errors" in whole[0].text and whole[0].validation_status == "", whole

    pieces = list(engine.AskAgentStream(request))
    assert "".join(piece.text for piece in pieces) == whole[0].text, pieces
    assert [piece.is_final for piece in pieces] == [False] * (len(pieces) - 1) + [True], pieces

    try:
        list(engine.AskAgent(messages.AgentRequest(query="q", query_type="SEARCH")))
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
    else:
        raise AssertionError("a query type that is not here")


if __name__ == "__main__":
    main(sys.argv[1])
    print("a client of the older assistant is content")
