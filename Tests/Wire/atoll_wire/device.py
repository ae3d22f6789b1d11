"""A device: the protocol without input and output (Format.md, "A connection" to "Batches").

What is an attribute of `Device` is durable, except for what `begin` sets: a program that ends would
keep it in a file. Messages to be sent are appended to `outgoing`.
"""

import copy
import random
import time
from collections import deque

from . import subscriptions
from .errors import ProtocolError
from .messages import (
    Batch, Bootstrap, Bye, Confirm, Digests, Error, Header, HeldSet, Hello, Mark, Ping, Pong,
    PROTOCOL_VERSION, Schema, Verdict, Verify, Welcome,
)
from .objects import Objects
from .operations import CREATE, Pending, Transaction
from .outbox import Outbox, SchemaContent, SetContent
from .write import Write


class Device:
    def __init__(self, classes=()):
        self.client = random.getrandbits(64)
        self.token = None
        self.proof = None
        self.cursor = None
        self.seen = None
        self.answered = 0
        self.clock = 0
        self.outbox = Outbox(self.client)
        self.objects = Objects()
        self.classes = {each.name: each for each in classes}
        # Of subscriptions: the newest version, the last set that was accepted, with its members.
        self.set_version = 0
        self.accepted = None
        self.subscriptions = {}
        # Of a catch-up whose last batch is missing: where it is, its parts, what has come in it.
        self.is_progressive = False
        self.bootstrap = None
        self.parts = []
        self.arrived = set()
        # What the application hears of.
        self.refusals = []
        self.errors = []
        self.resets = 0
        self.begin()

    # A connection.

    def begin(self):
        """Begins a connection: what is not sent yet is sent anew."""
        self.outgoing = deque()
        self.is_welcome = False
        self.wants_schema = False
        self.server_token = None
        self.confirmed = None
        self.read_at = 0
        self.set_number = None
        self.is_caught_up = False
        self.marks = set()
        self.pongs = set()
        self.digests = None

    def greet(self):
        """Sends HELLO."""
        self.begin()
        self.outgoing.append(
            Hello(
                self.client, self.token, self.proof, self.cursor, self.answered, self.accepted,
                self.bootstrap, self.is_progressive,
            )
        )

    def end(self):
        self.outgoing.append(Bye())

    def receive(self, message):
        if isinstance(message, Ping):
            self.outgoing.append(Pong(message.number))
        elif isinstance(message, Pong):
            self.pongs.add(message.number)
        elif isinstance(message, Error):
            self.receive_error(message)
        elif isinstance(message, Welcome) and not self.is_welcome:
            self.receive_welcome(message)
        elif isinstance(message, Batch) and self.is_welcome:
            self.receive_batch(message)
        elif isinstance(message, Mark) and self.is_welcome:
            self.marks.add(message.number)
        elif isinstance(message, Digests) and self.is_welcome:
            self.digests = message
        else:
            raise ProtocolError(f"{type(message).__name__} has no place here")

    def receive_error(self, error):
        self.errors.append(error)
        if error.code == 13 and self.accepted is not None:
            self.accepted = None
        if error.action == Error.NEW_IDENTITY:
            self.take_identity()

    def receive_welcome(self, welcome):
        if welcome.version != PROTOCOL_VERSION:
            raise ProtocolError(f"version {welcome.version} of the protocol")
        entry = self.outbox.entry(welcome.pushed)
        is_own = self.answered <= welcome.pushed < self.outbox.next_number
        if not is_own or (entry is not None and entry.digest != welcome.digest):
            self.take_identity()
            raise ProtocolError("another copy of the file went on: connect again")
        self.is_welcome = True
        self.token = self.server_token = welcome.token
        self.wants_schema = welcome.wants_schema
        if welcome.as_new != 0:
            self.synchronise_as_new()
        self.confirm()
        if welcome.wants_schema:
            header = Header(0, 0, self.client, 0)
            self.outgoing.append(Schema(header, list(self.classes.values())))
        for entry in self.outbox.after(welcome.pushed):
            self.outgoing.append(entry.message())

    def confirm(self):
        """Sends CONFIRM if it is due."""
        state = (self.cursor, self.answered)
        if state != self.confirmed:
            self.confirmed = state
            self.outgoing.append(Confirm(self.server_token, *state))

    def synchronise_as_new(self):
        """Clears the cursor; what is held stays until the last batch of the catch-up."""
        self.resets += 1
        self.cursor = self.bootstrap = None
        self.parts, self.arrived = [], set()

    def take_identity(self):
        """Takes a new client id (Format.md, "Lost connections and copies")."""
        self.client = random.getrandbits(64)
        self.outbox.take_client(self.client)
        self.token = self.proof = self.cursor = self.bootstrap = None
        self.parts, self.arrived = [], set()
        self.answered = 0
        if self.accepted is not None:
            self.accepted.number = 0

    # Batches.

    def receive_batch(self, batch):
        if batch.base != self.cursor:
            raise ProtocolError(f"a batch from {batch.base}, the cursor is {self.cursor}")
        if batch.read_at < self.read_at:
            raise ProtocolError("a batch that is older than the one before")
        self.read_at = batch.read_at
        self.set_number = batch.set_number
        self.clock = max(self.clock, batch.newest_clock)
        if batch.run is not None and batch.run.is_restart:
            self.parts, self.arrived = [], set()
        for each in batch.classes:
            self.classes[each.name] = each
        generations = {}
        for answer in batch.answers:
            generations |= self.apply_answer(answer)
        if batch.run is not None:
            self.arrived |= {each.address for each in batch.objects if each.tag != 0}
        if batch.to is None and not self.is_progressive:
            self.parts += batch.objects
        else:
            for each in self.parts + batch.objects:
                self.objects.apply_object(each)
            self.parts = []
        self.move_cursor(batch)
        self.confirm()
        self.outbox.resolve(generations)

    def move_cursor(self, batch):
        if batch.to is None:
            self.bootstrap = Bootstrap(batch.run.number, batch.run.position, batch.base)
            return
        if batch.run is not None:
            if batch.base is None:
                for address in set(self.objects) - self.arrived:
                    del self.objects[address]
            self.bootstrap, self.arrived = None, set()
            self.is_caught_up = True
        self.cursor = self.proof = batch.to
        self.seen = max(self.seen, batch.to, key=lambda c: c.version) if self.seen else batch.to

    def apply_answer(self, answer):
        """Applies the verdicts on an entry; returns the generations of its creations."""
        if answer.number <= self.answered:
            return {}
        self.answered = answer.number
        entry = self.outbox.entry(answer.number)
        if entry is None or len(answer.verdicts) != entry.verdict_count():
            raise ProtocolError(f"an answer to {answer.number}, which does not fit the entry")
        self.outbox.remove(entry)
        if not isinstance(entry.content, Transaction):
            self.apply_single_verdict(entry, answer.verdicts[0])
            return {}
        generations = {}
        for index, (operation, verdict) in enumerate(
            zip(entry.content.operations, answer.verdicts)
        ):
            if operation.tag == CREATE and verdict.generation is not None:
                generations[Pending(entry.number, index)] = verdict.generation
            if verdict.tag == Verdict.APPLIED:
                if not self.is_asymmetric(operation.address.class_name):
                    self.objects.apply_operation(operation, verdict.generation)
            elif verdict.tag in (Verdict.DELETION, Verdict.REFUSED):
                self.refusals.append((operation, verdict))
        return generations

    def apply_single_verdict(self, entry, verdict):
        if verdict.tag == Verdict.REFUSED:
            self.refusals.append((entry.content, verdict))
        elif isinstance(entry.content, SetContent):
            content = entry.content
            self.accepted = HeldSet(entry.number, content.version, content.members)

    def is_asymmetric(self, class_name):
        each = self.classes.get(class_name)
        return each is not None and each.is_asymmetric

    # What the application does.

    def write(self):
        """Returns a transaction: `with device.write() as write: write.create(…)`."""
        return Write(self)

    def record(self, operations):
        self.clock = max(self.clock + 1, int(time.time() * 1000) << 16)
        return self.add(Transaction(self.clock, self.seen, operations))

    def subscribe(self, *members):
        """Replaces the set of subscriptions, and returns the version of the new one."""
        self.set_version += 1
        members = subscriptions.ordered(members)
        self.subscriptions[self.set_version] = members
        self.add(SetContent(self.set_version, [each.member() for each in members]))
        return self.set_version

    def declare(self, *classes):
        """Sends classes as an entry."""
        self.classes |= {each.name: each for each in classes}
        self.add(SchemaContent(list(classes)))

    def add(self, content):
        entry = self.outbox.add(content)
        if self.is_welcome:
            self.outgoing.append(entry.message())
        return entry

    def generation(self, address):
        """Returns what an operation on an object names: its generation, or its creation."""
        pending = self.outbox.waiting_creation(address)
        if pending is not None:
            return pending
        if address not in self.objects:
            raise KeyError(f"{address} is not held")
        return self.objects[address].generation

    def visible(self, address):
        """Returns an object with what waits; None if there is none."""
        objects = Objects()
        if address in self.objects:
            objects[address] = copy.deepcopy(self.objects[address])
        for operation in self.outbox.operations():
            if operation.address == address:
                objects.apply_operation(operation)
        return objects.get(address)

    # Questions.

    def mark(self, number):
        self.outgoing.append(Mark(number))

    def ping(self, number):
        self.outgoing.append(Ping(number))

    def verify(self, number):
        self.digests = None
        self.outgoing.append(Verify(number))

    def compare(self):
        """Compares the digests that have come; None when they are not those of this state."""
        received = self.digests
        is_of_now = (
            received is not None
            and received.digests is not None
            and received.cursor == self.cursor
            and received.set_number == self.set_number
            and self.bootstrap is None
            and not self.outbox.entries
        )
        if not is_of_now or self.accepted is None:
            return None
        members = self.subscriptions[self.accepted.version]
        own = [subscriptions.digest(each, self.objects) for each in members]
        return own == received.digests
