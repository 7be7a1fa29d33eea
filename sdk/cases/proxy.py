"""A proxy between a client and the server that injects one fault at a time. README.md describes the faults.

Every connection carries one request. The control address takes the fault as JSON (POST /fault), and says what came
through since (GET /requests): their number, and the method, path, query and headers of each.
"""

import http.client
import json
import re
import socket
import struct
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HUGE_PIECE = 1 << 16
# Faults that change the text of an answer.
CHANGE_TEXT = ("invalidUtf8", "fields", "unknownField")


class Proxy:
    """Listens on two free loopback ports: one for clients, one for control."""

    def __init__(self, server: str) -> None:
        self.server = urllib.parse.urlsplit(server)
        self.lock = threading.Lock()
        self.fault: dict[str, Any] = {"kind": "none"}
        self.left: float = 0
        self.seen: list[dict[str, Any]] = []
        self.listener = self._listen(0)
        self.port: int = self.listener.getsockname()[1]
        self.control = ThreadingHTTPServer(("127.0.0.1", 0), _control_of(self))
        threading.Thread(target=self.control.serve_forever, daemon=True).start()
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def control_address(self) -> str:
        return f"http://127.0.0.1:{self.control.server_address[1]}"

    def set_fault(self, fault: dict[str, Any]) -> None:
        with self.lock:
            self.fault, self.seen = fault, []
            self.left = fault.get("times", float("inf"))
        refuse = fault["kind"] == "refuse"
        if refuse:
            self._close()
        if not refuse or "seconds" in fault:
            # A refused connection is not seen here and cannot be counted, so refusing lasts for a time.
            delay = fault["seconds"] if refuse else 0
            threading.Timer(delay, self._reopen).start() if delay else self._reopen()

    def _close(self) -> None:
        if self.listener is not None:
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes up the thread that accepts
            self.listener.close()
            self.listener = None

    def _reopen(self) -> None:
        if self.listener is None:
            self.listener = self._listen(self.port)
            threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    @staticmethod
    def _listen(port: int) -> Any:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(64)
        return listener

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                request = _read_request(connection)
                if request is not None:
                    self._answer(connection, *request)
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # the client went away, as it does from what drips or is huge

    def _answer(self, connection: socket.socket, method: str, target: str, headers: list[tuple[str, str]], body: bytes):
        with self.lock:
            fault = self.fault if self.left > 0 else {"kind": "none"}
            self.left -= 1
            parts = urllib.parse.urlsplit(target)
            self.seen.append(
                {
                    "method": method,
                    "path": parts.path,
                    "query": dict(urllib.parse.parse_qsl(parts.query)),
                    "headers": {name.lower(): value for name, value in headers},
                }
            )
        kind = fault["kind"]
        if kind == "reset":
            # Closing with a linger time of 0 sends RST: the client cannot know whether its request was received.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        elif kind == "status":
            _send(connection, fault["status"], *_error(parts.path, fault))
        elif kind == "redirect":
            _send(connection, 302, [("Location", f"{self.address}/elsewhere")], b"")
        elif kind == "html":
            _send(connection, 200, [("Content-Type", "text/html")], b"<html>Please sign in</html>")
        elif kind == "huge":
            _send_huge(connection, fault["bytes"], fault.get("declared", False))
        elif kind == "silence":
            time.sleep(fault.get("seconds", 30))
        else:
            if kind in CHANGE_TEXT:
                # What the client accepts compressed is asked for as it is.
                headers = [(name, value) for name, value in headers if name.lower() != "accept-encoding"]
            status, answer_headers, answer = self._forward(method, target, headers, body)
            self._spoil(connection, fault, status, answer_headers, answer)

    def _spoil(self, connection: socket.socket, fault: dict[str, Any], status: int, headers: Any, body: bytes) -> None:
        kind = fault["kind"]
        if kind == "cut":
            _send(connection, status, headers, body, send=fault.get("after", 0))
        elif kind == "drip":
            _send(connection, status, headers, body, send=0)
            for byte in body:
                connection.sendall(bytes([byte]))
                time.sleep(1 / fault.get("bytesPerSecond", 5))
        elif kind == "invalidUtf8":
            # Inside of the first value that is a string: a lenient decoder would let it through.
            _send(connection, status, headers, re.sub(rb'":\s*"', b'":"\xff', body, count=1))
        elif kind == "fields":
            _send(connection, status, headers, json.dumps(json.loads(body) | fault["fields"]).encode())
        elif kind == "unknownField":
            _send(connection, status, headers, json.dumps(_with_unknown(json.loads(body)), ensure_ascii=False).encode())
        else:
            _send(connection, status, headers, body)

    def _forward(self, method: str, target: str, headers: list[tuple[str, str]], body: bytes) -> Any:
        upstream = http.client.HTTPConnection(self.server.hostname or "", self.server.port, timeout=120)
        try:
            upstream.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in headers:
                if name.lower() not in ("connection", "transfer-encoding", "content-length", "expect", "upgrade"):
                    upstream.putheader(name, value)
            if body or method == "POST":
                upstream.putheader("Content-Length", str(len(body)))
            upstream.endheaders(body)
            answer = upstream.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            upstream.close()


