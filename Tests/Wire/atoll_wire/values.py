"""What a property holds.

None, bool, int, float (a double), str, bytes, uuid.UUID, list and dict (a map) stand for
themselves; the other types of values have a class here.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple


class Cursor(NamedTuple):
    """A version of the server's store."""

    incarnation: int
    version: int


class ElementID(NamedTuple):
    """The id of a list's element, and the incarnation of an embedded object."""

    client: int
    number: int
    index: int


class Address(NamedTuple):
    """An object: the name of its class, its primary key."""

    class_name: str
    key: object


class Float(float):
    """A number of 4 bytes."""


class ObjectID(bytes):
    """12 bytes."""


class Date(NamedTuple):
    """Seconds since 1970, and nanoseconds of the same sign."""

    seconds: int
    nanoseconds: int = 0


class Decimal128(bytes):
    """IEEE 754 decimal128 in binary (BID) coding, low half first: 16 bytes."""

    @classmethod
    def of(cls, text):
        """Makes a finite number of at most 34 digits."""
        sign, digits, exponent = Decimal(text).as_tuple()
        coefficient = int("".join(map(str, digits)))
        bits = sign << 127 | (exponent + 6176) << 113 | coefficient
        return cls(bits.to_bytes(16, "little"))

    def decimal(self):
        bits = int.from_bytes(self, "little")
        number = Decimal(bits & ((1 << 113) - 1)).scaleb((bits >> 113 & 0x3FFF) - 6176)
        return -number if bits >> 127 else number


@dataclass(frozen=True)
class Link:
    """The object that is linked to; it need not exist."""

    target: Address


@dataclass
class Embedded:
    """An embedded object: its incarnation (None in asymmetric objects), its properties."""

    incarnation: ElementID | None = None
    fields: dict = field(default_factory=dict)


class SetValue(list):
    """A set inside of a mixed value: its members."""
