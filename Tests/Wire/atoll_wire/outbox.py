"""The outbox: entries that wait for their answers (Format.md, "Entries")."""

import random
from dataclasses import dataclass, replace

from .digests import entry_digest
from .messages import Header, Push, Schema, Sets
from .operations import CREATE, Pending, Transaction, write_transaction
from .piece import PieceWriter


@dataclass
class SetContent:
    """A version of the subscription set."""

    version: int
    members: list


@dataclass
class SchemaContent:
    classes: list


@dataclass
class Entry:
    """An entry: its number under the client id of now, its first name, what it holds."""

    number: int
    first_client: int
    first_number: int
    digest: int
    content: object

    def message(self):
        header = Header(self.number, self.digest, self.first_client, self.first_number)
        if isinstance(self.content, SetContent):
            return Sets(header, self.content.version, self.content.members)
        if isinstance(self.content, SchemaContent):
            return Schema(header, self.content.classes)
        return Push(header, self.content)

    def verdict_count(self):
        return len(self.content.operations) if isinstance(self.content, Transaction) else 1


def content_bytes(content):
    """Returns the bytes of which an entry's digest is made."""
    piece = PieceWriter()
    if isinstance(content, Transaction):
        piece.byte(0)
        write_transaction(piece, content)
    elif isinstance(content, SetContent):
        piece.byte(1)
        piece.signed(content.version)
    else:
        piece.byte(2)
    return bytes(piece.data)


class Outbox:
    def __init__(self, client):
        self.client = client
        self.entries = []
        self.next_number = 1
        self.last_digest = 0

    def add(self, content):
        """Records an entry, and returns it."""
        is_push = isinstance(content, Transaction)
        previous = self.last_digest if is_push else random.getrandbits(64)
        digest = entry_digest(previous, self.client, self.next_number, content_bytes(content))
        entry = Entry(self.next_number, self.client, self.next_number, digest, content)
        self.entries.append(entry)
        self.next_number += 1
        self.last_digest = digest
        return entry

    def after(self, number):
        return [entry for entry in self.entries if entry.number > number]

    def entry(self, number):
        return next((entry for entry in self.entries if entry.number == number), None)

    def remove(self, entry):
        self.entries.remove(entry)

    def operations(self):
        """Returns the operations that wait, in their order."""
        return [
            operation
            for entry in self.entries
            if isinstance(entry.content, Transaction)
            for operation in entry.content.operations
        ]

    def waiting_creation(self, address):
        """Returns the newest creation of an object that waits, as operations name it."""
        for entry in reversed(self.entries):
            if isinstance(entry.content, Transaction):
                for index, operation in reversed(list(enumerate(entry.content.operations))):
                    if operation.tag == CREATE and operation.address == address:
                        return Pending(entry.number, index)
        return None

    def resolve(self, generations):
        """Names creations that were answered by their generations.

        Entries that are sent from now on have them; the digest stays that of the recording.
        """
        for operation in self.operations():
            if operation.generation in generations:
                operation.generation = generations[operation.generation]

    def take_client(self, client):
        """Numbers the entries from 1 on, under a new client id."""
        numbers = {entry.number: number for number, entry in enumerate(self.entries, 1)}
        for operation in self.operations():
            if isinstance(operation.generation, Pending):
                entry = numbers.get(operation.generation.entry, 0)
                operation.generation = replace_entry(operation.generation, entry)
        for entry in self.entries:
            entry.number = numbers[entry.number]
        self.client = client
        self.next_number = len(self.entries) + 1


def replace_entry(pending, entry):
    return replace(pending, entry=entry)
