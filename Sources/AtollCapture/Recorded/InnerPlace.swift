import AtollObjects

/// A place inside the value of a unit, which changes on its own: a property of an embedded object,
/// or an entry of a map in a mixed value.
///
/// Collections that are properties of an embedded object, and lists and sets in a mixed value, are
/// one place each.
package struct InnerPlace: Sendable {
  /// The innermost embedded object that the way leads through; nil when there is none.
  package var incarnation: ElementID?
  /// The way from the value of the unit: properties of embedded objects and keys of maps; at least
  /// one.
  package var names: [String]

  package init(incarnation: ElementID?, names: [String]) {
    self.incarnation = incarnation
    self.names = names
  }

  /// Whether this is the other place, or lies inside it.
  package func isWithin(_ other: InnerPlace) -> Bool {
    names.count >= other.names.count
      && zip(names, other.names).allSatisfy { Ordering(utf8: $0, $1) == .equal }
  }
}

/// Names are compared by their bytes, as the keys of maps are.
extension InnerPlace: Hashable {
  package static func == (a: InnerPlace, b: InnerPlace) -> Bool {
    a.incarnation == b.incarnation && a.names.count == b.names.count && a.isWithin(b)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(incarnation)
    hasher.combine(names)
  }
}

/// What happens at a place inside a value.
package enum InnerChange: Hashable, Sendable {
  /// Of a property of an embedded object, a value that differs from its type's default.
  case set(RecordedValue)
  /// A property gets its type's default, or an entry is not there any more.
  case remove
  /// Adds to an integer of an embedded object; the sum wraps around. `startsAtZero`: the property's
  /// default is 0, else null, which stays.
  case increment(by: Int64, startsAtZero: Bool)

  /// What is at the place afterwards; nil: its type's default, or nothing.
  func value(after old: RecordedValue?) -> RecordedValue? {
    switch self {
    case .set(let value): return value
    case .remove: return nil
    case .increment(let delta, let startsAtZero):
      guard case .int(let number)? = old ?? (startsAtZero ? .int(0) : nil) else { return old }
      let sum = number &+ delta
      return sum == 0 && startsAtZero ? nil : .int(sum)
    }
  }
}

/// What a change at a place has done.
package struct ChangedPlace {
  /// What was there, and is there now; nil: nothing, or a type's default.
  package let old: RecordedValue?
  package let new: RecordedValue?
  /// Whether the place is an entry of a map, else a property of an embedded object.
  package let isEntry: Bool
  /// How many neighbours may have moved, as the place has come or gone.
  package let movedCount: Int

  fileprivate init(_ old: RecordedValue?, _ new: RecordedValue?, isEntry: Bool, among count: Int) {
    self.old = old
    self.new = new
    self.isEntry = isEntry
    movedCount = (old == nil) == (new == nil) ? 0 : count
  }
}

extension RecordedValue {
  /// The value after a change at a place inside it; nil when the place is not there, or lies in
  /// another incarnation.
  package func changed(at place: InnerPlace, by change: InnerChange) -> RecordedValue? {
    var copy = self
    return copy.change(at: place, by: change) == nil ? nil : copy
  }

  /// Changes a place inside the value.
  ///
  /// Nothing of the value is copied that has no second reference, so that many changes inside of a
  /// large value cost what they are.
  ///
  /// - Returns: What it did; nil, and nothing done, when the place is not there, or lies in another
  ///   incarnation.
  /// - Complexity: O(log n) in each map on the way, and what follows an entry that comes or goes
  ///   moves.
  package mutating func change(at place: InnerPlace, by change: InnerChange) -> ChangedPlace? {
    self.change(place.names[...], nil, place.incarnation, change)
  }

  /// The same from a value on the way.
  ///
  /// `names`: the rest of the way. `incarnation`: that of the embedded object that it led through
  /// last.
  private mutating func change(
    _ names: ArraySlice<String>, _ incarnation: ElementID?, _ meant: ElementID?,
    _ change: InnerChange
  ) -> ChangedPlace? {
    if var object = takeEmbedded() {
      defer { self = .embedded(object) }
      return Self.change(
        in: &object.fields, names, object.incarnation, meant, change, isEntry: false)
    }
    if var entries = takeEntries() {
      defer { self = .map(entries) }
      return Self.change(in: &entries, names, incarnation, meant, change, isEntry: true)
    }
    return nil
  }

  /// The same in the properties of an embedded object, or in the entries of a map.
  private static func change<Element: NamedElement>(
    in elements: inout [Element], _ names: ArraySlice<String>, _ incarnation: ElementID?,
    _ meant: ElementID?, _ change: InnerChange, isEntry: Bool
  ) -> ChangedPlace? where Element.Held == RecordedValue {
    guard let name = names.first else { return nil }
    guard names.count == 1 else {
      return elements.withValue(named: name) {
        $0.change(names.dropFirst(), incarnation, meant, change)
      }
    }
    guard incarnation == meant else { return nil }
    let old = elements[named: name]
    let new = change.value(after: old)
    elements[named: name] = new
    return ChangedPlace(old, new, isEntry: isEntry, among: elements.count)
  }

  /// Whether a place is there, or would be after it is set.
  package func mayHold(_ place: InnerPlace) -> Bool {
    var value = self
    var incarnation: ElementID?
    for (index, name) in place.names.enumerated() {
      let next: RecordedValue?
      switch value {
      case .embedded(let object):
        incarnation = object.incarnation
        next = object[name]
      case .map(let entries): next = entries[named: name]
      default: return false
      }
      guard index < place.names.count - 1 else { return incarnation == place.incarnation }
      guard let next else { return false }
      value = next
    }
    return false
  }

  /// Moves an embedded object out, so that there is one reference to it: null stays.
  private mutating func takeEmbedded() -> EmbeddedValue? {
    guard case .embedded(let object) = self else { return nil }
    self = .null
    return object
  }

  /// The same with the entries of a map.
  private mutating func takeEntries() -> [RecordedEntry]? {
    guard case .map(let entries) = self else { return nil }
    self = .null
    return entries
  }

  /// How many values lie in each other at most, this one included; 0 for one that holds no others.
  package var nesting: Int {
    switch self {
    case .embedded(let object): 1 + (object.fields.map(\.value.nesting).max() ?? 0)
    case .list(let elements), .set(let elements): 1 + (elements.map(\.nesting).max() ?? 0)
    case .map(let entries): 1 + (entries.map(\.value.nesting).max() ?? 0)
    default: 0
    }
  }
}

extension UnitValue {
  /// The same for what a unit holds.
  package func changed(at place: InnerPlace, by change: InnerChange) -> UnitValue? {
    switch self {
    case .value(let value): value.changed(at: place, by: change).map { .value($0) }
    case .element(let position, let value):
      value.changed(at: place, by: change).map { .element(position, $0) }
    case .exists: nil
    }
  }
}
