"""A model on loopback that is wrong with a known probability, slow, and sometimes too busy to answer."""

from __future__ import annotations

import asyncio
import random
import threading
from urllib.parse import parse_qs, urlsplit

#: How long the model thinks, in seconds.
THINKING = 0.02
#: How often it answers 429 Too Many Requests, and how often 503 Service Unavailable.
TOO_MANY, UNAVAILABLE = 0.03, 0.03
#: What an answer costs.
PRICE = 0.002


class Busy(Exception):
    """The model did not answer: 429 or 503."""


class ModelServer:
    """Answers `GET /ask?wrong=0.02` on a thread of its own, as long as it is entered."""

    def __init__(self, seed: int | None = None, thinking: float = THINKING) -> None:
        self._thinking = thinking
        self._random = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.port = 0
        #: The most questions that were under way at the same time.
        self.most = 0
        self._under_way = 0

    def __enter__(self) -> ModelServer:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._answer, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        self._loop.run_forever()
        server.close()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)
            wrong = float(parse_qs(urlsplit(request[1].decode()).query)["wrong"][0])
            drawn = self._random.random()
            await asyncio.sleep(self._thinking * (0.5 + self._random.random()))
            if drawn < TOO_MANY:
                status, body = "429 Too Many Requests", "slow down"
            elif drawn < TOO_MANY + UNAVAILABLE:
                status, body = "503 Service Unavailable", "try again"
            else:
                status, body = "200 OK", "five" if self._random.random() < wrong else "four"
            head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close"
            writer.write(f"{head}\r\n\r\n{body}".encode())
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # Nobody waits for this answer any more.
        finally:
            writer.close()

    async def ask(self, wrong: float) -> str:
        """Ask the model what two and two is."""
        # Counted here, since a question that is given up goes on for a while in the server.
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        try:
            return await _ask(self.port, wrong)
        finally:
            self._under_way -= 1


async def _ask(port: int, wrong: float) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"GET /ask?wrong={wrong} HTTP/1.1\r\nHost: model\r\n\r\n".encode())
        head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    finally:
        writer.close()
    status = head.split(" ", 2)[1] if head else "nothing"
    if status != "200":
        raise Busy(f"the model answered {status}")
    return body
