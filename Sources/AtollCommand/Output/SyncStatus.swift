import AtollImport
import AtollCapture
import AtollObjects
import AtollSync

/// The sync state of a device's file: subscriptions, cursor, outbox.
struct SyncStatus {
  private let state: SyncState
  private let sets: [SubscriptionSet]
  private let outboxCount: Int
  private let inbox: [InboxEntry]

  /// - Returns: nil for a file that is not synced.
  init?(_ snapshot: Snapshot) throws {
    guard let state = try snapshot.syncState() else { return nil }
    self.state = state
    sets = try SubscriptionSets(snapshot).stored
    outboxCount = try snapshot.outboxCount
    inbox = try Inbox.entries(snapshot)
  }

  private var heard: String {
    guard let cursor = state.cursor else { return "nothing heard from the server yet" }
    return "has all up to version \(cursor.version) of the server"
  }

  var text: String {
    var text = "\nsynced, \(heard)\n"
    text +=
      "  \(Quantity.count(outboxCount, "transaction waits", "transactions wait")) for the server, "
      + "the last one answered is \(state.answered)\n"
    for set in sets {
      text += "  subscription set \(set.version): \(set.state.text)\n"
      for subscription in set.subscriptions {
        let name = subscription.name.map { "'\(printable($0))'" } ?? "unnamed"
        text += "    \(name): \(printable(subscription.className)) where "
        text += "\(printable(subscription.query))\n"
      }
    }
    if !inbox.isEmpty {
      text += "  \(Quantity.count(inbox.count, "refused change", "refused changes"))\n"
    }
    for entry in inbox {
      let property = entry.property.map { ".\(printable($0))" } ?? ""
      text += "    \(printable(entry.object.className))\(property) of "
      text += "\(printable("\(entry.object.primaryKey)")): \(printable(entry.text))\n"
    }
    return text
  }

  var json: OutputValue {
    let sets = sets.map { set in
      OutputValue.map([
        .init("version", .int(set.version)), .init("state", set.state.text),
        .init(
          "subscriptions",
          .list(
            set.subscriptions.map { subscription in
              .map([
                .init("name", subscription.name.map { .string($0) } ?? .null),
                .init("class", subscription.className), .init("query", subscription.query),
              ])
            })),
      ])
    }
    let inbox = inbox.map { entry in
      OutputValue.map([
        .init("id", entry.id), .init("class", entry.object.className),
        .init("key", "\(entry.object.primaryKey)"),
        .init("property", entry.property.map { .string($0) } ?? .null),
        .init("reason", entry.text),
      ])
    }
    return .map([
      .init("client", String(state.clientID, radix: 16)),
      .init("serverVersion", state.cursor.map { .int(Int64(clamping: $0.version)) } ?? .null),
      .init("outbox", outboxCount), .init("answered", state.answered),
      .init("sets", .list(sets)), .init("inbox", .list(inbox)),
    ])
  }
}

extension SubscriptionState {
  fileprivate var text: String {
    switch self {
    case .pending: "pending"
    case .bootstrapping: "bootstrapping"
    case .complete: "complete"
    case .error(let text): "error: " + printable(text)
    case .superseded: "superseded"
    }
  }
}
