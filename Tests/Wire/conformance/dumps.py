"""The examples of Format.md, and what this client computes itself."""

import pathlib
import random
import re

from atoll_wire import digests, positions
from atoll_wire.frames import Assembler, split
from atoll_wire.outbox import content_bytes
from .check import check, expect, expect_equal

FORMAT = pathlib.Path(__file__).parents[3] / "Format.md"


def wire_dumps():
    """Returns the bytes of each dump of Format.md that is a message, by its name."""
    text = FORMAT.read_text().partition("\n## 11. Wire")[2].partition("\n## 12.")[0]
    found = {}
    for name, lines in re.findall(r"<!-- dump (\w+) -->\n```text\n(.*?)```", text, re.DOTALL):
        digits = [re.match(r"(?:[0-9a-f]{4}  )((?:[0-9a-f]{2} ?)+)", line) for line in
                  lines.splitlines()]
        found[name] = bytes.fromhex("".join(match[1] for match in digits if match))
    return found


@check
def dumps_are_read_and_written(world):
    """The messages of Format.md are read, and written again to the byte."""
    found = wire_dumps()
    expect(len(found) >= 10, f"only {len(found)} dumps were found")
    for name, data in found.items():
        message = Assembler().add(data)
        expect_equal(split(message), [data], name)


@check
def digests_follow_the_text(world):
    """The digests in the examples are those that the formulas of Format.md give."""
    messages = {name: Assembler().add(data) for name, data in wire_dumps().items()}
    header, transaction = messages["push"].header, messages["push"].transaction
    content = content_bytes(transaction)
    digest = digests.entry_digest(
        messages["welcome"].digest, header.first_client, header.first_number, content
    )
    expect_equal(digest, header.digest, "the digest of the push")
    entered = messages["batch"].objects[0]
    hashed = digests.object_hash(entered.address, entered.generation)
    expect_equal(messages["digests"].digests, [(1, hashed)], "the digest of the set")


@check
def long_messages_have_parts(world):
    """A long message fills its frames, and is read again from them."""
    message = Assembler().add(wire_dumps()["push"])
    message.transaction.operations[1].value = "x" * 600_000
    frames = split(message)
    expect_equal([len(frame) for frame in frames[:-1]], [262144, 262144], "the frames")
    assembler = Assembler()
    ping = split(Assembler().add(bytes([129, 0, 7])))[0]
    expect_equal(assembler.add(frames[0]), None, "the first part")
    expect_equal(assembler.add(ping).number, 7, "a ping between the parts")
    expect_equal([assembler.add(frame) for frame in frames[1:]], [None, message], "the message")


@check
def positions_compare_as_bytes(world):
    """Positions compare as their bytes, and there is one between any two."""
    made = random.Random(7)
    elements = []
    for _ in range(400):
        index = made.randrange(len(elements) + 1)
        before = elements[index - 1] if index > 0 else None
        after = elements[index] if index < len(elements) else None
        elements.insert(index, positions.between(before, after, made.getrandbits(32)))
    expect_equal(elements, sorted(elements), "the positions")
    data = [positions.encode(position) for position in elements]
    expect_equal(data, sorted(data), "their bytes")
    expect_equal([positions.decode(each) for each in data], elements, "read again")
