"""A piece: names, addresses and entry names that occur again are numbers.

Each body of a message is one piece (Format.md, "Recorded values").
"""

from .binary import Reader, Writer
from .errors import Malformed
from .value_coding import encoded, read_value, write_value
from .values import Address, Cursor, ElementID

ADDRESS_LIMIT = 65536


class PieceWriter(Writer):
    def __init__(self):
        super().__init__()
        self.names = {}
        self.addresses = {}
        self.entry_names = {}
        self.last_address = None

    def name(self, name):
        number = self.names.get(name)
        if number is not None:
            self.varint(number)
            return
        self.names[name] = len(self.names) + 1
        self.varint(0)
        self.string(name)

    def address(self, address):
        # Keys of different types are different keys, though Python finds True and 1 equal.
        identity = (address.class_name, type(address.key), address.key)
        if identity == self.last_address:
            self.varint(1)
        elif identity in self.addresses:
            self.varint(self.addresses[identity] + 2)
        else:
            if len(self.addresses) < ADDRESS_LIMIT:
                self.addresses[identity] = len(self.addresses)
            self.varint(0)
            self.name(address.class_name)
            write_value(self, address.key)
        self.last_address = identity

    def entry_name(self, client, number):
        known = self.entry_names.get((client, number))
        if known is not None:
            self.varint(known)
            return
        self.entry_names[client, number] = len(self.entry_names) + 1
        self.varint(0)
        self.fixed(client)
        self.varint(number)

    def element_id(self, element):
        self.entry_name(element.client, element.number)
        self.varint(element.index)

    def cursor(self, cursor):
        self.fixed(cursor.incarnation)
        self.varint(cursor.version)


class PieceReader(Reader):
    def __init__(self, data):
        super().__init__(data)
        self.names = []
        self.addresses = []
        self.entry_names = []
        self.last_address = None

    def known(self, items, number):
        if not 0 <= number < len(items):
            raise Malformed(f"number {number} of {len(items)} before {self.offset}")
        return items[number]

    def name(self):
        number = self.varint()
        if number > 0:
            return self.known(self.names, number - 1)
        self.names.append(self.string())
        return self.names[-1]

    def address(self):
        number = self.varint()
        if number == 1:
            if self.last_address is None:
                raise Malformed("no address before the first one")
        elif number > 1:
            self.last_address = self.known(self.addresses, number - 2)
        else:
            address = Address(self.name(), read_value(self))
            if len(self.addresses) < ADDRESS_LIMIT:
                self.addresses.append(address)
            self.last_address = address
        return self.last_address

    def element_id(self):
        number = self.varint()
        if number == 0:
            self.entry_names.append((self.fixed(), self.varint()))
            number = len(self.entry_names)
        client, entry = self.known(self.entry_names, number - 1)
        return ElementID(client, entry, self.varint())

    def cursor(self):
        return Cursor(self.fixed(), self.varint())


def key_bytes(value):
    """Returns the bytes of a value in a piece of its own: of equal values the same."""
    return encoded(PieceWriter, value)
