import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollCapture

@Suite(.computing) struct CaptureModelTests {
  /// I1 and I3 after each transaction: what is confirmed never changes by writes of the app, and
  /// head is what the outbox makes of it.
  @Test(arguments: 0..<24 as Range<UInt64>)
  func imagesGiveBackWhatWasConfirmedAndTheOutboxGivesHead(seed: UInt64) throws {
    var model = try SyncedModel(seed: seed)
    var confirmed: SyncedModel.Rows = [:]
    for round in 0..<24 {
      try model.database.write { transaction in
        for _ in 0...model.below(6) { try model.write(transaction) }
      }
      try check(model, confirmed)
      // The server takes all, now and then.
      guard round % 8 == 7 else { continue }
      confirmed = try confirmAll(model)
      try check(model, confirmed)
    }
    #expect(try model.database.check().findings == [])
  }

  private func check(_ model: SyncedModel, _ confirmed: SyncedModel.Rows) throws {
    let transaction = try model.database.beginWrite()
    defer { transaction.cancel() }
    transaction.origin = .sync
    let head = try model.head(transaction)
    #expect(differences(try model.confirmed(transaction), confirmed) == [])
    var operations: [AtollCapture.Operation] = []
    try transaction.capture.forEachEntry { entry throws(ObjectError) in
      guard case .push(let content) = entry.content else { return true }
      #expect(!content.operations.isEmpty)
      for (index, operation) in content.operations.enumerated() {
        let pending = try transaction.capture.pending(of: operation.object)
        #expect(
          pending.contains {
            $0.number == entry.number && index >= $0.first && index < $0.first + $0.count
          })
      }
      operations += content.operations
      return true
    }
    let replayed = SyncedModel.replay(operations, on: confirmed, SyncedModel.defaults)
    #expect(differences(replayed, head) == [])
  }

  /// What of all units differs: the object, the unit, both values.
  private func differences(_ rows: SyncedModel.Rows, _ other: SyncedModel.Rows) -> [String] {
    Set(rows.keys).union(other.keys).flatMap { address in
      let (units, others) = (rows[address] ?? [:], other[address] ?? [:])
      return Set(units.keys).union(others.keys).filter { units[$0] != others[$0] }.map {
        "\(address), \($0): \(units[$0] as Any), \(others[$0] as Any)"
      }
    }.sorted()
  }

  /// As if all operations were applied as sent.
  private func confirmAll(_ model: SyncedModel) throws -> SyncedModel.Rows {
    try model.database.write { transaction in
      transaction.origin = .sync
      let capture = try transaction.capture
      var entries: [OutboxEntry] = []
      try capture.forEachEntry { entry throws(ObjectError) in
        entries.append(entry)
        return true
      }
      for entry in entries { try capture.remove(entry) }
      let head = try model.head(transaction)
      for address in SyncedModel.addresses {
        try capture.setImages(ObjectImages(), of: address)
        let cursor = head[address] == nil ? nil : Cursor(incarnation: 1, version: 1)
        try capture.setGenerations(
          ObjectGenerations(confirmed: cursor, head: cursor.map { .confirmed($0) }), of: address)
      }
      var state = try capture.state()
      state.answered = state.nextNumber - 1
      try capture.setState(state)
      return head
    }
  }
}
