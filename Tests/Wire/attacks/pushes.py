"""Pushes: one of many operations, unfinished ones, large ones on many connections."""

import random
import time

from atoll_wire.frames import FRAME_LIMIT, split_body
from atoll_wire.operations import SET, Operation, write_operation
from atoll_wire.piece import PieceWriter
from atoll_wire.values import Address
from atoll_wire.websocket import masked
from .hostile_client import NO_MASK, connect_all, hold, log_in_all, send_all
from .queries import own_notes, push_texts

MIB = 1 << 20
PUSH = 5


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

    def prepare():
        sessions = connect_all(target, users, own_notes)
        for session in sessions:
            push_texts(session, ["0"])
        return [
            (session, split_body(PUSH, many_operations_body(target, session)))
            for session in sessions
        ]

    def strike(pushes):
        send_frames(target, pushes)
        hold(target, [session for session, _ in pushes])

    target.keep_on(prepare, strike)


def many_operations_body(target, session):
    """Returns the body of a push that sets one property of one object over and over."""
    note, held = next(iter(session.device.objects.items()))
    count = target.scaled(1_400_000)
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


def send_frames(target, pushes):
    """Sends the frames of all connections at the same time."""
    send_all(
        target,
        [(session, (masked(each, mask=NO_MASK) for each in frames)) for session, frames in pushes],
    )
