"""What attacks share: where to strike, for how long, and connections that mask nothing."""

import math
import random
import select
import socket
import time
from dataclasses import dataclass

from atoll_wire.device import Device
from atoll_wire.errors import Disconnected, WireError
from atoll_wire.frames import split
from atoll_wire.login import Server
from atoll_wire.messages import Header, Sets
from atoll_wire.session import Session
from atoll_wire.websocket import masked
from server_process import APP

NO_MASK = bytes(4)


@dataclass
class Target:
    """A server, and what an attack may use.

    `scale` multiplies the sizes; 1 is the attack as it was made. `ready` and `go` are of
    `multiprocessing`: all attacks begin together, after their preparations.
    """

    port: int
    addresses: list
    users: int
    scale: float
    seconds: float
    nice: int
    ready: object = None
    go: object = None
    # Shared with the process that started the attack: how much was done, and the last error.
    done: object = None
    error: object = None
    end: float = math.inf

    def scaled(self, count):
        return max(1, round(count * self.scale))

    def address(self, index=0):
        return self.addresses[index % len(self.addresses)]

    def server(self, index=0, timeout=60):
        return Server("127.0.0.1", self.port, APP, self.address(index), timeout=timeout)

    def begin(self, sessions=()):
        """Waits until all attacks are prepared; sessions answer meanwhile, as devices do.

        Returns whether all are still there.
        """
        self.ready.release()
        is_whole = True
        while not self.go.wait(1):
            try:
                for session in sessions if is_whole else ():
                    session.pump()
            except (WireError, OSError) as error:
                self.failed(error)
                is_whole = False
        self.end = time.monotonic() + self.seconds
        return is_whole

    def is_over(self):
        return time.monotonic() >= self.end

    def count(self, amount=1):
        """Notes what was done: bytes, connections, queries or log-ins."""
        self.done.value += amount

    def failed(self, error):
        self.error.value = str(error).encode()[:200]

    def keep_on(self, prepare, strike):
        """Prepares, and when all are prepared strikes again and again with what was prepared.

        What the server refuses or ends does not end the attack: it prepares again.
        """
        try:
            prepared = prepare()
        except (WireError, OSError) as error:
            self.failed(error)
            prepared = None
        if not self.begin(prepared if isinstance(prepared, list) else ()):
            prepared = None
        while not self.is_over():
            try:
                if prepared is None:
                    prepared = prepare()
                strike(prepared)
            except (WireError, OSError) as error:
                self.failed(error)
                prepared = None
                time.sleep(0.2)


def log_in_all(target, address=None):
    """Logs in the anonymous users of an attack, from all its addresses or from one.

    Some may be refused, for which it waits a little; it fails only if none is taken.
    """
    users, error = [], Disconnected("no log-in")
    end = time.monotonic() + 60
    while len(users) < target.users and time.monotonic() < end:
        index = len(users) if address is None else address
        try:
            users.append(target.server(index).log_in())
        except (WireError, OSError) as refused:
            target.failed(refused)
            error = refused
            time.sleep(0.5)
    if not users:
        raise error
    return users


def connect(target, user, *subscriptions):
    """Connects a device of a user, and waits for its catch-up."""
    session = Session(Device(), user).connect()
    session.wait_until_caught_up(target.seconds + 60)
    if subscriptions:
        session.device.subscribe(*subscriptions)
        session.wait_until_answered(target.seconds + 60)
    return session


def connect_all(target, users, subscriptions=lambda user: ()):
    """Connects a device of each; some may be refused, and it fails only if none is taken."""
    sessions, error = [], Disconnected("no connection")
    for user in users:
        if target.is_over():
            break
        try:
            sessions.append(connect(target, user, *subscriptions(user)))
        except (WireError, OSError) as refused:
            target.failed(refused)
            error = refused
    if not sessions:
        raise error
    return sessions


def hold(target, sessions):
    """Keeps connections, and forgets what comes, until the end; fails when all are closed."""
    while sessions and not target.is_over():
        sessions = [session for session in sessions if is_open(session)]
        time.sleep(0.1)
    if not sessions:
        raise Disconnected("all connections were closed")


def is_open(session):
    try:
        drain(session)
        return True
    except (WireError, OSError):
        return False


def unmasked(frames):
    """Returns frames as the bytes of a WebSocket, which is made once and sent often."""
    return b"".join(masked(frame, mask=NO_MASK) for frame in frames)


def message_bytes(*messages):
    return unmasked([frame for message in messages for frame in split(message)])


def sets_message(session, members):
    """Returns a SETS, numbered as the next entry, without keeping it in the outbox."""
    device = session.device
    number = device.outbox.next_number
    device.outbox.next_number += 1
    header = Header(number, random.getrandbits(64), device.client, number)
    return Sets(header, number, members)


def send_all(target, streams, unread=()):
    """Sends on all connections at once, each as fast as the server takes it.

    A stream is a session and the bytes to send, part by part. What comes is forgotten, of the
    sessions in `unread` not even read. Connections that the server closes are left.
    """
    waiting = {session.websocket.socket: [parts, b""] for session, parts in streams}
    deaf = {session.websocket.socket for session in unread}
    while waiting and not target.is_over():
        readable, writable, _ = select.select(waiting.keys() - deaf, waiting.keys(), [], 0.5)
        for plain in {*readable, *writable}:
            state = waiting[plain]
            try:
                if plain in readable and not plain.recv(1 << 18):
                    raise Disconnected("closed")
                if plain in writable:
                    state[1] = state[1] or memoryview(next(state[0]))
                    sent = plain.send(state[1][: 1 << 20])
                    target.count(sent)
                    state[1] = state[1][sent:]
            except StopIteration:
                del waiting[plain]
            except BlockingIOError:
                pass
            except (WireError, OSError) as error:
                target.failed(error)
                del waiting[plain]


def drain(connection):
    """Reads and forgets what has come."""
    plain = connection.websocket.socket
    while select.select([plain], [], [], 0)[0]:
        if not plain.recv(1 << 18):
            raise Disconnected("closed")


def raise_descriptor_limit():
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def plain_connection(target, index):
    """Connects without sending anything."""
    return socket.create_connection(
        ("127.0.0.1", target.port), 30, source_address=(target.address(index), 0)
    )
