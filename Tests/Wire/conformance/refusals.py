"""What the server refuses, with its reasons; rights."""

from atoll_wire import schema
from atoll_wire.schema import Class, Property
from atoll_wire.subscriptions import Subscription
from .check import check, expect, expect_equal, expect_refusal, last_refusal, meet, notes, write


def begin(world, name):
    log_in = world.log_in()
    session = world.connect(log_in, notes("size < 100"))
    with write(session) as writing:
        note = writing.create("Note", f"{name} {log_in.user}", owner=log_in.user, text="mine")
    return log_in, session, note


@check
def rights_refuse(world):
    """What the user may not do is refused with the reason 2; others' objects are not seen."""
    log_in, session, note = begin(world, "rights")
    with write(session) as writing:
        writing.set(note, "owner", "someone")
    expect_refusal(session, 2)
    expect(last_refusal(session).text, "the refusal has no text")
    expect_equal(session.device.objects[note].values["owner"], log_in.user, "the owner")
    for name in ("secret", "status"):
        with write(session) as writing:
            writing.set(note, name, "x")
        expect_refusal(session, 2)
    with write(session) as writing:
        writing.create("Note", f"others {log_in.user}", owner="someone")
    # Like what is outside of the set: the user may not read it.
    expect_refusal(session, 1)
    with write(session) as writing:
        writing.create("Closed", f"closed {log_in.user}")
    expect_refusal(session, 2)
    with write(session) as writing:
        public = writing.create("Note", f"public {log_in.user}", owner=log_in.user, isPublic=True)
    stranger = world.connect(world.log_in(), notes(f"_id ENDSWITH '{log_in.user}'"))
    expect_equal(list(stranger.device.objects), [public], "what a stranger sees")
    with write(stranger) as writing:
        writing.set(public, "text", "theirs")
    expect_refusal(stranger, 2)
    with write(session) as writing:
        writing.delete(public)
    meet(stranger)
    expect_equal(stranger.device.objects, {}, "what a stranger sees of a deleted object")


@check
def what_does_not_fit_is_refused(world):
    """Unknown classes and properties have the reason 3, wrong values the reason 4."""
    log_in, session, note = begin(world, "fit")
    with write(session) as writing:
        writing.set(note, "minutes", 1)
    expect_refusal(session, 3)
    for name, value in (("size", "text"), ("size", None), ("text", 1), ("next", 3)):
        with write(session) as writing:
            writing.set(note, name, value)
        expect_refusal(session, 4)
    with write(session) as writing:
        writing.create("Note", 7, owner=log_in.user)
    expect_refusal(session, 4)
    with write(session) as writing:
        writing.increment(note, "text", 1)
    expect_refusal(session, 4)


@check
def what_is_not_held_is_refused(world):
    """A creation outside of the set, and an edit of what is not held, have the reason 1."""
    log_in, session, note = begin(world, "held")
    with write(session) as writing:
        writing.create("Note", f"big {log_in.user}", owner=log_in.user, size=1000)
    expect_refusal(session, 1)
    other = world.connect(log_in)
    other.device.objects[note] = session.device.objects[note]
    with write(other) as writing:
        writing.set(note, "text", "stolen")
    expect_refusal(other, 1)


@check
def each_operation_is_judged(world):
    """Each operation of a push has a verdict of its own."""
    _, session, note = begin(world, "each")
    with write(session) as writing:
        writing.set(note, "text", "taken")
        writing.set(note, "status", "refused")
        writing.set(note, "size", 7)
    expect_equal(len(session.device.refusals), 1, "the refusals")
    values = session.device.objects[note].values
    expect_equal((values["text"], values["size"]), ("taken", 7), "the values")


@check
def classes_are_compared(world):
    """A SCHEMA that agrees is applied; what is unknown has reason 3, what differs reason 5."""
    session = world.connect(world.log_in())
    key, text = Property("_id", schema.STRING), Property("text", schema.STRING)
    cases = [
        (Class("Note", "_id", [key, text]), None),
        (Class("Note", "_id", [key, Property("minutes", schema.INT)]), 3),
        (Class("New", "_id", [key]), 3),
        (Class("Note", "_id", [key, Property("text", schema.INT)]), 5),
        (Class("Note", "_id", [key, Property("text", schema.STRING, is_optional=True)]), 5),
    ]
    for declared, reason in cases:
        session.device.refusals.clear()
        session.device.declare(declared)
        session.wait_until_answered()
        reasons = [verdict.reason for _, verdict in session.device.refusals]
        expect_equal(reasons, [reason] if reason else [], f"the reason ({declared})")


@check
def users_data_decide(world):
    """A change of the user's data gives and takes objects while the device is connected."""
    root, user = world.root(), world.log_in()
    admin = world.connect(root, Subscription("Member"))
    key = f"team {user.user}"
    author = world.connect(world.log_in(), Subscription("Task"))
    with write(admin) as writing:
        mine = writing.create("Member", author.log_in.user)
        theirs = writing.create("Member", user.user)
        writing.insert(mine, "teams", 0, key)
    with write(author) as writing:
        task = writing.create("Task", key, owner=author.log_in.user, team=key)
    session = world.connect(user, Subscription("Task"))
    expect_equal(session.device.objects, {}, "the tasks of no team")
    with write(admin) as writing:
        element = writing.insert(theirs, "teams", 0, key)
    session.wait(lambda device: task in device.objects, what="the task of the team")
    # It may be read, not written.
    with write(session) as writing:
        writing.set(task, "text", "x")
    expect_refusal(session, 2)
    with write(session) as writing:
        writing.create("Task", f"not mine, {key}", owner="someone", team=key)
    expect_refusal(session, 2)
    with write(admin) as writing:
        writing.remove_element(theirs, "teams", element)
    session.wait(lambda device: task not in device.objects, what="the end of it")
    meet(session)
