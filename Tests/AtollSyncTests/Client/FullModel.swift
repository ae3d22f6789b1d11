import AtollCapture
import AtollObjects
import Testing

@testable import AtollSync

/// The full model of a device: everything is replayed, nothing is kept beside it.
struct FullModel {
  static let shapes = Dictionary(
    uniqueKeysWithValues: TestDevice.classes.map { ($0.name, ClassShape($0)) })

  var confirmed: [ObjectAddress: UnitState] = [:]

  private static func shape(_ object: ObjectAddress) -> ClassShape {
    shapes[object.className] ?? ClassShape(defaults: [:])
  }

  static func pending(_ outbox: [OutboxEntry]) -> [PendingOperation] {
    outbox.flatMap { entry -> [PendingOperation] in
      guard case .push(let recorded) = entry.content else { return [] }
      return recorded.operations.enumerated().map {
        PendingOperation(number: entry.number, index: UInt32($0.offset), $0.element)
      }
    }
  }

  func head(_ outbox: [OutboxEntry]) -> [ObjectAddress: UnitState] {
    var head = confirmed
    for operation in Self.pending(outbox) {
      head[operation.operation.object, default: UnitState()].replay(
        operation, shape: Self.shape(operation.operation.object))
    }
    return Self.tidy(head)
  }

  /// The answered entries, then what batches say, in order.
  mutating func rebase(
    _ outbox: [OutboxEntry], _ answers: [Answer], _ changes: [ObjectChange]
  ) {
    var generations: [Generation: Generation] = [:]
    let entries = Dictionary(uniqueKeysWithValues: outbox.map { ($0.number, $0) })
    for answer in answers {
      guard case .push(let recorded)? = entries[answer.number]?.content else { continue }
      for (index, (operation, verdict)) in zip(recorded.operations, answer.verdicts).enumerated() {
        var pending = PendingOperation(
          number: answer.number, index: UInt32(index), operation)
        _ = pending.operation.rename(generations)
        switch verdict {
        case .applied(let generation), .known(let generation):
          if operation.action == .create, let generation {
            pending.answered = generation
            generations[pending.name] = .confirmed(generation)
          }
        case .outdated, .refused: break
        }
        guard case .applied = verdict else { continue }
        confirmed[operation.object, default: UnitState()].replay(
          pending, shape: Self.shape(operation.object))
      }
    }
    for change in changes {
      confirmed[change.object, default: UnitState()].apply(
        change.change, shape: Self.shape(change.object))
    }
    confirmed = Self.tidy(confirmed)
  }

  static func tidy(_ objects: [ObjectAddress: UnitState]) -> [ObjectAddress: UnitState] {
    objects.filter { $0.value.isThere }.mapValues {
      var state = $0
      state.forgetCreates()
      return state
    }
  }

  // MARK: The device's file

  /// Compares head and confirmed of a file with the model: I1, I2, I3.
  func check(_ device: TestDevice, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let outbox = try device.outbox
    let expected = head(outbox)
    let objects = Set(expected.keys).union(confirmed.keys)
    try device.read { transaction in
      let capture = try transaction.capture
      var counts: [String: Int] = [:]
      for object in objects {
        let lives = try capture.generations(of: object)
        var values = try transaction.readObject(object)
        let isThere = values.removeValue(forKey: .existence) != nil
        if isThere { counts[object.className, default: 0] += 1 }
        #expect(isThere == (lives.head != nil), "\(object)", sourceLocation: sourceLocation)
        #expect(
          lives.head == expected[object]?.generation, "\(object)", sourceLocation: sourceLocation)
        #expect(
          values == expected[object]?.values ?? [:], "I3 \(object)", sourceLocation: sourceLocation)
        let images = try capture.images(of: object)
        var units = Set(values.keys).union(images.units.keys)
        if let state = confirmed[object] { units.formUnion(state.values.keys) }
        let was = confirmed[object]
        #expect(
          lives.confirmed.map { .confirmed($0) } == was?.generation, "I1 \(object)",
          sourceLocation: sourceLocation)
        for path in units where was != nil {
          let value = if let image = images[path] { image } else { values[path] }
          #expect(value == was?[path], "I1 \(object) \(path)", sourceLocation: sourceLocation)
        }
      }
      for schema in TestDevice.classes {
        #expect(
          try transaction.table(schema.name).count == counts[schema.name] ?? 0, "rows",
          sourceLocation: sourceLocation)
      }
      if Self.pending(outbox).isEmpty {
        #expect(!capture.hasImages, "I2", sourceLocation: sourceLocation)
      }
    }
  }
}
