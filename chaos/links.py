"""TCP links that can be disturbed: between callers and replicas, replicas and PostgreSQL, replicas and the S3 server."""

import asyncio
import itertools
import socket
import struct
import threading

POLL = 0.2  # seconds between two questions of the balancer to a replica
ERROR_BODY = b"<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>a fault that the test makes</Message></Error>"


class Network:
    """The thread in which all links run."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.servers: list[asyncio.Server] = []
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def do(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(10)

    def end(self) -> None:
        """Closes all links, so that the runs that follow find neither their ports taken nor their files open."""
        async def close() -> None:
            mine = asyncio.current_task()
            for task in asyncio.all_tasks() - {mine}:
                task.cancel()
            for server in self.servers:
                server.close()
            await asyncio.sleep(0)

        self.do(close())
        self.loop.call_soon_threadsafe(self.loop.stop)


class Link:
    """A port that passes connections on to a target.

    mode: `pass`, `refuse` (connections are reset), `swallow` (bytes are lost; a connection that lost some never passes
    another), `hold` (bytes wait), or an HTTP status with its reason, which is answered instead of the target's answer.
    """

    def __init__(self, network: Network, target: int) -> None:
        self.network, self.target = network, target
        self.mode: str | tuple[int, bytes] = "pass"
        self.delay = 0.0
        self.connections: set[Connection] = set()
        server = network.do(self.listen())
        network.servers.append(server)
        self.port = server.sockets[0].getsockname()[1]

    async def listen(self) -> asyncio.Server:
        return await asyncio.start_server(self.accept, "127.0.0.1", 0)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(self, reader, writer)
        self.connections.add(connection)
        try:
            await connection.run()
        finally:
            self.connections.discard(connection)
            connection.cut()

    def choose(self) -> int | None:
        """The port to connect to."""
        return self.target

    def set(self, mode, delay: float = 0.0) -> None:
        self.mode, self.delay = mode, delay
        if mode == "refuse":
            self.reset()

    def turn(self, target: int) -> None:
        """Passes connections on to another port; those that exist are reset."""
        self.target = target
        self.reset()

    def reset(self, only_lossy: bool = False) -> None:
        def cut() -> None:
            for connection in list(self.connections):
                if connection.lossy or not only_lossy:
                    connection.cut()

        self.network.loop.call_soon_threadsafe(cut)


class Connection:
    """One connection of a link."""

    def __init__(self, link: Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.link, self.reader, self.writer = link, reader, writer
        self.onward: asyncio.StreamWriter | None = None
        self.lossy = False

    async def run(self) -> None:
        if self.link.mode == "refuse":
            return
        port = self.link.choose()
        if port is None:
            return
        try:
            reader, self.onward = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return
        ways = [asyncio.create_task(self.pump(self.reader, self.onward, asking=True)),
                asyncio.create_task(self.pump(reader, self.writer, asking=False))]
        done, rest = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        if self.lossy:  # what one end does is not noticed at the other
            done, rest = await asyncio.wait(ways)
        for way in rest:
            way.cancel()

    async def pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, asking: bool) -> None:
        try:
            while data := await source.read(1 << 16):
                if self.link.mode == "swallow":
                    self.lossy = True
                if self.lossy:
                    continue
                while self.link.mode == "hold":
                    await asyncio.sleep(0.02)
                if isinstance(self.link.mode, tuple) and asking:
                    await self.answer_error(*self.link.mode)
                    return
                if self.link.delay:
                    await asyncio.sleep(self.link.delay)
                target.write(data)
                await target.drain()
            if not self.lossy:
                target.close()
        except (OSError, asyncio.CancelledError):
            pass

    async def answer_error(self, status: int, reason: bytes) -> None:
        body = ERROR_BODY % reason
        self.writer.write(b"HTTP/1.1 %d %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n"
                          b"Connection: close\r\n\r\n%s" % (status, reason, len(body), body))
        await self.writer.drain()
        await asyncio.sleep(0.3)  # the rest of the request is read meanwhile, or a reset would overtake the answer

    def cut(self) -> None:
        for writer in (self.writer, self.onward):
            if writer is None:
                continue
            sock = writer.get_extra_info("socket")
            if sock is not None and sock.fileno() >= 0 and not writer.is_closing():
                # Closed with a reset, as by a host that went away, and not with an orderly end.
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()


class Balancer(Link):
    """Spreads connections over the links whose replicas say in /readyz that they take requests."""

    def __init__(self, network: Network, links: list[Link]) -> None:
        self.links, self.ready, self.turns = links, [], itertools.count()
        super().__init__(network, 0)
        asyncio.run_coroutine_threadsafe(self.watch(), network.loop)

    def choose(self) -> int | None:
        ready = self.ready
        return ready[next(self.turns) % len(ready)].port if ready else None

    async def watch(self) -> None:
        while True:
            answers = await asyncio.gather(*(asyncio.wait_for(self.says_ready(link), 1.0) for link in self.links),
                                           return_exceptions=True)
            self.ready = [link for link, answer in zip(self.links, answers) if answer is True]
            await asyncio.sleep(POLL)

    async def says_ready(self, link: Link) -> bool:
        reader, writer = await asyncio.open_connection("127.0.0.1", link.port)
        try:
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: balancer\r\nConnection: close\r\n\r\n")
            return b" 200 " in await reader.readline()
        finally:
            writer.transport.abort()
