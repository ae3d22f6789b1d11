"""What is too long, too deep or too much."""

from atoll_wire.messages import Error
from atoll_wire.operations import Change
from atoll_wire.values import Embedded
from atoll_wire.write import new_id
from .check import check, expect_equal, expect_refusal, notes, write
from .refusals import begin


@check
def what_is_too_long_is_refused(world):
    """Of a value, position, path, query or set beyond its limit the reason tells it."""
    log_in, session, note = begin(world, "long")
    with write(session) as writing:
        writing.create("Note", "k" * 1025, owner=log_in.user)
    expect_refusal(session, 4)
    with write(session) as writing:
        writing.insert(note, "labels", 0, "a")
        writing.operations[-1].position = (0,) * 1025
    expect_refusal(session, 7)
    with write(session) as writing:
        writing.set(note, "blob", bytes((16 << 20) + 1))
    expect_refusal(session, 7)
    with write(session) as writing:
        writing.change_within(note, "extra", ("a" * 70_000,), Change(Change.SET, 1))
    expect_refusal(session, 7)
    session.device.subscribe(notes(f"text == '{'x' * 262_144}'"))
    session.wait_until_answered()
    expect_refusal(session, 6)
    session.device.subscribe(*[notes(f"size == {number}") for number in range(10_001)])
    session.wait_until_answered()
    expect_refusal(session, 7)


@check
def changes_within_have_a_limit(world):
    """Of more than 256 changes within a value by one transaction the rest is refused."""
    _, session, note = begin(world, "within")
    with write(session) as writing:
        place = Embedded(new_id(), {"floor": 1})
        writing.set(note, "place", place)
    with write(session) as writing:
        for _ in range(300):
            writing.change_within(
                note, "place", ("floor",), Change(Change.ADD, 1), inner=place.incarnation
            )
    expect_refusal(session, 7)
    expect_equal(len(session.device.refusals), 44, "the refusals")
    floor = session.device.objects[note].values["place"].fields["floor"]
    expect_equal(floor, 257, "the sum")


@check
def places_must_be_there(world):
    """A change within names a place that is there, with the incarnation of an embedded object."""
    _, session, note = begin(world, "place")
    with write(session) as writing:
        writing.set(note, "place", Embedded(new_id(), {"floor": 1}))
        writing.set(note, "extra", {"a": 1})
    with write(session) as writing:
        writing.change_within(note, "place", ("floor",), Change(Change.SET, 2))
    expect_refusal(session, 4)
    with write(session) as writing:
        writing.change_within(note, "extra", ("a",), Change(Change.ADD, 1))
    expect_refusal(session, 4)
    with write(session) as writing:
        writing.change_within(note, "extra", ("b", "c"), Change(Change.SET, 1))
    expect_equal(session.device.refusals[-1][1].tag, 3, "the verdict on a map that is not there")
    with write(session) as writing:
        writing.change_within(note, "extra", ("b",), Change(Change.SET, 1))
    expect_equal(session.device.objects[note].values["extra"], {"a": 1, "b": 1}, "the map")


@check
def what_no_reader_takes_is_malformed(world):
    """Values that nest too deep, and names that are too long, end the connection with ERROR 1."""
    deep = 1
    for _ in range(101):
        deep = [deep]
    for name, value in (("extra", deep), ("x" * 64, 1)):
        _, session, note = begin(world, f"malformed {name}")
        with session.device.write() as writing:
            writing.set(note, name, value)
        expect_equal(session.wait_until_ended(), 1000, "the status code")
        error = session.device.errors[-1]
        expect_equal((error.code, error.action), (1, Error.STOP), "the ERROR")
