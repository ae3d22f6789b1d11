"""Log-ins (Format.md, "HTTP")."""

import http.client
import json
from dataclasses import dataclass

from .errors import Refused


@dataclass
class Server:
    """Where a server is, and from which address of this machine to speak to it.

    `tls` is an `ssl.SSLContext` where a proxy before the server terminates TLS.
    """

    host: str
    port: int
    app: str
    source: str | None = None
    tls: object = None
    timeout: float = 120

    def request(self, method, path, body=None, token=None):
        """Sends a request, and returns the status, the headers and the body's bytes."""
        headers = {}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        source = (self.source, 0) if self.source else None
        options = {"timeout": self.timeout, "source_address": source}
        if self.tls is None:
            connection = http.client.HTTPConnection(self.host, self.port, **options)
        else:
            connection = http.client.HTTPSConnection(
                self.host, self.port, context=self.tls, **options
            )
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def ask(self, method, path, body=None, token=None):
        """Sends a request, and returns the JSON of the answer.

        Raises `Refused` with a status from 400 on.
        """
        status, headers, data = self.request(method, path, body, token)
        if status >= 400:
            raise refusal(status, headers, data)
        return json.loads(data) if data else None

    def register(self, email, password):
        body = {"email": email, "password": password}
        return self.ask("POST", f"/v1/app/{self.app}/register", body)

    def log_in(self, provider="anon-user", **credentials):
        """Logs in, and returns a `LogIn`."""
        body = {"provider": provider, **credentials}
        answer = self.ask("POST", f"/v1/app/{self.app}/login", body)
        return LogIn(self, answer["user_id"], answer["access_token"], answer["refresh_token"])


@dataclass
class LogIn:
    """A user with both tokens."""

    server: Server
    user: str
    access_token: str
    refresh_token: str

    def refresh(self):
        """Gets another access token."""
        path = f"/v1/app/{self.server.app}/session"
        answer = self.server.ask("POST", path, token=self.refresh_token)
        self.access_token = answer["access_token"]

    def log_out(self):
        path = f"/v1/app/{self.server.app}/session"
        self.server.ask("DELETE", path, token=self.refresh_token)


def refusal(status, headers, data):
    """Returns the error of an answer from 400 on."""
    try:
        error = json.loads(data)["error"]
    except (ValueError, KeyError, TypeError):
        error = {"code": "", "message": data[:200].decode(errors="replace")}
    seconds = headers.get("Retry-After")
    return Refused(
        status, error["code"], error["message"], float(seconds) if seconds else None
    )
