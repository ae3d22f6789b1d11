/// A step from a value into it.
package enum ValueStep: Hashable, Sendable {
  /// To an element of a list.
  case index(Int)
  /// To the value of a key of a map.
  case key(String)
  /// To the members of a set.
  case member

  package static func == (a: ValueStep, b: ValueStep) -> Bool {
    switch (a, b) {
    case (.index(let x), .index(let y)): x == y
    case (.key(let x), .key(let y)): Ordering(utf8: x, y) == .equal
    case (.member, .member): true
    default: false
    }
  }
}

/// The way from a property of mixed values to a value in it, as bytes (Format.md, "Pending links").
package struct ValuePath: Hashable {
  private enum Tag: UInt8 {
    case index = 0
    case key = 1
    case member = 2
  }

  package private(set) var bytes: [UInt8] = []

  package init() {}

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package init(_ steps: some Sequence<ValueStep>) {
    for step in steps { append(step) }
  }

  package mutating func append(_ step: ValueStep) {
    switch step {
    case .index(let index):
      bytes.append(Tag.index.rawValue)
      bytes.appendBigEndian(UInt32(index))
    case .key(let key):
      bytes.append(Tag.key.rawValue)
      bytes.appendCount(key.utf8.count)
      bytes += key.utf8
    case .member: bytes.append(Tag.member.rawValue)
    }
  }

  package func appending(_ step: ValueStep) -> ValuePath {
    var path = self
    path.append(step)
    return path
  }

  /// The steps; nil for bytes that are no path, or a longer one than any value has.
  package var steps: [ValueStep]? {
    // SAFETY: the bytes of an array, which outlives the call.
    try? unsafe Self.steps(bytes.span.bytes)
  }

  private static func steps(_ bytes: borrowing RawSpan) throws(ValueCodingError) -> [ValueStep] {
    var steps: [ValueStep] = []
    var cursor = ByteCursor()
    while cursor.remaining(in: bytes) > 0 {
      guard steps.count <= MixedCoding.nestingLimit + 1 else {
        throw .nestingTooDeep(limit: MixedCoding.nestingLimit)
      }
      let byte = try cursor.byte(in: bytes)
      switch Tag(rawValue: byte) {
      case .index: steps.append(.index(Int(try cursor.bigEndian(UInt32.self, in: bytes))))
      case .key:
        let count = try cursor.count(in: bytes)
        steps.append(.key(try cursor.string(count: count, in: bytes)))
      case .member: steps.append(.member)
      case nil: throw .unknownTag(byte, byteOffset: cursor.offset - 1)
      }
    }
    return steps
  }

  // MARK: Moving

  /// Finds where waiting values are after what they lie in is replaced: a reader sees null there.
  ///
  /// Elements that stay take them along; so do those that changed in their places. Nil for a place
  /// that is gone, or holds something else now.
  /// A link that is the whole value, and no collection's, has no place in the next one: null clears
  /// it.
  static func moved(_ paths: [[ValueStep]], _ old: Value, _ new: Value) -> [[ValueStep]?] {
    zip(paths, moved(paths.map { $0[...] }, old, new)).map { $0.isEmpty ? nil : $1 }
  }

  private static func moved(_ paths: [ArraySlice<ValueStep>], _ old: Value, _ new: Value)
    -> [[ValueStep]?]
  {
    var result = [[ValueStep]?](repeating: nil, count: paths.count)
    var groups: [ValueStep: [Int]] = [:]
    for (number, path) in paths.enumerated() {
      if let step = path.first {
        groups[step, default: []].append(number)
      } else if new.isNull {
        result[number] = []
      }
    }
    var places: [Int?]?
    for (step, numbers) in groups {
      let target: (step: ValueStep, old: Value, new: Value)?
      switch (step, old, new) {
      case (.index(let index), .list(let before), .list(let after)):
        if places == nil { places = Self.places(before, after) }
        guard index < before.count, let place = places?[index] else { continue }
        target = (.index(place), before[index], after[place])
      case (.key(let key), .map(let before), .map(let after)):
        guard let old = before[key], let new = after[key] else { continue }
        target = (step, old, new)
      case (.member, .set, .set): target = (step, .null, .null)
      default: target = nil
      }
      guard let target else { continue }
      let rest = moved(numbers.map { paths[$0].dropFirst() }, target.old, target.new)
      for (number, path) in zip(numbers, rest) {
        if let path { result[number] = [target.step] + path }
      }
    }
    return result
  }

  /// Where each element of a list is in another one; nil for one that is gone.
  private static func places(_ old: [Value], _ new: [Value]) -> [Int?] {
    var places = [Int?](repeating: nil, count: old.count)
    let kept = ElementMatching.kept(old, new)
    for (index, source) in kept.enumerated() {
      if let source { places[source] = index }
    }
    // Between two that stay, as many elements as there were are the same ones, changed.
    var index = 0
    var place = 0
    while index < old.count {
      if let known = places[index] {
        (index, place) = (index + 1, known + 1)
        continue
      }
      var end = index
      while end < old.count, places[end] == nil { end += 1 }
      let nextPlace = end < old.count ? places[end] ?? new.count : new.count
      if nextPlace - place == end - index {
        for offset in 0..<end - index { places[index + offset] = place + offset }
      }
      index = end
    }
    return places
  }
}

extension Value {
  /// A set of elements: each once, in the order of mixed values.
  package static func normalizedSet(_ elements: [Value]) -> Value {
    var sorted = elements.sorted { sortOrder($0, $1) == .less }
    var previous: Value?
    sorted.removeAll { element in
      defer { previous = element }
      return previous.map { sortOrder($0, element) == .equal } ?? false
    }
    return .set(sorted)
  }

