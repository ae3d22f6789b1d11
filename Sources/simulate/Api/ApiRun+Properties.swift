internal import Atoll

// Properties: set, and collections changed.

extension ApiRun {
  /// Sets a property that is no collection.
  func setOne(_ place: ApiPlace) throws {
    guard let number = anyNumber(place) else { return }
    let fields = schema[place.world[number].kind].fields.filter { $0.shape == .one && !$0.isKey }
    guard !fields.isEmpty else { return }
    let field = pick(fields)
    let object = object(number, place)
    let value = value(field, place)
    note(place, "#\(number).\(field.name) = \(value)")
    field.assign(object, value, objects(place))
    set(number, field, value, place)
  }

  /// Sets a whole collection.
  func assignCollection(_ place: ApiPlace) throws {
    guard let (number, field) = anyCollection(place) else { return }
    let object = object(number, place)
    let value = value(field, place)
    note(place, "#\(number).\(field.name) = \(value)")
    field.assign(object, value, objects(place))
    set(number, field, value, place)
  }

  func changeCollection(_ place: ApiPlace) throws {
    guard let (number, field) = anyCollection(place) else { return }
    let object = object(number, place)
    guard let old = place.world[number].values[field.name],
      let change = change(of: old, field, place)
    else { return }
    note(place, "#\(number).\(field.name) \(change)")
    field.change(object, change, objects(place))
    var value = old
    change.apply(to: &value)
    set(number, field, value, place)
  }

  /// Changes a list or a dictionary inside of a mixed value.
  func changeNested(_ place: ApiPlace) throws {
    let numbers = place.world.numbers(of: "ApiMixedBox")
    guard place.touched.contains("ApiMixedBox"), !numbers.isEmpty else { return }
    let number = pick(numbers)
    let field = schema["ApiMixedBox"].fields[0]
    guard var value = place.world[number].values[field.name],
      let box = object(number, place) as? ApiMixedBox
    else { return }
    switch value {
    case .list(let list):
      guard let change = listChange(list, field, place) else { return }
      note(place, "#\(number).value.listValue \(change)")
      guard let list = box.value.listValue else {
        throw CaseViolation("#\(number).value is no list, expected \(value)")
      }
      change.apply(to: list, objects(place))
      change.apply(to: &value)
    case .map(let map):
      guard let change = mapChange(map, field, place) else { return }
      note(place, "#\(number).value.dictionaryValue \(change)")
      guard let map = box.value.dictionaryValue else {
        throw CaseViolation("#\(number).value is no dictionary, expected \(value)")
      }
      change.apply(to: map, objects(place))
      change.apply(to: &value)
    default: return
    }
    set(number, field, value, place)
  }

  private func anyCollection(_ place: ApiPlace) -> (Int, ApiField)? {
    for _ in 0..<4 {
      guard let number = anyNumber(place) else { return nil }
      let fields = schema[place.world[number].kind].fields.filter { $0.shape != .one }
      if !fields.isEmpty { return (number, pick(fields)) }
    }
    return nil
  }

  /// A random change; nil when there is nothing to change it by.
  func change(of value: ApiValue, _ field: ApiField, _ place: ApiPlace) -> ApiChange? {
    if field.content == .scalar, chance(1, of: 30), let change = largeChange(value, field) {
      return change
    }
    return switch value {
    case .list(let list): listChange(list, field, place)
    case .set(let set): setChange(set, field, place)
    case .map(let map): mapChange(map, field, place)
    default: nil
    }
  }

  /// A change of some hundred elements: large sets and maps, and long lists, lie in trees of their
  /// own.
  private func largeChange(_ value: ApiValue, _ field: ApiField) -> ApiChange? {
    let count = number(200..<700)
    let first = number(0..<500)
    switch value {
    case .list(let list):
      if list.count > 800 { return .replace(number(0..<200)..<list.count - 100, []) }
      let elements = (0..<count).map { _ in pick(field.samples) }
      return .insert(elements, number(0..<list.count + 1))
    case .set(let set):
      if set.count > 800 { return .removeAll }
      let isOfInts = field.samples == Int.samples
      guard isOfInts || field.samples == String.samples else { return nil }
      let members = (first..<first + count).map {
        isOfInts ? ApiValue.int(Int64($0)) : .string("member \($0)")
      }
      switch number(0..<6) {
      case 0: return .intersect(members)
      case 1: return .subtract(members)
      case 2: return .union(members)
      default: return .add(members)
      }
    case .map(let map):
      if map.count > 800 { return .removeAll }
      return .merge(
        Dictionary(
          uniqueKeysWithValues: (first..<first + count).map { ("key \($0)", pick(field.samples)) }))
    default: return nil
    }
  }

