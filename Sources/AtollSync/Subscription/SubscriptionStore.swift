import AtollCapture
import AtollObjects

/// How versions of the subscription set lie in the file: two hidden classes.
///
/// Their names cannot be those of an app's classes.
enum SubscriptionStore {
  static let setClass = "Sync.Set"
  static let memberClass = "Sync.Subscription"

  static let classes = [
    ClassSchema(
      setClass,
      properties: [
        PropertySchema("version", .int), PropertySchema("state", .int),
        PropertySchema("error", .string, isOptional: true),
        PropertySchema("subscriptions", linkTo: memberClass, collection: .list),
      ], primaryKey: "version", isHidden: true),
    ClassSchema(
      memberClass,
      properties: [
        PropertySchema("id", .objectID), PropertySchema("name", .string, isOptional: true),
        PropertySchema("class", .string), PropertySchema("query", .string),
        PropertySchema("createdAt", .date), PropertySchema("updatedAt", .date),
        PropertySchema("wasComplete", .bool), PropertySchema("error", .string, isOptional: true),
      ], isEmbedded: true, isHidden: true),
  ]

  /// The numbers of states in the file.
  enum StoredState: Int64 {
    case pending = 1
    case bootstrapping = 2
    case complete = 3
    case error = 4
  }

  // MARK: Reading

  /// All versions that are stored, ascending.
  static func sets(_ source: any TreeSource) throws(ObjectError) -> [SubscriptionSet] {
    guard source.schema.contains(setClass) else { return [] }
    let table = try source.table(setClass)
    var rows: [Object] = []
    do { try table.forEach { rows.append($0) } } catch {
      throw error as? ObjectError ?? .noSuchClass(setClass, nearest: nil)
    }
    var sets: [SubscriptionSet] = []
    for row in rows { sets.append(try set(row, source)) }
    return sets.sorted { $0.version < $1.version }
  }

  static func set(version: Int64, _ source: any TreeSource) throws(ObjectError)
    -> SubscriptionSet?
  {
    guard source.schema.contains(setClass),
      let row = try source.table(setClass).object(primaryKey: .int(version))
    else { return nil }
    return try set(row, source)
  }

  private static func set(_ row: Object, _ source: any TreeSource) throws(ObjectError)
    -> SubscriptionSet
  {
    let members = try source.table(memberClass)
    var subscriptions: [Subscription] = []
    for element in try row["subscriptions"].list ?? [] {
      guard let link = element.link,
        let member = try members.object(ObjectKey(rawValue: link.key)),
        let subscription = try subscription(member)
      else { continue }
      subscriptions.append(subscription)
    }
    let state: SubscriptionState =
      switch StoredState(rawValue: try row["state"].int ?? 0) {
      case .pending, nil: .pending
      case .bootstrapping: .bootstrapping
      case .complete: .complete
      case .error: .error(try row["error"].string ?? "")
      }
    return SubscriptionSet(
      version: try row["version"].int ?? 0, state: state, subscriptions: subscriptions)
  }

  private static func subscription(_ member: Object) throws(ObjectError) -> Subscription? {
    guard let id = try member["id"].objectID, let className = try member["class"].string,
      let query = try member["query"].string, let createdAt = try member["createdAt"].date,
      let updatedAt = try member["updatedAt"].date
    else { return nil }
    return Subscription(
      id: id, name: try member["name"].string, className: className, query: query,
      createdAt: createdAt, updatedAt: updatedAt,
      wasComplete: try member["wasComplete"].bool ?? false, problem: try member["error"].string)
  }

  // MARK: Writing

  static func addClasses(_ transaction: Transaction) throws(ObjectError) {
    guard !transaction.schema.contains(setClass) else { return }
    try transaction.addClasses(classes)
  }

  static func insert(_ set: SubscriptionSet, into transaction: Transaction) throws(ObjectError) {
    try addClasses(transaction)
    let key = try transaction.create(
      setClass,
      ["version": .int(set.version), "state": .int(StoredState.pending.rawValue)])
    for subscription in set.subscriptions {
      try transaction.createEmbedded(
        in: setClass, key, "subscriptions",
        [
          "id": .objectID(subscription.id),
          "name": subscription.name.map { .string($0) } ?? .null,
          "class": .string(subscription.className), "query": .string(subscription.query),
          "createdAt": .date(subscription.createdAt), "updatedAt": .date(subscription.updatedAt),
          "wasComplete": .bool(subscription.wasComplete),
        ])
    }
  }

  /// Sets the state of a version; false when it is gone.
  @discardableResult
  static func setState(
    _ state: StoredState, error: String? = nil, version: Int64, in transaction: Transaction
  ) throws(ObjectError) -> Bool {
    guard transaction.schema.contains(setClass),
      let key = try transaction.key(setClass, primaryKey: .int(version))
    else { return false }
    try transaction.set(setClass, key, "state", .int(state.rawValue))
    try transaction.set(setClass, key, "error", error.map { .string($0) } ?? .null)
    return true
  }

  /// Notes why the server cannot answer members of a version.
  static func setProblems(
    _ texts: [SetMember: String], inVersion version: Int64, in transaction: Transaction
  ) throws(ObjectError) {
    guard !texts.isEmpty,
      let set = try transaction.table(setClass).object(primaryKey: .int(version))
    else { return }
    let members = try transaction.table(memberClass)
    var problems: [(ObjectKey, String)] = []
    for element in try set["subscriptions"].list ?? [] {
      guard let link = element.link,
        let member = try members.object(ObjectKey(rawValue: link.key)),
        let className = try member["class"].string, let query = try member["query"].string,
        let text = texts[SetMember(className: className, query: query)]
      else { continue }
      problems.append((member.key, text))
    }
    for (key, text) in problems { try transaction.set(memberClass, key, "error", .string(text)) }
  }

  static func delete(version: Int64, in transaction: Transaction) throws(ObjectError) {
    guard let key = try transaction.key(setClass, primaryKey: .int(version)) else { return }
    try transaction.delete(setClass, key)
  }

  /// Marks what a complete set subscribes to, in every version that still asks for the same.
  static func markComplete(
    _ subscriptions: [Subscription], in transaction: Transaction
  ) throws(ObjectError) {
    let complete = Dictionary(
      subscriptions.map { ($0.id, ($0.className, $0.query)) }, uniquingKeysWith: { a, _ in a })
    var keys: [ObjectKey] = []
    let members = try transaction.table(memberClass)
    var rows: [Object] = []
    do { try members.forEach { rows.append($0) } } catch {
      throw error as? ObjectError ?? .noSuchClass(memberClass, nearest: nil)
    }
    for row in rows {
      guard let member = try subscription(row), !member.wasComplete,
        let (className, query) = complete[member.id], member.asks(className, query)
      else { continue }
      keys.append(row.key)
    }
    for key in keys { try transaction.set(memberClass, key, "wasComplete", .bool(true)) }
  }
}

extension Schema {
  func contains(_ className: String) -> Bool { table(className) != nil }
}
