"""What a device holds: objects with their confirmed values (Format.md, "Batches", "Entries")."""

import copy
from dataclasses import dataclass, field

from .messages import Object, Unit
from .operations import (
    ADD_MEMBER, CHANGE_WITHIN, CREATE, DELETE, INCREMENT, INSERT, MOVE_ELEMENT, REMOVE_ELEMENT,
    REMOVE_PART, SET, SET_ELEMENT, SET_ENTRY, Change,
)
from .piece import key_bytes
from .values import Cursor, Embedded


@dataclass
class HeldObject:
    """An object: values by name, elements of lists by id, entries and members by their bytes."""

    generation: Cursor | None = None
    values: dict = field(default_factory=dict)
    elements: dict = field(default_factory=dict)
    parts: dict = field(default_factory=dict)

    def list(self, name):
        """Returns the ids and values of a list, in its order."""
        elements = self.elements.get(name, {})
        ordered = sorted(elements, key=lambda element: (elements[element][0], element))
        return [(element, elements[element][1]) for element in ordered]

    def list_values(self, name):
        return [value for _, value in self.list(name)]

    def position(self, name, element):
        return self.elements[name][element][0]

    def set_members(self, name):
        """Returns the members of a set, in the order of their bytes."""
        return [part for _, (part, _) in sorted(self.parts.get(name, {}).items())]

    def map_entries(self, name):
        return {part: value for part, value in self.parts.get(name, {}).values()}

    def apply_unit(self, unit):
        if unit.tag == Unit.VALUE:
            self.values[unit.name] = unit.value
        elif unit.tag == Unit.ELEMENT:
            self.elements.setdefault(unit.name, {})[unit.element] = (unit.position, unit.value)
        elif unit.tag == Unit.REMOVED_ELEMENT:
            self.elements.get(unit.name, {}).pop(unit.element, None)
        elif unit.tag == Unit.REMOVED_PART:
            self.parts.get(unit.name, {}).pop(key_bytes(unit.part), None)
        else:
            self.parts.setdefault(unit.name, {})[key_bytes(unit.part)] = (unit.part, unit.value)

    def apply(self, operation):
        """Applies an operation other than a creation or a deletion."""
        tag, name = operation.tag, operation.name
        elements = self.elements.setdefault(name, {}) if operation.element is not None else None
        if tag == SET:
            self.values[name] = operation.value
        elif tag == INCREMENT:
            self.values[name] = (self.values.get(name) or 0) + operation.value
        elif tag == INSERT:
            elements[operation.element] = (operation.position, operation.value)
        elif tag == REMOVE_ELEMENT:
            elements.pop(operation.element, None)
        elif tag == SET_ELEMENT and operation.element in elements:
            elements[operation.element] = (elements[operation.element][0], operation.value)
        elif tag == MOVE_ELEMENT and operation.element in elements:
            elements[operation.element] = (operation.position, elements[operation.element][1])
        elif tag in (SET_ENTRY, ADD_MEMBER):
            entry = (operation.part, operation.value)
            self.parts.setdefault(name, {})[key_bytes(operation.part)] = entry
        elif tag == REMOVE_PART:
            self.parts.get(name, {}).pop(key_bytes(operation.part), None)
        elif tag == CHANGE_WITHIN:
            self.change_within(operation)

    def change_within(self, operation):
        """Changes a property of an embedded object, or an entry of a map, within a unit."""
        value = self.unit_value(operation)
        embedded = value if isinstance(value, Embedded) else None
        for name in operation.path[:-1]:
            value = contents(value).get(name)
            embedded = value if isinstance(value, Embedded) else embedded
        # The incarnation tells whether it is still the object that was changed.
        if operation.inner is not None and (
            embedded is None or embedded.incarnation != operation.inner
        ):
            return
        target, last, change = contents(value), operation.path[-1], operation.change
        if change.kind == Change.RESET:
            target.pop(last, None)
        elif change.kind == Change.SET:
            target[last] = change.value
        else:
            target[last] = (target.get(last) or 0) + change.value

    def unit_value(self, operation):
        if operation.element is not None:
            return self.elements.get(operation.name, {}).get(operation.element, (None, None))[1]
        if operation.part is not None:
            key = key_bytes(operation.part)
            return self.parts.get(operation.name, {}).get(key, (None, None))[1]
        return self.values.get(operation.name)


def contents(value):
    """Returns the properties of an embedded object, the entries of a map; of others a new dict."""
    if isinstance(value, Embedded):
        return value.fields
    return value if isinstance(value, dict) else {}


class Objects(dict):
    """Objects by their address."""

    def apply_object(self, each):
        """Applies what a batch says of an object."""
        if each.tag == Object.LEAVE:
            self.pop(each.address, None)
            return
        if each.tag == Object.FULL:
            self[each.address] = HeldObject(each.generation)
        held = self.get(each.address)
        if held is None:
            return
        for unit in each.units:
            held.apply_unit(unit)

    def apply_operation(self, operation, generation=None):
        """Applies an operation, of a creation with its generation."""
        if operation.tag == CREATE:
            if operation.address not in self:
                self[operation.address] = HeldObject(generation)
        elif operation.tag == DELETE:
            self.pop(operation.address, None)
        elif operation.address in self:
            # The value goes on changing here, and stays in the outbox as it was recorded.
            self[operation.address].apply(copy.deepcopy(operation))
