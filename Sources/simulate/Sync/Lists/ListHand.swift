internal import AtollObjects

/// Does the operations of a script on the list of a file: the one place that calls the library's
/// operations on elements.
///
/// With a bug planted, some are done by others that leave the same values.
struct ListHand {
  let transaction: Transaction
  let key: ObjectKey
  let column: Column
  let bug: ListBug?
  /// Whether the planted bug strikes.
  let isBuggy: Bool
  /// The place where an element was removed last, with no other operation since.
  private var gap: Int?

  init(
    transaction: Transaction, key: ObjectKey, column: Column, bug: ListBug?, isBuggy: Bool
  ) {
    self.transaction = transaction
    self.key = key
    self.column = column
    self.bug = bug
    self.isBuggy = isBuggy
  }

  private func has(_ bug: ListBug) -> Bool { isBuggy && self.bug == bug }

  mutating func insert(_ value: RecordedValue, at index: Int, _ script: inout ListScript) throws {
    let visible = try script.visible(transaction)
    let content = ListScript.Content.value(value)
    script.insert(content, at: index, visible)
    defer { gap = nil }
    if has(.comparedLists) { return }
    if has(.pairedReplacement), let gap {
      // The removal waited for this.
      if gap == index {
        return try transaction.set("Item", key, column.name, at: gap, content.value(transaction))
      }
    }
    try fill()
    if index == visible.count {
      try transaction.append("Item", key, column.name, content.value(transaction))
    } else {
      try transaction.insert("Item", key, column.name, at: index, content.value(transaction))
    }
  }

  /// Makes an embedded object as an element.
  mutating func insertChild(
    at index: Int, _ value: Value, _ script: inout ListScript
  ) throws {
    let visible = try script.visible(transaction)
    try fill()
    let row = try transaction.createEmbeddedElement(
      of: key, column, at: index == visible.count ? nil : index, ["x": value])
    script.insert(.child(row.rawValue), at: index, visible)
  }

  mutating func remove(at index: Int, _ script: inout ListScript) throws {
    let visible = try script.visible(transaction)
    let content = script.slots[visible[index]].content
    var isEqual = false
    if index + 1 < visible.count {
      isEqual = script.slots[visible[index + 1]].content == content
    }
    script.remove(at: index, visible)
    guard column.name != "steps" else {
      return try transaction.remove("Item", key, column.name, at: index)
    }
    if has(.comparedLists) { return }
    try fill()
    if has(.pairedReplacement) {
      gap = index
      return
    }
    let place = has(.equalElement) && isEqual ? index + 1 : index
    try transaction.remove("Item", key, column.name, at: place)
  }

  /// Removes what an insertion was to take the place of.
  private mutating func fill() throws {
    guard let place = gap else { return }
    gap = nil
    try transaction.remove("Item", key, column.name, at: place)
  }

  mutating func set(_ value: RecordedValue, at index: Int, _ script: inout ListScript) throws {
    let visible = try script.visible(transaction)
    let content = ListScript.Content.value(value)
    script.set(content, at: index, visible)
    if has(.comparedLists) { return }
    try fill()
    let new = try content.value(transaction)
    guard has(.renewedElement) else {
      return try transaction.set("Item", key, column.name, at: index, new)
    }
    try transaction.remove("Item", key, column.name, at: index)
    try transaction.insert("Item", key, column.name, at: index, new)
  }

  mutating func rearrange(
    _ order: [Int], _ moved: Set<Int>, _ script: inout ListScript
  ) throws {
    let visible = try script.visible(transaction)
    script.rearrange(order, moving: moved, visible)
    let isOwned = column.name == "steps"
    if has(.comparedLists), !isOwned { return }
    try fill()
    guard has(.renewedMove), !isOwned, moved.count == 1, let from = moved.first,
      let to = order.firstIndex(of: from)
    else { return try transaction.rearrange(key, column, order, moved: moved) }
    let value = try transaction.element("Item", key, column.name, at: from)
    try transaction.remove("Item", key, column.name, at: from)
    try transaction.insert("Item", key, column.name, at: to, value)
  }

  mutating func removeAll(asWhole: Bool, _ script: inout ListScript) throws {
    let visible = try script.visible(transaction)
    script.removeAll(visible)
    if has(.comparedLists), column.name != "steps" { return }
    try fill()
    guard !asWhole else { return try transaction.set("Item", key, column.name, .list([])) }
    for index in visible.indices.reversed() {
      try transaction.remove("Item", key, column.name, at: index)
    }
  }

  /// Assigns the elements at some places: embedded objects.
  mutating func keep(_ places: [Int], _ script: inout ListScript) throws {
    let visible = try script.visible(transaction)
    let new = Value.list(
      try places.map { try script.slots[visible[$0]].content.value(transaction) })
    let kept = Set(places)
    script.removeAll(visible.indices.filter { !kept.contains($0) }.map { visible[$0] })
    try transaction.set("Item", key, column.name, new)
  }

  mutating func assign(
    _ contents: [ListScript.Content], _ script: inout ListScript
  ) throws {
    script.assign(contents)
    if has(.comparedLists) { return }
    try fill()
    try transaction.set(
      "Item", key, column.name, .list(contents.map { try $0.value(transaction) }))
  }

  /// Does what was put off.
  mutating func finish(_ script: inout ListScript) throws {
    try fill()
    guard has(.comparedLists), column.name != "steps" else { return }
    let visible = try script.visible(transaction)
    try transaction.set(
      "Item", key, column.name,
      .list(visible.map { try script.slots[$0].content.value(transaction) }))
  }
}
