import AtollCapture
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// The rebase of the units that are met equals the replay of everything.
@Suite(.computing) struct ObjectRebaseTests {
  /// One object of a device, kept in both ways.
  private struct Device {
    static let shape = RandomOperations.shape

    // The full model.
    var confirmed = UnitState()
    var outbox: [PendingOperation] = []
    // The implementation: head and the images of what pending operations touch.
    var head = UnitState()
    var images: [UnitPath: UnitValue?] = [:]
    var confirmedGeneration: Generation?

    var fullHead: UnitState {
      var state = confirmed
      for operation in outbox { state.replay(operation, shape: Self.shape) }
      state.forgetCreates()
      return state
    }

    func confirmedValue(_ path: UnitPath) -> UnitValue? {
      if let image = images[path] { image } else { head[path] }
    }

    /// The app's operation: an image of each unit that it touches first.
    mutating func record(_ operation: PendingOperation) {
      outbox.append(operation)
      let touched = UnitState.touched(
        by: operation.operation, of: RandomOperations.allPaths)
      for path in touched where images[path] == nil { images[path] = .some(head[path]) }
      head.replay(operation, shape: Self.shape)
      head.forgetCreates()
    }

    mutating func rebase(
      _ sent: [PendingOperation], applied: [PendingOperation], _ change: ObjectChange.Change?
    ) {
      for operation in applied { confirmed.replay(operation, shape: Self.shape) }
      if let change { confirmed.apply(change, shape: Self.shape) }
      confirmed.forgetCreates()

      var met = Set(sent.map(\.operation.unit.path))
      if sent.contains(where: \.operation.touchesAll) { met = RandomOperations.allPaths }
      if let change {
        met.formUnion(ObjectRebase.met(by: change, known: RandomOperations.allPaths))
      }
      met.insert(.existence)
      let old = UnitState(
        generation: confirmedGeneration,
        values: Dictionary(
          uniqueKeysWithValues: met.compactMap { path in
            path == .existence ? nil : confirmedValue(path).map { (path, $0) }
          }), scope: met)
      let near = outbox.filter {
        !UnitState.touched(by: $0.operation, of: met).isDisjoint(with: met)
      }
      let result = ObjectRebase(
        confirmed: old, sent: applied, change: change, pending: near, shape: Self.shape)
      var values = head.values
      for path in met where path != .existence {
        values[path] = result.head[path]
        if result.imaged.contains(path) {
          images[path] = .some(result.confirmed[path])
        } else {
          images[path] = nil
        }
      }
      images[.existence] =
        result.imaged.contains(.existence) ? .some(result.confirmed[.existence]) : nil
      confirmedGeneration = result.confirmed.generation
      head = UnitState(generation: result.head.generation, values: values)
    }

    func check() {
      #expect(head.generation == fullHead.generation)
      #expect(head.values == fullHead.values)
      #expect(confirmedGeneration == confirmed.generation)
      for path in RandomOperations.allPaths where path != .existence {
        let value = confirmedGeneration == nil ? nil : confirmedValue(path)
        #expect(value == confirmed[path])
      }
      if outbox.isEmpty { #expect(images.isEmpty) }
    }
  }

  @Test(arguments: seeds(30))
  func rebasingUnitsEqualsReplayingEverything(seed: UInt64) {
    var make = RandomOperations(seed: seed)
    var device = Device()
    var version: UInt64 = 10
    for number in 1...40 as ClosedRange<UInt64> {
      if make.number(3) > 0 {
        let operation =
          device.head.generation.map { make.edit($0) } ?? make.create()
        device.record(PendingOperation(number: number, index: 0, operation))
      } else {
        Self.answer(&device, &make, &version)
      }
      device.check()
    }
    while !device.outbox.isEmpty {
      Self.answer(&device, &make, &version)
      device.check()
    }
  }

  /// Answers some of the oldest operations, as a server might, with or without a change.
  private static func answer(
    _ device: inout Device, _ make: inout RandomOperations, _ version: inout UInt64
  ) {
    var sent = Array(device.outbox.prefix(make.number(4)))
    if sent.isEmpty, !device.outbox.isEmpty { sent = [device.outbox[0]] }
    device.outbox.removeFirst(sent.count)
    var generations: [Generation: Generation] = [:]
    var applied: [PendingOperation] = []
    for index in sent.indices {
      _ = sent[index].operation.rename(generations)
      guard make.number(3) > 0 else { continue }
      if sent[index].operation.action == .create {
        version += 1
        var cursor = Cursor(incarnation: 1, version: version)
        if case .confirmed(let live)? = device.confirmed.generation { cursor = live }
        sent[index].answered = cursor
        generations[sent[index].name] = .confirmed(cursor)
      }
      applied.append(sent[index])
    }
    for index in device.outbox.indices {
      _ = device.outbox[index].operation.rename(generations)
    }
    var change: ObjectChange.Change?
    if make.flip() {
      version += 1
      switch make.number(3) {
      case 0: change = .leave
      case 1:
        change = .full(generation: Cursor(incarnation: 1, version: version), make.units())
      default: change = .update(make.units())
      }
    }
    device.rebase(sent, applied: applied, change)
  }
}
