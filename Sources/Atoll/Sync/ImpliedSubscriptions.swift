internal import AtollCapture
internal import AtollObjects
internal import AtollQuery
internal import AtollSync
internal import Foundation

/// The subscriptions of a file that holds everything, or one partition: one for each class.
///
/// The application does not see to them: they come into the set with the classes, in one
/// transaction.
struct ImpliedSubscriptions {
  private let scope: SyncScope
  /// Milliseconds since 1970.
  private let now: UInt64

  /// - Returns: nil for a file with subscriptions of its own.
  init?(_ configuration: SyncConfiguration, _ database: Database) {
    guard configuration.impliesSubscriptions else { return nil }
    scope = configuration.scope
    now = database.clock()
  }

  /// What there is to do about the newest set.
  struct Lack {
    /// Whether a class of the file has no subscription.
    let hasMissing: Bool
    /// Whether the server has refused the set, for which the application cannot ask again.
    let isRefused: Bool
  }

  func lack(in source: any ObjectSource & TreeSource) throws -> Lack {
    let newest = try SubscriptionSets(source).latest
    let hasMissing = try members(source).contains { member in
      !newest.subscriptions.contains { $0.asks(member.className, member.query) }
    }
    return Lack(hasMissing: hasMissing, isRefused: newest.state.isError)
  }

  /// Adds the subscriptions that are missing, and asks again for those that were refused.
  func complete(in transaction: Transaction) throws {
    let lack = try lack(in: transaction)
    guard lack.hasMissing || lack.isRefused else { return }
    var editor = try SubscriptionEditor(
      transaction, now: Timestamp(milliseconds: now)
    ) { ObjectId.generate().id }
    for member in try members(transaction) { editor.add(member.className, query: member.query) }
    try editor.checkSize()
    try editor.save(in: transaction)
  }

  /// What is to be subscribed to, of the classes that there are.
  private func members(_ source: any ObjectSource & TreeSource) throws -> [SetMember] {
    let tables = source.schema.visibleTables.filter { table in
      table.isSynced && !table.isEmbedded && !table.isAsymmetric
    }
    return try tables.map { table in
      SetMember(className: table.name, query: try text(on: table, source))
    }
  }

  private func text(on table: TableSchema, _ source: any ObjectSource & TreeSource) throws -> String
  {
    guard case .partition(let value) = scope, table.column(SyncScope.partitionProperty) != nil
    else {
      return try AtollQuery.Query("TRUEPREDICATE", on: table.name, in: source.schema)
        .canonicalText(in: source)
    }
    return try AtollQuery.Query(
      "\(SyncScope.partitionProperty) == $0", on: table.name, in: source.schema,
      arguments: [value.stored]
    ).canonicalText(in: source)
  }

  // MARK: Partitions

  /// Puts what was created into the partition.
  ///
  /// - Throws: `Realm.Error` for an object that says that it is of another one.
  func place(_ transaction: Transaction) throws {
    guard case .partition(let value) = scope else { return }
    let name = SyncScope.partitionProperty
    for (exactName, changes) in transaction.changes.classes where !changes.inserted.isEmpty {
      let className = exactName.text
      guard let table = transaction.schema.table(className), table.isSynced,
        let property = transaction.schema[className]?[name]
      else { continue }
      let unset = ClassShape.defaultValue(property).single
      let reader = try transaction.table(className)
      for key in changes.inserted {
        guard let found = try reader.object(key)?[name], found != value.stored else { continue }
        guard found == .null || found == unset else {
          throw Realm.Error(
            .noSubscriptionForWrite,
            "an object of class '\(className)' was created with another \(name) than that of the "
              + "realm; leave the property alone, or write it to a realm of that partition")
        }
        try transaction.set(className, key, name, value.stored)
      }
    }
  }
}

extension SubscriptionState {
  /// Whether the server cannot answer the set.
  fileprivate var isError: Bool {
    if case .error = self { true } else { false }
  }
}
