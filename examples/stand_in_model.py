"""A stand-in for a language model: an OpenAI-compatible endpoint on this machine that chooses legal actions at random.

    python examples/stand_in_model.py             # serves until Ctrl-C
    python examples/stand_in_model.py --port 0    # on any free port

It shows what examples/language_model.py does, without a key and without costs. A token is a word here.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import tyro

PORT = 8023


@dataclass
class Args:
    """A stand-in for a language model: an OpenAI-compatible endpoint that chooses legal actions at random."""

    port: int = PORT  # 0: any free port
    seed: int = 0  # of its choices


class StandIn(ThreadingHTTPServer):
    """The endpoint; subclasses answer otherwise."""

    daemon_threads = True

    def __init__(self, port: int = 0, seed: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.rng = random.Random(seed)

    @property
    def url(self) -> str:
        """What OPENAI_BASE_URL has to be."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def reply(self, messages: list[dict[str, str]]) -> str:
        """What it says to a conversation."""
        listed = re.findall(r"^(\d+)\. ", messages[-1]["content"], re.MULTILINE)
        return f"I take what comes first to mind.\nANSWER: {self.rng.choice(listed or ['1'])}"

    def answer(self, request: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any] | bytes]:
        """Status, headers and body of the response to a chat completion request."""
        reply = self.reply(request["messages"])
        prompt = sum(len(message["content"].split()) for message in request["messages"])
        return 200, {}, completion(reply, {"prompt_tokens": prompt, "completion_tokens": len(reply.split())})


def completion(reply: str, usage: dict[str, int] | None) -> dict[str, Any]:
    """A chat completion; ``usage``: the tokens, None if the endpoint does not tell."""
    message = {"role": "assistant", "content": reply}
    told = None if usage is None else {**usage, "total_tokens": sum(usage.values())}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    kind = {"id": "stand-in", "object": "chat.completion", "created": 0, "model": "stand-in"}
    return {**kind, "choices": [choice], "usage": told}


class _Handler(BaseHTTPRequestHandler):
    server: StandIn
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self._send(404, {}, {"error": {"message": f"there is no {self.path} here"}})
        else:
            self._send(*self.server.answer(request))

    def _send(self, status: int, headers: dict[str, str], body: dict[str, Any] | bytes) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Say nothing about each request."""


@contextlib.contextmanager
def serving(server: StandIn) -> Iterator[StandIn]:
    """Serve in a thread within this block."""
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main(args: Args) -> None:
    """Serve until Ctrl-C."""
    with StandIn(args.port, args.seed) as server:
        print(f"Serving at {server.url}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main(tyro.cli(Args))
