"""Numbers, strings and bytes (Format.md, "Conventions" and "Recorded values")."""

import struct

from .errors import Malformed

LIMIT = 1 << 64


class Writer:
    """Appends to bytes."""

    def __init__(self):
        self.data = bytearray()

    def byte(self, value):
        self.data.append(value)

    def flag(self, value):
        self.data.append(1 if value else 0)

    def raw(self, value):
        self.data += value

    def fixed(self, value):
        """Writes 8 bytes, little-endian."""
        self.data += struct.pack("<Q", value)

    def varint(self, value):
        if not 0 <= value < LIMIT:
            raise ValueError(f"{value} does not fit 64 bits")
        while value >= 0x80:
            self.data.append(value & 0x7F | 0x80)
            value >>= 7
        self.data.append(value)

    def signed(self, value):
        """Writes a zigzag varint."""
        self.varint(2 * value if value >= 0 else -2 * value - 1)

    def bytes(self, value):
        self.varint(len(value))
        self.data += value

    def string(self, value):
        self.bytes(value.encode())

    def optional(self, value, write):
        """Writes a flag and, unless the value is None, what `write` makes of it."""
        self.flag(value is not None)
        if value is not None:
            write(value)

    def many(self, values, write):
        """Writes a count, and each value with `write`."""
        self.varint(len(values))
        for value in values:
            write(value)


class Reader:
    """Reads bytes from front to back; every length is checked before it is used."""

    def __init__(self, data):
        self.data = data
        self.offset = 0

    def raw(self, count):
        end = self.offset + count
        if end > len(self.data):
            raise Malformed(f"{count} bytes at {self.offset} of {len(self.data)}")
        part = bytes(self.data[self.offset : end])
        self.offset = end
        return part

    def byte(self):
        if self.offset >= len(self.data):
            raise Malformed(f"a byte at {self.offset} of {len(self.data)}")
        value = self.data[self.offset]
        self.offset += 1
        return value

    def flag(self):
        value = self.byte()
        if value > 1:
            raise Malformed(f"flag {value} at {self.offset - 1}")
        return value == 1

    def tag(self, last):
        """Reads a tag from 0 to `last`."""
        value = self.byte()
        if value > last:
            raise Malformed(f"tag {value} at {self.offset - 1}, at most {last}")
        return value

    def fixed(self):
        return struct.unpack("<Q", self.raw(8))[0]

    def varint(self):
        value = 0
        for place in range(10):
            byte = self.byte()
            value |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                if value >= LIMIT or (byte == 0 and place > 0):
                    raise Malformed(f"varint that ends at {self.offset}")
                return value
        raise Malformed(f"varint of more than ten bytes at {self.offset}")

    def signed(self):
        value = self.varint()
        return value >> 1 if value & 1 == 0 else -(value >> 1) - 1

    def bytes(self):
        return self.raw(self.varint())

    def string(self):
        try:
            return self.bytes().decode()
        except UnicodeDecodeError as error:
            raise Malformed(f"no UTF-8 before {self.offset}") from error

    def optional(self, read):
        return read() if self.flag() else None

    def many(self, read):
        count = self.varint()
        if count > len(self.data) - self.offset:
            raise Malformed(f"{count} items at {self.offset}")
        return [read() for _ in range(count)]

    def end(self):
        if self.offset != len(self.data):
            raise Malformed(f"{len(self.data) - self.offset} bytes too many")
