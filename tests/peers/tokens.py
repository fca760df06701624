"""The provider's OAuth 2.0 service: it knows which access tokens are valid now, and whose they are."""

import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse


class Tokens:
    """A service on loopback, which answers Dovecot's question about a token."""

    def __init__(self):
        owners = self.owners = {}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                token = parse_qs(urlparse(self.path).query).get("access_token", [""])[0]
                known = token in owners
                answer = {"username": owners[token], "expires_in": 3600} if known else {"error": "invalid_token"}
                body = json.dumps(answer).encode()
                self.send_response(200 if known else 401)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def issue(self, user):
        """A new token, as long as those of the big providers; all others expire."""
        self.owners.clear()
        token = "ya29." + secrets.token_urlsafe(900)
        self.owners[token] = user
        return token
