"""Measures what each model costs: processor time of a request, and memory that its first request adds.

    make bench-models

Both are of the whole server, from the request to the answer, on a photograph of 0.24 megapixels. Processor time is used
instead of elapsed time because it hardly depends on what else the machine does.
"""

import os
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "accuracy"))

from check import send  # noqa: E402
from compare import Kaisatsu, arguments, resident  # noqa: E402

# An operation, and the model that it is asked with; the default one is in memory from the start.
ASKED = [
    ("concept/classify", "general"),
    ("concept/classify", "general-fast"),
    ("concept/classify", "food"),
    ("concept/classify", "plant"),
    ("objectDetection/detect", "coco"),
    ("text/read", "text"),
]
WARM = 3


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--requests", type=int, default=20)
    options = parser.parse_args()
    photo = options.photos / "coffee.png"
    print("| model | operation | processor ms | MB that the first requests add |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name, Kaisatsu(options.kaisatsu, options.models, Path(name)) as server:
        print(f"| | a server that is ready | | {resident(server.process.pid):.0f} |", flush=True)
        for operation, model in ASKED:
            query = {} if operation == "text/read" else {"modelName": model}
            before = resident(server.process.pid)
            for _ in range(WARM):
                send(server, operation, photo, **query)
            added = resident(server.process.pid) - before
            spent = [processor_time(server, operation, photo, query) for _ in range(options.requests)]
            print(f"| `{model}` | `{operation}` | {1000 * statistics.median(spent):.0f} | {added:.0f} |", flush=True)


def processor_time(server: Kaisatsu, operation: str, photo: Path, query: dict) -> float:
    """Seconds of processor time of five requests, divided by five: the system counts in hundredths of a second."""
    began = used(server.process.pid)
    for _ in range(5):
        send(server, operation, photo, **query)
    return (used(server.process.pid) - began) / 5


def used(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
