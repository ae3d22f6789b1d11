"""What is written by one device and received by another."""

import uuid

from atoll_wire.operations import Change
from atoll_wire.schema import Class
from atoll_wire.subscriptions import Subscription
from atoll_wire.values import (
    Address, Date, Decimal128, Embedded, Float, Link, ObjectID,
)
from atoll_wire.write import new_id
from .check import check, expect, expect_digests, expect_equal, meet, write


@check
def what_is_written_arrives(world):
    """An object that one device creates comes to another, and an edit of it as an update."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        note = writing.create("Note", "n", owner=log_in.user, text="Write it down")
    meet(other)
    expect_equal(other.device.objects[note].values["text"], "Write it down", "the text")
    expect_equal(
        other.device.objects[note].generation, one.device.objects[note].generation, "the generation"
    )
    with write(other) as writing:
        writing.set(note, "text", "Done")
    meet(one)
    expect_equal(one.device.objects[note].values["text"], "Done", "the text")
    expect_equal(one.device.objects[note].values["owner"], log_in.user, "what stays")
    expect_digests(one)
    expect_digests(other)


@check
def own_values_are_not_sent_back(world):
    """A client's accepted values are not sent back: the answer confirms them."""
    log_in, one, _ = world.pair()
    received = []
    receive = one.device.receive_batch
    one.device.receive_batch = lambda batch: (received.append(batch), receive(batch))
    with write(one) as writing:
        note = writing.create("Note", "own", owner=log_in.user, text="mine")
    with write(one) as writing:
        writing.set(note, "text", "still mine")
    meet(one)
    expect_equal([each for batch in received for each in batch.objects], [], "the objects")
    expect_equal(one.device.objects[note].values["text"], "still mine", "the text")


@check
def values_of_all_types_arrive(world):
    """Values of all types arrive as they were sent."""
    log_in, one, other = world.pair()
    values = {
        "text": "é 🙂 \u0000", "size": -(1 << 63), "done": True, "ratio": Float(0.5),
        "sentAt": -1e300, "cost": Decimal128.of("-12.50"), "blob": b"\x00\xff",
        "due": Date(-5, -999_999_999), "token": ObjectID(range(12)), "uid": uuid.UUID(int=7),
        "next": Link(Address("Note", "not there")),
        "extra": {"a": [1, 2.5, None, True], "b": {"c": b"x", "d": Link(Address("Note", "n"))}},
    }
    with write(one) as writing:
        note = writing.create("Note", "all", owner=log_in.user, **values)
    meet(other)
    found = other.device.objects[note].values
    for name, value in values.items():
        expect_equal((type(found.get(name)), found.get(name)), (type(value), value), name)
    with write(one) as writing:
        writing.set(note, "done", None)
        writing.set(note, "extra", Date(1))
    meet(other)
    expect_equal(other.device.objects[note].values["done"], None, "null")
    expect_equal(other.device.objects[note].values["extra"], Date(1), "the mixed value")


@check
def large_values_have_parts(world):
    """A value of 3 MB goes in parts, and arrives."""
    log_in, one, other = world.pair()
    blob = bytes(range(256)) * 12_000
    with write(one) as writing:
        note = writing.create("Note", "large", owner=log_in.user, blob=blob)
    meet(other)
    expect(other.device.objects[note].values["blob"] == blob, "the data differ")


@check
def keys_of_other_types_are_keys(world):
    """An integer is a primary key; increments of all devices are added."""
    log_in = world.log_in()
    one, other = (world.connect(log_in, Subscription("Count")) for _ in range(2))
    # Keys are the whole server's.
    key = int(log_in.user, 16) >> 40
    with write(one) as writing:
        count = writing.create("Count", key, owner=log_in.user, total=10)
    meet(other)
    for session, amount in ((one, 5), (other, -3), (one, 100)):
        with session.device.write() as writing:
            writing.increment(count, "total", amount)
    meet(one, other)
    meet(one, other)
    totals = [session.device.objects[count].values["total"] for session in (one, other)]
    expect_equal(totals, [112, 112], "the totals")


