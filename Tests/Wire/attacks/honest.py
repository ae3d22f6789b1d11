"""Honest devices: pairs of one user, of which one writes once a second and the other receives."""

import concurrent.futures
import heapq
import itertools
import selectors
import time

from atoll_wire.device import Device
from atoll_wire.errors import WireError
from atoll_wire.login import Server
from atoll_wire.session import Session
from atoll_wire.subscriptions import Subscription
from atoll_wire.values import Address
from server_process import APP
from . import probes

INTERVAL = 1.0
RETRY = 1.0


class End:
    """A device of a pair, which connects again whenever its connection is lost."""

    def __init__(self, log_in):
        self.device = Device()
        self.log_in = log_in
        self.session = None
        self.connecting = None
        self.retry_at = 0.0
        self.lost_count = 0


class Pair:
    """A writer and a reader of one user, from an address of their own."""

    def __init__(self, log_in, number):
        self.number = number
        self.user = log_in.user
        self.writer, self.reader = End(log_in), End(log_in)
        for end in (self.writer, self.reader):
            end.device.subscribe(Subscription("Note", f"owner == '{log_in.user}'"))
        self.sent = {}
        self.received = set()

    def write(self, now):
        """Writes a small object."""
        key = f"{self.user} {len(self.sent)}"
        with self.writer.device.write() as write:
            write.create("Note", key, owner=self.user, text="a small note", sentAt=now)
        self.sent[key] = now

    def receive(self, now):
        """Returns the delays of objects that the reader did not have before."""
        new = self.sent.keys() - self.received
        arrived = {key for key in new if Address("Note", key) in self.reader.device.objects}
        self.received |= arrived
        return [(self.sent[key], now - self.sent[key]) for key in arrived]

    def waiting(self, now):
        """Returns the delays so far of objects that the reader does not have."""
        return [
            (moment, now - moment)
            for key, moment in self.sent.items()
            if key not in self.received
        ]

    def lost(self):
        """Returns what is wrong: objects without an answer, refused, or not received."""
        writer = self.writer.device
        wrong = [f"refused: {verdict}" for _, verdict in writer.refusals]
        wrong += [f"waits: {entry.number}" for entry in writer.outbox.entries]
        for key, moment in self.sent.items():
            held = self.reader.device.objects.get(Address("Note", key))
            if held is None or held.values.get("sentAt") != moment:
                wrong.append(f"not received: {key}")
        return wrong


class Fleet:
    """All pairs, in one thread; only connecting, which waits, is done in others."""

    def __init__(self, port, pair_count):
        servers = [
            Server("127.0.0.1", port, APP, f"127.0.1.{1 + index % 250}")
            for index in range(pair_count)
        ]
        self.pairs = [Pair(server.log_in(), index) for index, server in enumerate(servers)]
        self.ends = [end for pair in self.pairs for end in (pair.writer, pair.reader)]
        self.selector = selectors.DefaultSelector()
        self.workers = concurrent.futures.ThreadPoolExecutor(16)
        self.delays = []
        self.connection_errors = []
        order = itertools.count()
        begin = time.monotonic()
        self.due = [
            (begin + INTERVAL * index / pair_count, next(order), pair)
            for index, pair in enumerate(self.pairs)
        ]
        self.order = order
        self.pair_of = {id(pair.reader): pair for pair in self.pairs}

    def is_connected(self):
        return all(end.device.is_caught_up and not end.device.outbox.entries for end in self.ends)

    def is_delivered(self):
        return all(
            len(pair.received) == len(pair.sent) and not pair.writer.device.outbox.entries
            for pair in self.pairs
        )

    def step(self, writes):
        """Does what is due, and waits at most some milliseconds for more."""
        now = time.monotonic()
        for end in self.ends:
            if end.session is None:
                self.connect(end, now)
        while writes and self.due[0][0] <= now:
            moment, _, pair = heapq.heappop(self.due)
            pair.write(time.monotonic())
            self.pump(pair.writer)
            heapq.heappush(self.due, (max(moment + INTERVAL, now), next(self.order), pair))
        for key, _ in self.selector.select(0.005):
            self.pump(key.data)

    def connect(self, end, now):
        """Connects in a thread of the pool, and takes the connection when it is there."""
        if end.connecting is None:
            if now >= end.retry_at:
                session = Session(end.device, end.log_in)
                end.connecting = self.workers.submit(session.connect)
        elif end.connecting.done():
            connecting, end.connecting = end.connecting, None
            try:
                end.session = connecting.result()
                self.selector.register(end.session.websocket, selectors.EVENT_READ, end)
            except (WireError, OSError) as error:
                self.connection_errors.append(str(error))
                end.retry_at = now + RETRY

    def pump(self, end):
        if end.session is None:
            return
        try:
            end.session.pump()
        except (WireError, OSError) as error:
            self.connection_errors.append(str(error))
            self.selector.unregister(end.session.websocket)
            end.session.drop()
            end.session, end.retry_at = None, time.monotonic() + RETRY
            end.lost_count += 1
            return
        pair = self.pair_of.get(id(end))
        if pair is not None:
            self.delays += pair.receive(time.monotonic())


def run(port, pair_count, pipe):
    """Runs a fleet in a process of its own.

    It sends "connected", writes until it is told to stop, waits until all has arrived or the time
    that it is told is over, and sends what it has found.
    """
    fleet = Fleet(port, pair_count)
    probing = probes.Probes(port).start()
    end = time.monotonic() + 600
    while not fleet.is_connected() and time.monotonic() < end:
        fleet.step(writes=False)
    pipe.send("connected" if fleet.is_connected() else "not connected")
    while not pipe.poll():
        fleet.step(writes=True)
    end = time.monotonic() + pipe.recv()
    probing.end()
    while not fleet.is_delivered() and time.monotonic() < end:
        fleet.step(writes=False)
    now = time.monotonic()
    waiting = [each for pair in fleet.pairs for each in pair.waiting(now)]
    pipe.send(
        {
            "delays": fleet.delays + waiting,
            "sent": sum(len(pair.sent) for pair in fleet.pairs),
            "lost": [wrong for pair in fleet.pairs for wrong in pair.lost()],
            "disconnections": sum(end.lost_count for end in fleet.ends),
            "errors": sorted(set(fleet.connection_errors))[:10],
            "probes": probing.samples,
            "refusals": probing.refusals,
            "failures": probing.failures,
        }
    )
    fleet.workers.shutdown(wait=False, cancel_futures=True)
