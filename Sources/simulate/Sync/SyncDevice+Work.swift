internal import AtollCapture
internal import AtollObjects
internal import AtollStorage
internal import AtollSync
internal import TestSupport

// The random actions of the app on a device.

extension SyncDevice {
  /// The subscriptions that the app committed last.
  var subscriptions: Set<SyncSubscription> { model.sets.max { $0.key < $1.key }?.value ?? [] }

  /// Commits a transaction of the app on synced objects; returns how many objects it touched.
  ///
  /// `profile`: has the objects and the edits that it is chosen from.
  func transact(
    _ random: inout SplitMix64, _ durability: Durability, _ profile: SyncProfile
  ) throws -> Int {
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    if lists.options.isOn {
      listWork = ListWork(head: model.head, number: try transaction.capture.state().nextNumber)
    }
    let count = [1, 1, 2, 3, 4].randomElement(using: &random) ?? 1
    for _ in 0..<count { try changeObject(transaction, profile, &random) }
    let before = try version()
    try transaction.commit(durability: durability)
    if durability == .full { try didSynchronize(since: before) }
    try takeNewEntries()
    try settleLists(isCertain: true)
    return count
  }

  private func changeObject(
    _ transaction: Transaction, _ profile: SyncProfile, _ random: inout SplitMix64
  ) throws {
    if Int.random(in: 0..<12, using: &random) == 0 { return try makeEvent(transaction, &random) }
    var primaryKey = Value.string(profile.keys.randomElement(using: &random) ?? "")
    // Often one that a catch-up has brought and the server does not count as held (R20).
    let arrived = isProgressive ? model.parts.flatMap(\.changes.keys) : []
    if !arrived.isEmpty, Bool.random(using: &random),
      let object = arrived.sorted(by: { "\($0)" < "\($1)" }).randomElement(using: &random)
    {
      primaryKey = object.primaryKey
    }
    // Lists of few objects, so that devices meet.
    if lists.options.isOn, Int.random(in: 0..<3, using: &random) > 0 {
      primaryKey = .string(SyncSchema.keys[Int.random(in: 0..<2, using: &random)])
    }
    guard let key = try transaction.key("Item", primaryKey: primaryKey) else {
      var values: [String: Value] = ["_id": primaryKey]
      // Mostly into view.
      if Int.random(in: 0..<5, using: &random) > 0,
        let term = subscriptions.sorted(by: { $0.query < $1.query }).randomElement(using: &random)?
          .term
      {
        values[term.property] = .int(term.value)
      }
      if Bool.random(using: &random) { values["text"] = Self.text(&random) }
      let made = try transaction.create("Item", values)
      if Int.random(in: 0..<4, using: &random) == 0 {
        try edit(made, profile.edits, transaction, &random)
      }
      return
    }
    let isDeleted = Int.random(in: 0..<(lists.options.isOn ? 25 : 5), using: &random) == 0
    if isDeleted {
      try transaction.delete("Item", key)
      listWork?.delete(ObjectAddress(className: "Item", primaryKey: primaryKey))
    } else {
      try edit(key, profile.edits, transaction, &random)
    }
  }

  /// Makes an object that only the server keeps; sometimes with a key that is taken.
  private func makeEvent(_ transaction: Transaction, _ random: inout SplitMix64) throws {
    let id =
      Int.random(in: 0..<3, using: &random) == 0 ? "shared" : String(random.next(), radix: 36)
    guard try transaction.key("Event", primaryKey: .string(id)) == nil else { return }
    let event = try transaction.create(
      "Event",
      [
        "_id": .string(id), "kind": .int(.random(in: 0..<3, using: &random)),
        "about": try target(transaction, &random) ?? .null,
        "numbers": .list([.int(1), .int(.random(in: 0..<9, using: &random))]),
      ])
    guard Bool.random(using: &random) else { return }
    try transaction.createEmbedded(in: "Event", event, "detail", ["text": Self.text(&random)])
  }

