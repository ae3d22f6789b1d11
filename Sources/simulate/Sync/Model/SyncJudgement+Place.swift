internal import AtollCapture
internal import AtollObjects
internal import AtollSync

// What the judgement knows of an object, and of the writes that compete in it.

extension SyncJudgement {
  struct Stamp: Comparable {
    var clock: HybridClock
    var client: UInt64
    var number: UInt64
    /// The latest version that the write may have.
    var version: UInt64 = 0

    static func < (a: Stamp, b: Stamp) -> Bool {
      (a.clock.rawValue, a.client, a.number) < (b.clock.rawValue, b.client, b.number)
    }
  }

  /// A whole number, as all that was written says it is: what was set last by the clock, and the
  /// sum of what was added after that.
  struct Count {
    var set: RecordedValue
    var setStamp: Stamp?
    var added: [(stamp: Stamp, delta: Int64)] = []

    var value: RecordedValue {
      guard case .int(let start) = set else { return set }
      return .int(added.filter { isNewer($0.stamp) }.reduce(start) { $0 &+ $1.delta })
    }

    func isNewer(_ stamp: Stamp) -> Bool { setStamp.map { stamp > $0 } ?? true }
  }

  struct Place {
    var object: SyncModel.Object?
    var stamps: [UnitPath: Stamp] = [:]
    /// The elements that were inserted or removed, whose ids nothing else may have.
    var elements: Set<UnitPath> = []
    /// Those of them whose own insertion may still come: they were removed before, or told again.
    var awaited: Set<UnitPath> = []
    /// When elements were moved last.
    var moves: [UnitPath: Stamp] = [:]
    /// When places inside units were written, and what was set and added there last.
    var inner: [UnitPath: [InnerPlace: Count]] = [:]
    /// What was set and added last to the properties that are counted.
    var counts: [UnitPath: Count] = [:]
    var deletion: (client: UInt64, versions: ClosedRange<UInt64>)?
    /// The clients that made the object or met it by a creation, and when each did last.
    ///
    /// Such a client may edit the object at the address, in any generation, until it confirms a
    /// later cursor; from then on it must hold the object.
    var makers: [UInt64: ClosedRange<UInt64>] = [:]
  }
}

extension SyncJudgement.Place {
  /// The newest write that an operation competes with by clock, `own` being that of its unit.
  func newestRival(_ operation: Operation, _ own: SyncJudgement.Stamp?)
    -> SyncJudgement.Stamp?
  {
    let path = operation.unit.path
    guard case .edit(_, let place, let change) = operation.action else {
      let inside = operation.action.isOfWholeUnit ? newestInside(path) : nil
      return [own, inside].compactMap { $0 }.max()
    }
    var isSum = false
    if case .increment = change { isSum = true }
    let rivals = (inner[path] ?? [:]).filter { other, _ in
      other.incarnation == place.incarnation
        && (place.isWithin(other) || !isSum && other.isWithin(place))
    }
    let unit = place.incarnation == nil ? own : nil
    return (rivals.compactMap(\.value.setStamp) + [unit].compactMap { $0 }).max()
  }

  /// The newest write inside a mixed value, which a write of all of it competes with.
  func newestInside(_ path: UnitPath) -> SyncJudgement.Stamp? {
    (inner[path] ?? [:]).filter { $0.key.incarnation == nil }.compactMap(\.value.setStamp).max()
  }
}

extension Operation.Action {
  /// Whether a unit is written as a whole, with all that is in it, by clock.
  var isOfWholeUnit: Bool {
    switch self {
    case .set, .setElement, .setEntry, .removeEntry: true
    case .create, .delete, .increment, .insert, .moveElement, .removeElement, .addMember, .edit:
      false
    }
  }
}
