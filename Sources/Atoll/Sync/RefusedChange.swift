internal import AtollCapture
internal import AtollObjects
internal import AtollSync
public import Foundation

/// A change that the server has refused, or that came after a deletion.
///
/// The device undid it, and keeps what it was until the application makes it again or drops it.
public struct RefusedChange: Identifiable, Hashable, Sendable {
  /// What was done.
  public enum Kind: Sendable {
    /// An object was made; what it was given is refused with it, a change for each property.
    case create
    case delete
    /// A property was set.
    case set
    /// Something was added to a property.
    case increment
    /// An element was inserted into a list, set, moved, or removed.
    case insertElement, setElement, moveElement, removeElement
    /// An entry of a map was set, or removed; a member was added to a set, or removed.
    case setEntry, addMember, removeEntry
  }

  /// Why the server refused it.
  public enum Reason: Sendable {
    /// The object was not in the subscriptions that were in force.
    case outsideOfSubscriptions
    /// The user may not do this.
    case forbidden
    /// The object, or the list's element, had been deleted.
    case deleted
    /// The server's classes differ: it has no such class or property, or one of another type.
    case schema
    /// The value is larger than the server takes.
    case tooLarge
    /// The objects that the user has made take as much on the server as they may.
    case quotaExceeded
    /// Another one; the message tells it.
    case other
  }

  /// The same whenever the change is told of.
  public var id: String { entry.id }
  /// The name of the object's class.
  public var objectType: String { entry.object.className }
  /// The object's primary key, as text.
  public var primaryKeyText: String { entry.object.keyText }
  /// The property; nil for an object that was made or deleted.
  ///
  /// Of a property of an embedded object, and of an entry of a dictionary in an `AnyRealmValue`,
  /// the way to it, with dots: `address.street`.
  public var property: String? {
    entry.property.map { ([$0] + (entry.inside?.place.names ?? [])).joined(separator: ".") }
  }
  /// A sentence for people.
  public var message: String { entry.text }
  /// The key of a map's entry, or the member of a set, as text; nil for other changes.
  public var keyText: String? { entry.part?.text }
  /// The value that was written, as text for people; nil when there was none.
  public var valueText: String? { entry.kind == .moveElement ? nil : entry.value?.text }

  /// When the change was made, by the clock of the device.
  public var date: Date {
    Date(timeIntervalSince1970: Double(entry.madeAt.milliseconds) / 1_000)
  }

  /// What the change did.
  public var kind: Kind {
    switch entry.kind {
    case .create: .create
    case .delete: .delete
    case .set: .set
    case .insert: .insertElement
    case .setElement: .setElement
    case .removeElement: .removeElement
    case .setEntry: .setEntry
    case .addMember: .addMember
    case .removeEntry: .removeEntry
    case .increment: .increment
    case .moveElement: .moveElement
    case .edit: if case .increment? = entry.inside?.change { .increment } else { .set }
    }
  }

  /// Why the change was refused.
  public var reason: Reason {
    switch entry.reason {
    case .deletion: .deleted
    case .refused(.outsideView): .outsideOfSubscriptions
    case .refused(.forbidden): .forbidden
    case .refused(.unknownSchema), .refused(.typeMismatch), .refused(.schemaConflict): .schema
    case .refused(.tooLarge): .tooLarge
    case .refused(.quotaExceeded): .quotaExceeded
    case .refused: .other
    }
  }

  /// Whether both are changes of one transaction.
  public func isOfSameWrite(as other: RefusedChange) -> Bool {
    entry.transactionName == other.entry.transactionName
  }

  let entry: InboxEntry
}

extension SyncSession {
  /// The changes that the server has refused, oldest first, without those that were dropped or made
  /// again.
  ///
  /// - Throws: `Realm.Error` when the file cannot be read.
  public func refusedChanges() throws -> [RefusedChange] {
    try reading { try Inbox.entries($0).map { RefusedChange(entry: $0) } }
  }

