"""Bumble's peripheral in a process of its own, which can be stopped: python -m interop.remote TRANSPORT MTU"""

import asyncio
import json
import sys

from . import environments, theirs


class Remote:
    """Bumble's peripheral in a process of its own, controlled by lines on its standard input."""

    def __init__(self, environment, name, mtu):
        self.environment, self.name, self.mtu, self.process = environment, name, mtu, None
        environment.parts.append(self)

    async def ask(self, *words):
        self.process.stdin.write((json.dumps(words) + "\n").encode())
        answer = await self.process.stdout.readline()
        assert answer, f"{self.name} has ended"
        return json.loads(answer)

    async def power_on(self):
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "interop.remote", self.environment.their_transport(), str(self.mtu)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        await self.ask("power_on")

    async def publish(self, description):
        await self.ask("publish", description)

    async def advertise(self, name, services):
        await self.ask("advertise", name, services)

    async def subscribed(self, attribute):
        await self.ask("subscribed", attribute)

    async def count_writes(self, attribute, count, length):
        await self.ask("begin_count", attribute, count, length)
        return asyncio.create_task(self.ask("counted"))

    async def notify_many(self, attribute, count, length):
        await self.ask("notify_many", attribute, count, length)

    async def close(self):
        if self.process and self.process.returncode is None:
            # A process that is stopped gets this signal, too.
            self.process.kill()
            await self.process.wait()


class Served(theirs.Peripheral):
    """The part that answers in that process."""

    async def begin_count(self, *arguments):
        self.counting = await self.count_writes(*arguments)

    async def counted(self):
        return await self.counting


async def serve(transport, mtu):
    """The process of Bumble's peripheral."""

    class Environment:
        parts, captures = [], None

        def capture(self, name):
            return "/dev/null"

        def their_transport(self):
            return transport

        random_address = staticmethod(environments.Environment.random_address)

    peripheral = Served(Environment(), "bumble-peripheral", mtu)
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        name, *arguments = json.loads(line)
        print(json.dumps(await getattr(peripheral, name)(*arguments)), flush=True)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