  private func edit(
    _ key: ObjectKey, _ edits: [SyncProfile.Edit], _ transaction: Transaction,
    _ random: inout SplitMix64
  ) throws {
    func set(_ property: String, _ value: Value) throws {
      try transaction.set("Item", key, property, value)
    }
    if lists.options.isOn, Bool.random(using: &random) {
      return try editList(key, nil, transaction, &random)
    }
    switch edits.randomElement(using: &random) ?? .a {
    case .a: try set("a", .int(.random(in: 0..<3, using: &random)))
    case .b: try set("b", .int(.random(in: 0..<3, using: &random)))
    case .text: try set("text", Self.text(&random))
    case .other: try set("other", try target(transaction, &random) ?? .null)
    case .detail:
      if Int.random(in: 0..<4, using: &random) == 0 {
        try set("detail", .null)
      } else {
        try transaction.createEmbedded(
          in: "Item", key, "detail",
          ["x": .int(.random(in: 0..<9, using: &random)), "text": Self.text(&random)])
      }
    case .numbers where lists.options.isOn: try editList(key, "numbers", transaction, &random)
    case .numbers:
      let numbers = try transaction.value("Item", key, "numbers")
      try set(
        "numbers",
        .list(
          Self.edited(numbers.elements, &random) { random in
            .int(.random(in: 0..<9, using: &random))
          }))
    case .collection: try editCollection(key, transaction, &random)
    case .count: try count(key, transaction, &random)
    case .move: try move(key, transaction, &random)
    case .inside: try editInside(key, transaction, &random)
    }
  }

