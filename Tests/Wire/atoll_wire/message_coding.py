"""The bodies of messages as bytes (Format.md, "Sync messages")."""

from . import positions
from .errors import Malformed
from .messages import (
    Answer, Batch, Bootstrap, Bye, Confirm, Digests, Error, Header, HeldSet, Hello, Mark, Member,
    Object, Ping, Pong, Push, RefusedMember, Run, Schema, Sets, Unit, Verdict, Verify, Welcome,
)
from .operations import read_transaction, write_transaction
from .piece import PieceReader, PieceWriter
from .schema import read_class, write_class
from .value_coding import read_value, write_value

# A run of equal verdicts may stand for as many as a push has operations.
MOST_VERDICTS = 64 << 20


def encode(message):
    """Returns the kind of a message, and its body."""
    kind, write, _ = CODING[type(message)]
    piece = PieceWriter()
    write(piece, message)
    return kind, bytes(piece.data)


def decode(kind, body):
    """Returns the message of a body; None if its kind is unknown and may be skipped."""
    if kind not in READERS:
        if kind & 0x80:
            return None
        raise Malformed(f"message of the unknown kind {kind}")
    piece = PieceReader(body)
    message = READERS[kind](piece)
    piece.end()
    return message


def kinds_with_parts():
    return {1, 3, 4, 5, 6, 9, 132}


# Parts that several messages have.


def write_header(piece, header):
    piece.varint(header.number)
    piece.fixed(header.digest)
    piece.fixed(header.first_client)
    piece.varint(header.first_number)


def read_header(piece):
    return Header(piece.varint(), piece.fixed(), piece.fixed(), piece.varint())


def write_members(piece, members):
    piece.varint(len(members))
    for member in members:
        piece.name(member.class_name)
        piece.string(member.query)


def read_members(piece):
    return piece.many(lambda: Member(piece.name(), piece.string()))


def write_refused(piece, refused):
    piece.varint(len(refused))
    for each in refused:
        piece.varint(each.place)
        piece.string(each.reason)


def read_refused(piece):
    return piece.many(lambda: RefusedMember(piece.varint(), piece.string()))


# Each message.


def write_hello(piece, hello):
    piece.varint(hello.version)
    piece.fixed(hello.client)
    piece.optional(hello.token, piece.fixed)
    piece.optional(hello.proof, piece.cursor)
    piece.optional(hello.cursor, piece.cursor)
    piece.varint(hello.answered)
    piece.flag(hello.sets is not None)
    if hello.sets is not None:
        piece.varint(hello.sets.number)
        piece.signed(hello.sets.version)
        write_members(piece, hello.sets.members)
    piece.flag(hello.bootstrap is not None)
    if hello.bootstrap is not None:
        piece.varint(hello.bootstrap.run)
        piece.bytes(hello.bootstrap.position)
        piece.optional(hello.bootstrap.base, piece.cursor)
    piece.flag(hello.is_progressive)


def read_hello(piece):
    version, client = piece.varint(), piece.fixed()
    token = piece.optional(piece.fixed)
    proof, cursor = piece.optional(piece.cursor), piece.optional(piece.cursor)
    answered = piece.varint()
    sets = piece.optional(lambda: HeldSet(piece.varint(), piece.signed(), read_members(piece)))
    bootstrap = piece.optional(
        lambda: Bootstrap(piece.varint(), piece.bytes(), piece.optional(piece.cursor))
    )
    return Hello(
        client, token, proof, cursor, answered, sets, bootstrap, piece.flag(), version
    )


def write_welcome(piece, welcome):
    piece.varint(welcome.version)
    piece.fixed(welcome.token)
    piece.byte(welcome.as_new)
    piece.varint(welcome.pushed)
    piece.fixed(welcome.digest)
    piece.flag(welcome.wants_schema)


def read_welcome(piece):
    return Welcome(
        piece.varint(), piece.fixed(), piece.tag(2), piece.varint(), piece.fixed(), piece.flag()
    )


def write_schema(piece, schema):
    write_header(piece, schema.header)
    piece.many(schema.classes, lambda each: write_class(piece, each))


def read_schema(piece):
    return Schema(read_header(piece), piece.many(lambda: read_class(piece)))


def write_sets(piece, sets):
    write_header(piece, sets.header)
    piece.signed(sets.version)
    write_members(piece, sets.members)


def read_sets(piece):
    return Sets(read_header(piece), piece.signed(), read_members(piece))


def write_push(piece, push):
    write_header(piece, push.header)
    write_transaction(piece, push.transaction)


def read_push(piece):
    return Push(read_header(piece), read_transaction(piece))


def write_batch(piece, batch):
    piece.optional(batch.base, piece.cursor)
    piece.optional(batch.to, piece.cursor)
    piece.varint(batch.read_at)
    piece.varint(batch.read_time)
    piece.fixed(batch.newest_clock)
    piece.varint(batch.set_number)
    piece.flag(batch.run is not None)
    if batch.run is not None:
        piece.varint(batch.run.number)
        piece.bytes(batch.run.position)
        piece.flag(batch.run.is_restart)
        piece.optional(batch.run.estimate, piece.varint)
    piece.many(batch.classes, lambda each: write_class(piece, each))
    piece.many(batch.objects, lambda each: write_object(piece, each))
    piece.many(batch.answers, lambda each: write_answer(piece, each))


