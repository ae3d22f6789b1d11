internal import AtollCapture
internal import AtollObjects

// A script's elements as the app sees them.

extension ListScript {
  /// The places of the elements that the app sees.
  mutating func visible(_ transaction: Transaction) throws -> [Int] {
    var visible: [Int] = []
    for (place, slot) in slots.enumerated() {
      if name.property == "friends", let target = slot.content.target,
        try transaction.key("Item", primaryKey: target.primaryKey) == nil
      {
        isLoose = true
      } else {
        visible.append(place)
      }
    }
    return visible
  }
}

extension ListScript.Content {
  /// As the app sees it.
  func value(_ transaction: Transaction) throws -> Value {
    switch self {
    case .value(let value): try Self.value(value, transaction)
    case .child(let row):
      .link(ObjectLink(table: transaction.schema.table("Detail")?.id ?? 0, key: row))
    }
  }

  /// Whether it has no link to what is not there.
  func isWhole(_ transaction: Transaction) throws -> Bool {
    guard case .value(let value) = self else { return true }
    return try Self.isWhole(value, transaction)
  }

  private static func isWhole(_ value: RecordedValue, _ transaction: Transaction) throws -> Bool {
    switch value {
    case .link(let address):
      try transaction.key("Item", primaryKey: address.primaryKey) != nil
    case .list(let elements): try elements.allSatisfy { try isWhole($0, transaction) }
    case .map(let entries): try entries.allSatisfy { try isWhole($0.value, transaction) }
    default: true
    }
  }

  private static func value(_ recorded: RecordedValue, _ transaction: Transaction) throws -> Value {
    switch recorded {
    case .link(let address):
      guard let key = try transaction.key("Item", primaryKey: address.primaryKey),
        let table = transaction.schema.table("Item")
      else { return .null }
      return .link(ObjectLink(table: table.id, key: key.rawValue))
    case .list(let elements): return .list(try elements.map { try value($0, transaction) })
    case .map(let entries):
      return .map(
        ValueMap(try entries.map { (key: $0.key, value: try value($0.value, transaction)) }))
    default: return recorded.single ?? .null
    }
  }
}