  /// Changes an embedded object in its place, or makes, moves and removes some.
  private func editInside(
    _ key: ObjectKey, _ transaction: Transaction, _ random: inout SplitMix64
  ) throws {
    let name = ["detail", "detail", "steps", "rooms"].randomElement(using: &random) ?? ""
    let value = try transaction.value("Item", key, name)
    let children =
      value.link.map { [$0] } ?? value.list?.compactMap(\.link)
      ?? value.map?.entries.compactMap(\.value.link) ?? []
    guard let child = children.randomElement(using: &random),
      Int.random(in: 0..<5, using: &random) > 0
    else { return try makeInside(key, name, value, transaction, &random) }
    let row = ObjectKey(rawValue: child.key)
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      try editDetail(row, transaction, &random)
    }
  }

  private func makeInside(
    _ key: ObjectKey, _ name: String, _ value: Value, _ transaction: Transaction,
    _ random: inout SplitMix64
  ) throws {
    let contents: [String: Value] = ["x": .int(.random(in: 0..<3, using: &random))]
    switch name {
    case "steps" where lists.options.isOn: try editList(key, name, transaction, &random)
    case "steps":
      guard var list = value.list, !list.isEmpty, Bool.random(using: &random) else {
        try transaction.createEmbedded(in: "Item", key, name, contents)
        return
      }
      list.remove(at: Int.random(in: 0..<list.count, using: &random))
      try transaction.set("Item", key, name, .list(list))
    case "rooms":
      let room = SyncSchema.names.randomElement(using: &random) ?? ""
      guard var map = value.map, Int.random(in: 0..<4, using: &random) == 0 else {
        try transaction.createEmbedded(in: "Item", key, name, mapKey: room, contents)
        return
      }
      map[room] = .none
      try transaction.set("Item", key, name, .map(map))
    default: try transaction.createEmbedded(in: "Item", key, name, contents)
    }
  }

  private func editDetail(
    _ row: ObjectKey, _ transaction: Transaction, _ random: inout SplitMix64
  ) throws {
    func set(_ property: String, _ value: Value) throws {
      try transaction.set("Detail", row, property, value)
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: try set("x", .int(.random(in: 0..<3, using: &random)))
    case 1: try set("y", Bool.random(using: &random) ? .null : .int(1))
    case 2, 3:
      try transaction.increment(
        "Detail", row, Bool.random(using: &random) ? "x" : "y",
        by: .random(in: -1...2, using: &random))
    case 4: try set("text", Self.text(&random))
    case 5:
      let targets = try [target(transaction, &random), target(transaction, &random)]
      let value = try transaction.value("Detail", row, "any")
      try set("any", Self.edited(mixed: value, targets.compactMap { $0 }, &random))
    case 6:
      let numbers = try transaction.value("Detail", row, "numbers")
      try set("numbers", .list(Self.edited(numbers.elements, &random) { _ in .int(1) }))
    default:
      guard let inner = try transaction.value("Detail", row, "inner").link,
        Int.random(in: 0..<4, using: &random) > 0
      else {
        try transaction.createEmbedded(in: "Detail", row, "inner", ["z": .int(1)])
        return
      }
      let depth = ObjectKey(rawValue: inner.key)
      if Bool.random(using: &random) {
        try transaction.set("Depth", depth, "item", target(transaction, &random) ?? .null)
      } else {
        try transaction.set("Depth", depth, "z", .int(.random(in: 0..<3, using: &random)))
      }
    }
  }

  /// Adds to a property, or sets it, also to null and to where a sum wraps around.
  private func count(
    _ key: ObjectKey, _ transaction: Transaction, _ random: inout SplitMix64
  ) throws {
    guard Int.random(in: 0..<5, using: &random) > 1 else {
      let values: [Value] = [.int(0), .int(10), .int(.max - 1), .null]
      return try transaction.set(
        "Item", key, "count", values.randomElement(using: &random) ?? .null)
    }
    // Of a property that is not in view, and of one that decides what is.
    let property = Int.random(in: 0..<5, using: &random) == 0 ? "b" : "count"
    if property == "count", try transaction.value("Item", key, "count").isNull {
      try transaction.set("Item", key, "count", .int(1))
    }
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      try transaction.increment(
        "Item", key, property, by: .random(in: -1...3, using: &random))
    }
  }

  /// Moves elements of a list, and perhaps sets or inserts one before or after that.
  private func move(
    _ key: ObjectKey, _ transaction: Transaction, _ random: inout SplitMix64
  ) throws {
    guard !lists.options.isOn else { return try editList(key, nil, transaction, &random) }
    let name = Bool.random(using: &random) ? "numbers" : "friends"
    guard let column = transaction.schema.table("Item")?.column(name) else { return }
    func edit() throws {
      guard Int.random(in: 0..<4, using: &random) == 0 else { return }
      let list = try transaction.value("Item", key, name)
      let target = try target(transaction, &random)
      try transaction.set(
        "Item", key, name,
        .list(
          Self.edited(list.elements, &random) { random in
            name == "friends" ? target : .int(.random(in: 0..<3, using: &random))
          }))
    }
    try edit()
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let count = try transaction.value("Item", key, name).elements.count
      guard count > 0 else { return }
      var order = Array(0..<count)
      let place = order.remove(at: Int.random(in: 0..<count, using: &random))
      order.insert(place, at: Int.random(in: 0..<count, using: &random))
      try transaction.rearrange(key, column, order, moved: [place])
      try edit()
    }
  }

  /// Changes a list of links, a set or a map.
  private func editCollection(
    _ key: ObjectKey, _ transaction: Transaction, _ random: inout SplitMix64
  ) throws {
    func set(_ property: String, _ value: Value) throws {
      // A mixed property is set as a whole, whatever collection it holds.
      if property != "any", Bool.random(using: &random) {
        try Self.setParts(of: property, key, value, transaction)
      } else {
        try transaction.set("Item", key, property, value)
      }
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 6, 8, 9:
      let targets = try [target(transaction, &random), target(transaction, &random)]
      let value = try transaction.value("Item", key, "any")
      try set("any", Self.edited(mixed: value, targets.compactMap { $0 }, &random))
    case 7 where lists.options.isOn: try editList(key, "anys", transaction, &random)
    case 7:
      let targets = try [target(transaction, &random), target(transaction, &random)]
      let values = try transaction.value("Item", key, "anys")
      try set(
        "anys",
        .list(
          Self.edited(values.elements, &random) { random in
            Self.mixed(targets.compactMap { $0 }, &random)
          }))
    case 0:
      let marks = try transaction.value("Item", key, "marks")
      try set("marks", .set(Self.toggled(marks.elements, Self.name(&random), &random)))
    case 1:
      let fans = try transaction.value("Item", key, "fans")
      guard let target = try target(transaction, &random) else { return }
      try set("fans", .set(Self.toggled(fans.elements, target, &random)))
    case 2:
      let scores = try transaction.value("Item", key, "scores")
      let score = Value.int(.random(in: 0..<3, using: &random))
      try set("scores", .map(Self.edited(scores.map ?? ValueMap(), score, &random)))
    case 3:
      let peers = try transaction.value("Item", key, "peers")
      let target = try target(transaction, &random)
      try set("peers", .map(Self.edited(peers.map ?? ValueMap(), target ?? .null, &random)))
    default:
      guard !lists.options.isOn else {
        return try editList(key, "friends", transaction, &random)
      }
      let friends = try transaction.value("Item", key, "friends")
      let target = try target(transaction, &random)
      try set("friends", .list(Self.edited(friends.elements, &random) { _ in target }))
    }
  }

  /// Makes a set or map what it is to be by member or key; sets any other value.
  private static func setParts(
    of property: String, _ key: ObjectKey, _ new: Value, _ transaction: Transaction
  ) throws {
    switch (try transaction.value("Item", key, property), new) {
    case (.set(let old), .set(let new)):
      for member in old where !new.contains(member) {
        try transaction.remove("Item", key, property, member: member)
      }
      for member in new where !old.contains(member) {
        try transaction.insert("Item", key, property, member: member)
      }
    case (.map(let old), .map(let new)):
      for entry in old.entries where new[entry.key] == nil {
        try transaction.remove("Item", key, property, mapKey: entry.key)
      }
      for entry in new.entries where old[entry.key] != entry.value {
        try transaction.set("Item", key, property, mapKey: entry.key, entry.value)
      }
    default: try transaction.set("Item", key, property, new)
    }
  }

  private static func name(_ random: inout SplitMix64) -> Value {
    .string(SyncSchema.names.randomElement(using: &random) ?? "")
  }

  /// A set with one member more or less, or with none.
  private static func toggled(
    _ members: [Value], _ member: Value, _ random: inout SplitMix64
  ) -> [Value] {
    if Int.random(in: 0..<8, using: &random) == 0 { return [] }
    return members.contains(member) ? members.filter { $0 != member } : members + [member]
  }

  /// A map of which one entry is set or removed, or all are.
  private static func edited(
    _ map: ValueMap, _ value: Value, _ random: inout SplitMix64
  ) -> ValueMap {
    var map = map
    let key = SyncSchema.names.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<8, using: &random) {
    case 0: map = ValueMap()
    case 1, 2, 3: map[map.entries.randomElement(using: &random)?.key ?? key] = .none
    default: map[key] = .some(value)
    }
    return map
  }

  /// A mixed value, often with links in it.
  private static func mixed(
    _ targets: [Value], depth: Int = 0, _ random: inout SplitMix64
  ) -> Value {
    switch Int.random(in: 0..<(depth < 2 ? 6 : 4), using: &random) {
    case 0: return .null
    case 1: return .int(.random(in: 0..<3, using: &random))
    case 2, 3: return targets.randomElement(using: &random) ?? .null
    case 4:
      let count = Int.random(in: 0..<3, using: &random)
      return .list((0..<count).map { _ in mixed(targets, depth: depth + 1, &random) })
    default:
      let value = mixed(targets, depth: depth + 1, &random)
      return .map(edited(ValueMap(), value, &random))
    }
  }

  /// A mixed value after one edit of what is in it, or another one.
  private static func edited(
    mixed value: Value, _ targets: [Value], _ random: inout SplitMix64
  ) -> Value {
    let isReplaced = Int.random(in: 0..<3, using: &random) == 0
    switch value {
    case .list(let elements) where !isReplaced:
      return .list(edited(elements, &random) { mixed(targets, depth: 1, &$0) })
    case .map(let map) where !isReplaced:
      return .map(edited(map, mixed(targets, depth: 1, &random), &random))
    default: return mixed(targets, &random)
    }
  }

  private static func text(_ random: inout SplitMix64) -> Value {
    ["", "x", "long " + String(repeating: "y", count: 300), String(repeating: "z", count: 2_000)]
      .randomElement(using: &random)
      .map { .string($0) } ?? .null
  }

  /// A list after one edit: an element is inserted, changed or removed, or all are.
  private static func edited(
    _ elements: [Value], _ random: inout SplitMix64, _ make: (inout SplitMix64) -> Value?
  ) -> [Value] {
    var elements = elements
    let place = Int.random(in: 0...elements.count, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: elements = []
    case 1 where place < elements.count: elements.remove(at: place)
    case 2 where place < elements.count:
      if let value = make(&random) { elements[place] = value }
    default: if let value = make(&random) { elements.insert(value, at: place) }
    }
    return elements
  }

  /// A link to some object that is here.
  private func target(_ transaction: Transaction, _ random: inout SplitMix64) throws -> Value? {
    let name = SyncSchema.keys.randomElement(using: &random) ?? ""
    guard let key = try transaction.key("Item", primaryKey: .string(name)),
      let table = transaction.schema.table("Item")
    else { return nil }
    return .link(ObjectLink(table: table.id, key: key.rawValue))
  }
}

extension Value {
  /// The elements of a list, or the members of a set.
  var elements: [Value] {
    switch self {
    case .list(let elements), .set(let elements): elements
    default: []
    }
  }
}
