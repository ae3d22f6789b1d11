"""What costs the server much, and is bounded."""

import socket
import struct

from atoll_wire.errors import WireError
from atoll_wire.frames import split
from atoll_wire.messages import Batch, Confirm, Error, Header, Push
from atoll_wire.operations import SET, Change, Operation, Pending, Transaction
from atoll_wire.values import Address
from atoll_wire.websocket import WebSocket
from server_process import rules
from .check import check, expect, expect_equal, expect_refusal, write
from .refusals import begin

MIB = 1 << 20


@check
def answers_wait_for_confirmations(world):
    """Who has megabytes of answers repeated, and confirms none, gets no more until it does."""
    _, session, note = begin(world, "repeated")
    device = session.device
    operations = [Operation(SET, note, Pending(0, 0), name * 63, 1) for name in "pq"] * 10_000
    device.record(operations)
    message = device.outgoing[-1]
    session.wait_until_answered()
    one = Transaction(message.transaction.clock, message.transaction.seen, operations[:1])
    first = message.header
    number = device.outbox.next_number
    last = number + 59
    for index in range(60):
        header = Header(number + index, first.digest, first.first_client, first.first_number)
        for frame in split(Push(header, one)):
            session.websocket.send(frame)
    session.websocket.flush()
    answered, cursor = number - 1, device.cursor
    held = None
    for _ in range(600):
        before = answered
        session.websocket.wait(1)
        for frame in session.websocket.receive():
            message = session.assembler.add(frame)
            expect(not isinstance(message, Error), f"an ERROR: {message}")
            if isinstance(message, Batch):
                cursor = message.to or cursor
                answered = max([answered] + [each.number for each in message.answers])
        if answered == last:
            break
        if answered == before and answered >= number:
            held = held or answered
            for frame in split(Confirm(device.server_token, cursor, answered)):
                session.websocket.send(frame)
            session.websocket.flush()
    expect_equal(answered, last, "the last answer")
    expect(held is not None and held < last, "all answers came without a confirmation")


@check
def changes_inside_of_a_large_value_are_made(world):
    """Many changes inside of one large value are made."""
    _, session, note = begin(world, "inside")
    with write(session) as writing:
        writing.set(note, "extra", {f"{index:040}": 1 for index in range(60_000)})
    with write(session) as writing:
        for index in range(200):
            writing.change_within(note, "extra", (f"{index:040}",), Change(Change.SET, 2))
    session.wait_until_answered()
    expect_equal(len(session.device.refusals), 0, "the refusals")
    values = session.device.objects[note].values["extra"].values()
    expect_equal(sum(1 for value in values if value == 2), 200, "what was changed")


@check
def an_object_does_not_grow_without_end(world):
    """Nothing is added to an object that is too large for one message."""
    _, session, note = begin(world, "large")
    for index in range(6):
        with write(session) as writing:
            writing.insert(note, "labels", index, "x" * (15 * MIB))
    expect_refusal(session, 7)
    expect_equal(len(session.device.refusals), 1, "the refusals")


@check
def frames_that_never_end_count(world):
    """What has come of frames and fragments without their ends counts as held, for each host."""
    text = rules() + "\nserver: {heldBytesPerHost: 64 MiB}\n"
    process = world.server_process(text)
    held = []
    log_ins = [process.server().log_in() for _ in range(4)]
    try:
        for index in range(120):
            websocket = WebSocket(process.server(), log_ins[index % 4].access_token)
            plain = websocket.socket
            plain.settimeout(20)
            # A binary fragment without FIN, and the beginning of its continuation.
            for opcode, length, sent in ((0x02, MIB - 100, MIB - 100), (0x80, 100, 50)):
                plain.sendall(
                    bytes([opcode, 0xFF]) + struct.pack(">Q", length) + bytes(4) + bytes(sent)
                )
            held.append(plain)
    except (WireError, OSError):
        # Ended while it sent.
        pass
    closed = sum(1 for plain in held if is_closed(plain))
    expect(closed > 20 or len(held) < 100, f"{closed} of {len(held)} connections were closed")


def is_closed(plain):
    """Returns whether the server has closed a connection, reading what it has sent."""
    plain.settimeout(0.02)
    try:
        while True:
            data = plain.recv(1 << 16)
            if not data:
                return True
            # A close frame.
            if data[0] == 0x88 or b"\x88" in data[:200]:
                return True
    except TimeoutError:
        return False
    except OSError:
        return True


@check
def other_requests_leave_the_connection_usable(world):
    """HEAD is answered without a body; after a request for another protocol the server closes."""
    server = world.server()
    with socket.create_connection(("127.0.0.1", server.port), 20) as plain:
        plain.sendall(b"HEAD /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        head = read_head(plain)
        expect(head.endswith(b"\r\n\r\n"), f"a body behind the answer to HEAD: {head!r}")
        plain.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        expect(read_head(plain).startswith(b"HTTP/1.1 200"), "the next request is not answered")
    with socket.create_connection(("127.0.0.1", server.port), 20) as plain:
        plain.sendall(
            b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
        )
        head = read_head(plain).lower()
        expect(b"connection: close" in head, f"no word of the end: {head!r}")


def read_head(plain):
    """Returns what comes until the end of a head, and what came with it."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = plain.recv(4096)
        if not part:
            break
        data += part
    plain.settimeout(0.3)
    try:
        while part := plain.recv(4096):
            data += part
    except TimeoutError:
        pass
    plain.settimeout(20)
    return data
