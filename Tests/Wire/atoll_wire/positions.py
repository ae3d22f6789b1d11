"""Positions of elements in lists (Format.md, "Recorded values").

A position is a tuple of integers. Positions compare as their bytes do, and a shorter one is below
all that begin with it.
"""

from .errors import Malformed


def encode(position):
    """Returns the bytes of a position."""
    data = bytearray()
    for number in position:
        if -64 <= number < 64:
            data.append(0x80 + number)
        elif number >= 64:
            rest = number - 64
            count = max(1, (rest.bit_length() + 7) // 8)
            data.append(0xBF + count)
            data += rest.to_bytes(count, "big")
        else:
            rest = -(number + 65)
            count = max(1, (rest.bit_length() + 7) // 8)
            data.append(0x40 - count)
            data += bytes(byte ^ 0xFF for byte in rest.to_bytes(count, "big"))
    return bytes(data)


def decode(data):
    """Returns the integers of a position."""
    numbers = []
    offset = 0
    while offset < len(data):
        first = data[offset]
        count = 0 if 0x40 <= first <= 0xBF else first - 0xBF if first > 0xBF else 0x40 - first
        rest = data[offset + 1 : offset + 1 + count]
        if count > 6 or len(rest) < count:
            raise Malformed("a position with a number that is too long")
        if count == 0:
            numbers.append(first - 0x80)
        elif first > 0xBF:
            numbers.append(int.from_bytes(rest, "big") + 64)
        else:
            numbers.append(-int.from_bytes(bytes(byte ^ 0xFF for byte in rest), "big") - 65)
        offset += 1 + count
    return tuple(numbers)


def between(before, after, mark):
    """Returns a position between two, each None at an end of the list.

    `mark` tells those who insert from each other, so that what two insert at one place does not
    mix.
    """
    if before is None and after is None:
        return (0, mark, 0)
    if before is None:
        return after[:-1] + (after[-1] - 1,)
    following = before[:-1] + (before[-1] + 1,)
    if after is None or following < after:
        return following
    if after[: len(before)] == before:
        return before + (after[len(before)] - 1, mark, 0)
    return before + (0, mark, 0)