  /// The value at the end of a path; nil where it leads nowhere, and for members of a set.
  package func value(at steps: some Collection<ValueStep>) -> Value? {
    guard let step = steps.first else { return self }
    switch (step, self) {
    case (.index(let index), .list(let elements)) where elements.indices.contains(index):
      return elements[index].value(at: steps.dropFirst())
    case (.key(let key), .map(let map)): return map[key]?.value(at: steps.dropFirst())
    default: return nil
    }
  }

  /// The value with another one at the end of a path, or one more member of the set there; nil
  /// where the path leads nowhere.
  package func replacing(at steps: some Collection<ValueStep>, with new: Value) -> Value? {
    guard let step = steps.first else { return new }
    let rest = steps.dropFirst()
    switch (step, self) {
    case (.index(let index), .list(var elements)) where elements.indices.contains(index):
      guard let element = elements[index].replacing(at: rest, with: new) else { return nil }
      elements[index] = element
      return .list(elements)
    case (.key(let key), .map(var map)):
      guard let value = map[key]?.replacing(at: rest, with: new) else { return nil }
      map[key] = .some(value)
      return .map(map)
    case (.member, .set(let elements)): return Value.normalizedSet(elements + [new])
    default: return nil
    }
  }

  /// The value with other links, also in the collections of a mixed value.
  func mappingLinks(_ other: (ObjectLink) -> ObjectLink) -> Value {
    switch self {
    case .link(let link): .link(other(link))
    case .list(let elements): .list(elements.map { $0.mappingLinks(other) })
    case .set(let elements): Value.normalizedSet(elements.map { $0.mappingLinks(other) })
    case .map(let map):
      .map(ValueMap(map.entries.map { (key: $0.key, value: $0.value.mappingLinks(other)) }))
    default: self
    }
  }

  /// The value with links in the places of nulls, and as further members of sets.
  ///
  /// A place that holds another value by now keeps it, and one that is gone stays so.
  ///
  /// - Parameter links: With the bytes of their paths; those that are none are left out.
  /// - Returns: The value with those of the links whose places are there.
  /// - Complexity: O(n) in the value and in the links.
  package func filling(_ links: some Sequence<(path: [UInt8], link: ObjectLink)>) -> Value {
    filling(
      places: links.compactMap { path, link in
        ValuePath(bytes: path).steps.map { (steps: $0[...], link: link) }
      })
  }

  private func filling(places: [(steps: ArraySlice<ValueStep>, link: ObjectLink)]) -> Value {
    var value = self
    var members: [Value] = []
    var inside: [ValueStep: [(steps: ArraySlice<ValueStep>, link: ObjectLink)]] = [:]
    for (steps, link) in places {
      guard let step = steps.first else {
        if value.isNull { value = .link(link) }
        continue
      }
      if step == .member {
        members.append(.link(link))
      } else {
        inside[step, default: []].append((steps.dropFirst(), link))
      }
    }
    switch value {
    case .list(var elements):
      for (step, places) in inside {
        guard case .index(let index) = step, elements.indices.contains(index) else { continue }
        elements[index] = elements[index].filling(places: places)
      }
      return .list(elements)
    case .map(let map) where !inside.isEmpty:
      return .map(
        ValueMap(
          map.entries.map { entry in
            (
              key: entry.key,
              value: inside[.key(entry.key)].map(entry.value.filling(places:)) ?? entry.value
            )
          }))
    case .set(let elements) where !members.isEmpty:
      return Value.normalizedSet(elements + members)
    default: return value
    }
  }

  /// Whether a link is in the value.
  package var containsLink: Bool {
    switch self {
    case .link: true
    case .list(let elements), .set(let elements): elements.contains { $0.containsLink }
    case .map(let map): map.entries.contains { $0.value.containsLink }
    default: false
    }
  }

  /// Visits the links in the value with their places.
  func forEachLink<Failure: Error>(
    at path: ValuePath, _ body: (ObjectLink, ValuePath) throws(Failure) -> Void
  ) throws(Failure) {
    switch self {
    case .link(let link): try body(link, path)
    case .list(let elements):
      for (index, element) in elements.enumerated() where element.containsLink {
        try element.forEachLink(at: path.appending(.index(index)), body)
      }
    case .set(let elements):
      for element in elements where element.containsLink {
        try element.forEachLink(at: path.appending(.member), body)
      }
    case .map(let map):
      for entry in map.entries where entry.value.containsLink {
        try entry.value.forEachLink(at: path.appending(.key(entry.key)), body)
      }
    default: break
    }
  }

  /// The value with null for the links that `isCleared`, wherever they are in it, and how many
  /// those were; a set loses them, and members that come to equal others.
  func clearingLinks(where isCleared: (ObjectLink) -> Bool) -> (Value, removedCount: Int) {
    guard containsLink else { return (self, 0) }
    var count = 0
    func cleared(_ value: Value) -> Value {
      let (value, number) = value.clearingLinks(where: isCleared)
      count += number
      return value
    }
    switch self {
    case .link(let link): return isCleared(link) ? (.null, 1) : (self, 0)
    case .list(let elements):
      let new = Value.list(elements.map(cleared))
      return (new, count)
    case .set(let elements):
      let kept = elements.filter { element in
        let isGone = element.link.map(isCleared) ?? false
        if isGone { count += 1 }
        return !isGone
      }
      // With null in them, members may have another place, and may equal others.
      let new = Value.normalizedSet(kept.map(cleared))
      return (new, count)
    case .map(let map):
      let new = Value.map(ValueMap(map.entries.map { (key: $0.key, value: cleared($0.value)) }))
      return (new, count)
    default: return (self, 0)
    }
  }
}
