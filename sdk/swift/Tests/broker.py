#!/usr/bin/env python3
"""Runs a command beside a stand-in for the token broker of sdk/java, whose address is in KAISATSU_BROKER.

It answers POST /token of the session `alice` as the broker does, first with a token that the server does not know, so
that the app must ask again.
"""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKENS = ["kut_revoked", os.environ["KAISATSU_TOKEN"]]


class Broker(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        known = self.path == "/token" and self.headers["Authorization"] == "Bearer alice"
        token = TOKENS.pop(0) if len(TOKENS) > 1 else TOKENS[0]
        body = json.dumps({"token": token, "expiresAt": "2099-01-01T00:00:00Z"}).encode()
        self.send_response(200 if known else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Broker)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_address[1]}"
environment = os.environ | {"KAISATSU_BROKER": address, "KAISATSU_URL": os.environ["KAISATSU_EXAMPLES_URL"]}
sys.exit(subprocess.call(sys.argv[1:], env=environment))
