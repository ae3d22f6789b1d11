internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import TestSupport

// Many operations on a list in one transaction, element by element.

/// What a transaction does to lists, until it is committed.
struct ListWork {
  /// What the file held before.
  let head: [ObjectAddress: SyncModel.Object]
  /// Of the entry that it would make.
  let number: UInt64
  private(set) var scripts: [ListName: ListScript] = [:]
  /// Objects that were deleted in it, and may have been made again.
  private var deleted: Set<ObjectAddress> = []

  init(head: [ObjectAddress: SyncModel.Object], number: UInt64) {
    self.head = head
    self.number = number
  }

  func before(_ name: ListName) -> [ListEntry] {
    deleted.contains(name.object) ? [] : head[name.object]?.list(name.property) ?? []
  }

  mutating func put(_ script: ListScript) { scripts[script.name] = script }

  mutating func delete(_ object: ObjectAddress) {
    deleted.insert(object)
    scripts = scripts.filter { $0.key.object != object }
  }

  /// A list whose elements have operations that the app did not ask for; nil: none.
  func stray(in operations: [Operation]) -> Operation? {
    operations.first { operation in
      guard case .element(let property, _) = operation.unit.path,
        !SyncSchema.isEvent(operation.object)
      else { return false }
      if case .edit = operation.action { return false }
      return scripts[ListName(object: operation.object, property: property)] == nil
    }
  }
}

extension SyncDevice {
  static let listProperties = ["numbers", "friends", "steps", "anys"]

  /// Does some operations on one list of an object.
  func editList(
    _ key: ObjectKey, _ property: String? = nil, _ transaction: Transaction,
    _ random: inout SplitMix64
  ) throws {
    let property =
      property
      ?? ["numbers", "numbers", "friends", "friends", "steps", "anys"]
      .randomElement(using: &random) ?? "numbers"
    let address = ObjectAddress(
      className: "Item", primaryKey: try transaction.value("Item", key, "_id"))
    let name = ListName(object: address, property: property)
    guard let work = listWork, let column = transaction.schema.table("Item")?.column(property)
    else { return }
    var script =
      try work.scripts[name] ?? makeScript(name, key, work.before(name), transaction)
    let limit = lists.options.operationCount
    let count = Bool.random(using: &random) ? limit : min(limit, 3)
    let hand = ListHand(transaction: transaction, key: key, column: column)
    for _ in 0..<Int.random(in: 1...count, using: &random) {
      try operate(&script, hand, &random)
    }
    listWork?.put(script)
    let found = try transaction.value("Item", key, property)
    let expected = Value.list(
      try script.visible(transaction).map { try script.slots[$0].content.value(transaction) })
    guard found == expected else {
      throw ListProblem(
        oracle: .net, text: "the app sees \(found) in \(name), and made \(expected)")
    }
  }

  private func makeScript(
    _ name: ListName, _ key: ObjectKey, _ before: [ListEntry], _ transaction: Transaction
  ) throws -> ListScript {
    guard name.property == "steps" else {
      return ListScript(name, before, before.map { .value($0.value) })
    }
    let rows = try transaction.value("Item", key, name.property).elements.compactMap(\.link)
    return ListScript(name, before, rows.map { .child($0.key) })
  }

  // MARK: One operation

