"""Pushes: one of many operations, unfinished ones, large ones on many connections."""

import random
import time

from atoll_wire.errors import Disconnected
from atoll_wire.frames import FRAME_LIMIT, split_body
from atoll_wire.operations import SET, Operation, Pending, write_operation
from atoll_wire.piece import PieceWriter
from atoll_wire.values import Address
from atoll_wire.websocket import masked
from .hostile_client import NO_MASK, connect_all, hold, log_in_all, send_all
from .queries import own_notes, push_texts

MIB = 1 << 20
PUSH = 5
# Of a push with more operations a server reads none.
READ_OPERATIONS = 20_000


def push_head(piece, session, operation_count):
    """Writes the header of a push, and all before its operations."""
    device = session.device
    number = device.outbox.next_number
    device.outbox.next_number += 1
    piece.varint(number)
    piece.fixed(random.getrandbits(64))
    piece.fixed(device.client)
    piece.varint(number)
    piece.fixed(int(time.time() * 1000) << 16)
    piece.optional(device.seen, piece.cursor)
    piece.varint(operation_count)


def many_operations(target):
    """1.5: one push of 32 MB with 1.4 million operations."""
    users = log_in_all(target)

    def strike(sessions):
        send_frames(
            target,
            [
                (session, split_body(PUSH, repeated_body(session, target.scaled(1_400_000))))
                for session in sessions
            ],
        )
        hold(target, sessions)

    target.keep_on(lambda: connect_with_note(target, users), strike)


def allowed_operations(target):
    """1.5: as many operations as a server reads of a push, push after push."""
    users = log_in_all(target)

    def strike(sessions):
        send_frames(target, [(session, endless_pushes(target, session)) for session in sessions])
        hold(target, sessions)

    target.keep_on(lambda: connect_with_note(target, users), strike)


def endless_pushes(target, session):
    while True:
        yield from split_body(PUSH, repeated_body(session, target.scaled(READ_OPERATIONS)))


def connect_with_note(target, users):
    sessions = connect_all(target, users, own_notes)
    push_texts(sessions, ["0"])
    return sessions


def repeated_body(session, count):
    """Returns the body of a push that sets one property of one object so many times."""
    note, held = next(iter(session.device.objects.items()))
    piece = PieceWriter()
    push_head(piece, session, count)
    operation = Operation(SET, note, held.generation, "text", "1234567")
    write_operation(piece, operation)
    before = len(piece.data)
    # From the second one on they are equal: all names are numbers.
    write_operation(piece, operation)
    piece.data += piece.data[before:] * (count - 2)
    return bytes(piece.data)


def large_body(session, byte_count):
    """Returns the body of a push with values of together so many bytes."""
    # Clients are written with as many digits, so that pushes differ at the beginning alone.
    note = Address("Note", f"large {session.device.client:020}")
    values = max(1, byte_count // (15 * MIB))
    piece = PieceWriter()
    push_head(piece, session, values + 1)
    write_operation(piece, Operation(0, note))
    for _ in range(values):
        operation = Operation(SET, note, None, "blob", bytes(byte_count // values))
        write_operation(piece, operation)
    return bytes(piece.data)


def unfinished_pushes(target):
    """2.1: 25 anonymous users, each with 60 MiB of a push that never ends."""
    users = log_in_all(target)
    frames = [bytes([PUSH, 1]) + bytes(FRAME_LIMIT - 2)] * target.scaled(60 * MIB // FRAME_LIMIT)

    def strike(sessions):
        send_frames(target, [(session, frames) for session in sessions])
        hold(target, sessions)

    target.keep_on(lambda: connect_all(target, users), strike)


def large_pushes(target):
    """2.2: one user who sends complete pushes of 60 MiB on 35 connections, one after the other."""
    users = log_in_all(target) * target.scaled(35)

    def strike(sessions):
        common, pushes = None, []
        for session in sessions:
            frames = split_body(PUSH, large_body(session, target.scaled(60 * MIB)))
            common = common or frames[1:]
            pushes.append((session, frames[:1] + common))
        send_frames(target, pushes)

    target.keep_on(lambda: connect_all(target, users), strike)


def large_set(target):
    """1.4: a set of 200 000 members, then additions one by one."""
    users = log_in_all(target)
    count = target.scaled(200_000)

    def prepare():
        sessions = connect_all(target, users, own_notes)
        push_texts(sessions, ["a large set"])
        for session in sessions:
            for start in range(0, count, 2000):
                add_members(session, range(start, min(start + 2000, count)))
        return sessions

    def strike(sessions):
        number = count
        while not target.is_over():
            for session in sessions:
                add_members(session, [number], target)
            number += 1

    target.keep_on(prepare, strike)


def add_members(session, numbers, target=None):
    note = next(iter(session.device.objects))
    with session.device.write() as write:
        for number in numbers:
            write.add_member(note, "kinds", f"member {number:09}")
    seconds = 120 if target is None else target.seconds + 60
    session.wait(
        lambda device: not device.outbox.entries or (target is not None and target.is_over()),
        seconds,
    )
    if target is not None:
        target.count()


def filling_pushes(target):
    """2.6: objects of a mebibyte that nothing compresses, as many as the server takes."""
    users = log_in_all(target)

    def strike(sessions):
        send_frames(target, [(session, endless_blobs(session)) for session in sessions])
        if not target.is_over():
            raise Disconnected("all connections were closed")

    target.keep_on(lambda: connect_all(target, users, own_notes), strike)


def endless_blobs(session):
    owner = session.log_in.user
    while True:
        note = Address("Note", f"{session.device.client:020} {random.getrandbits(63):020}")
        piece = PieceWriter()
        push_head(piece, session, 3)
        made = Pending(session.device.outbox.next_number - 1, 0)
        write_operation(piece, Operation(0, note))
        write_operation(piece, Operation(SET, note, made, "owner", owner))
        write_operation(piece, Operation(SET, note, made, "blob", random.randbytes(MIB)))
        yield from split_body(PUSH, bytes(piece.data))


def send_frames(target, pushes):
    """Sends the frames of all connections at the same time."""
    send_all(
        target,
        [(session, (masked(each, mask=NO_MASK) for each in frames)) for session, frames in pushes],
    )
