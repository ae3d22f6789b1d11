internal import AtollCapture
internal import AtollObjects
internal import AtollQuery

extension Rights {
  /// The rights of a user, in the current state of the store.
  func resolved(for user: String, in store: any ServerTransaction) throws(ServerStoreError)
    -> UserRights
  {
    switch mode {
    case .denied: return .nothing
    case .development: return .everything
    case .rules(let rules):
      let data = try UserData(of: user, in: rules.userClass, store)
      var classes: [ExactText: ClassRights] = [:]
      for schema in store.schema.classes where !schema.isEmbedded && schema.primaryKey != nil {
        let name = ExactText(schema.name)
        guard let own = rules.classes[name] else { continue }
        for role in own.roles where try data.isSubject(to: role.application) {
          classes[name] = ClassRights(
            role, of: data.values, on: schema.name, in: store.schema, queryable: own.queryable,
            partition: schema[rules.partition ?? ""]?.name)
          break
        }
      }
      return UserRights(classes)
    }
  }

  /// The user whose data an object is; nil when it is none.
  func user(withData address: ObjectAddress) -> String? {
    guard let userClass, address.className.hasSameBytes(as: userClass) else { return nil }
    return switch address.primaryKey {
    case .string(let id): id
    case .objectID(let id): "\(id)"
    default: nil
    }
  }
}

extension ClassRights {
  fileprivate init(
    _ role: Role, of user: UserValues, on className: String, in schema: Schema,
    queryable: Set<ExactText>?, partition: String?
  ) {
    func objects(_ permission: Role.Permission) -> ObjectSelection {
      switch permission {
      case .none: .none
      case .all: .all
      case .matching(let condition):
        condition.text(for: user).map { .matching(ExactText($0)) } ?? .none
      }
    }
    var (read, write) = (objects(role.read), objects(role.write))
    // Objects of an asymmetric class are not sent and do not change: the right to insert includes
    // writing the new object.
    if schema.table(className)?.isAsymmetric == true { (read, write) = (.all, .all) }
    self.init(
      role: role.name, read: read, write: write, insert: objects(role.insert),
      delete: objects(role.delete), properties: role.properties, queryable: queryable,
      partition: partition,
      writeProperties: read.intersection(write).properties(of: className, in: schema))
  }
}

extension ObjectSelection {
  /// The properties that tell whether an object is selected; nil: perhaps any.
  fileprivate func properties(of className: String, in schema: Schema) -> Set<ExactText>? {
    guard case .matching(let text) = self else { return [] }
    guard let query = try? Query(text.text, on: className, in: schema), query.dependencies.isLocal
    else { return nil }
    return query.dependencies.properties[ExactText(className)]
  }
}

/// The data of one user: an object of the store.
private struct UserData {
  let values: UserValues
  private let number: ObjectNumber?
  private let className: String
  private let store: any ServerTransaction

  init(
    of user: String, in className: String?, _ store: any ServerTransaction
  ) throws(ServerStoreError) {
    self.store = store
    self.className = className ?? ""
    guard let className, let table = store.schema.table(className),
      let key = Self.primaryKey(user, of: table)
    else {
      number = nil
      values = UserValues(id: user, data: [:])
      return
    }
    let address = ObjectAddress(className: className, primaryKey: key)
    let found = try store.number(of: address)
    if let found, let bytes = try store.record(found.bytes, in: .objects),
      try ObjectRecord(bytes).generation != nil
    {
      number = found
      values = UserValues(id: user, data: Self.data(try store.values(of: address), table))
    } else {
      number = nil
      values = UserValues(id: user, data: [:])
    }
  }

  /// Whether a role is for the user.
  func isSubject(to application: Role.Application) throws(ServerStoreError) -> Bool {
    switch application {
    case .everybody: return true
    case .users(let ids): return ids.contains(ExactText(values.id))
    case .when(let condition):
      guard let number, let text = condition.text(for: values) else { return false }
      let query = ViewQuery(className: className, text: text)
      return try !store.keys(matching: query, among: [number.key], in: .now).isEmpty
    }
  }

  private static func primaryKey(_ user: String, of table: TableSchema) -> Value? {
    switch table.primaryKey?.layout.value {
    case .string: .string(user)
    case .objectID: ObjectID(user).map { .objectID($0) }
    default: nil
    }
  }

  /// Single values, and lists and sets of them.
  private static func data(
    _ units: [UnitPath: UnitValue], _ table: TableSchema
  ) -> [ExactText: Value] {
    var data: [ExactText: Value] = [:]
    // An empty list is a value like any other, although it has no unit.
    for column in table.columns where column.layout.collection == .list {
      data[ExactText(column.name)] = .list([])
    }
    var lists: [ExactText: [(position: ListPosition, id: ElementID, value: Value)]] = [:]
    for (path, value) in units {
      switch (path, value) {
      case (.property(let name), .value(.set(let members))):
        data[ExactText(name)] = .list(members.compactMap(\.single))
      case (.property(let name), .value(let value)):
        if let single = value.single { data[ExactText(name)] = single }
      case (.element(let name, let id), .element(let position, let value)):
        guard let single = value.single else { continue }
        lists[ExactText(name), default: []].append((position, id, single))
      default: break
      }
    }
    for (name, elements) in lists {
      data[name] = .list(
        elements.sorted { ($0.position, $0.id) < ($1.position, $1.id) }.map(\.value))
    }
    return data
  }
}
