"""Greeting, questions, and messages that have no place."""

import copy

from atoll_wire.device import Device
from atoll_wire.errors import Disconnected
from atoll_wire.frames import Assembler, split
from atoll_wire.messages import Batch, Confirm, Error, Hello, Mark, Push, Sets, Welcome, Header
from atoll_wire.operations import Transaction
from atoll_wire.websocket import TEXT, WebSocket
from .check import check, expect, expect_digests, expect_equal, notes, write


class Raw:
    """A connection without a device: what is sent is up to the check."""

    def __init__(self, world):
        log_in = world.log_in()
        self.websocket = WebSocket(log_in.server, log_in.access_token)
        self.assembler = Assembler()
        self.messages = []
        self.code = None

    def send(self, *messages):
        for message in messages:
            for frame in split(message) if not isinstance(message, bytes) else [message]:
                self.websocket.send(frame)
        self.websocket.flush()

    def read(self, kind):
        """Returns the next message of this class, which others may precede; None at the end."""
        while True:
            while self.messages:
                message = self.messages.pop(0)
                if isinstance(message, kind):
                    return message
            if self.code is not None:
                return None
            self.websocket.wait(60)
            try:
                frames = self.websocket.receive()
            except Disconnected as error:
                self.code = error.code or 0
                frames = []
            self.messages += [m for m in map(self.assembler.add, frames) if m is not None]

    def greet(self):
        """Greets and confirms; returns the WELCOME."""
        self.send(Hello(Device().client))
        welcome = self.read(Welcome)
        self.send(Confirm(welcome.token, None, 0))
        return welcome

    def expect_error(self, code, action):
        error = self.read(Error)
        expect(error is not None, f"no ERROR {code}, closed with {self.code}")
        expect_equal((error.code, error.action), (code, action), f"the ERROR ({error.text})")


@check
def a_new_file_is_welcome(world):
    """A new file gets WELCOME 0, and a catch-up with an end, though nothing is there."""
    raw = Raw(world)
    welcome = raw.greet()
    expect_equal((welcome.as_new, welcome.pushed), (0, 0), "the WELCOME")
    batch = raw.read(Batch)
    expect(batch.run is not None and batch.to is not None, "the first batch is no whole catch-up")
    expect_equal(batch.objects, [], "the objects without a set")


@check
def an_unknown_version_is_refused(world):
    """HELLO of another version of the protocol is answered by ERROR 2 of class 3."""
    raw = Raw(world)
    raw.send(Hello(1, version=99))
    raw.expect_error(2, Error.STOP)
    expect_equal(raw.read(Batch), None, "what follows")
    expect_equal(raw.code, 1000, "the status code")


@check
def entries_wait_for_the_confirmation(world):
    """SETS, MARK and a second HELLO before CONFIRM are answered by ERROR 3 of class 0."""
    header = Header(1, 1, 1, 1)
    for message in (Sets(header, 1, []), Mark(1), Push(header, Transaction(1, None)), Hello(2)):
        raw = Raw(world)
        raw.send(Hello(Device().client))
        raw.read(Welcome)
        raw.send(message)
        raw.expect_error(3, Error.RECONNECT)


@check
def malformed_messages_end_it(world):
    """Malformed messages are answered by ERROR 1 of class 3, text frames by the code 1003."""
    for data in (bytes([11, 0]), bytes([2, 0, 1]), bytes([7, 2]), bytes([7, 0, 1]), b"\x05"):
        raw = Raw(world)
        raw.greet()
        raw.send(data)
        raw.expect_error(1, Error.STOP)
    raw = Raw(world)
    raw.websocket.send(b"hello", TEXT)
    raw.websocket.flush()
    raw.read(Batch)
    expect_equal(raw.code, 1003, "the status code")


@check
def unknown_kinds_may_be_skipped(world):
    """A kind with the highest bit set, which the server does not know, is skipped."""
    raw = Raw(world)
    raw.greet()
    raw.send(bytes([200, 0, 1, 2, 3]), Mark(5))
    expect_equal(raw.read(Mark), Mark(5), "what comes after it")


@check
def wrong_confirmations_end_it(world):
    """A CONFIRM with another token, or of an answer that was never given, ends the connection."""
    for change in (lambda c: c.__setattr__("token", 1), lambda c: c.__setattr__("answered", 9)):
        raw = Raw(world)
        raw.send(Hello(Device().client))
        confirm = Confirm(raw.read(Welcome).token, None, 0)
        change(confirm)
        raw.send(confirm)
        raw.read(type(None))
        expect(raw.code is not None, "the connection goes on")


@check
def marks_and_pings_come_back(world):
    """PING is answered by PONG; MARK comes back after everything that the server had."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        writing.create("Note", "m", owner=log_in.user)
    other.device.ping(3)
    other.device.mark(4)
    other.wait(lambda device: 3 in device.pongs and 4 in device.marks)
    expect_equal(len(other.device.objects), 1, "the objects before the MARK")


@check
def digests_are_compared(world):
    """VERIFY is answered by the digests of what the device holds, for each member of its set."""
    log_in = world.log_in()
    members = [
        notes("size > 5", matches=lambda held: held.values.get("size", 0) > 5),
        notes("size < 8", matches=lambda held: held.values.get("size", 0) < 8),
    ]
    session = world.connect(log_in, *members)
    with write(session) as writing:
        for size in range(12):
            writing.create("Note", f"{log_in.user} {size}", owner=log_in.user, size=size)
    expect_digests(session)
    counts = [count for count, _ in session.device.digests.digests]
    expect_equal(counts, [8, 6], "the objects of each member")
    # A device that has lost an object hears of it.
    del session.device.objects[next(iter(session.device.objects))]
    session.device.verify(2)
    session.wait(lambda device: device.digests is not None)
    expect_equal(session.device.compare(), False, "the digests without an object")


@check
def another_connection_takes_over(world):
    """A second connection under the same id ends the first one with ERROR 5 of class 0."""
    log_in = world.log_in()
    first = world.connect(log_in)
    # The file as it is, opened by another process.
    second = world.connect(log_in, device=copy.deepcopy(first.device))
    first.wait_until_ended()
    error = first.device.errors[-1]
    expect_equal((error.code, error.action), (5, Error.RECONNECT), "the ERROR")
    second.device.mark(1)
    second.wait(lambda device: 1 in device.marks)


@check
def files_belong_to_their_user(world):
    """HELLO with the id of another user's file is answered by ERROR 6 of class 3."""
    device = world.connect(world.log_in()).device
    raw = Raw(world)
    raw.send(Hello(device.client, device.token))
    raw.expect_error(6, Error.STOP)
