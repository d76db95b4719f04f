"""The page of eightball: what a browser sends it, and what it shows."""

import asyncio
import json
import urllib.parse

from . import ours
from .failure import ScenarioFailure


class Page(ours.Program):
    """`eightball web` with one page of it open."""

    def __init__(self, environment, name, *arguments):
        super().__init__(environment, name, "web", *arguments)
        self.events = None

    async def open(self):
        await self.start()
        self.address = urllib.parse.urlsplit(await self.line())
        self.events, self.writer = await self.request("GET", "events/en")
        return self

    async def request(self, method, path, body=b""):
        reader, writer = await asyncio.open_connection(self.address.hostname, self.address.port)
        head = [
            f"{method} {self.address.path}{path} HTTP/1.1",
            f"Host: {self.address.netloc}",
            f"Origin: http://{self.address.netloc}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        ]
        writer.write("\r\n".join([*head, "", ""]).encode() + body)
        status = (await reader.readline()).decode().split()
        if status[1:2] != ["200"]:
            raise ScenarioFailure(f"{self.name}: {method} {path}: {' '.join(status)}")
        return reader, writer

    async def do(self, what, **fields):
        """Sends the program a command, as a button of the page does."""
        _, writer = await self.request("POST", "do/en", json.dumps({"do": what, **fields}).encode())
        writer.close()

    async def shown(self, find):
        """Waits until the page shows what `find` finds in its document."""
        while True:
            line = (await self.events.readline()).decode()
            if not line:
                raise ScenarioFailure(f"{self.name}: the page's events have ended")
            # A chunk's length, the name of an event and its number stand on lines of their own.
            if line.startswith("data:") and line[5:].strip().startswith("{"):
                found = find(json.loads(line[5:]))
                if found:
                    return found

    async def close(self):
        if self.events:
            self.writer.close()
        await super().close()
