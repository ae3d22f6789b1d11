internal import AtollCapture
internal import AtollObjects
internal import AtollSync

/// A device's file, read when no other process has it open.
struct DeviceFile {
  /// What is in the inbox.
  let refusals: [DeviceRefusal]
  /// How many entries of the outbox the server has not answered.
  let pendingCount: Int

  init(_ path: String) throws {
    let database = try Database.open(path, options: .recording)
    let snapshot = try database.snapshot()
    refusals = try Inbox.entries(snapshot).map(DeviceRefusal.init)
    var count = 0
    try snapshot.forEachOutboxEntry(from: 0) { _ throws(ObjectError) in
      count += 1
      return true
    }
    pendingCount = count
    try database.close()
  }

  /// What a check of the file finds.
  static func faults(_ path: String) throws -> [String] {
    let database = try Database.open(path, options: .recording)
    let faults = try database.check().findings.map { "\($0)" }
    try database.close()
    return faults
  }
}

extension DeviceRefusal {
  init(_ entry: InboxEntry) {
    key = entry.object.primaryKey.string ?? "\(entry.object.primaryKey)"
    kind =
      switch entry.kind {
      case .create: .create
      case .delete: .delete
      case .set: .set
      case .insert: .insert
      case .setElement: .replace
      case .moveElement: .move
      case .removeElement: .remove
      // The simulated classes have neither sets nor maps nor embedded objects, and nothing is added
      // to their numbers.
      case .setEntry, .addMember, .removeEntry, .increment, .edit: .set
      }
    if case .string(let text) = entry.value { value = text } else { value = nil }
    milliseconds = entry.madeAt.milliseconds
  }
}
