"""Servers that restart, are restored, change their rules, and development mode."""

from atoll_wire import schema
from atoll_wire.device import Device
from atoll_wire.schema import Class, Property
from atoll_wire.session import Session
from atoll_wire.subscriptions import Subscription
from atoll_wire.websocket import WebSocket
from server_process import rules
from .check import check, expect, expect_digests, expect_equal, meet, notes, subscribe, write
from .log_ins import refused


@check
def answered_writes_survive(world):
    """What was answered is there after the server was killed, and the file goes on."""
    process = world.server_process(rules())
    log_in = process.server().log_in()
    session = world.connect(log_in, notes())
    for number in range(20):
        with write(session) as writing:
            writing.create("Note", str(number), owner=log_in.user)
    with session.device.write() as writing:
        writing.create("Note", "perhaps", owner=log_in.user)
    session.flush()
    process.kill()
    process.start()
    session = Session(session.device, log_in).connect()
    session.wait_until_caught_up()
    meet(session)
    expect_equal((session.device.resets, len(session.device.objects)), (0, 21), "the objects")
    late = world.connect(log_in, notes())
    expect_equal(set(late.device.objects), set(session.device.objects), "of a new device")
    expect_digests(session)
    process.remove()


@check
def a_restored_server_is_synchronised_as_new(world):
    """A server whose store was restored says WELCOME 1; the device drops what it does not have."""
    process = world.server_process(rules())
    log_in = process.server().log_in()
    session = world.connect(log_in, notes())
    with write(session) as writing:
        writing.create("Note", "before", owner=log_in.user)
    session.close()
    process.stop()
    copy = process.copy_data()
    process.start()
    session = Session(session.device, log_in).connect()
    with session.device.write() as writing:
        writing.create("Note", "after", owner=log_in.user)
    session.wait_until_answered()
    meet(session)
    session.close()
    process.stop()
    process.restore(copy)
    process.start()
    with session.device.write() as writing:
        writing.create("Note", "waiting", owner=log_in.user)
    session = connect_until_taken(session)
    meet(session)
    keys = sorted(address.key for address in session.device.objects)
    expect_equal(keys, ["before", "waiting"], "the objects")
    process.remove()


def connect_until_taken(session):
    """Connects again, with whatever id the server takes; at most a few times."""
    for _ in range(3):
        session = Session(session.device, session.log_in).connect()
        try:
            return session.wait_until_caught_up()
        except Exception as error:
            last = error
    raise last


@check
def changed_rules_are_in_force(world):
    """New rules give and take objects of connected devices; members that they forbid are told."""
    process = world.server_process(rules())
    log_in = process.server().log_in()
    session = world.connect(log_in, notes("size < 5"), notes("text == 'a'"))
    with write(session) as writing:
        note = writing.create("Note", "one", owner=log_in.user, size=1)
    right = "read: owner == $user.id OR isPublic == true"
    expect(right in rules(), "the rules have no such right")
    process.reload(rules().replace(right, "read: isPublic == true"))
    session.wait(lambda device: note not in device.objects, what="the end of the right to read")
    process.reload(rules() + "queryable:\n  Note: [size]\n")
    session.wait(lambda device: note in device.objects, what="the right to read")
    session.wait(lambda device: device.errors, what="the ERROR")
    error = session.device.errors[-1]
    expect_equal((error.code, error.action), (13, 4), "the ERROR")
    expect_equal([member.place for member in error.refused], [1], "the refused members")
    meet(session)
    process.remove()


@check
def development_takes_classes(world):
    """In development mode WELCOME asks for the classes, and the server takes them."""
    process = world.server_process(options=["--development"])
    log_in = process.server().log_in()
    task = Class("Task", "_id", [Property("_id", schema.INT), Property("name", schema.STRING)])
    session = Session(Device([task]), log_in).connect()
    session.wait_until_caught_up()
    expect(session.device.wants_schema, "WELCOME does not ask for the classes")
    subscribe(session, Subscription("Task"))
    with write(session) as writing:
        one = writing.create("Task", 1, name="Write")
    # Entries may declare more.
    more = Class("Task", "_id", [*task.properties, Property("done", schema.BOOL)])
    session.device.declare(more)
    with write(session) as writing:
        writing.set(one, "done", True)
    expect_equal(session.device.refusals, [], "the refusals")
    other = world.connect(process.server().log_in(), Subscription("Task"))
    expect_equal(other.device.objects[one].values, {"name": "Write", "done": True}, "the values")
    expect(other.device.classes["Task"].property("done") is not None, "the class without 'done'")
    # The answer to a SCHEMA with the number 0 is an ERROR, only where it is refused.
    wrong = Class("Task", "_id", [Property("_id", schema.STRING)])
    refused = Session(Device([wrong]), log_in).connect()
    refused.wait(lambda device: device.errors, what="the ERROR")
    error = refused.device.errors[-1]
    expect_equal((error.code, error.action), (12, 4), "the ERROR")
    process.remove()


@check
def without_rules_nobody_connects(world):
    """A server that allows nothing refuses /sync with 403 no-rules."""
    process = world.server_process(options=["--development"])
    log_in = process.server().log_in()
    process.stop()
    process.options = []
    process.start()
    answer = refused(lambda: WebSocket(log_in.server, log_in.access_token))
    expect_equal(answer, (403, "no-rules"), "the answer")
    process.remove()
