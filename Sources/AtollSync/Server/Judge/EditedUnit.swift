internal import AtollCapture

/// A unit with changes inside it: read once and written once, for any number of changes.
struct EditedUnit {
  /// With all changes so far; changed in place.
  private(set) var value: RecordedValue
  /// Whether a change was accepted.
  var isWritten = false
  /// How many changes were tried.
  private var count = 0
  /// About how many bytes the value has.
  private(set) var byteCount: Int

  /// What the stored value takes; nil for an element, whose position is not known here.
  let storedSize: StoredSize?

  /// `value`: of the unit at `path`, as it is stored.
  init(_ value: RecordedValue, at path: UnitPath) {
    self.value = value
    byteCount = OperationFit.byteCount(value)
    if case .element = path {
      storedSize = nil
    } else {
      storedSize = StoredSize(of: .value(value), at: path)
    }
  }

  /// Whether its bytes do not count: small values are changed inside however many there are.
  var isSmall: Bool { byteCount < Self.smallByteCount }
  static let smallByteCount = 4 << 10

  /// Counts a change that is to be tried; false when there were as many as there may be.
  mutating func mayChange() -> Bool {
    count += 1
    return count <= InnerPlace.changeLimit
  }

  /// Makes a change; nil, and nothing done, when the place is not there.
  mutating func change(at place: InnerPlace, by change: InnerChange) -> ChangedPlace? {
    guard let done = value.change(at: place, by: change) else { return nil }
    byteCount += done.byteCount(of: done.new, at: place) - done.byteCount(of: done.old, at: place)
    return done
  }

  /// Takes the last change back.
  mutating func undo(_ done: ChangedPlace, at place: InnerPlace) {
    _ = change(at: place, by: done.old.map { .set($0) } ?? .remove)
  }

  /// Why the unit cannot hold its value after a change; nil when it can.
  func problem(after done: ChangedPlace, at place: InnerPlace) -> Refusal? {
    // What was there before is no deeper than it may be.
    if place.names.count + (done.new?.nesting ?? 0) > RecordedReader.nestingLimit {
      return Refusal(
        .tooLarge, text: "values would lie more than \(RecordedReader.nestingLimit) deep")
    }
    if byteCount > OperationFit.byteCountLimit {
      return Refusal(
        .tooLarge, text: "the value would have more than \(OperationFit.byteCountLimit) bytes")
    }
    return nil
  }
}

extension ChangedPlace {
  /// What the change took, in bytes of values that were looked at.
  var work: Int {
    let nested = [old, new].reduce(0) { sum, value in
      switch value {
      case .embedded?, .list?, .set?, .map?: sum + (value.map(OperationFit.byteCount) ?? 0)
      default: sum
      }
    }
    // To move an entry takes a part of what it takes to read one.
    return movedCount / 4 + nested
  }

  /// What a value at the place adds to `OperationFit.byteCount` of the value around it.
  fileprivate func byteCount(of value: RecordedValue?, at place: InnerPlace) -> Int {
    guard let value else { return 0 }
    let nameByteCount = place.names.last?.utf8.count ?? 0
    return (isEntry ? nameByteCount : nameByteCount / 4) + OperationFit.byteCount(value)
  }
}
