"""A WebSocket at /sync (RFC 6455; Format.md, "WebSocket")."""

import base64
import hashlib
import os
import select
import socket
import ssl
import struct
from email.parser import BytesParser

from .errors import Disconnected, Malformed
from .login import refusal

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
MESSAGE_LIMIT = 1 << 20
SUBPROTOCOL = "atoll-sync-1"


class WebSocket:
    """A connection that neither waits in `send` nor in `receive`."""

    def __init__(self, server, access_token):
        source = (server.source, 0) if server.source else None
        self.socket = socket.create_connection(
            (server.host, server.port), server.timeout, source_address=source
        )
        try:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if server.tls is not None:
                self.socket = server.tls.wrap_socket(self.socket, server_hostname=server.host)
            self.incoming = bytearray()
            self.outgoing = bytearray()
            self.fragments = None
            # The end, until what came before it is read.
            self.end = None
            self.handshake(server, access_token)
            self.socket.setblocking(False)
        except BaseException:
            self.socket.close()
            raise

    def fileno(self):
        return self.socket.fileno()

    def handshake(self, server, access_token):
        key = base64.b64encode(os.urandom(16))
        head = (
            f"GET /sync HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key.decode()}\r\nSec-WebSocket-Protocol: {SUBPROTOCOL}\r\n"
            f"Authorization: Bearer {access_token}\r\n\r\n"
        )
        self.socket.sendall(head.encode())
        while b"\r\n\r\n" not in self.incoming:
            self.read_more()
        head, _, rest = bytes(self.incoming).partition(b"\r\n\r\n")
        first, _, fields = head.partition(b"\r\n")
        status, headers = int(first.split()[1]), BytesParser().parsebytes(fields)
        self.incoming = bytearray(rest)
        if status != 101:
            while len(self.incoming) < int(headers.get("Content-Length", 0)):
                self.read_more()
            raise refusal(status, headers, bytes(self.incoming))
        accept = base64.b64encode(hashlib.sha1(key + GUID).digest()).decode()
        if headers.get("Sec-WebSocket-Accept") != accept:
            raise Malformed("a handshake that does not answer this one")

    def read_more(self):
        """Reads what has come; raises `BlockingIOError` if that is nothing."""
        try:
            data = self.socket.recv(1 << 18)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
            raise BlockingIOError from error
        except ConnectionError as error:
            raise Disconnected(f"the connection is lost: {error}") from error
        if not data:
            raise Disconnected("the connection is lost")
        self.incoming += data

    # Sending.

    def send(self, payload, opcode=BINARY):
        """Appends a frame; `flush` sends it."""
        self.outgoing += masked(payload, opcode)

    def flush(self):
        """Sends as much as TCP takes; returns whether nothing is left."""
        while self.outgoing:
            try:
                count = self.socket.send(memoryview(self.outgoing)[: 1 << 18])
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return False
            except ConnectionError as error:
                raise Disconnected(f"the connection is lost: {error}") from error
            del self.outgoing[:count]
        return True

    def wait(self, seconds):
        """Waits until there is something to read, or room for what is to be sent."""
        if self.end is not None:
            return
        pending = self.socket.pending() if isinstance(self.socket, ssl.SSLSocket) else 0
        if not pending:
            select.select([self], [self] if self.outgoing else [], [], seconds)

    # Receiving.

    def receive(self):
        """Returns the messages that have come; raises `Disconnected` when there are no more."""
        if self.end is None:
            try:
                self.read_more()
                while isinstance(self.socket, ssl.SSLSocket):
                    self.read_more()
            except BlockingIOError:
                pass
            except Disconnected as lost:
                self.end = lost
        messages = []
        while (frame := self.take_frame()) is not None:
            try:
                payload = self.take_payload(*frame)
            except Disconnected as closed:
                self.end = closed
                break
            if payload is not None:
                messages.append(payload)
        if self.end is not None and not messages:
            raise self.end
        return messages

    def take_frame(self):
        """Takes a whole frame from what has come: its first byte, its payload."""
        data = self.incoming
        if len(data) < 2:
            return None
        if data[1] & 0x80 or data[0] & 0x70:
            raise Malformed("a frame of a server with a mask or an extension")
        count, start = data[1], 2
        if count == 126:
            start = 4
            count = struct.unpack(">H", data[2:4])[0] if len(data) >= 4 else 0
        elif count == 127:
            start = 10
            count = struct.unpack(">Q", data[2:10])[0] if len(data) >= 10 else 0
        if count > MESSAGE_LIMIT:
            raise Malformed(f"a frame of {count} bytes")
        if len(data) < start + count:
            return None
        first, payload = data[0], bytes(data[start : start + count])
        del data[: start + count]
        return first, payload

    def take_payload(self, first, payload):
        """Returns the message that a frame completes; answers control frames."""
        is_final, opcode = bool(first & 0x80), first & 0x0F
        if opcode == PING:
            self.send(payload, PONG)
            self.flush()
            return None
        if opcode == PONG:
            return None
        if opcode == CLOSE:
            code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else None
            self.send(payload[:2], CLOSE)
            try:
                self.flush()
            except Disconnected:
                pass
            raise Disconnected(f"closed with {code} {payload[2:].decode(errors='replace')}", code)
        if opcode == BINARY and self.fragments is None:
            self.fragments = payload
        elif opcode == 0 and self.fragments is not None:
            self.fragments += payload
        else:
            raise Malformed(f"a frame with the opcode {opcode}")
        if not is_final:
            return None
        message, self.fragments = self.fragments, None
        return message

    def close(self, code=1000):
        """Closes in order; `socket.close` would be a lost connection."""
        try:
            self.send(struct.pack(">H", code), CLOSE)
            self.flush()
        except (Disconnected, OSError):
            pass
        self.socket.close()


def masked(payload, opcode=BINARY, mask=None):
    """Returns a frame of a client."""
    mask = os.urandom(4) if mask is None else mask
    count = len(payload)
    if count < 126:
        head = bytes([0x80 | opcode, 0x80 | count])
    elif count < 65536:
        head = struct.pack(">BBH", 0x80 | opcode, 0x80 | 126, count)
    else:
        head = struct.pack(">BBQ", 0x80 | opcode, 0x80 | 127, count)
    if mask != bytes(4):
        key = (mask * (count // 4 + 1))[:count]
        number = int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")
        payload = number.to_bytes(count, "big")
    return head + mask + payload
