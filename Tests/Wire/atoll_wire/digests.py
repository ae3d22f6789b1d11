"""Digests of entries, and of what a device holds (Format.md, "A connection")."""

from .piece import PieceWriter

MASK = (1 << 64) - 1
OFFSET = 0xCBF29CE484222325
PRIME = 0x100000001B3


def fnv1a(data):
    """Returns FNV-1a of 64 bits."""
    h = OFFSET
    for byte in data:
        h = (h ^ byte) * PRIME & MASK
    return h


def entry_digest(previous, client, number, content):
    """Returns the digest of an outbox entry that follows one with the digest `previous`."""
    head = b"".join(part.to_bytes(8, "big") for part in (previous, client, number))
    return fnv1a(head + content)


def object_hash(address, generation):
    """Returns the hash of an object, of which the digest of a member is the exclusive-or."""
    piece = PieceWriter()
    piece.address(address)
    piece.cursor(generation)
    h = fnv1a(piece.data)
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD & MASK
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return h ^ h >> 33
