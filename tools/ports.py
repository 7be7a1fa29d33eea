"""Ports for servers that a script starts."""

import random
import socket
import sys
from pathlib import Path

RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
kept: list[socket.socket] = []


def free_port() -> int:
    """A port of the loopback that stays free until a server takes it, also while that server restarts.

    A port that the system chooses is one that it also gives to outgoing connections, of which a test makes thousands:
    one of them may have it when the server starts. This one is below those. Another script that asks does not get it
    either, as long as this one runs, because each port has a name that only one process can hold.
    """
    if not sys.platform.startswith("linux"):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            return taken.getsockname()[1]
    below = int(RANGE.read_text().split()[0]) if RANGE.exists() else 32768
    if below < 4096:  # the system may give any port away, so there is none to prefer
        below = 65536
    for _ in range(10_000):
        port = random.SystemRandom().randrange(below // 2, below)
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0kaisatsu-port-{port}")  # gone when the process ends
            with socket.socket() as taken:
                taken.bind(("127.0.0.1", port))
        except OSError:
            name.close()
            continue
        kept.append(name)
        return port
    sys.exit("there is no free port")


def release() -> None:
    """Lets others have the ports that were given out."""
    while kept:
        kept.pop().close()
