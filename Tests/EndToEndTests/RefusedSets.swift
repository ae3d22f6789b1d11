import AtollCapture
import AtollObjects

@testable import Atoll
@testable import AtollSync

extension Realm {
  /// Writes down that the server refuses the newest set, as its answer would.
  func refuseNewestSet() throws {
    guard let transaction = context.requireWrite("the newest set was refused") else { return }
    transaction.origin = .sync
    try SubscriptionSets.markError(
      version: SubscriptionSets(transaction).latest.version, text: "no", members: [],
      in: transaction)
  }

  var isNewestSetRefused: Bool {
    if case .error? = newestSet?.state { true } else { false }
  }

  var isNewestSetComplete: Bool { newestSet?.state == .complete }

  private var newestSet: SubscriptionSet? {
    try? SubscriptionSets(context.file.database.snapshot()).latest
  }
}
