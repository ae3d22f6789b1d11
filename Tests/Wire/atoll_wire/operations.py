"""Operations and recorded transactions: what a PUSH holds (Format.md, "Recorded values")."""

from dataclasses import dataclass, field

from . import positions
from .value_coding import read_value, write_value
from .values import Address, Cursor, ElementID

CREATE, DELETE, SET, INSERT, SET_ELEMENT, REMOVE_ELEMENT = range(6)
SET_ENTRY, ADD_MEMBER, REMOVE_PART, INCREMENT, MOVE_ELEMENT, CHANGE_WITHIN = range(6, 12)


@dataclass(frozen=True)
class Pending:
    """The generation of an object whose creation waits: number of the entry, index in it."""

    entry: int
    index: int


@dataclass
class Change:
    """What happens at a place within a unit: it has its default, is set to a value, or grows."""

    kind: int
    value: object = None
    default_is_zero: bool = True

    RESET, SET, ADD = range(3)


@dataclass
class Operation:
    """One operation; the fields below `name` are those that its tag needs."""

    tag: int
    address: Address
    generation: Cursor | Pending | None = None
    name: str | None = None
    value: object = None
    element: ElementID | None = None
    position: tuple | None = None
    # Of a map or a set: the key of the entry, or the member.
    part: object = None
    # Of a change within a unit, whose unit is `element`, `part` or the property itself.
    inner: ElementID | None = None
    path: tuple = ()
    change: Change | None = None


@dataclass
class Transaction:
    """What one PUSH brings: its clock, the newest cursor that the file has applied, operations."""

    clock: int
    seen: Cursor | None
    operations: list = field(default_factory=list)


def write_transaction(piece, transaction):
    piece.fixed(transaction.clock)
    piece.optional(transaction.seen, piece.cursor)
    piece.many(transaction.operations, lambda operation: write_operation(piece, operation))


def write_operation(piece, operation):
    piece.byte(operation.tag)
    piece.address(operation.address)
    write_generation(piece, operation.generation)
    tag = operation.tag
    if tag in (CREATE, DELETE):
        return
    if tag == CHANGE_WITHIN:
        write_path(piece, operation)
        piece.optional(operation.inner, piece.element_id)
        piece.many(operation.path, piece.string)
        write_change(piece, operation.change)
        return
    piece.name(operation.name)
    if tag in (INSERT, SET_ELEMENT, REMOVE_ELEMENT, MOVE_ELEMENT):
        piece.element_id(operation.element)
    if tag in (INSERT, MOVE_ELEMENT):
        piece.bytes(positions.encode(operation.position))
    if tag in (SET_ENTRY, ADD_MEMBER, REMOVE_PART):
        write_value(piece, operation.part)
    if tag in (SET, INSERT, SET_ELEMENT, SET_ENTRY):
        write_value(piece, operation.value)
    if tag == INCREMENT:
        piece.signed(operation.value)


def write_generation(piece, generation):
    if generation is None:
        piece.byte(0)
    elif isinstance(generation, Pending):
        piece.byte(2)
        piece.varint(generation.entry)
        piece.varint(generation.index)
    else:
        piece.byte(1)
        piece.cursor(generation)


def write_path(piece, operation):
    """Writes the unit of a change within: a property, an element, an entry."""
    if operation.element is not None:
        piece.byte(2)
        piece.name(operation.name)
        piece.element_id(operation.element)
    elif operation.part is not None:
        piece.byte(3)
        piece.name(operation.name)
        write_value(piece, operation.part)
    else:
        piece.byte(1)
        piece.name(operation.name)


def write_change(piece, change):
    piece.byte(change.kind)
    if change.kind == Change.SET:
        write_value(piece, change.value)
    elif change.kind == Change.ADD:
        piece.signed(change.value)
        piece.flag(change.default_is_zero)


# Reading is for tests of the writing: no message to a device has operations.


def read_transaction(piece):
    return Transaction(
        piece.fixed(), piece.optional(piece.cursor), piece.many(lambda: read_operation(piece))
    )


def read_operation(piece):
    operation = Operation(piece.tag(11), piece.address(), read_generation(piece))
    tag = operation.tag
    if tag in (CREATE, DELETE):
        return operation
    if tag == CHANGE_WITHIN:
        read_path(piece, operation)
        operation.inner = piece.optional(piece.element_id)
        operation.path = tuple(piece.many(piece.string))
        operation.change = read_change(piece)
        return operation
    operation.name = piece.name()
    if tag in (INSERT, SET_ELEMENT, REMOVE_ELEMENT, MOVE_ELEMENT):
        operation.element = piece.element_id()
    if tag in (INSERT, MOVE_ELEMENT):
        operation.position = positions.decode(piece.bytes())
    if tag in (SET_ENTRY, ADD_MEMBER, REMOVE_PART):
        operation.part = read_value(piece)
    if tag in (SET, INSERT, SET_ELEMENT, SET_ENTRY):
        operation.value = read_value(piece)
    if tag == INCREMENT:
        operation.value = piece.signed()
    return operation


def read_generation(piece):
    tag = piece.tag(2)
    if tag == 0:
        return None
    return piece.cursor() if tag == 1 else Pending(piece.varint(), piece.varint())


def read_path(piece, operation):
    tag = piece.tag(3)
    operation.name = piece.name()
    if tag == 2:
        operation.element = piece.element_id()
    elif tag == 3:
        operation.part = read_value(piece)


def read_change(piece):
    kind = piece.tag(2)
    if kind == Change.SET:
        return Change(kind, read_value(piece))
    if kind == Change.ADD:
        return Change(kind, piece.signed(), piece.flag())
    return Change(kind)
