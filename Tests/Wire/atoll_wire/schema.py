"""Classes and properties, as SCHEMA and BATCH have them (Format.md, "Sync messages", "Classes")."""

import uuid
from dataclasses import dataclass, field

from .values import Date, Decimal128, Float, ObjectID

BOOL, INT, FLOAT, DOUBLE, DECIMAL, STRING, DATA, DATE, OBJECT_ID, UUID, MIXED, LINK = range(1, 13)
SINGLE, LIST, SET, MAP = range(4)


@dataclass
class Property:
    name: str
    type: int
    collection: int = SINGLE
    is_optional: bool = False
    is_indexed: bool = False
    has_text_index: bool = False
    target: str | None = None

    def default(self):
        """Returns the value of a property that an object does not name."""
        if self.collection == LIST:
            return []
        if self.collection == SET:
            return []
        if self.collection == MAP:
            return {}
        if self.is_optional or self.type in (MIXED, LINK):
            return None
        return {
            BOOL: False,
            INT: 0,
            FLOAT: Float(0),
            DOUBLE: 0.0,
            DECIMAL: Decimal128.of("0"),
            STRING: "",
            DATA: b"",
            DATE: Date(0),
            OBJECT_ID: ObjectID(12),
            UUID: uuid.UUID(int=0),
        }[self.type]


@dataclass
class Class:
    name: str
    primary_key: str | None = None
    properties: list = field(default_factory=list)
    is_embedded: bool = False
    is_asymmetric: bool = False

    def property(self, name):
        return next((each for each in self.properties if each.name == name), None)


def write_class(piece, each):
    piece.name(each.name)
    piece.byte(each.is_embedded | each.is_asymmetric << 1)
    piece.optional(each.primary_key, piece.name)
    piece.many(each.properties, lambda item: write_property(piece, item))


def write_property(piece, each):
    piece.name(each.name)
    piece.byte(each.type)
    piece.byte(each.collection)
    piece.byte(each.is_optional | each.is_indexed << 1 | each.has_text_index << 2)
    piece.optional(each.target, piece.name)


def read_class(piece):
    name = piece.name()
    flags = piece.tag(3)
    key = piece.optional(piece.name)
    properties = piece.many(lambda: read_property(piece))
    return Class(name, key, properties, bool(flags & 1), bool(flags & 2))


def read_property(piece):
    name, kind, collection, flags = piece.name(), piece.byte(), piece.tag(3), piece.tag(7)
    target = piece.optional(piece.name)
    flag = [bool(flags >> bit & 1) for bit in range(3)]
    return Property(name, kind, collection, *flag, target=target)
