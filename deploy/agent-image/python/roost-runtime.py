"""The reference runtime of a mission: an A2A server on the official SDK, on the loopback of a sandbox.

    roost-runtime [--port PORT] [--path PATH] -- PROGRAM [ARGUMENT...]

Each message is given to a new process of PROGRAM on its standard input, and what that process writes to its standard output is
the answer. A process that fails, fails the task; its last words are the reason. A cancelled task ends its process.

It pairs as ZeroClaw does: it prints a code that works once, `POST /pair` gives a bearer for it, and every other request needs
that bearer.
"""

import argparse
import asyncio
import hmac
import os
import secrets
import signal
import sys

import uvicorn
from a2a.server.agent_execution.agent_executor import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks.inmemory_task_store import InMemoryTaskStore
from a2a.server.tasks.task_updater import TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part, Task, TaskState, TaskStatus
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

MOST_WORDS = 2000
WRONG_CODES = 5


class Program(AgentExecutor):
    """Gives each message to a process."""

    def __init__(self, command):
        self.command = command
        self.processes = {}

    async def execute(self, context, event_queue):
        status = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
        task = Task(id=context.task_id, context_id=context.context_id, status=status, history=[context.message])
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue=event_queue, task_id=context.task_id, context_id=context.context_id)
        await updater.start_work()
        if not self.command:
            await self.fail(updater, "The runtime has no program: start it as roost-runtime -- PROGRAM.")
            return
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *self.command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except OSError as error:
            await self.fail(updater, f"{self.command[0]} did not start: {error.strerror}")
            return
        self.processes[context.task_id] = process
        try:
            output, errors = await process.communicate(context.get_user_input().encode())
        finally:
            cancelled = self.processes.pop(context.task_id, None) is None
            kill(process)
        if cancelled:
            return
        if process.returncode != 0:
            words = errors.decode(errors="replace").strip()[-MOST_WORDS:]
            await self.fail(updater, f"{self.command[0]} ended with exit code {process.returncode}. {words}".strip())
            return
        await updater.add_artifact(parts=[Part(text=output.decode(errors="replace"))], name="answer", last_chunk=True)
        await updater.complete()

    async def fail(self, updater, why):
        await updater.failed(message=updater.new_agent_message(parts=[Part(text=why)]))

    async def cancel(self, context, event_queue):
        process = self.processes.pop(context.task_id, None)
        if process:
            kill(process)
        updater = TaskUpdater(event_queue=event_queue, task_id=context.task_id, context_id=context.context_id)
        await updater.cancel()


def kill(process):
    """Ends a process with all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Pairing:
    """The code, until it was used, and the bearer that it gave."""

    def __init__(self):
        self.code = f"{secrets.randbelow(10**6):06}"
        self.token = None
        self.wrong = 0

    async def pair(self, request):
        given = request.headers.get("x-pairing-code", "")
        if self.code is None or self.wrong >= WRONG_CODES:
            return JSONResponse({"error": "the code was used"}, status_code=403)
        if not hmac.compare_digest(given.encode(), self.code.encode()):
            self.wrong += 1
            return JSONResponse({"error": "the code is wrong"}, status_code=403)
        self.code, self.token = None, f"rt_{secrets.token_urlsafe(32)}"
        return JSONResponse({"paired": True, "token": self.token})

    def admits(self, headers):
        given = headers.get(b"authorization", b"")
        return self.token is not None and hmac.compare_digest(given, b"Bearer " + self.token.encode())


class Gate:
    """Refuses requests without the bearer, except the pairing."""

    def __init__(self, app, pairing):
        self.app, self.pairing = app, pairing

    async def __call__(self, scope, receive, send):
        is_open = scope["type"] != "http" or scope["path"] == "/pair" or self.pairing.admits(dict(scope["headers"]))
        if is_open:
            await self.app(scope, receive, send)
        else:
            await JSONResponse({"error": "pair first"}, status_code=401)(scope, receive, send)


def main():
    reads = argparse.ArgumentParser(description="A2A server that gives each message to a program.")
    reads.add_argument("--port", type=int, default=42617)
    reads.add_argument("--path", default="/")
    reads.add_argument("program", nargs="*")
    asked = reads.parse_args()
    address = f"http://127.0.0.1:{asked.port}{asked.path}"
    interface = [
        AgentInterface(protocol_binding="JSONRPC", protocol_version=version, url=address) for version in ("1.0", "0.3")
    ]
    card = AgentCard(
        name="Roost reference runtime",
        description="Gives each message to a program.",
        version="1",
        capabilities=AgentCapabilities(streaming=False, push_notifications=False),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="program", name="Program", description="Runs a program.", tags=["program"])],
        supported_interfaces=interface,
    )
    handler = DefaultRequestHandler(
        agent_executor=Program(asked.program), task_store=InMemoryTaskStore(), agent_card=card
    )
    pairing = Pairing()
    routes = [
        Route("/pair", pairing.pair, methods=["POST"]),
        *create_agent_card_routes(agent_card=card),
        *create_jsonrpc_routes(request_handler=handler, rpc_url=asked.path, enable_v0_3_compat=True),
    ]
    print(f"Listening on {address}", flush=True)
    print(f"Send: POST /pair with header X-Pairing-Code: {pairing.code}", flush=True)
    app = Gate(Starlette(routes=routes), pairing)
    uvicorn.run(app, host="127.0.0.1", port=asked.port, log_level="warning", access_log=False)


if __name__ == "__main__":
    sys.exit(main())
