"""Queries that cost much: a long pattern, patterns over many texts, subscriptions that are kept."""

from atoll_wire.messages import Member
from atoll_wire.subscriptions import Subscription
from .hostile_client import (
    connect_all, hold, log_in_all, message_bytes, send_all, sets_message,
)

QUERY_BYTES = 250_000


def own_notes(user):
    return [Subscription("Note", f"owner == '{user.user}'")]


def push_texts(sessions, texts):
    """Writes notes of the attackers, in pushes that the limits allow.

    All at once, so that none is silent for long.
    """
    for start in range(0, len(texts), 1000):
        for session in sessions:
            with session.device.write() as write:
                for index, text in enumerate(texts[start : start + 1000], start):
                    key = f"{session.log_in.user} {session.device.client} {index}"
                    write.create("Note", key, owner=session.log_in.user, text=text)
            session.flush()
        for session in sessions:
            session.wait_until_answered(120)


def connect_with_texts(target, users, texts):
    """Connects devices that have these notes."""
    sessions = connect_all(target, users, own_notes)
    push_texts(sessions, texts)
    return sessions


def ask_again_and_again(target, sessions, pattern):
    """Sends sets with the next pattern, as soon as those before have an answer."""
    count = 0
    while not target.is_over():
        count += 1
        for session in sessions:
            session.device.subscribe(Subscription("Note", f"text LIKE '{pattern(count)}'"))
            session.flush()
            target.count()
        for session in sessions:
            session.wait(
                lambda device: target.is_over() or not device.outbox.entries, target.seconds + 60
            )


def long_pattern(target):
    """1.1: a text of 2 MB and one LIKE '*a?a?…b*' of 250 kB, by an anonymous user."""
    users = log_in_all(target)
    text = "a" * target.scaled(2_000_000)
    middle = "a?" * target.scaled(QUERY_BYTES // 2)

    def strike(sessions):
        ask_again_and_again(target, sessions, lambda count: f"*{middle}{'b' * (count % 9 + 1)}*")

    target.keep_on(lambda: connect_with_texts(target, users, [text]), strike)


def many_texts(target):
    """1.2: a LIKE '*?*?…?' of 250 kB over 4 000 texts of 30 characters."""
    users = log_in_all(target)
    texts = [f"{index:030}" for index in range(target.scaled(4000))]
    pattern = "*?" * target.scaled(QUERY_BYTES // 2)

    def strike(sessions):
        ask_again_and_again(target, sessions, lambda count: pattern + "?" * (count % 9))

    target.keep_on(lambda: connect_with_texts(target, users, texts), strike)


def contains(count, seed):
    """Returns a query of so many CONTAINS[c], which match nothing."""
    return " OR ".join(f"text CONTAINS[c] 'no {seed} {index}'" for index in range(count))


def kept_subscriptions(target):
    """1.3: 15 subscriptions of 250 kB that are kept, and users of 5 000 CONTAINS[c] each."""
    users = log_in_all(target)
    terms = target.scaled(QUERY_BYTES // 34)
    large = [Member("Note", contains(terms, seed)) for seed in range(15)]
    small = [Member("Note", contains(50, 100 + seed)) for seed in range(target.scaled(100))]

    def strike(sessions):
        streams = []
        for index, session in enumerate(sessions):
            members = sorted(large if index == 0 else small, key=Member.order)
            data = message_bytes(sets_message(session, members))
            streams.append((session, iter([data])))
        send_all(target, streams)
        hold(target, sessions)

    target.keep_on(lambda: connect_all(target, users), strike)
