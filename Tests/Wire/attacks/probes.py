"""Log-ins, refreshes and /health, each once a second from an address of its own."""

import threading
import time

from atoll_wire.errors import Refused, WireError
from atoll_wire.login import Server
from server_process import APP

PASSWORD = "a password of somebody"


class Probes:
    """Threads that ask; `samples` has the moment and the seconds of each answer."""

    def __init__(self, port):
        self.servers = [Server("127.0.0.1", port, APP, f"127.0.2.{1 + i}") for i in range(4)]
        self.samples = {"anonymous": [], "password": [], "refresh": [], "health": []}
        # How often the server said no, and how often nothing.
        self.refusals = {name: 0 for name in self.samples}
        self.failures = {name: 0 for name in self.samples}
        # When the request began that waits, by name.
        self.waiting = {}
        self.is_over = False

    def start(self):
        log_in, password, refresh, health = self.servers
        email = f"{time.time_ns()}@example.org"
        password.register(email, PASSWORD)
        account = {"email": email, "password": PASSWORD}
        kept = refresh.log_in()
        actions = {
            "anonymous": log_in.log_in,
            "password": lambda: password.log_in("local-userpass", **account),
            "refresh": kept.refresh,
            "health": lambda: health.ask("GET", "/health"),
        }
        # Not at the same moment: a refresh may wait for the password that is hashed.
        for delay, (name, action) in enumerate(actions.items()):
            threading.Thread(
                target=self.run, args=(name, action, delay / len(actions)), daemon=True
            ).start()
        return self

    def run(self, name, action, delay):
        time.sleep(delay)
        while not self.is_over:
            begin = self.waiting[name] = time.monotonic()
            try:
                action()
                self.samples[name].append((begin, time.monotonic() - begin))
            except Refused:
                self.refusals[name] += 1
            except (WireError, OSError):
                self.failures[name] += 1
                self.samples[name].append((begin, time.monotonic() - begin))
            del self.waiting[name]
            time.sleep(max(0, begin + 1 - time.monotonic()))

    def end(self):
        """Ends; requests that still wait took as long as they have waited."""
        self.is_over = True
        now = time.monotonic()
        for name, begin in list(self.waiting.items()):
            self.samples[name].append((begin, now - begin))
            self.failures[name] += 1
