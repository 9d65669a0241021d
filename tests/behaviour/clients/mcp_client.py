"""The official MCP client against `assay mcp`. Usage: mcp_client.py stdio PROGRAM | mcp_client.py http URL."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

try:
    from mcp.client.streamable_http import streamable_http_client
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as streamable_http_client


@asynccontextmanager
async def streams(kind: str, target: str):
    if kind == "stdio":
        server = StdioServerParameters(command=target, args=["mcp"], env=dict(os.environ))
        async with stdio_client(server) as (read, write):
            yield read, write
    else:
        async with streamable_http_client(target) as found:
            yield found[0], found[1]


async def main(kind: str, target: str) -> None:
    async with streams(kind, target) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        assert [tool.name for tool in tools] == ["ask", "search", "check", "parse", "audit_show"], tools
        # The client holds structured results against the schemas that the tools declare.
        answer = await session.call_tool("ask", {"query": "When does the importer stop?", "query_type": "RETRIEVAL"})
        ours = structured(answer)
        assert ours["verdict"] == "PASS", answer
        assert "one hundred errors" in answer.content[0].text, answer
        assert structured(await session.call_tool("search", {"query": "empty rows"}))["hits"]
        source = {"text": "The importer stops after 100 errors."}
        checked = await session.call_tool("check", {"answer": "It stops after 100 errors. [^1]", "sources": [source]})
        assert structured(checked)["verdict"] in ("PASS", "REVIEW"), checked
        assert structured(await session.call_tool("parse", {"code": "addVar(x, 1)"}))["valid"] is True
        shown = await session.call_tool("audit_show", {"id": ours["audit"]["id"]})
        assert structured(shown)["receipt"]["leaf_index"] >= 0, shown


def structured(result):
    found = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
    assert found is not None and not (getattr(result, "is_error", False) or getattr(result, "isError", False)), result
    return found


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