def _read_request(connection: socket.socket) -> tuple[str, str, list[tuple[str, str]], bytes] | None:
    stream = connection.makefile("rb")
    first = stream.readline().decode("latin-1").split()
    if len(first) != 3:
        return None
    headers = []
    while (line := stream.readline().decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers.append((name.strip(), value.strip()))
    named = {name.lower(): value for name, value in headers}
    if named.get("expect", "").lower() == "100-continue":
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    if named.get("transfer-encoding", "").lower() == "chunked":
        body = b""
        while size := int(stream.readline().split(b";")[0], 16):
            body += stream.read(size)
            stream.readline()
        stream.readline()
    else:
        body = stream.read(int(named.get("content-length", 0)))
    return first[0], first[1], headers, body


def _send(connection: socket.socket, status: int, headers: Any, body: bytes, send: int | None = None) -> None:
    """Sends an answer; with `send`, only so many bytes of its body, although its length says otherwise."""
    lines = [f"HTTP/1.1 {status} {http.client.responses.get(status, 'Unknown')}", "Connection: close"]
    skipped = ("connection", "transfer-encoding", "content-length", "keep-alive")
    lines += [f"{name}: {value}" for name, value in headers if name.lower() not in skipped]
    if status != 204:
        lines.append(f"Content-Length: {len(body)}")
    connection.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body[:send])


def _send_huge(connection: socket.socket, length: int, declared: bool) -> None:
    """JSON that begins well and goes on and on."""
    length_line = f"Content-Length: {length}" if declared else "Transfer-Encoding: chunked"
    head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n{length_line}\r\n\r\n"
    connection.sendall(head.encode())
    piece, sent = b'{"status":"' + b"a" * (HUGE_PIECE - 11), 0
    while sent < length:
        piece = piece[: length - sent]
        connection.sendall(piece if declared else f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        sent += len(piece)
        piece = b"a" * HUGE_PIECE
    if not declared:
        connection.sendall(b"0\r\n\r\n")


def _error(path: str, fault: dict[str, Any]) -> tuple[list[tuple[str, str]], bytes]:
    """A failure as the server would word it, in the form of the function that was asked."""
    status = fault["status"]
    headers = [("Content-Type", "application/json;charset=UTF-8"), ("X-Request-Id", "fault-1")]
    if "retryAfter" in fault:
        headers.append(("Retry-After", str(fault["retryAfter"])))
    if path.startswith("/imageRecognition/"):
        code = {409: "202", 429: "204", 500: "500", 503: "501"}.get(status, str(status))
        body: dict[str, Any] = {"error": {"code": code, "message": "fault: injected"}}
    else:
        error = {"code": f"W{status}", "Message": "fault: injected"}
        body = {"ResultSet": {"apiVersion": "1.0.0", "engineVersion": "0.1.0", "Error": error}}
    return headers, json.dumps(body).encode()


def _with_unknown(value: Any) -> Any:
    """The same JSON with a field more in every object."""
    if isinstance(value, dict):
        return {"somethingNew": {"of": [1, None]}, **{name: _with_unknown(inner) for name, inner in value.items()}}
    return [_with_unknown(inner) for inner in value] if isinstance(value, list) else value


def _control_of(proxy: Proxy) -> type[BaseHTTPRequestHandler]:
    class Control(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            proxy.set_fault(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._json({})

        def do_GET(self) -> None:
            with proxy.lock:
                self._json({"requests": len(proxy.seen), "seen": proxy.seen})

        def _json(self, value: Any) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Control
