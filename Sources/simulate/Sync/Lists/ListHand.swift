internal import AtollCapture
internal import AtollObjects

/// Does the operations of a script on the list of a file: the one place that calls the library's
/// operations on elements.
struct ListHand {
  let transaction: Transaction
  let key: ObjectKey
  let column: Column

  func insert(_ value: RecordedValue, at index: Int, _ script: inout ListScript) throws {
    let visible = try script.visible(transaction)
    let content = ListScript.Content.value(value)
    script.insert(content, at: index, visible)
    if index == visible.count {
      try transaction.append("Item", key, column.name, content.value(transaction))
    } else {
      try transaction.insert("Item", key, column.name, at: index, content.value(transaction))
    }
  }

  /// Makes an embedded object as an element.
  func insertChild(at index: Int, _ value: Value, _ script: inout ListScript) throws {
    let visible = try script.visible(transaction)
    let row = try transaction.createEmbeddedElement(
      of: key, column, at: index == visible.count ? nil : index, ["x": value])
    script.insert(.child(row.rawValue), at: index, visible)
  }

  func remove(at index: Int, _ script: inout ListScript) throws {
    script.remove(at: index, try script.visible(transaction))
    try transaction.remove("Item", key, column.name, at: index)
  }

  func set(_ value: RecordedValue, at index: Int, _ script: inout ListScript) throws {
    let visible = try script.visible(transaction)
    let content = ListScript.Content.value(value)
    script.set(content, at: index, visible)
    try transaction.set("Item", key, column.name, at: index, content.value(transaction))
  }

  func rearrange(_ order: [Int], _ moved: Set<Int>, _ script: inout ListScript) throws {
    script.rearrange(order, moving: moved, try script.visible(transaction))
    try transaction.rearrange(key, column, order, moved: moved)
  }

  func removeAll(asWhole: Bool, _ script: inout ListScript) throws {
    let visible = try script.visible(transaction)
    script.removeAll(visible)
    guard !asWhole else { return try transaction.set("Item", key, column.name, .list([])) }
    for index in visible.indices.reversed() {
      try transaction.remove("Item", key, column.name, at: index)
    }
  }

  /// Assigns the elements at some places: embedded objects.
  func keep(_ places: [Int], _ script: inout ListScript) throws {
    let visible = try script.visible(transaction)
    let new = Value.list(
      try places.map { try script.slots[visible[$0]].content.value(transaction) })
    let kept = Set(places)
    script.removeAll(visible.indices.filter { !kept.contains($0) }.map { visible[$0] })
    try transaction.set("Item", key, column.name, new)
  }

  func assign(_ contents: [ListScript.Content], _ script: inout ListScript) throws {
    script.assign(contents)
    try transaction.set(
      "Item", key, column.name, .list(contents.map { try $0.value(transaction) }))
  }
}