def read_batch(piece):
    base, to = piece.optional(piece.cursor), piece.optional(piece.cursor)
    numbers = piece.varint(), piece.varint(), piece.fixed(), piece.varint()
    run = piece.optional(
        lambda: Run(piece.varint(), piece.bytes(), piece.flag(), piece.optional(piece.varint))
    )
    classes = piece.many(lambda: read_class(piece))
    objects = piece.many(lambda: read_object(piece))
    answers = piece.many(lambda: read_answer(piece))
    if to is None and run is None:
        raise Malformed("a batch without an end has a run")
    return Batch(base, to, *numbers, run, classes, objects, answers)


def write_object(piece, each):
    piece.address(each.address)
    piece.byte(each.tag)
    if each.tag == Object.FULL:
        piece.cursor(each.generation)
    if each.tag != Object.LEAVE:
        piece.many(each.units, lambda unit: write_unit(piece, unit))


def read_object(piece):
    each = Object(piece.address(), piece.tag(2))
    if each.tag == Object.FULL:
        each.generation = piece.cursor()
    if each.tag != Object.LEAVE:
        each.units = piece.many(lambda: read_unit(piece))
    return each


def write_unit(piece, unit):
    piece.byte(unit.tag)
    piece.name(unit.name)
    if unit.tag in (Unit.ELEMENT, Unit.REMOVED_ELEMENT):
        piece.element_id(unit.element)
    if unit.tag == Unit.ELEMENT:
        piece.bytes(positions.encode(unit.position))
    if unit.tag in (Unit.ENTRY, Unit.MEMBER, Unit.REMOVED_PART):
        write_value(piece, unit.part)
    if unit.tag in (Unit.VALUE, Unit.ELEMENT, Unit.ENTRY):
        write_value(piece, unit.value)


def read_unit(piece):
    unit = Unit(piece.tag(5), piece.name())
    if unit.tag in (Unit.ELEMENT, Unit.REMOVED_ELEMENT):
        unit.element = piece.element_id()
    if unit.tag == Unit.ELEMENT:
        unit.position = positions.decode(piece.bytes())
    if unit.tag in (Unit.ENTRY, Unit.MEMBER, Unit.REMOVED_PART):
        unit.part = read_value(piece)
    if unit.tag in (Unit.VALUE, Unit.ELEMENT, Unit.ENTRY):
        unit.value = read_value(piece)
    return unit


def write_answer(piece, answer):
    runs = []
    for verdict in answer.verdicts:
        if runs and runs[-1][1] == verdict:
            runs[-1][0] += 1
        else:
            runs.append([1, verdict])
    piece.varint(answer.number)
    piece.varint(len(runs))
    for count, verdict in runs:
        piece.varint(count)
        write_verdict(piece, verdict)


def read_answer(piece):
    answer = Answer(piece.varint(), [])
    for count, verdict in piece.many(lambda: (piece.varint(), read_verdict(piece))):
        if count > MOST_VERDICTS:
            raise Malformed(f"{count} equal verdicts")
        answer.verdicts += [verdict] * count
    return answer


def write_verdict(piece, verdict):
    piece.byte(verdict.tag)
    if verdict.tag in (Verdict.APPLIED, Verdict.KNOWN):
        piece.optional(verdict.generation, piece.cursor)
    elif verdict.tag == Verdict.REFUSED:
        piece.varint(verdict.reason)
        piece.string(verdict.text)
        write_refused(piece, verdict.refused)


def read_verdict(piece):
    verdict = Verdict(piece.tag(4))
    if verdict.tag in (Verdict.APPLIED, Verdict.KNOWN):
        verdict.generation = piece.optional(piece.cursor)
    elif verdict.tag == Verdict.REFUSED:
        verdict.reason, verdict.text = piece.varint(), piece.string()
        verdict.refused = read_refused(piece)
    return verdict


def write_confirm(piece, confirm):
    piece.fixed(confirm.token)
    piece.optional(confirm.cursor, piece.cursor)
    piece.varint(confirm.answered)


def read_confirm(piece):
    return Confirm(piece.fixed(), piece.optional(piece.cursor), piece.varint())


def write_error(piece, error):
    piece.byte(error.action)
    piece.varint(error.code)
    piece.optional(error.retry_after, piece.varint)
    piece.string(error.text)
    write_refused(piece, error.refused)


def read_error(piece):
    return Error(
        piece.tag(4), piece.varint(), piece.optional(piece.varint), piece.string(),
        read_refused(piece),
    )


def write_number(piece, message):
    piece.varint(message.number)


def write_digests(piece, message):
    piece.varint(message.number)
    piece.cursor(message.cursor)
    piece.varint(message.set_number)
    piece.flag(message.digests is not None)
    if message.digests is not None:
        piece.varint(len(message.digests))
        for count, digest in message.digests:
            piece.varint(count)
            piece.fixed(digest)


def read_digests(piece):
    return Digests(
        piece.varint(), piece.cursor(), piece.varint(),
        piece.optional(lambda: piece.many(lambda: (piece.varint(), piece.fixed()))),
    )


def number_reader(message):
    return lambda piece: message(piece.varint())


CODING = {
    Hello: (1, write_hello, read_hello),
    Welcome: (2, write_welcome, read_welcome),
    Schema: (3, write_schema, read_schema),
    Sets: (4, write_sets, read_sets),
    Push: (5, write_push, read_push),
    Batch: (6, write_batch, read_batch),
    Confirm: (7, write_confirm, read_confirm),
    Mark: (8, write_number, number_reader(Mark)),
    Error: (9, write_error, read_error),
    Bye: (10, lambda piece, message: None, lambda piece: Bye()),
    Ping: (129, write_number, number_reader(Ping)),
    Pong: (130, write_number, number_reader(Pong)),
    Verify: (131, write_number, number_reader(Verify)),
    Digests: (132, write_digests, read_digests),
}
READERS = {kind: read for kind, _, read in CODING.values()}
