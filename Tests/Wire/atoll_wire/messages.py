"""The messages between a device and a server (Format.md, "Sync messages")."""

from dataclasses import dataclass, field
from typing import NamedTuple

from .operations import Transaction
from .values import Address, Cursor, ElementID

PROTOCOL_VERSION = 1


class Member(NamedTuple):
    """A member of a subscription set; members ascend as these tuples of UTF-8 do."""

    class_name: str
    query: str

    def order(self):
        return self.class_name.encode(), self.query.encode()


@dataclass
class Header:
    """What SCHEMA, SETS and PUSH begin with; the first name is that of the recording."""

    number: int
    digest: int
    first_client: int
    first_number: int


class RefusedMember(NamedTuple):
    place: int
    reason: str


@dataclass
class HeldSet:
    """The last set that was accepted, as HELLO names it."""

    number: int
    version: int
    members: list


@dataclass
class Bootstrap:
    """A catch-up of which parts are kept: its run, the position of the newest part."""

    run: int
    position: bytes
    base: Cursor | None


@dataclass
class Hello:
    client: int
    token: int | None = None
    proof: Cursor | None = None
    cursor: Cursor | None = None
    answered: int = 0
    sets: HeldSet | None = None
    bootstrap: Bootstrap | None = None
    is_progressive: bool = False
    version: int = PROTOCOL_VERSION


@dataclass
class Welcome:
    version: int
    token: int
    as_new: int
    pushed: int
    digest: int
    wants_schema: bool


@dataclass
class Schema:
    header: Header
    classes: list


@dataclass
class Sets:
    header: Header
    version: int
    members: list


@dataclass
class Push:
    header: Header
    transaction: Transaction


@dataclass
class Unit:
    """A value, an element, an entry or a member of an object; `is_removed` of the last three."""

    tag: int
    name: str
    value: object = None
    element: ElementID | None = None
    position: tuple | None = None
    part: object = None

    VALUE, ELEMENT, REMOVED_ELEMENT, ENTRY, MEMBER, REMOVED_PART = range(6)


@dataclass
class Object:
    address: Address
    tag: int
    generation: Cursor | None = None
    units: list = field(default_factory=list)

    LEAVE, FULL, UPDATE = range(3)


@dataclass
class Verdict:
    tag: int
    generation: Cursor | None = None
    reason: int = 0
    text: str = ""
    refused: list = field(default_factory=list)

    APPLIED, KNOWN, NEWER_CLOCK, DELETION, REFUSED = range(5)


@dataclass
class Answer:
    number: int
    verdicts: list


@dataclass
class Run:
    """Where a part of a catch-up is."""

    number: int
    position: bytes
    is_restart: bool
    estimate: int | None


@dataclass
class Batch:
    base: Cursor | None
    to: Cursor | None
    read_at: int
    read_time: int
    newest_clock: int
    set_number: int
    run: Run | None
    classes: list
    objects: list
    answers: list


@dataclass
class Confirm:
    token: int
    cursor: Cursor | None
    answered: int


@dataclass
class Mark:
    number: int


@dataclass
class Error:
    action: int
    code: int
    retry_after: int | None = None
    text: str = ""
    refused: list = field(default_factory=list)

    RECONNECT, NEW_IDENTITY, LOG_IN, STOP, GO_ON = range(5)


@dataclass
class Bye:
    pass


@dataclass
class Ping:
    number: int


@dataclass
class Pong:
    number: int


@dataclass
class Verify:
    number: int


@dataclass
class Digests:
    """For each member of the set how many objects, and the exclusive-or of their hashes."""

    number: int
    cursor: Cursor
    set_number: int
    digests: list | None
