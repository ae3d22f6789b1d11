import AtollObjects
import Testing

extension ModelRun {
  /// Asks for something that is refused with one error, and changes nothing.
  mutating func refuse(_ transaction: Transaction) throws {
    guard let (name, raw) = pickObject() else { return }
    let key = ObjectKey(rawValue: raw)
    let found = model[name]
    var values = values(of: name)
    let property = random.pick(found.schema.properties)
    switch random.int(0..<8) {
    case 0:
      try refuse(transaction, .noSuchProperty("zzzzzzzz", className: name, nearest: nil)) {
        try $0.set(name, key, "zzzzzzzz", .null)
      }
    case 1:
      try refuse(transaction, .noSuchObject(className: name)) {
        try $0.set(name, ObjectKey(rawValue: 1 << 40 | 5), property.name, .null)
      } unless: {
        found.schema.primaryKey == property.name
      }
    case 2:
      guard let primaryKey = found.schema.primaryKey else { return }
      try refuse(transaction, .primaryKeyIsFixed(className: name, property: primaryKey)) {
        try $0.set(name, key, primaryKey, found.objects[raw]?.values[primaryKey] ?? .null)
      }
    case 3:
      guard let primaryKey = found.schema.primaryKey else { return }
      values[primaryKey] = nil
      try refuse(transaction, .missingPrimaryKey(className: name, property: primaryKey)) {
        try $0.create(name, values)
      }
    case 4:
      guard found.schema.isEmbedded else { return }
      try refuse(transaction, .embeddedObjectHasOwner(className: name)) {
        try $0.create(name, values)
      }
    case 5:
      guard !property.isOptional, property.type != .mixed, property.collection == .none,
        property.name != found.schema.primaryKey
      else { return }
      try refuse(
        transaction, .nullInRequiredProperty(className: name, property: property.name)
      ) { try $0.set(name, key, property.name, .null) }
    case 6:
      guard model.ownsTargets(property), let target = property.linkTarget else { return }
      let owned = found.objects[raw]?.values[property.name]?.targets ?? []
      let others = model[target].keys.map { model.link(target, $0) }.filter { !owned.contains($0) }
      guard !others.isEmpty else { return }
      let child = Value.link(random.pick(others))
      let value: Value =
        switch property.collection {
        case .none: child
        case .list: .list(owned.map { .link($0) } + [child])
        case .set: .set([child])
        case .map: .map(["stolen": child])
        }
      try refuse(transaction, .embeddedObjectHasOwner(className: target)) {
        try $0.set(name, key, property.name, value)
      }
    default:
      guard property.type == .link, let target = property.linkTarget else { return }
      let ghost = Value.link(ObjectLink(table: model[target].id, key: 1 << 40 | 5))
      let value: Value =
        switch property.collection {
        case .none: ghost
        case .list: .list([ghost])
        case .set: .set([ghost])
        case .map: .map(["ghost": ghost])
        }
      try refuse(
        transaction, .danglingLink(className: name, property: property.name)
      ) { try $0.set(name, key, property.name, value) }
    }
  }

  func refuse<Result>(
    _ transaction: Transaction, _ error: ObjectError, _ body: (Transaction) throws -> Result,
    unless isOtherwise: () -> Bool = { false }
  ) throws {
    if isOtherwise() { return }
    #expect(throws: error, "seed \(seed)") { _ = try body(transaction) }
  }
}
