package import AtollCapture
package import AtollObjects

/// BATCH: values of objects, and answers.
///
/// A batch of a catch-up has a `run`; only the last one of it has `to`. Any other batch is the last
/// of its own. A device applies a batch only if `from` is its cursor.
package struct Batch: Hashable, Sendable {
  /// The cursor that the values lead from; nil: from nothing.
  package var from: Cursor?
  /// The cursor that they lead to; nil when more batches of the catch-up follow.
  package var to: Cursor?
  /// The version of the server that was read; never decreases on one connection.
  package var readAt: UInt64
  /// When it was read, in milliseconds since 1970 by the server's clock.
  package var readTime: UInt64
  /// The newest clock that the server has accepted.
  package var newestClock: HybridClock
  /// The outbox number of the subscription set whose view this is; 0 for none.
  package var setNumber: UInt64
  /// The catch-up that this is a part of.
  package var run: BatchRun?
  /// Classes that the device may not know, before the first value that needs them.
  package var classes: [ClassSchema]
  package var objects: [ObjectChange]
  package var answers: [Answer]

  package init(
    from: Cursor?, to: Cursor?, readAt: UInt64, readTime: UInt64, newestClock: HybridClock,
    setNumber: UInt64, run: BatchRun?, classes: [ClassSchema] = [], objects: [ObjectChange] = [],
    answers: [Answer] = []
  ) {
    self.from = from
    self.to = to
    self.readAt = readAt
    self.readTime = readTime
    self.newestClock = newestClock
    self.setNumber = setNumber
    self.run = run
    self.classes = classes
    self.objects = objects
    self.answers = answers
  }

  package var isLast: Bool { to != nil }
}

/// The position of a batch in its catch-up.
package struct BatchRun: Hashable, Sendable {
  static let positionByteLimit = 1 << 10

  /// The number of the catch-up, never used twice by a server or any copy of it.
  package var number: UInt64
  /// How far the catch-up has come with this batch; opaque to the device, which names it to resume.
  package var position: [UInt8]
  /// Whether this is the first batch of a catch-up that does not resume: what came before is
  /// dropped.
  package var isRestart: Bool
  /// About how many objects follow in later batches; nil: not known.
  package var remainingCount: UInt64?

  package init(
    number: UInt64, position: [UInt8], isRestart: Bool, remainingCount: UInt64? = nil
  ) {
    self.number = number
    self.position = position
    self.isRestart = isRestart
    self.remainingCount = remainingCount
  }
}

/// The change of one object for a device: values, never differences.
package struct ObjectChange: Hashable, Sendable {
  package var object: ObjectAddress
  package var change: Change

  package enum Change: Hashable, Sendable {
    /// The object is no longer in view, or is deleted.
    case leave
    /// The whole object, alive in this generation; units that are not named are not there.
    case full(generation: Cursor, [UnitChange])
    /// Some units of an object that the device holds.
    case update([UnitChange])
  }

  package init(_ object: ObjectAddress, _ change: Change) {
    self.object = object
    self.change = change
  }
}

/// A unit below the existence of an object, and what it holds; nil: it is not there.
package struct UnitChange: Hashable, Sendable {
  package var path: UnitPath
  package var value: UnitValue?

  package init(_ path: UnitPath, _ value: UnitValue?) {
    self.path = path
    self.value = value
  }
}
