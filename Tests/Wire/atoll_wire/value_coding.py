"""Recorded values, by their tags (Format.md, "Recorded values")."""

import struct
import uuid

from .errors import Malformed
from .values import Date, Decimal128, Embedded, Float, Link, ObjectID, SetValue

DEEPEST = 100


def write_value(piece, value):
    """Writes a value with its tag."""
    if value is None:
        piece.byte(0)
    elif isinstance(value, bool):
        piece.byte(2 if value else 1)
    elif isinstance(value, int):
        piece.byte(3)
        piece.signed(value)
    elif isinstance(value, Float):
        piece.byte(4)
        piece.raw(struct.pack("<f", value))
    elif isinstance(value, float):
        piece.byte(5)
        piece.raw(struct.pack("<d", value))
    elif isinstance(value, Decimal128):
        piece.byte(6)
        piece.raw(value)
    elif isinstance(value, ObjectID):
        piece.byte(10)
        piece.raw(value)
    elif isinstance(value, str):
        piece.byte(7)
        piece.string(value)
    elif isinstance(value, bytes):
        piece.byte(8)
        piece.bytes(value)
    elif isinstance(value, Date):
        piece.byte(9)
        piece.signed(value.seconds)
        piece.signed(value.nanoseconds)
    elif isinstance(value, uuid.UUID):
        piece.byte(11)
        piece.raw(value.bytes)
    elif isinstance(value, Link):
        piece.byte(12)
        piece.address(value.target)
    elif isinstance(value, Embedded):
        piece.byte(13 if value.incarnation is None else 17)
        if value.incarnation is not None:
            piece.element_id(value.incarnation)
        fields = sorted(value.fields.items())
        piece.many(fields, lambda field: write_field(piece, *field))
    elif isinstance(value, SetValue):
        piece.byte(15)
        members = sorted(value, key=lambda member: encoded(type(piece), member))
        piece.many(members, lambda member: write_value(piece, member))
    elif isinstance(value, list):
        piece.byte(14)
        piece.many(value, lambda element: write_value(piece, element))
    elif isinstance(value, dict):
        piece.byte(16)
        piece.many(sorted(value.items()), lambda entry: write_entry(piece, *entry))
    else:
        raise TypeError(f"{type(value).__name__} is no type of values")


def write_field(piece, name, value):
    piece.name(name)
    write_value(piece, value)


def write_entry(piece, key, value):
    piece.string(key)
    write_value(piece, value)


def read_value(piece, depth=0):
    """Reads a value with its tag."""
    if depth > DEEPEST:
        raise Malformed("a value that nests too deep")
    tag = piece.tag(17)
    if tag == 0:
        return None
    if tag in (1, 2):
        return tag == 2
    if tag == 3:
        return piece.signed()
    if tag == 4:
        return Float(struct.unpack("<f", piece.raw(4))[0])
    if tag == 5:
        return struct.unpack("<d", piece.raw(8))[0]
    if tag == 6:
        return Decimal128(piece.raw(16))
    if tag == 7:
        return piece.string()
    if tag == 8:
        return piece.bytes()
    if tag == 9:
        return Date(piece.signed(), piece.signed())
    if tag == 10:
        return ObjectID(piece.raw(12))
    if tag == 11:
        return uuid.UUID(bytes=piece.raw(16))
    if tag == 12:
        return Link(piece.address())
    if tag == 14:
        return piece.many(lambda: read_value(piece, depth + 1))
    if tag == 15:
        return SetValue(piece.many(lambda: read_value(piece, depth + 1)))
    if tag == 16:
        return dict(piece.many(lambda: (piece.string(), read_value(piece, depth + 1))))
    incarnation = piece.element_id() if tag == 17 else None
    fields = piece.many(lambda: (piece.name(), read_value(piece, depth + 1)))
    return Embedded(incarnation, dict(fields))


def encoded(piece_class, value):
    """Returns the bytes of a value in a new piece."""
    piece = piece_class()
    write_value(piece, value)
    return bytes(piece.data)
