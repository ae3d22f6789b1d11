import AtollCapture
import AtollObjects

@testable import AtollSync

/// The full model of one device that receives the same batches.
struct FollowingModel {
  private(set) var model = FullModel()
  private var waiting: [ObjectChange] = []
  private var arrived: Set<ObjectAddress> = []

  /// The device synchronises as if new.
  mutating func beginAgain() {
    waiting = []
    arrived = []
  }

  /// Applies a batch; `outbox` is that of the file before it.
  mutating func receive(_ batch: Batch, _ outbox: [OutboxEntry], isProgressive: Bool) {
    guard let run = batch.run else {
      model.rebase(outbox, batch.answers, batch.objects)
      return
    }
    if run.isRestart { beginAgain() }
    arrived.formUnion(batch.objects.map(\.object))
    let from = batch.from
    if !isProgressive {
      waiting += batch.objects
      guard batch.isLast else { return }
    }
    var changes = isProgressive ? batch.objects : waiting
    if from == nil, batch.isLast {
      var after = model
      after.rebase(outbox, batch.answers, [])
      let rest = Set(after.confirmed.keys).union(model.confirmed.keys).subtracting(arrived)
      changes += rest.map { ObjectChange($0, .leave) }
    }
    model.rebase(outbox, batch.answers, changes)
    if batch.isLast { beginAgain() }
  }
}
