internal import Atoll
internal import Foundation

/// A change of a collection, which the library and the model make alike.
enum ApiChange {
  case append(ApiValue)
  case insert([ApiValue], Int)
  case replace(Range<Int>, [ApiValue])
  case setElement(Int, ApiValue)
  case removeAt(Int)
  case removeFirst(Int)
  case removeLast(Int)
  case removeOffsets([Int])
  case move(Int, Int)
  case moveOffsets([Int], Int)
  case swap(Int, Int)
  case sort
  case reverse
  case slice(Range<Int>, ApiSliceChange)
  case add([ApiValue])
  case remove(ApiValue)
  case union([ApiValue])
  case intersect([ApiValue])
  case subtract([ApiValue])
  case setKey(String, ApiValue)
  case removeKey(String)
  case merge([String: ApiValue])
  case removeAll

  /// The change of the model's value.
  func apply(to value: inout ApiValue) {
    switch value {
    case .list(var list):
      apply(to: &list)
      value = .list(list)
    case .set(var set):
      switch self {
      case .add(let members), .union(let members): set.formUnion(members)
      case .remove(let member): set.remove(member)
      case .intersect(let members): set.formIntersection(members)
      case .subtract(let members): set.subtract(members)
      default: set = []
      }
      value = .set(set)
    case .map(var map):
      switch self {
      case .setKey(let key, let new): map[key] = new
      case .removeKey(let key): map[key] = nil
      case .merge(let entries): map.merge(entries) { $1 }
      default: map = [:]
      }
      value = .map(map)
    default: preconditionFailure("\(value) is no collection")
    }
  }

  private func apply(to list: inout [ApiValue]) {
    switch self {
    case .append(let element): list.append(element)
    case .insert(let elements, let index): list.insert(contentsOf: elements, at: index)
    case .replace(let range, let elements): list.replaceSubrange(range, with: elements)
    case .setElement(let index, let element): list[index] = element
    case .removeAt(let index): list.remove(at: index)
    case .removeFirst(let count): list.removeFirst(count)
    case .removeLast(let count): list.removeLast(count)
    case .removeOffsets(let offsets): for offset in offsets.reversed() { list.remove(at: offset) }
    case .move(let from, let to): list.insert(list.remove(at: from), at: to)
    case .moveOffsets(let offsets, let destination):
      let moved = offsets.map { list[$0] }
      for offset in offsets.reversed() { list.remove(at: offset) }
      list.insert(contentsOf: moved, at: destination - offsets.count { $0 < destination })
    case .swap(let a, let b): list.swapAt(a, b)
    case .sort: list.sort()
    case .reverse: list.reverse()
    case .slice(let range, let change): change.apply(to: &list[range])
    default: list = []
    }
  }

  // MARK: Of the library

  func apply<Element: ApiElement & RealmCollectionValue>(
    to list: List<Element>, _ objects: ApiObjects
  ) {
    func made(_ values: [ApiValue]) -> [Element] { values.map { Element.make($0, objects) } }
    switch self {
    case .append(let element): list.append(Element.make(element, objects))
    case .insert(let elements, let index):
      if elements.count == 1 {
        list.insert(Element.make(elements[0], objects), at: index)
      } else if index == list.count {
        list.append(objectsIn: made(elements))
      } else {
        list.insert(contentsOf: made(elements), at: index)
      }
    case .replace(let range, let elements): list.replaceSubrange(range, with: made(elements))
    case .setElement(let index, let element): list[index] = Element.make(element, objects)
    case .removeAt(let index): list.remove(at: index)
    case .removeFirst(let count): list.removeFirst(count)
    case .removeLast(let count): list.removeLast(count)
    case .removeOffsets(let offsets): list.remove(atOffsets: IndexSet(offsets))
    case .move(let from, let to): list.move(from: from, to: to)
    case .moveOffsets(let offsets, let destination):
      list.move(fromOffsets: IndexSet(offsets), toOffset: destination)
    case .swap(let a, let b): list.swapAt(a, b)
    case .sort: list.sort { $0.plain < $1.plain }
    case .reverse: list.reverse()
    case .slice(let range, let change): change.apply(to: &list[range], objects)
    default: list.removeAll()
    }
  }

  func apply<Element: ApiElement & RealmCollectionValue>(
    to set: MutableSet<Element>, _ objects: ApiObjects
  ) {
    func made(_ values: [ApiValue]) -> MutableSet<Element> {
      let set = MutableSet<Element>()
      set.insert(objectsIn: values.map { Element.make($0, objects) })
      return set
    }
    switch self {
    case .add(let members):
      if members.count == 1 {
        set.insert(Element.make(members[0], objects))
      } else {
        set.insert(objectsIn: members.map { Element.make($0, objects) })
      }
    case .remove(let member): set.remove(Element.make(member, objects))
    case .union(let members): set.formUnion(made(members))
    case .intersect(let members): set.formIntersection(made(members))
    case .subtract(let members): set.subtract(made(members))
    default: set.removeAll()
    }
  }

  func apply<Element: ApiElement & _MapValue>(
    to map: Map<String, Element>, _ objects: ApiObjects
  ) {
    switch self {
    case .setKey(let key, let value): map.updateValue(Element.make(value, objects), forKey: key)
    case .removeKey(let key): map.removeObject(for: key)
    case .merge(let entries):
      map.merge(
        entries.sorted { $0.key < $1.key }.map {
          (key: $0.key, value: Element.make($0.value, objects))
        }
      ) { $1 }
    default: map.removeAll()
    }
  }
}

extension ApiChange: CustomStringConvertible {
  var description: String {
    switch self {
    case .append(let element): "append(\(element))"
    case .insert(let elements, let index): "insert(\(elements), at: \(index))"
    case .replace(let range, let elements): "replaceSubrange(\(range), with: \(elements))"
    case .setElement(let index, let element): "[\(index)] = \(element)"
    case .removeAt(let index): "remove(at: \(index))"
    case .removeFirst(let count): "removeFirst(\(count))"
    case .removeLast(let count): "removeLast(\(count))"
    case .removeOffsets(let offsets): "remove(atOffsets: \(offsets))"
    case .move(let from, let to): "move(from: \(from), to: \(to))"
    case .moveOffsets(let offsets, let place): "move(fromOffsets: \(offsets), toOffset: \(place))"
    case .swap(let a, let b): "swapAt(\(a), \(b))"
    case .sort: "sort()"
    case .reverse: "reverse()"
    case .slice(let range, let change): "[\(range)]\(change)"
    case .add(let members): "insert(\(members))"
    case .remove(let member): "remove(\(member))"
    case .union(let members): "formUnion(\(members))"
    case .intersect(let members): "formIntersection(\(members))"
    case .subtract(let members): "subtract(\(members))"
    case .setKey(let key, let value): "[\"\(key)\"] = \(value)"
    case .removeKey(let key): "removeObject(for: \"\(key)\")"
    case .merge(let entries): "merge(\(ApiValue.map(entries)))"
    case .removeAll: "removeAll()"
    }
  }
}
