"""Calls every tool of `bgproc mcp` with the official Python SDK.

The SDK checks each structured result against the output schema of its tool, and
raises if it does not fit. Usage: client.py PATH_OF_BGPROC, with BGPROC_HOME set.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters, types

BGPROC = sys.argv[1]
COMPLETED = "[Background Process Completed]"


def server(tools, *flags):
    args = ["mcp", "--structured", "--tools", tools, *flags]
    return StdioServerParameters(command=BGPROC, args=args, env=dict(os.environ))


async def call(client, tool, progress=None, **arguments):
    """The structured content of a call that works."""
    result = await client.call_tool(tool, arguments, progress_callback=progress)
    assert not result.is_error, (tool, arguments, result.content)
    return result.structured_content


async def refused(client, tool, **arguments):
    """What a call that does not work says."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, (tool, arguments, result)
    return result.content[0].text


async def names(client):
    tools = (await client.list_tools()).tools
    for tool in tools:
        assert tool.output_schema and tool.annotations, tool.name
    return [tool.name for tool in tools]


async def as_for_a_model(mode):
    """What a model reads: few bytes of tools, and texts without data."""
    params = StdioServerParameters(command=BGPROC, args=["mcp"], env=dict(os.environ))
    async with Client(params, mode=mode) as client:
        listed = (await client.list_tools()).tools
        assert len(listed) <= 11, len(listed)
        size = len(json.dumps([tool.model_dump(exclude_none=True) for tool in listed]))
        assert size < 12000, size
        result = await client.call_tool("start", {"command": "echo hi"})
        assert result.structured_content is None and "hi" in result.content[0].text, result


async def own(mode):
    async with Client(server("own"), mode=mode) as client:
        assert client.instructions, "no instructions"

        ended = await call(client, "start", command="echo hi; exit 3")
        assert (ended["status"], ended["exitCode"], ended["output"]) == ("error", 3, "hi\n"), ended
        started = await call(client, "start", command="echo working; cat", background=True, group="g")
        job = started["sessionId"]
        waited = await call(client, "wait", sessionId=job, until=[{"pattern": "^working$"}])
        assert waited["outcome"] == "matched", waited
        written = await call(
            client, "write", sessionId=job, data="hello", submit=True, wait={"until": [{"pattern": "^hello$"}]}
        )
        assert written["outcome"] == "matched", written
        assert "hello" in (await call(client, "poll", sessionId=job))["output"]
        await call(client, "send_keys", sessionId=job, keys=["x", {"text": "y"}, "Enter"])
        assert "hello" in (await call(client, "capture", sessionId=job))["text"]
        assert (await call(client, "log", sessionId=job, grep="hello"))["matches"]
        assert (await call(client, "log", sessionId=job, tail=2))["lines"]
        assert (await call(client, "log", sessionId=job, offset=0))["totalBytes"]
        assert len((await call(client, "list"))["sessions"]) == 2
        assert (await call(client, "session", action="status", sessionId=job))["group"] == "g"
        all_of = await call(client, "wait", group="g", until=[{"idleMs": 1}], mode="all")
        assert all_of["results"][0]["sessionId"] == job, all_of
        assert "[session_not_found]" in await refused(client, "poll", sessionId="nosuch")

        told = []

        async def progress(done, total, message):
            told.append((done, message))

        timed = await call(client, "wait", progress, sessionId=job, until=[{"exit": True}], timeoutMs=1500)
        assert timed["outcome"] == "timeout" and told and told[0][0] > 0, (timed, told)
        # A call that is given up is taken back at the server as well.
        waiting = asyncio.create_task(call(client, "wait", sessionId=job, until=[{"exit": True}], timeoutMs=600000))
        await asyncio.sleep(0)
        waiting.cancel()
        try:
            await waiting
        except asyncio.CancelledError:
            pass

        templates = (await client.list_resource_templates()).resource_templates
        assert {template.uri_template for template in templates} == {
            "bgproc://session/{id}/log",
            "bgproc://session/{id}/screen",
        }
        resources = (await client.list_resources()).resources
        assert f"bgproc://session/{job}/log" in {str(resource.uri) for resource in resources}
        for view in "log", "screen":
            read = await client.read_resource(f"bgproc://session/{job}/{view}")
            assert "hello" in read.contents[0].text, (view, read)
        killed = await call(client, "kill", sessionId=job)
        assert killed["status"] == "killed", killed