  private func operate(
    _ script: inout ListScript, _ hand: ListHand, _ random: inout SplitMix64
  ) throws {
    let count = try script.visible(hand.transaction).count
    func place(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
    // Short lists, so that devices meet at the same elements.
    let choice = count > 8 ? Int.random(in: 6..<22, using: &random) : place(22)
    switch choice {
    case 0...2: try insert(at: count, &script, hand, &random)
    case 3...5: try insert(at: place(count + 1), &script, hand, &random)
    case 6...9 where count > 0: try hand.remove(at: place(count), &script)
    case 10...12 where count > 0: try set(at: place(count), &script, hand, &random)
    case 13 where count > 1:
      let index = place(count - 1)
      try set(at: index, &script, hand, &random)
      try set(at: index + 1, &script, hand, &random)
    case 14 where count > 0:
      let index = place(count)
      try insert(at: index, &script, hand, &random)
      try set(at: index + 1, &script, hand, &random)
    case 15 where count > 0:
      let index = place(count)
      try hand.remove(at: index, &script)
      try insert(at: index, &script, hand, &random)
    case 16...17 where count > 0:
      var order = Array(0..<count)
      let from = place(count)
      order.insert(order.remove(at: from), at: place(count))
      try hand.rearrange(order, [from], &script)
    case 18 where count > 1:
      var order = Array(0..<count)
      let (a, b) = (place(count), place(count))
      order.swapAt(a, b)
      try hand.rearrange(order, [a, b], &script)
    case 19: try editRange(count, &script, hand, &random)
    case 20: try hand.removeAll(asWhole: Bool.random(using: &random), &script)
    default: try assign(&script, hand, &random)
    }
  }

  private func insert(
    at index: Int, _ script: inout ListScript, _ hand: ListHand,
    _ random: inout SplitMix64
  ) throws {
    guard script.name.property != "steps" else {
      return try hand.insertChild(at: index, .int(.random(in: 0..<2, using: &random)), &script)
    }
    guard let value = try listValue(script.name.property, hand.transaction, &random) else { return }
    try hand.insert(value, at: index, &script)
  }

  private func set(
    at index: Int, _ script: inout ListScript, _ hand: ListHand, _ random: inout SplitMix64
  ) throws {
    // An insertion before it may have had nothing to insert.
    guard try index < script.visible(hand.transaction).count else { return }
    guard script.name.property != "steps" else {
      try hand.remove(at: index, &script)
      return try insert(at: index, &script, hand, &random)
    }
    guard let value = try listValue(script.name.property, hand.transaction, &random) else { return }
    try hand.set(value, at: index, &script)
  }

  /// Elements beside each other are inserted, removed or moved.
  private func editRange(
    _ count: Int, _ script: inout ListScript, _ hand: ListHand, _ random: inout SplitMix64
  ) throws {
    let start = Int.random(in: 0...count, using: &random)
    let end = Int.random(in: start...count, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      for _ in start..<end { try hand.remove(at: start, &script) }
    case 1 where count > 0:
      let moved = Array(start..<end)
      var order = Array(0..<start) + Array(end..<count)
      order.insert(contentsOf: moved, at: Int.random(in: 0...order.count, using: &random))
      try hand.rearrange(order, Set(moved), &script)
    default:
      let isForward = Bool.random(using: &random)
      for offset in 0..<Int.random(in: 2...4, using: &random) {
        let end = try script.visible(hand.transaction).count
        try insert(at: min(isForward ? start + offset : start, end), &script, hand, &random)
      }
    }
  }

  /// A list is assigned as a whole that differs in some elements.
  private func assign(
    _ script: inout ListScript, _ hand: ListHand, _ random: inout SplitMix64
  ) throws {
    let visible = try script.visible(hand.transaction)
    guard script.name.property != "steps" else {
      // Objects that are there stay in their places, or go.
      let kept = visible.indices.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
      return try hand.keep(kept, &script)
    }
    guard script.canBeAssigned, visible.count == script.slots.count else { return }
    var contents = script.slots.map(\.content)
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      guard let value = try listValue(script.name.property, hand.transaction, &random) else {
        return
      }
      let place = Int.random(in: 0...contents.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where place < contents.count: contents.remove(at: place)
      case 1 where place < contents.count: contents[place] = .value(value)
      case 2 where place < contents.count: contents.swapAt(place, 0)
      default: contents.insert(.value(value), at: place)
      }
    }
    // Read as null, and written as null: which null a link that waits goes along with is open.
    let all = contents + script.slots.map(\.content)
    guard try all.allSatisfy({ try $0.isWhole(hand.transaction) }) else { return }
    try hand.assign(contents, &script)
  }

  // MARK: Values

  /// One of few values; nil: there is nothing to link to.
  private func listValue(
    _ property: String, _ transaction: Transaction, _ random: inout SplitMix64
  ) throws -> RecordedValue? {
    let address = SyncSchema.item(SyncSchema.keys.randomElement(using: &random) ?? "")
    let isThere = try transaction.key("Item", primaryKey: address.primaryKey) != nil
    let number = RecordedValue.int(.random(in: 0..<2, using: &random))
    switch property {
    case "numbers": return number
    case "friends": return isThere ? .link(address) : nil
    default:
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return .null
      case 1, 2: return number
      case 3: return isThere ? .link(address) : .null
      case 4: return .list([number])
      default: return .map([RecordedEntry(key: "x", value: number)])
      }
    }
  }

  // MARK: Commits

  /// Verifies what the file recorded of a transaction, if it did.
  ///
  /// `isCertain`: whether the commit returned.
  func settleLists(isCertain: Bool) throws {
    guard let work = listWork else { return }
    listWork = nil
    let entry = model.outbox.first { $0.number == work.number }
    guard isCertain || entry != nil else { return }
    let head = model.head
    var nets: [ListNet] = []
    let operations = entry?.operations ?? []
    for (name, var script) in work.scripts.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      guard let object = head[name.object] else { continue }
      if name.property == "friends",
        script.slots.contains(where: { $0.content.target.map { head[$0] == nil } ?? false })
      {
        script.isLoose = true
      }
      let own = operations.filter { operation in
        guard case .element(name.property, _) = operation.unit.path else { return false }
        return operation.object == name.object
      }
      nets.append(ListNet(script, own.map(\.action), object.list(name.property)))
    }
    if lists.verifies(.net), let stray = work.stray(in: operations) {
      throw ListProblem(oracle: .net, text: "nothing was done that makes \(stray.short)")
    }
    let line = ListHistory.Line(device: index, life: life, client: entry?.name.client ?? 0)
    try lists.commit(
      entry.map { SyncJournal.PushName(entry: $0.name, digest: $0.digest) }, operations, nets,
      known: ListHistory.ids(in: work.head), line)
  }
}
