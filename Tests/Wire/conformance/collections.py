"""Lists, sets and maps."""

from atoll_wire.values import Embedded, SetValue
from atoll_wire.write import new_id
from .check import check, expect, expect_equal, expect_refusal, meet, notes, write


def begin(world, key):
    """Returns two devices that have an object."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        note = writing.create("Note", f"{key} {log_in.user}", owner=log_in.user)
    meet(other)
    return one, other, note


def expect_list(sessions, note, values):
    for session in sessions:
        expect_equal(session.device.objects[note].list_values("labels"), values, "the list")


@check
def lists_are_edited(world):
    """Elements of a list are inserted, set, moved and removed."""
    one, other, note = begin(world, "list")
    with write(one) as writing:
        first = writing.insert(note, "labels", 0, "b")
        second = writing.insert(note, "labels", 1, "c")
        writing.insert(note, "labels", 0, "a")
        writing.insert(note, "labels", 3, "d")
    meet(other)
    expect_list((one, other), note, ["a", "b", "c", "d"])
    with write(other) as writing:
        writing.set_element(note, "labels", first, "B")
        writing.move_element(note, "labels", second, 0)
    with write(other) as writing:
        writing.remove_element(note, "labels", first)
    meet(one)
    expect_list((one, other), note, ["c", "a", "d"])


@check
def lists_of_two_devices_agree(world):
    """What two devices insert at one place stays together, in the same order on both."""
    one, other, note = begin(world, "runs")
    for session, text in ((one, "x"), (other, "y")):
        for index in range(20):
            with session.device.write() as writing:
                writing.insert(note, "labels", index, text)
    meet(one, other)
    meet(one, other)
    values = one.device.objects[note].list_values("labels")
    expect(values in (["x"] * 20 + ["y"] * 20, ["y"] * 20 + ["x"] * 20), f"mixed: {values}")
    expect_list((one, other), note, values)


@check
def ids_of_elements_are_used_once(world):
    """An element with an id that the list had is refused with the reason 8."""
    one, _, note = begin(world, "ids")
    with write(one) as writing:
        element = writing.insert(note, "labels", 0, "a")
    with write(one) as writing:
        writing.remove_element(note, "labels", element)
    with write(one) as writing:
        writing.insert(note, "labels", 0, "again")
        writing.operations[-1].element = element
    expect_refusal(one, 8)


@check
def lists_of_embedded_objects_are_edited(world):
    """Embedded objects are elements of a list."""
    one, other, note = begin(world, "stops")
    with write(one) as writing:
        for floor in range(3):
            writing.insert(note, "stops", floor, Embedded(new_id(), {"floor": floor}))
    meet(other)
    stops = other.device.objects[note].list_values("stops")
    expect_equal([stop.fields.get("floor", 0) for stop in stops], [0, 1, 2], "the floors")


@check
def sets_are_edited(world):
    """Members are added to a set and removed from it by both devices."""
    one, other, note = begin(world, "set")
    for session, members in ((one, ["a", "b"]), (other, ["b", "c"])):
        with session.device.write() as writing:
            for member in members:
                writing.add_member(note, "kinds", member)
    meet(one, other)
    with write(one) as writing:
        writing.remove_part(note, "kinds", "a")
    meet(one, other)
    for session in (one, other):
        members = sorted(session.device.objects[note].set_members("kinds"))
        expect_equal(members, ["b", "c"], "the members")


@check
def maps_are_edited(world):
    """Entries of a map are set and removed by both devices."""
    one, other, note = begin(world, "map")
    with one.device.write() as writing:
        writing.set_entry(note, "scores", "one", 1)
        writing.set_entry(note, "scores", "both", 1)
    with other.device.write() as writing:
        writing.set_entry(note, "scores", "other", 2)
    meet(one, other)
    meet(one)
    with write(other) as writing:
        writing.set_entry(note, "scores", "both", 3)
    with write(one) as writing:
        writing.remove_part(note, "scores", "one")
    meet(one, other)
    for session in (one, other):
        entries = session.device.objects[note].map_entries("scores")
        expect_equal(entries, {"both": 3, "other": 2}, "the entries")


@check
def a_whole_list_comes_to_a_new_device(world):
    """A device that comes later gets collections whole."""
    log_in, one, _ = world.pair()
    with write(one) as writing:
        note = writing.create("Note", f"whole {log_in.user}", owner=log_in.user)
        for index in range(500):
            writing.insert(note, "labels", index, str(index))
            writing.set_entry(note, "scores", str(index), index)
            writing.add_member(note, "kinds", str(index))
    late = world.connect(log_in, notes()).device.objects[note]
    expect_equal(late.list_values("labels"), [str(index) for index in range(500)], "the list")
    expect_equal(late.map_entries("scores"), {str(i): i for i in range(500)}, "the map")
    expect_equal(len(late.set_members("kinds")), 500, "the members")


@check
def collections_are_not_set_whole(world):
    """A list, set or map is changed by its elements; a mixed value holds no set."""
    one, _, note = begin(world, "unset")
    values = {
        "labels": ["a"], "kinds": SetValue(["a"]), "scores": {"a": 1}, "extra": SetValue(["a"]),
    }
    for name, value in values.items():
        with write(one) as writing:
            writing.set(note, name, value)
        expect_refusal(one, 4)
    with write(one) as writing:
        writing.set(note, "extra", [1, ["a"], {"b": None}])
    expect_equal(len(one.device.refusals), len(values), "the refusals")