@check
def waiting_creations_are_named(world):
    """Edits name a creation that has no answer yet; entries need not wait for answers."""
    log_in, one, other = world.pair()
    with one.device.write() as writing:
        note = writing.create("Note", "w", owner=log_in.user)
    for number in range(5):
        with one.device.write() as writing:
            writing.set(note, "size", number)
    meet(one, other)
    expect_equal(one.device.refusals, [], "the refusals")
    expect_equal(other.device.objects[note].values["size"], 4, "the size")


@check
def deletion_wins(world):
    """A deletion wins over an edit that was made without knowing it, which is told."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        note = writing.create("Note", "d", owner=log_in.user)
    meet(other)
    with other.device.write() as writing:
        writing.set(note, "text", "too late")
    with write(one) as writing:
        writing.delete(note)
    # Its entry is sent only now.
    meet(other)
    expect_equal(other.device.refusals[-1][1].tag, 3, "the verdict")
    expect_equal(other.device.objects, {}, "the objects")
    with write(other) as writing:
        writing.create("Note", "d", owner=log_in.user, text="again")
    meet(one)
    expect_equal(one.device.objects[note].values["text"], "again", "the new object")
    expect_digests(one)


@check
def the_newer_clock_wins(world):
    """Of two edits the one with the newer clock wins, whichever the server gets first."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        note = writing.create("Note", "c", owner=log_in.user, text="old", size=1)
    meet(other)
    with other.device.write() as writing:
        writing.set(note, "text", "first, sent last")
    one.device.clock = other.device.clock
    with write(one) as writing:
        writing.set(note, "text", "second")
    meet(other)
    meet(one, other)
    texts = [session.device.objects[note].values["text"] for session in (one, other)]
    expect_equal(texts, ["second", "second"], "the texts")


@check
def a_creation_meets_an_object(world):
    """A creation of an object that is there meets it, and it comes whole."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        note = writing.create("Note", "met", owner=log_in.user, text="one", size=3)
    with other.device.write() as writing:
        writing.create("Note", "met", owner=log_in.user, text="other")
    meet(other, one)
    meet(one)
    for session in (one, other):
        held = session.device.objects[note]
        expect_equal((held.values["text"], held.values["size"]), ("other", 3), "the object")
        expect_digests(session)


@check
def asymmetric_objects_are_only_sent(world):
    """Objects of an asymmetric class are accepted, and come in no batch."""
    session = world.connect(world.log_in())
    session.device.classes["Event"] = Class("Event", "_id", is_asymmetric=True)
    key = ObjectID(new_id().client.to_bytes(12, "big"))
    with write(session) as writing:
        writing.create("Event", key, text="started")
    expect_equal((session.device.refusals, session.device.objects), ([], {}), "what is left")
    with write(session) as writing:
        writing.create("Event", key, text="again")
    expect_equal(session.device.refusals[-1][1].tag, 4, "a second creation")


@check
def places_within_values_change(world):
    """Properties of embedded objects and entries of maps in mixed values change one by one."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        place = Embedded(new_id(), {"street": "Main", "floor": 2})
        note = writing.create(
            "Note", "within", owner=log_in.user, place=place, extra={"a": {"b": 1}, "c": 2}
        )
    meet(other)
    with one.device.write() as writing:
        writing.change_within(
            note, "place", ("floor",), Change(Change.ADD, 5), inner=place.incarnation
        )
        writing.change_within(note, "extra", ("a", "b"), Change(Change.SET, "one"))
    with other.device.write() as writing:
        writing.change_within(
            note, "place", ("street",), Change(Change.SET, "Side"), inner=place.incarnation
        )
        writing.change_within(note, "extra", ("c",), Change(Change.RESET))
    meet(one, other)
    meet(one, other)
    for session in (one, other):
        expect_equal(session.device.refusals, [], "the refusals")
        values = session.device.objects[note].values
        expect_equal(values["place"].fields, {"street": "Side", "floor": 7}, "the place")
        expect_equal(values["extra"], {"a": {"b": "one"}}, "the map")
    # Another object in its place has another incarnation.
    with write(one) as writing:
        writing.set(note, "place", Embedded(new_id(), {"street": "New"}))
    with write(other) as writing:
        writing.change_within(
            note, "place", ("floor",), Change(Change.SET, 9), inner=place.incarnation
        )
    expect_equal(other.device.refusals[-1][1].tag, 3, "the verdict on a change of the one before")
    meet(other)
    expect_equal(other.device.objects[note].values["place"].fields, {"street": "New"}, "the place")
