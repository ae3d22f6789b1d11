"""Connections that end, files that are copied."""

import copy

from atoll_wire.device import Device
from atoll_wire.errors import ProtocolError
from atoll_wire.messages import Error, Verdict
from atoll_wire.session import Session
from .check import check, expect, expect_digests, expect_equal, meet, notes, write


def again(session):
    """Connects the device of a session again."""
    return Session(session.device, session.log_in).connect()


@check
def entries_are_sent_until_answered(world):
    """What was sent before the connection was lost is judged once, and answered."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        note = writing.create("Note", f"once {log_in.user}", owner=log_in.user)
    for _ in range(5):
        with one.device.write() as writing:
            writing.increment(note, "size", 1)
        # Sent, and perhaps read by the server.
        one.flush()
        one.drop()
        one = again(one)
    meet(one, other)
    expect_equal(other.device.objects[note].values["size"], 5, "the sum")
    expect_digests(one)


@check
def a_file_goes_on_from_its_cursor(world):
    """After a lost connection only what has changed comes, with WELCOME 0."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        for number in range(50):
            writing.create("Note", f"go {number} {log_in.user}", owner=log_in.user)
    meet(other)
    other.drop()
    with write(one) as writing:
        changed = writing.create("Note", f"new {log_in.user}", owner=log_in.user)
    received = []
    receive = other.device.receive_batch
    other.device.receive_batch = lambda batch: (received.append(batch), receive(batch))
    other = again(other).wait_until_caught_up()
    expect_equal(
        [each.address for batch in received for each in batch.objects], [changed], "the objects"
    )
    expect_equal(other.device.resets, 0, "the resets")
    expect_digests(other)


def interrupted(world, is_progressive):
    """Returns a session whose catch-up was interrupted after its first part, and its objects."""
    log_in, one, _ = world.pair()
    with write(one) as writing:
        for number in range(12):
            key = f"part {number} {log_in.user}"
            writing.create("Note", key, owner=log_in.user, blob=bytes([number]) * 600_000)
    device = Device()
    device.is_progressive = is_progressive
    device.subscribe(notes())
    session = Session(device, log_in).connect()
    session.wait(lambda device: device.bootstrap is not None, what="a part of the catch-up")
    session.drop()
    return session, one.device.objects


def resumed(session):
    """Finishes the catch-up; returns whether it began again, and how many objects came."""
    runs, counts = [], []
    receive = session.device.receive_batch

    def receive_batch(batch):
        if batch.run is not None:
            runs.append(batch.run.is_restart)
            counts.append(len(batch.objects))
        receive(batch)

    session.device.receive_batch = receive_batch
    session = again(session).wait_until_caught_up()
    session.wait_until_answered()
    meet(session)
    return session, any(runs), sum(counts)


@check
def catch_ups_are_resumed(world):
    """A catch-up whose connection was lost goes on behind the newest part."""
    for is_progressive in (False, True):
        session, objects = interrupted(world, is_progressive)
        kept = len(session.device.parts) + len(session.device.objects)
        expect(0 < kept < 12, f"{kept} objects in the first part")
        session, is_restart, count = resumed(session)
        expect(not is_restart, "the catch-up began again")
        expect_equal(count, 12 - kept, "the objects that came after it")
        expect_equal(set(session.device.objects), set(objects), "the objects")
        expect_digests(session)


@check
def parts_are_not_visible(world):
    """Parts of a catch-up are seen with the last one; of a progressive one at once."""
    session, _ = interrupted(world, is_progressive=False)
    expect_equal(session.device.objects, {}, "the objects")
    session, _ = interrupted(world, is_progressive=True)
    expect(session.device.objects, "no objects of a progressive catch-up")


@check
def copies_take_another_id(world):
    """A copy of a file gets ERROR 4, goes on under a new id, and writes nothing twice."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        note = writing.create("Note", f"copy {log_in.user}", owner=log_in.user)
    meet(one)
    one.drop()
    with one.device.write() as writing:
        writing.increment(note, "size", 1)
    duplicate = copy.deepcopy(one.device)
    for _ in range(2):
        one = again(one)
        meet(one)
        one.close()
    session = Session(duplicate, log_in).connect()
    client = duplicate.client
    try:
        session.wait_until_ended()
        error = duplicate.errors[-1]
        expect_equal((error.code, error.action), (4, Error.NEW_IDENTITY), "the ERROR")
    except ProtocolError:
        # The device may find it first: WELCOME has pushed what the file has not sent.
        pass
    expect(duplicate.client != client, "the copy has kept its id")
    verdicts = []
    apply_answer = duplicate.apply_answer
    duplicate.apply_answer = lambda a: (verdicts.extend(a.verdicts), apply_answer(a))[1]
    session = again(session)
    session.wait_until_caught_up()
    meet(session, other)
    # Its set is an entry of the earlier id; only the increment waits.
    expect_equal([verdict.tag for verdict in verdicts], [Verdict.KNOWN], "the verdicts")
    expect_equal(other.device.objects[note].values["size"], 1, "the sum")
    expect_equal(session.device.objects[note].values["size"], 1, "the sum in the copy")


@check
def a_lost_answer_comes_again(world):
    """Answers come again until they are confirmed."""
    log_in, one, other = world.pair()
    with write(one) as writing:
        note = writing.create("Note", f"answer {log_in.user}", owner=log_in.user)
    meet(one)
    before = copy.deepcopy(one.device)
    with one.device.write() as writing:
        writing.set(note, "status", "refused")
        writing.set(note, "size", 3)
    before.outbox = copy.deepcopy(one.device.outbox)
    before.clock = one.device.clock
    one.device.confirm = lambda: None
    one.wait_until_answered()
    one.drop()
    # As if the program had ended before it stored the answer.
    session = Session(before, log_in).connect()
    session.wait_until_caught_up()
    meet(session)
    expect_equal(len(before.refusals), 1, "the refusals")
    expect_equal(before.objects[note].values["size"], 3, "the value")
    expect_digests(session)
    meet(other)
