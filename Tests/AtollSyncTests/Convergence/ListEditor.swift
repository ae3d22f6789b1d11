import AtollCapture
import AtollObjects
import Testing

/// A kind of list; its elements have names.
enum ListKind: String, CaseIterable, Sendable {
  /// Strings.
  case values
  /// Links to cards, whose keys are the names.
  case links
  /// Embedded objects; a new value of one is a new value of its property `name`.
  case embedded
  /// Strings, links to cards, and dictionaries, by the first letter of the name.
  case mixed

  /// Those that hold values of their own, so that a list of names can be assigned.
  static let assigned: [ListKind] = [.values, .links, .mixed]

  static let classes = [
    ClassSchema(
      "Board",
      properties: [
        PropertySchema("_id", .string), PropertySchema("values", .string, collection: .list),
        PropertySchema("links", linkTo: "Card", collection: .list),
        PropertySchema("embedded", linkTo: "Part", collection: .list),
        PropertySchema("mixed", .mixed, collection: .list),
      ], primaryKey: "_id", isSynced: true),
    ClassSchema(
      "Card", properties: [PropertySchema("_id", .string), PropertySchema("minutes", .int)],
      primaryKey: "_id", isSynced: true),
    ClassSchema(
      "Part", properties: [PropertySchema("name", .string), PropertySchema("minutes", .int)],
      isEmbedded: true),
  ]
}

/// One operation of a list's API.
enum ListChange: Sendable {
  case append(String)
  case insert(String, at: Int)
  case set(Int, String)
  case remove(Int)
  case move(Int, to: Int)
  case swap(Int, Int)
  case sort
  /// Removes all elements.
  case clear
  /// Assigns the whole list.
  case assign([String])
  /// What follows is another transaction.
  case commit
}

extension [ListChange] {
  /// Inserts several elements side by side, one by one.
  static func run(_ names: [String], at index: Int) -> [ListChange] {
    names.enumerated().map { .insert($1, at: index + $0) }
  }
}

/// Changes a list of a board in a transaction.
struct ListEditor {
  let transaction: Transaction
  let kind: ListKind
  let board: ObjectKey
  let column: Column

  init(_ transaction: Transaction, _ kind: ListKind, board name: String = "board") throws {
    self.transaction = transaction
    self.kind = kind
    board = try #require(try transaction.key("Board", primaryKey: .string(name)))
    column = try #require(transaction.schema.table("Board")?.column(kind.rawValue))
  }

  var elements: [Value] {
    get throws { try transaction.value(board, column)?.list ?? [] }
  }

  var names: [String] {
    get throws { try elements.map(name) }
  }

  func apply(_ change: ListChange) throws {
    switch change {
    case .append(let name): try insert(name, at: nil)
    case .insert(let name, let index): try insert(name, at: index)
    case .set(let index, let name): try set(index, name)
    case .remove(let index): try transaction.removeElement(board, column, at: index)
    case .move(let from, let to):
      try rearrange([from]) { order in order.insert(order.remove(at: from), at: to) }
    case .swap(let a, let b): try rearrange([a, b]) { order in order.swapAt(a, b) }
    case .sort: try sort()
    case .clear: try transaction.set(board, column, .list([]))
    case .assign(let names): try transaction.set(board, column, .list(names.map(value)))
    case .commit: break
    }
  }

  private func insert(_ name: String, at index: Int?) throws {
    guard kind == .embedded else {
      return try transaction.insertElement(board, column, at: index, value(name))
    }
    _ = try transaction.createEmbeddedElement(
      of: board, column, at: index, ["name": .string(name)])
  }

  private func set(_ index: Int, _ name: String) throws {
    guard kind == .embedded else {
      return try transaction.setElement(board, column, at: index, value(name))
    }
    try setPart(index, "name", .string(name))
  }

  /// Sets a property of an embedded object.
  func setPart(_ index: Int, _ property: String, _ value: Value) throws {
    let link = try #require(try elements[index].link)
    try transaction.set("Part", ObjectKey(rawValue: link.key), property, value)
  }

  private func rearrange(_ moved: Set<Int>, _ change: (inout [Int]) -> Void) throws {
    var order = Array(try elements.indices)
    change(&order)
    try transaction.rearrange(board, column, order, moved: moved)
  }

  /// Moves as few elements as a sort by name takes.
  private func sort() throws {
    let names = try names
    let places = Array(names.indices)
    let order = places.sorted { (names[$0], $0) < (names[$1], $1) }
    let moved = order.difference(from: places).removals.map { change in
      switch change {
      case .insert(_, let place, _), .remove(_, let place, _): place
      }
    }
    try transaction.rearrange(board, column, order, moved: Set(moved))
  }

  // MARK: Names

  private func card(_ name: String) throws -> Value {
    let table = try #require(transaction.schema.table("Card"))
    let known = try transaction.key("Card", primaryKey: .string(name))
    let key = try known ?? transaction.create("Card", ["_id": .string(name)])
    return .link(ObjectLink(table: table.id, key: key.rawValue))
  }

  private func value(_ name: String) throws -> Value {
    switch kind {
    case .values: return .string(name)
    case .links: return try card(name)
    case .mixed where (name.utf8.first ?? 0) % 3 == 1: return try card(name)
    case .mixed where (name.utf8.first ?? 0) % 3 == 2:
      return .map(ValueMap([(key: "name", value: .string(name))]))
    case .mixed: return .string(name)
    case .embedded:
      Issue.record("an embedded object belongs to its list")
      return .null
    }
  }

  private func name(_ element: Value) throws -> String {
    switch element {
    case .string(let name): return name
    case .link(let link):
      let key = ObjectKey(rawValue: link.key)
      let isPart = link.table == transaction.schema.table("Part")?.id
      let value = try transaction.value(isPart ? "Part" : "Card", key, isPart ? "name" : "_id")
      return value.string ?? "\(value)"
    case .map(let map): return map["name"]?.string ?? "\(element)"
    default: return "\(element)"
    }
  }
}