async def asks(mode):
    """A person answers in the client, and the client is told that a log has changed."""

    async def enter(context, params):
        assert params.message.startswith("May I?") and "Go on?" in params.message, params
        assert params.requested_schema["properties"].keys() == {"answer"}, params
        return types.ElicitResult(action="accept", content={"answer": "yes"})

    updated = asyncio.Queue()

    async def heard(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            await updated.put(message.params.uri)

    async with Client(server("own"), mode=mode, elicitation_callback=enter, message_handler=heard) as client:
        command = "read -p 'Go on? ' answer; echo got $answer; exec cat"
        job = (await call(client, "start", command=command))["sessionId"]
        uri = f"bgproc://session/{job}/log"
        asked = dict(action="ask_human", sessionId=job, message="May I?")
        if mode == "legacy":
            await client.subscribe_resource(uri)
            assert (await call(client, "session", **asked))["outcome"] == "answered"
            assert str(await updated.get()) == uri
        else:
            async with client.listen(resource_subscriptions=[uri]) as changes:
                assert (await call(client, "session", **asked))["outcome"] == "answered"
                async for change in changes:
                    assert str(change.uri) == uri, change
                    break
        waited = await call(client, "wait", sessionId=job, until=[{"pattern": "^got yes$"}])
        assert waited["outcome"] == "matched", waited


async def deepchat(mode):
    async with Client(server("deepchat"), mode=mode) as client:
        assert await names(client) == ["execute_command", "process"]
        ran = await call(client, "execute_command", command="echo hi", description="say hi")
        assert (ran["status"], ran["output"], ran["exitCode"]) == ("done", "hi\n", 0), ran
        started = await call(client, "execute_command", command="cat", description="repeats", background=True)
        job = started["sessionId"]
        ok = {"status": "ok", "sessionId": job}
        assert await call(client, "process", action="write", sessionId=job, data="hello\n", eof=True) == ok
        polled = await call(client, "process", action="poll", sessionId=job)
        assert polled["status"] in ("running", "done"), polled
        assert "totalLength" in await call(client, "process", action="log", sessionId=job, offset=0, limit=3)
        assert len((await call(client, "process", action="list"))["sessions"]) == 2
        for action in "kill", "clear", "remove":
            assert await call(client, "process", action=action, sessionId=job) == ok, action
        assert await refused(client, "process", action="poll", sessionId="X") == "Session X not found"
        assert "description" in await refused(client, "execute_command", command="x", description="abc")


async def dotnet(mode):
    async with Client(server("dotnet"), mode=mode) as client:
        expected = [f"process_{verb}" for verb in ("start", "read", "write", "status", "stop")]
        assert await names(client) == expected
        started = await call(client, "process_start", cmd="cat")
        job = started["session_id"]
        assert started["success"] and started["arguments"] == [], started
        written = await call(client, "process_write", session_id=job, input="hello")
        assert written["bytes_written"] == 6, written
        while not (read := await call(client, "process_read", session_id=job, wait_ms=100))["stdout"]:
            pass
        assert (read["stdout"], read["stderr"], read["is_running"]) == ("hello\n", "", True), read
        assert (await call(client, "process_read", session_id=job, all=True))["stdout"] == "hello\n"
        assert (await call(client, "process_status", session_id=job))["is_running"]
        assert (await call(client, "process_status"))["session_count"] == 1
        stopped = await call(client, "process_stop", session_id=job, force=True)
        assert stopped["message"] == "Process stopped and session removed", stopped
        assert json.loads(await refused(client, "process_start", cmd="id"))["success"] is False


async def duragent(mode):
    told = asyncio.Queue()

    async def logged(params):
        await told.put(params.data)

    async with Client(server("duragent"), mode=mode, logging_callback=logged, log_level="info") as client:
        assert await names(client) == ["spawn_process", "process"]
        waited = await call(client, "spawn_process", command="echo waited", wait=True)
        assert (waited["status"], waited["exit_code"], waited["output"]) == ("completed", 0, "waited\n"), waited
        spawned = await call(client, "spawn_process", command="cat", tmux=True, label="repeats")
        job = spawned["handle"]
        assert spawned["tmux_session"] == job, spawned
        await call(client, "process", action="send_keys", handle=job, keys="hello")
        await call(client, "process", action="write", handle=job, input="more\n")
        assert "hello" in (await call(client, "process", action="capture", handle=job))["screen"]
        assert "hello" in (await call(client, "process", action="log", handle=job))["output"]
        assert (await call(client, "process", action="status", handle=job))["status"] == "running"
        assert (await call(client, "process", action="kill", handle=job))["status"] == "killed"
        message = await asyncio.wait_for(told.get(), 20)
        assert message.startswith(f"{COMPLETED}\n\nHandle: {job}\nLabel: repeats\n"), message
        listed = await call(client, "process", action="list")
        assert listed["completions"] == [message], listed


async def macos_shell(mode):
    async with Client(server("macos-shell"), mode=mode) as client:
        expected = ["run_background", "list_processes", "get_process_output", "kill_process"]
        expected += ["run_command", "stream_process_output", "clear_process_output"]
        expected += ["list_shell_sessions", "close_session"]
        assert await names(client) == expected
        ran = await call(client, "run_command", command="echo", args=["$((1 + 1))"])
        assert (ran["stdout"], ran["success"]) == ("2\n", True), ran
        started = await call(client, "run_background", command="echo hi; exec sleep 1000")
        job = started["processId"]
        while not (shown := await call(client, "get_process_output", processId=job))["output"]:
            pass
        assert shown["output"][0]["content"] == "hi", shown
        assert (await call(client, "list_processes", session="default"))["processes"][0]["id"] == job
        streamed = await call(client, "stream_process_output", processId=job, afterLine=0)
        assert (streamed["lastLine"], streamed["output"][0]["content"]) == (1, "hi"), streamed
        assert (await call(client, "clear_process_output", processId=job))["clearedBytes"] == 3
        killed = await call(client, "kill_process", processId=job, signal="SIGTERM")
        assert killed["killed"] and killed["newStatus"] == "killed", killed
        await call(client, "run_background", command="sleep", args=["1000"], session="dev")
        sessions = (await call(client, "list_shell_sessions"))["sessions"]
        assert [session["name"] for session in sessions] == ["default", "dev"], sessions
        assert not (await call(client, "close_session", session="dev"))["closed"]
        assert (await call(client, "close_session", session="dev", processes="kill"))["killed"] == 1


async def main():
    # The handshake of yesterday, and whatever the two agree upon.
    for mode in "legacy", "auto":
        await as_for_a_model(mode)
        await own(mode)
        await asks(mode)
    for one in deepchat, dotnet, duragent, macos_shell:
        await one("legacy")
        await one("auto")
    print("all sets of tools work")


asyncio.run(asyncio.wait_for(main(), 60))