  /// The refused changes as they are now, and each time that there are others, whichever process
  /// hears of them or drops them.
  ///
  /// Of several changes that the reader was too slow for, the newest comes.
  public var refusedChangesUpdates: AsyncStream<[RefusedChange]> {
    // The stream holds no use of the file: it ends when the file is closed.
    let database = file.database
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = _Concurrency.Task {
        var last: [RefusedChange]?
        do {
          var commits = database.commits.makeAsyncIterator()
          repeat {
            let changes = try Inbox.entries(database.snapshot()).map { RefusedChange(entry: $0) }
            if changes != last { continuation.yield(changes) }
            last = changes
          } while try await commits.next() != nil
        } catch {
          // The file was closed or taken away: nothing changes any more.
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Makes refused changes again, as a new write of the application, which the server judges again;
  /// for example after an update of the subscriptions.
  ///
  /// In one write, in the order in which they were made: give it all changes of an object. They are
  /// no refused changes then.
  ///
  /// An element of a list that was refused because of its id is inserted under a new one, with what
  /// else was refused of it.
  ///
  /// - Returns: The changes that stay refused ones, as their objects are not on the device: make
  ///   them again when these have arrived; or as they are of an element that was refused, and its
  ///   insertion is not among them: that can only be dropped.
  /// - Throws: `Realm.Error`: `noSubscriptionForWrite` for an object of a class that nothing is
  ///   subscribed to, `fail` inside of a write of this file, `fileAccess` and its kin; nothing is
  ///   changed then.
  @discardableResult
  public func retry(_ changes: [RefusedChange]) throws -> [RefusedChange] {
    try writing { transaction in
      let ids = Set(changes.map(\.id))
      // Those that are still there, in their order.
      let entries = try Inbox.entries(transaction).filter { ids.contains($0.id) }
      let made = try Inbox.retry(entries, in: transaction)
      try RefusalNotes.forget(made, in: transaction)
      try SubscribedClasses.check(transaction)
      let madeIDs = Set(made.map(\.id))
      return entries.filter { !madeIDs.contains($0.id) }.map { RefusedChange(entry: $0) }
    }
  }

  /// Forgets refused changes.
  ///
  /// - Throws: `Realm.Error`: `fail` inside of a write of this file; when the file cannot be
  ///   written.
  public func drop(_ changes: [RefusedChange]) throws {
    try writing { transaction in
      for change in changes { try Inbox.remove(change.id, in: transaction) }
      try RefusalNotes.forget(changes.map(\.entry), in: transaction)
    }
  }

  private func reading<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
    let use = FileUse(file)
    defer { withExtendedLifetime(use) {} }
    do { return try body(file.database.snapshot()) } catch let error as ObjectError {
      throw Realm.Error(error, fileURL: URL(filePath: path))
    }
  }

  private func writing<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    let use = FileUse(file)
    defer { withExtendedLifetime(use) {} }
    guard !file.isWrittenHere else {
      throw Realm.Error(
        .fail, "refused changes cannot be handled inside of a write; do it before or after")
    }
    do { return try file.database.write(body) } catch let error as ObjectError {
      throw Realm.Error(error, fileURL: URL(filePath: path))
    }
  }
}

extension RecordedValue {
  /// The value as people write it: objects by their keys.
  fileprivate var text: String {
    switch self {
    case .link(let address): "\(address.className) \(address.keyText)"
    case .embedded(let object):
      "{" + object.fields.map { "\($0.property): \($0.value.text)" }.joined(separator: ", ") + "}"
    case .list(let elements), .set(let elements):
      "[" + elements.map(\.text).joined(separator: ", ") + "]"
    case .map(let entries):
      "{" + entries.map { "\($0.key): \($0.value.text)" }.joined(separator: ", ") + "}"
    default: single.map { "\($0)" } ?? "null"
    }
  }
}