  private func listChange(
    _ list: [ApiValue], _ field: ApiField, _ place: ApiPlace
  ) -> ApiChange? {
    func element() -> ApiValue? {
      let element = self.element(field, place)
      return field.target != nil && element == .null ? nil : element
    }
    func index() -> Int { number(0..<list.count) }
    func range() -> Range<Int> {
      let start = number(0..<list.count + 1)
      return start..<start + number(0..<list.count - start + 1)
    }
    let kind = number(0..<17)
    if list.isEmpty || kind < 4 { return element().map { .append($0) } }
    switch kind {
    case 4: return .insert(elements(field, place), number(0..<list.count + 1))
    case 5: return element().map { .insert([$0], number(0..<list.count + 1)) }
    case 6: return .replace(range(), elements(field, place))
    case 7: return element().map { .setElement(index(), $0) }
    case 8: return .removeAt(index())
    case 9:
      return chance(1, of: 2) ? .removeFirst(number(0..<3) % (list.count + 1)) : .removeLast(1)
    case 10: return .removeOffsets(list.indices.filter { _ in chance(1, of: 3) })
    case 11, 12: return .move(index(), index())
    case 13:
      return .moveOffsets(
        list.indices.filter { _ in chance(1, of: 3) }, number(0..<list.count + 1))
    case 14: return .swap(index(), index())
    case 15: return sliceChange(range(), field, place)
    default:
      // Embedded elements change places by moves.
      if field.isOwning || field.content == .mixed { return .swap(index(), index()) }
      return pick([.sort, .reverse, .removeAll])
    }
  }

  private func sliceChange(
    _ range: Range<Int>, _ field: ApiField, _ place: ApiPlace
  ) -> ApiChange? {
    guard !range.isEmpty else { return nil }
    let isOrdered = !field.isOwning && field.content != .mixed
    switch number(0..<5) {
    case 0: return .slice(range, .removeFirst(number(0..<range.count + 1)))
    case 1 where isOrdered: return .slice(range, pick([.sort, .reverse]))
    case 2:
      let element = element(field, place)
      if field.target != nil, element == .null { return nil }
      return .slice(range, .setElement(number(range), element))
    default: return .slice(range, .swap(number(range), number(range)))
    }
  }

  private func setChange(
    _ set: Set<ApiValue>, _ field: ApiField, _ place: ApiPlace
  ) -> ApiChange? {
    switch number(0..<8) {
    case 0..<4: return .add(elements(field, place))
    case 4:
      if set.isEmpty { return nil }
      return .remove(pick(set.sorted()))
    case 5: return .union(elements(field, place))
    case 6: return chance(1, of: 2) ? .intersect(elements(field, place)) : .removeAll
    default: return .subtract(elements(field, place))
    }
  }

  private func mapChange(
    _ map: [String: ApiValue], _ field: ApiField, _ place: ApiPlace
  ) -> ApiChange? {
    switch number(0..<8) {
    case 0..<4: return .setKey(key(), element(field, place))
    case 4, 5:
      if map.count > 3 { return .removeKey(pick(map.keys.sorted())) }
      return .removeKey(key())
    case 6: return chance(1, of: 3) ? .removeAll : .removeKey(key())
    default:
      var entries: [String: ApiValue] = [:]
      for _ in 0..<number(1..<3) {
        let key = key()
        if entries[key] == nil { entries[key] = element(field, place) }
      }
      return .merge(entries)
    }
  }

  // MARK: Objects without a realm

  /// Makes an object that no realm manages, or runs a change on one.
  func changeDetached(_ place: ApiPlace) throws {
    let plain = ["ApiScalars", "ApiOptionals", "ApiBag"]
    if place.detached.isEmpty || chance(1, of: 4) {
      let kind = schema[pick(plain)]
      let number = nextNumber()
      note(place, "let #\(number) = \(kind.name)()")
      place.detached[number] = kind.make(number)
      place.loose[number] = ApiRow(
        kind: kind.name,
        values: Dictionary(uniqueKeysWithValues: kind.fields.map { ($0.name, $0.initial) }))
      return
    }
    let number = pick(place.detached.keys.sorted())
    guard let object = place.detached[number], var row = place.loose[number] else { return }
    for _ in 0..<self.number(2..<6) {
      let field = pick(schema[row.kind].fields)
      guard var value = row.values[field.name] else { continue }
      if field.shape == .one {
        value = element(field, place)
        note(place, "#\(number).\(field.name) = \(value)")
        field.assign(object, value, objects(place))
      } else if let change = change(of: value, field, place) {
        note(place, "#\(number).\(field.name) \(change)")
        field.change(object, change, objects(place))
        change.apply(to: &value)
      }
      row.values[field.name] = value
    }
    place.loose[number] = row
    try compare(object, number, row, place)
  }

  func addDetached(_ place: ApiPlace) throws {
    guard let number = place.detached.keys.sorted().first,
      let object = place.detached[number], let row = place.loose[number]
    else { return }
    let kind = schema[row.kind]
    note(place, "add #\(number)")
    touch(kind, place)
    kind.operations?.add(realm(place), object, .error)
    place.detached[number] = nil
    place.loose[number] = nil
    place.world.add(number, row)
    place.handles[number] = object
    place.born.insert(number)
  }
}
