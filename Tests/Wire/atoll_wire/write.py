"""A transaction that is being written."""

import random

from . import positions
from .objects import Objects
from .operations import (
    ADD_MEMBER, CHANGE_WITHIN, CREATE, DELETE, INCREMENT, INSERT, MOVE_ELEMENT, REMOVE_ELEMENT,
    REMOVE_PART, SET, SET_ELEMENT, SET_ENTRY, Operation, Pending,
)
from .values import Address, ElementID

# Ids of elements and incarnations that nobody makes again: a number of this run, a count.
RUN = random.getrandbits(64)
counts = {"ids": 0}


def new_id():
    counts["ids"] += 1
    return ElementID(RUN, 1, counts["ids"])


class Write:
    """Collects operations; the device records them at the end of `with device.write() as write`."""

    def __init__(self, device):
        self.device = device
        self.operations = []
        self.created = {}
        # Objects as they are with the operations so far: where elements of lists are.
        self.visible = Objects()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None and self.operations:
            self.device.record(self.operations)

    def create(self, class_name, key, **values):
        """Creates an object, sets properties of it, and returns its address."""
        address = Address(class_name, key)
        self.created[address] = Pending(self.device.outbox.next_number, len(self.operations))
        self.operations.append(Operation(CREATE, address))
        self.visible.apply_operation(self.operations[-1])
        for name, value in values.items():
            self.set(address, name, value)
        return address

    def delete(self, address):
        self.append(DELETE, address)
        self.created.pop(address, None)

    def set(self, address, name, value):
        self.append(SET, address, name=name, value=value)

    def increment(self, address, name, amount):
        self.append(INCREMENT, address, name=name, value=amount)

    def insert(self, address, name, index, value):
        """Inserts before the element at `index`, and returns the id of the new one."""
        element, position = new_id(), self.position_before(address, name, index)
        self.append(INSERT, address, name=name, element=element, position=position, value=value)
        return element

    def set_element(self, address, name, element, value):
        self.append(SET_ELEMENT, address, name=name, element=element, value=value)

    def move_element(self, address, name, element, index):
        """Moves an element before the one that is at `index` now."""
        position = self.position_before(address, name, index)
        self.append(MOVE_ELEMENT, address, name=name, element=element, position=position)

    def remove_element(self, address, name, element):
        self.append(REMOVE_ELEMENT, address, name=name, element=element)

    def set_entry(self, address, name, key, value):
        self.append(SET_ENTRY, address, name=name, part=key, value=value)

    def add_member(self, address, name, member):
        self.append(ADD_MEMBER, address, name=name, part=member)

    def remove_part(self, address, name, part):
        """Removes the entry of a map with this key, or the member of a set."""
        self.append(REMOVE_PART, address, name=name, part=part)

    def change_within(self, address, name, path, change, inner=None):
        self.append(CHANGE_WITHIN, address, name=name, path=path, change=change, inner=inner)

    def append(self, tag, address, **fields):
        generation = self.created.get(address) or self.device.generation(address)
        self.operations.append(Operation(tag, address, generation, **fields))
        self.visible.apply_operation(self.operations[-1])

    def position_before(self, address, name, index):
        if address not in self.visible:
            held = self.device.visible(address)
            if held is None:
                raise KeyError(f"{address} is not held")
            self.visible[address] = held
            for operation in self.operations:
                if operation.address == address:
                    self.visible.apply_operation(operation)
        held = self.visible[address]
        elements = held.list(name)
        place = [held.position(name, element) for element, _ in elements]
        before = place[index - 1] if index > 0 else None
        after = place[index] if index < len(place) else None
        return positions.between(before, after, self.device.client & 0xFFFFFFFF)
