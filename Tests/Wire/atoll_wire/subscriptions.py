"""Sets of subscriptions (Format.md, "Subscriptions")."""

from dataclasses import dataclass
from typing import Callable

from .digests import object_hash
from .messages import Member


@dataclass
class Subscription:
    """A query, with a function that tells which objects match.

    This client compares no text of queries itself: `matches` takes a `HeldObject`, and is needed
    only to compare digests.
    """

    class_name: str
    query: str = "TRUEPREDICATE"
    matches: Callable = lambda held: True

    def member(self):
        return Member(self.class_name, self.query)


def ordered(subscriptions):
    """Returns the subscriptions as members of a set: ascending, each once."""
    by_member = {each.member(): each for each in subscriptions}
    return [by_member[member] for member in sorted(by_member, key=Member.order)]


def digest(subscription, objects):
    """Returns what DIGESTS has for a member: how many objects, the exclusive-or of their hashes."""
    count, result = 0, 0
    for address, held in objects.items():
        if address.class_name != subscription.class_name or held.generation is None:
            continue
        if subscription.matches(held):
            count += 1
            result ^= object_hash(address, held.generation)
    return count, result
