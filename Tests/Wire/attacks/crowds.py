"""Crowds: many connections of one host."""

import time

from atoll_wire.device import Device
from atoll_wire.messages import Hello
from atoll_wire.websocket import SUBPROTOCOL
from .hostile_client import log_in_all, message_bytes, plain_connection, raise_descriptor_limit


def connections(target):
    """2.3: 100 users with 100 connections each, from one host, which do not wait for answers."""
    raise_descriptor_limit()
    users = log_in_all(target, address=0)

    def strike(_):
        held = []
        for _ in range(target.scaled(100)):
            for user in users:
                if target.is_over():
                    return
                try:
                    held.append(greeting_connection(target, user))
                except OSError as error:
                    target.failed(error)
                    time.sleep(0.01)
        while not target.is_over():
            time.sleep(0.1)

    target.keep_on(lambda: True, strike)


def greeting_connection(target, user):
    """Sends a handshake, and HELLO behind it."""
    plain = plain_connection(target, 0)
    plain.send(
        "GET /sync HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\n"
        f"Authorization: Bearer {user.access_token}\r\n\r\n".encode()
        + message_bytes(Hello(Device().client))
    )
    target.count()
    return plain


def idle_connections(target):
    """2.3: 10 000 TCP connections of one host that send nothing."""
    raise_descriptor_limit()

    def strike(_):
        held = []
        while not target.is_over():
            try:
                if len(held) < target.scaled(10_000):
                    held.append(plain_connection(target, 0))
                    target.count()
                else:
                    time.sleep(0.1)
            except OSError as error:
                target.failed(error)
                time.sleep(0.01)

    target.keep_on(lambda: True, strike)
