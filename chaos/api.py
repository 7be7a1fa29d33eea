"""Requests to the server, and what every answer has to satisfy."""

import http.client
import json
import time
import urllib.parse
import zlib
from dataclasses import dataclass, field

from history import History

PATIENCE = 16.0  # seconds that a caller waits: longer than a replica is ever paused, plus its own time limit
BASE = "/imageRecognition/v1"
EDGE = "----picture"


@dataclass
class Answer:
    """`status` is 0 if there was none."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    began: float = 0.0
    ended: float = 0.0
    problem: str = ""

    def json(self) -> dict:
        return json.loads(self.body)

    def code(self) -> str:
        """The code of an error of image recognition."""
        try:
            return self.json()["error"]["code"]
        except (ValueError, KeyError, TypeError):
            return ""

    def times(self) -> dict:
        return {"began": self.began, "ended": self.ended}

    def __str__(self) -> str:
        text = self.body[:200].decode(errors="replace") if self.status != 200 else ""
        return f"{self.status} {self.problem or text} {self.headers.get('x-request-id', '')}".strip()


class Api:
    """One connection to a port: that of the balancer, or that of one replica."""

    def __init__(self, port: int, key: str, history: History, strict: bool = False) -> None:
        self.port, self.key, self.history, self.strict = port, key, history, strict
        self.token = ""
        self.answers: list[tuple[str, Answer]] = []
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def send(self, method: str, path: str, query: dict, body: bytes | None = None, kind: str = "",
             idempotency: str = "") -> Answer:
        target = f"{path}?{urllib.parse.urlencode({'APIKEY': self.key, **query})}"
        headers = {"Content-Type": kind} if kind else {}
        if idempotency:
            headers["Idempotency-Key"] = idempotency
        began = time.monotonic()
        try:
            self.connection.request(method, target, body, headers)
            response = self.connection.getresponse()
            answer = Answer(response.status, response.read(), {k.lower(): v for k, v in response.getheaders()})
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            answer = Answer(0, problem=repr(error))
        answer.began, answer.ended = began, time.monotonic()
        self.answers.append((path, answer))
        self.examine(path, answer)
        return answer

    def examine(self, path: str, answer: Answer) -> None:
        if answer.status in (500, 502, 504):
            self.history.complain(f"{path}: a failure of the server's own: {answer}")
        if answer.status == 503:
            try:
                told = answer.json()
                message = told["error"]["message"] if "error" in told else told["ResultSet"]["Error"]["Message"]
            except (ValueError, KeyError, TypeError):
                message = ""
            if not message or not answer.headers.get("retry-after", "").isdigit():
                self.history.complain(f"{path}: 503 without a cause and Retry-After: {answer} {answer.headers}")
        if self.strict and answer.status in (0, 429, 503):
            self.history.complain(f"{path}: failed in a rolling restart: {answer}")

    def call(self, operation: str, body: dict, idempotency: str = "") -> Answer:
        return self.send("POST", f"{BASE}/{operation}", {"token": self.token} if self.token else {},
                         json.dumps(body).encode(), "application/json", idempotency)

    def upload(self, picture: bytes, idempotency: str = "") -> Answer:
        return self.send("POST", f"{BASE}/userCategory/uploadImage", {"token": self.token, "tag": "chaos"}, picture,
                         "image/png", idempotency)

    def image(self, name: str) -> Answer:
        return self.send("GET", f"{BASE}/userCategory/getImage", {"token": self.token, "imageId": name})

    def form(self, operation: str, picture: bytes, fields: dict[str, str], query: dict) -> Answer:
        parts = [f'--{EDGE}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
                 for name, value in fields.items()]
        parts.append(f'--{EDGE}\r\nContent-Disposition: form-data; name="image"; filename="p"\r\n'
                     "Content-Type: image/png\r\n\r\n".encode() + picture + f"\r\n--{EDGE}--\r\n".encode())
        return self.send("POST", f"{BASE}/{operation}", query, b"".join(parts), f"multipart/form-data; boundary={EDGE}")

    def classify(self, picture: bytes) -> Answer:
        return self.form("concept/classify", picture, {}, {})

    def maps(self, key: str = "") -> Answer:
        return self.send("GET", "/route_service/v1/railmapList", {"APIKEY": key} if key else {})

    def pages(self, operation: str, name: str) -> list[dict] | None:
        """All entries of a listing; none if it could not be read."""
        entries, cursor = [], None
        while True:
            answer = self.call(operation, {"limit": 100} | ({"cursor": cursor} if cursor else {}))
            if answer.status != 200:
                return None
            entries += answer.json()[name]
            cursor = answer.json().get("nextCursor")
            if not cursor:
                return entries


def picture(random, side: int = 40) -> bytes:
    """A PNG that nobody has seen before: two colours and some noise."""
    one, other = ([random.randrange(256) for _ in range(3)] for _ in range(2))
    edge = random.randrange(side)
    rows = b"".join(b"\0" + b"".join(bytes(one if x < edge else other) for x in range(side)) for _ in range(side - 1))
    rows += b"\0" + random.randbytes(3 * side)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    size = side.to_bytes(4, "big")
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size + size + b"\x08\x02\0\0\0")
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
