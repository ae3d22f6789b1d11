"""Sets of subscriptions, and the spelling of queries."""

from atoll_wire.messages import Verdict
from atoll_wire.subscriptions import Subscription
from .check import check, expect, expect_digests, expect_equal, meet, notes, subscribe, write


@check
def subscriptions_select(world):
    """A device holds what matches; an object leaves when it does not match any more."""
    log_in, one, _ = world.pair()
    few = world.connect(
        log_in, notes("size > 5", matches=lambda held: held.values.get("size", 0) > 5)
    )
    with write(one) as writing:
        small = writing.create("Note", f"small {log_in.user}", owner=log_in.user, size=1)
        large = writing.create("Note", f"large {log_in.user}", owner=log_in.user, size=9)
    meet(few)
    expect_equal(list(few.device.objects), [large], "the objects")
    with write(one) as writing:
        writing.set(small, "size", 10)
        writing.set(large, "size", 2)
    meet(few)
    expect_equal(list(few.device.objects), [small], "the objects")
    expect_digests(few)
    subscribe(few)
    expect_equal(few.device.objects, {}, "the objects without subscriptions")
    subscribe(few, notes())
    expect_equal(len(few.device.objects), 2, "the objects with all of them")
    expect_digests(few)


@check
def a_wrong_member_refuses_the_set(world):
    """A set with a wrong query is refused with its members; the one before stays in force."""
    log_in, one, other = world.pair()
    other.device.subscribe(notes("minutes > 5"), notes("TRUEPREDICATE"), notes("text =="))
    other.wait_until_answered()
    verdict = other.device.refusals[-1][1]
    expect_equal((verdict.tag, verdict.reason), (Verdict.REFUSED, 6), "the verdict")
    # Ascending, TRUEPREDICATE is the first of the three.
    expect_equal([member.place for member in verdict.refused], [1, 2], "the refused members")
    expect(all(member.reason for member in verdict.refused), "a member without a reason")
    with write(one) as writing:
        note = writing.create("Note", f"stays {log_in.user}", owner=log_in.user)
    meet(other)
    expect(note in other.device.objects, "the set before is not in force")


@check
def places_are_those_of_the_order(world):
    """Members may come in any order; the places of refused ones are of the ascending one."""
    session = world.connect(world.log_in())
    session.device.subscribe(notes("minutes > 2"), notes("size > 1"))
    session.device.outgoing[-1].members.sort(reverse=True)
    expect_equal(session.device.outgoing[-1].members[0].query, "size > 1", "the first member")
    session.wait_until_answered()
    refused = session.device.refusals[-1][1].refused
    expect_equal([member.place for member in refused], [0], "the places")


@check
def writes_follow_their_set(world):
    """A push is judged by the set that was sent before it, though neither has an answer."""
    log_in = world.log_in()
    session = world.connect(log_in)
    session.device.subscribe(notes())
    with session.device.write() as writing:
        writing.create("Note", f"inside {log_in.user}", owner=log_in.user)
    session.device.subscribe()
    with session.device.write() as writing:
        writing.create("Note", f"outside {log_in.user}", owner=log_in.user)
    session.wait_until_answered()
    reasons = [verdict.reason for _, verdict in session.device.refusals]
    expect_equal(reasons, [1, 1], "the reasons of the creation outside, and its set")


SPELLINGS = [
    "TRUEPREDICATE", "FALSEPREDICATE", "size > 1 AND size < 9 AND (text == 'a' OR text == 'b')",
    "NOT size == 1", "NOT (size == 1 OR size == 2)", "text ==[c] 'a'", "text BEGINSWITH 'a'",
    "text ENDSWITH[cd] 'a'", "text CONTAINS[c] 'a'", "text LIKE 'a*?'", "size IN {1, 2}",
    "size BETWEEN {1, 2}", "labels.@count > 1", "'x' IN labels", "ANY labels == 'x'",
    "ALL labels == 'x'", "NONE labels == 'x'", "done == NULL", "done == TRUE", "size == -7",
    "sentAt >= 2.5", "sentAt == INF", "ratio == 2.5f", "cost == decimal(12.50)",
    "due > T1512383400:0", r"text == 'it\'s \\ \n\u0001'", 'blob == bin(B64"AAE=")',
    "token == oid(665f1c2a9d3e4b0012345678)",
    "uid == uuid(12345678-1234-1234-1234-123456789abc)",
]


@check
def canonical_texts_are_taken(world):
    """The server takes each spelling of the table of canonical texts."""
    session = world.connect(world.log_in())
    subscribe(session, *[notes(query) for query in SPELLINGS])
    expect_equal(len(session.device.accepted.members), len(SPELLINGS), "the members")


@check
def closed_classes_give_nothing(world):
    """A class that the user may not read gives no objects; an unknown one a refusal."""
    session = world.connect(world.log_in())
    subscribe(session, Subscription("Closed"))
    expect_equal(session.device.objects, {}, "the objects")
    session.device.subscribe(Subscription("Unknown"))
    session.wait_until_answered()
    expect_equal(session.device.refusals[-1][1].reason, 6, "the reason")


@check
def catch_ups_bring_classes(world):
    """A batch brings a class once, before its first object, with the classes that it needs."""
    log_in, one, _ = world.pair()
    with write(one) as writing:
        writing.create("Note", f"class {log_in.user}", owner=log_in.user)
    late = world.connect(log_in, notes())
    expect_equal(sorted(late.device.classes), ["Note", "Place"], "the classes")
    note = late.device.classes["Note"]
    expect_equal(note.primary_key, "_id", "the primary key")
    expect_equal(note.property("place").target, "Place", "the target")
    expect(note.property("secret") is None, "a property that the user may not read")
    expect(late.device.classes["Place"].is_embedded, "the place is no embedded class")
