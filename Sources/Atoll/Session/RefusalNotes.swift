internal import AtollCapture
internal import AtollObjects
internal import AtollSync

/// Which entries of the inbox the application has been told of.
///
/// In the named tree `sync`, under `told/` and the entry's id. Noted after the telling, so that
/// after a crash in between the handler hears of an entry again.
enum RefusalNotes {
  private static let tree = "sync"

  private static func key(_ id: InboxEntry.ID) -> [UInt8] { Array("told/\(id)".utf8) }

  /// The entries that the application was not told of, oldest first; with `ids`, those among these.
  static func untold(_ ids: [InboxEntry.ID]?, _ snapshot: Snapshot) throws -> [InboxEntry] {
    let entries =
      if let ids { try Inbox.entries(ids, in: snapshot) } else { try Inbox.entries(snapshot) }
    guard !entries.isEmpty, let tree = snapshot.namedTree(tree) else { return entries }
    return try entries.filter { try tree.get(key($0.id)) == nil }
  }

  /// Notes entries that were told; not those that the application has handled meanwhile.
  static func note(_ ids: some Sequence<InboxEntry.ID>, in transaction: Transaction) throws {
    let tree = try transaction.namedTree(tree)
    for id in ids where try Inbox.contains(id, in: transaction) {
      try tree.set([], for: key(id))
    }
  }

  /// Forgets the notes of entries that are gone.
  static func forget(_ entries: [InboxEntry], in transaction: Transaction) throws {
    guard !entries.isEmpty else { return }
    let tree = try transaction.namedTree(tree)
    for entry in entries { try tree.set(nil, for: key(entry.id)) }
  }
}

extension InboxEntry {
  /// What the entries of one transaction have in common.
  var transactionName: String {
    id.lastIndex(of: ".").map { String(id[..<$0]) } ?? id
  }
}

extension SyncError {
  /// What the application hears of the refused operations of one transaction.
  init(refused entries: [InboxEntry]) {
    var objects: [CompensatingWriteInfo] = []
    for entry in entries {
      let info = CompensatingWriteInfo(
        objectType: entry.object.className,
        key: entry.object.primaryKey,
        primaryKeyText: entry.object.keyText, reason: entry.text)
      if !objects.contains(info) { objects.append(info) }
    }
    let lines = objects.map { "\($0.objectType) \($0.primaryKeyText): \($0.reason)" }
    self.init(
      .writeRejected,
      "the server has refused a change, which was undone here: " + lines.joined(separator: "; "),
      compensatingWriteInfo: objects)
  }
}

extension ObjectAddress {
  /// The primary key as people write it.
  var keyText: String {
    switch primaryKey {
    case .string(let text): text
    case .int(let number): "\(number)"
    case .objectID(let id): "\(id)"
    case .uuid(let id): "\(id)"
    default: "null"
    }
  }
}
