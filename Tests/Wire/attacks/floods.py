"""Floods of small messages, and of log-ins."""

import json
import time

from atoll_wire.errors import Disconnected
from atoll_wire.messages import Confirm, Member, Ping, Verify
from .hostile_client import (
    connect_all, log_in_all, message_bytes, plain_connection, send_all, sets_message,
)
from .queries import connect_with_texts


def flood(target, prepare, make, unread=0):
    """Sends the bytes of `make` over and over, on all connections of `prepare` at once.

    What comes on the first `unread` of them is not read.
    """

    def strike(sessions):
        streams = [(session, endless(make, session)) for session in sessions]
        send_all(target, streams, sessions[:unread])
        if not target.is_over():
            raise Disconnected("all connections were closed")

    target.keep_on(prepare, strike)


def endless(make, session):
    while True:
        yield make(session)


def pings(target):
    """1.6: PINGs as fast as they go; of one connection the PONGs are not read."""
    users = log_in_all(target)
    data = message_bytes(*[Ping(number) for number in range(20_000)])
    flood(target, lambda: connect_all(target, users), lambda session: data, unread=1)


def verifications(target):
    """1.6: VERIFYs, 60 at a time, of a device that holds many objects."""
    users = log_in_all(target)
    texts = ["x"] * target.scaled(20_000)
    data = message_bytes(*[Verify(number) for number in range(60)])
    flood(target, lambda: connect_with_texts(target, users, texts), lambda session: data)


def confirmations(target):
    """1.6: CONFIRMs that say the same."""
    users = log_in_all(target)

    def make(session):
        device = session.device
        confirm = Confirm(device.server_token, device.cursor, device.answered)
        return message_bytes(*[confirm] * 5000)

    flood(target, lambda: connect_all(target, users), make)


def sets(target):
    """1.6: SETS after SETS, of a device that holds many objects."""
    users = log_in_all(target)
    texts = ["x"] * target.scaled(20_000)
    queries = ["TRUEPREDICATE", "text == 'x'", "size == 0", "text != 'y'"]

    def make(session):
        return message_bytes(
            *[sets_message(session, [Member("Note", query)]) for query in queries * 25]
        )

    flood(target, lambda: connect_with_texts(target, users, texts), make)


def password_log_ins(target):
    """1.7: 600 log-ins with passwords at once, from ten addresses; half of them are given up."""
    requests = [log_in_request(index) for index in range(target.scaled(600))]

    def strike(_):
        sockets = [
            begin_request(target, index, request) for index, request in enumerate(requests)
        ]
        for each in sockets[::2]:
            each.close()
        pause = time.monotonic() + 10
        while not target.is_over() and time.monotonic() < pause:
            time.sleep(0.1)
        for each in sockets:
            each.close()

    target.keep_on(lambda: True, strike)


def log_in_request(index):
    """Returns a request, each for an account of its own: those have a limit of attempts."""
    email = f"nobody{index}@example.org"
    body = json.dumps({"provider": "local-userpass", "email": email, "password": "x" * 20})
    return (
        "POST /v1/app/tasks/login HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


def begin_request(target, index, request):
    """Sends a request without waiting for anything."""
    plain = plain_connection(target, index % 10)
    plain.send(request)
    target.count()
    return plain
