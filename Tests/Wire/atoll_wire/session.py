"""A device that is connected."""

import time

from .errors import Disconnected, Malformed, ProtocolError, Refused, Timeout
from .frames import Assembler, split
from .messages import Error
from .websocket import WebSocket


class Session:
    """Connects a device, and carries its messages.

    `pump` does what can be done now; `wait` pumps until something has happened.
    """

    def __init__(self, device, log_in):
        self.device = device
        self.log_in = log_in
        self.websocket = None
        self.assembler = None
        # The last end of a connection, as the server gave it.
        self.ended = None

    def connect(self):
        """Connects and greets; with an access token that has expired, gets another one, once."""
        try:
            self.websocket = WebSocket(self.log_in.server, self.log_in.access_token)
        except Refused as error:
            if error.status != 401:
                raise
            self.log_in.refresh()
            self.websocket = WebSocket(self.log_in.server, self.log_in.access_token)
        self.assembler = Assembler()
        self.ended = None
        self.device.greet()
        self.flush()
        return self

    def flush(self):
        """Sends what the device has to say; returns whether nothing is left."""
        while self.device.outgoing:
            for frame in split(self.device.outgoing.popleft()):
                self.websocket.send(frame)
        return self.websocket.flush()

    def pump(self, seconds=0):
        """Waits at most so long for something to do, and does it."""
        self.flush()
        if seconds > 0:
            self.websocket.wait(seconds)
        try:
            for frame in self.websocket.receive():
                message = self.assembler.add(frame)
                if message is not None:
                    self.device.receive(message)
            self.flush()
        except Disconnected as error:
            self.ended = error
            raise
        except (Malformed, ProtocolError) as error:
            self.give_up(error)
            raise

    def give_up(self, error):
        """Tells the server that a message makes no sense here, and closes."""
        code = 1 if isinstance(error, Malformed) else 3
        self.device.outgoing.append(Error(Error.RECONNECT, code, None, str(error)))
        try:
            self.flush()
        except Disconnected:
            pass
        self.websocket.close()

    def wait(self, condition, seconds=120, what="what was waited for"):
        """Pumps until the condition holds."""
        end = time.monotonic() + seconds
        while not condition(self.device):
            left = end - time.monotonic()
            if left <= 0:
                raise Timeout(f"{what} has not happened in {seconds} s")
            self.pump(left)
        return self

    def wait_until_caught_up(self, seconds=120):
        return self.wait(lambda device: device.is_caught_up, seconds, "the catch-up")

    def wait_until_answered(self, seconds=120):
        return self.wait(lambda device: not device.outbox.entries, seconds, "the answer")

    def wait_until_ended(self, seconds=120):
        """Pumps until the server closes; returns the status code of the WebSocket."""
        try:
            self.wait(lambda device: False, seconds, "the end of the connection")
        except Disconnected as error:
            return error.code

    def close(self):
        """Says BYE and closes."""
        self.device.end()
        try:
            self.flush()
        except Disconnected:
            pass
        self.websocket.close()

    def drop(self):
        """Loses the connection: the server hears nothing."""
        self.websocket.socket.close()
