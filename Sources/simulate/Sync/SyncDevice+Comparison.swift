internal import AtollCapture
internal import AtollObjects
internal import AtollSync

extension SyncDevice {
  /// The difference between the file and the model; nil when they agree.
  func difference() throws -> String? {
    try undisturbed {
      let transaction = try database.beginWrite()
      defer { transaction.cancel() }
      let capture = try transaction.capture
      return try stateDifference(capture) ?? headDifference(transaction)
        ?? confirmedDifference(transaction) ?? noteDifference(transaction)
        ?? inboxDifference(transaction) ?? setDifference(transaction)
    }
  }

  /// The outbox, and how far the file has come.
  private func stateDifference(_ capture: Capture) throws -> String? {
    let state = try capture.state()
    guard state.cursor == model.cursor else {
      return "the cursor is \(told(state.cursor)), not \(told(model.cursor))"
    }
    guard state.answered == model.answered else {
      return "answers were taken in up to \(state.answered), not \(model.answered)"
    }
    var entries: [SyncModel.Entry] = []
    try capture.forEachEntry { entry throws(ObjectError) in
      entries.append(SyncModel.Entry(entry))
      return true
    }
    guard entries == model.outbox else {
      return outboxDifference(entries)
    }
    // I2: without pending operations no image is left.
    if model.outbox.allSatisfy(\.operations.isEmpty), capture.hasImages {
      return "I2: images without pending operations"
    }
    return nil
  }

  private func told(_ cursor: Cursor?) -> String { cursor.map { "\($0.version)" } ?? "none" }

  // MARK: Head

  /// I3: head is what is confirmed with the outbox replayed.
  private func headDifference(_ transaction: Transaction) throws -> String? {
    let head = model.head
    guard try transaction.table("Event").count == 0 else { return "I3: events are here" }
    let table = try transaction.table("Item")
    var found: [ObjectAddress: Object] = [:]
    try table.forEach { object in
      found[ObjectAddress(className: "Item", primaryKey: try object["_id"])] = object
    }
    let missing = Set(head.keys).subtracting(found.keys)
    let excess = Set(found.keys).subtracting(head.keys)
    guard missing.isEmpty, excess.isEmpty else {
      return "I3: \(missing) missing, \(excess) too many"
    }
    let capture = try transaction.capture
    for (address, expected) in head.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      let units = try transaction.readObject(address).filter { $0.key != .existence }
      guard units == expected.units else {
        return "I3: \(address): \(Self.difference(units, expected.units))"
      }
      let generation = try capture.generations(of: address).head
      guard generation == expected.generation else {
        return "I3: \(address) has generation \(generation as Any), not \(expected.generation)"
      }
      guard let object = found[address] else { continue }
      if let problem = try visibleDifference(object, expected, head, found) {
        return "\(address): \(problem)"
      }
      if let key = keys[address], key != object.key {
        return "R7: \(address) had key \(key), and has \(object.key)"
      }
    }
    let stays = Set(head.keys).union(model.confirmed.keys)
    keys = keys.filter { stays.contains($0.key) }
    for (address, object) in found { keys[address] = object.key }
    return nil
  }

  /// The links and lists of an object, as seen by the app: links to absent objects are pending.
  private func visibleDifference(
    _ object: Object, _ expected: SyncModel.Object, _ head: [ObjectAddress: SyncModel.Object],
    _ found: [ObjectAddress: Object]
  ) throws -> String? {
    let other = expected.units[.property("other")].flatMap(Self.target)
    let link = try object["other"].linkedKeys.first
    guard link == other.flatMap({ found[$0]?.key.rawValue }) else {
      return "R6: its link is \(link as Any), and its target \(other as Any)"
    }
    let numbers = expected.elements("numbers").compactMap { element -> Value? in
      if case .int(let number) = element { .int(number) } else { nil }
    }
    guard try object["numbers"] == .list(numbers) else {
      return "its numbers are \(try object["numbers"]), not \(numbers)"
    }
    let friends = expected.elements("friends").compactMap { element -> UInt64? in
      if case .link(let address) = element { found[address]?.key.rawValue } else { nil }
    }
    let links = try object["friends"].linkedKeys
    guard links == friends else { return "R6: its friends are \(links), not \(friends)" }
    return try visiblePartsDifference(object, expected, found)
  }

  /// Sets and maps, as seen by the app: links to absent objects are no members, and null in a map.
  private func visiblePartsDifference(
    _ object: Object, _ expected: SyncModel.Object, _ found: [ObjectAddress: Object]
  ) throws -> String? {
    let marks = Set(expected.parts("marks").keys.compactMap(\.single))
    guard Set(try object["marks"].elements) == marks else {
      return "its marks are \(try object["marks"]), not \(marks)"
    }
    let scores = expected.parts("scores").compactMapValues { unit -> Value? in
      if case .value(let value) = unit { value.single } else { nil }
    }
    guard try object["scores"].parts == scores else {
      return "its scores are \(try object["scores"]), not \(scores)"
    }
    let fans = expected.parts("fans").keys.compactMap { member -> UInt64? in
      if case .link(let address) = member { found[address]?.key.rawValue } else { nil }
    }
    let links = try object["fans"].linkedKeys
    guard links.count == fans.count, Set(links) == Set(fans) else {
      return "R6: its fans are \(links), not \(fans)"
    }
    let peers = expected.parts("peers").mapValues { unit -> UInt64? in
      Self.target(unit).flatMap { found[$0]?.key.rawValue }
    }
    let visible = try object["peers"].parts.mapValues(\.linkedKeys.first)
    guard visible == peers else { return "R6: its peers are \(visible), not \(peers)" }
    return try visibleMixedDifference(object, expected, found)
  }

  /// Mixed values, as seen by the app: null for links to absent objects.
  private func visibleMixedDifference(
    _ object: Object, _ expected: SyncModel.Object, _ found: [ObjectAddress: Object]
  ) throws -> String? {
    func visible(_ recorded: RecordedValue) -> Value {
      switch recorded {
      case .link(let address): found[address].map { .link($0.link) } ?? .null
      case .list(let elements): .list(elements.map(visible))
      case .map(let entries):
        .map(ValueMap(entries.map { (key: $0.key, value: visible($0.value)) }))
      default: recorded.single ?? .null
      }
    }
    guard case .value(let recorded)? = expected.units[.property("any")] else {
      return "there is no value of its any"
    }
    guard try object["any"] == visible(recorded) else {
      return "R6: its any is \(try object["any"]), not \(visible(recorded))"
    }
    let anys = expected.elements("anys").map(visible)
    guard try object["anys"] == .list(anys) else {
      return "R6: its anys are \(try object["anys"]), not \(anys)"
    }
    return nil
  }

  static func target(_ value: UnitValue) -> ObjectAddress? {
    if case .value(.link(let address)) = value { address } else { nil }
  }

  static func difference(
    _ found: [UnitPath: UnitValue], _ expected: [UnitPath: UnitValue]
  ) -> String {
    let paths = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
    return paths.sorted { "\($0)" < "\($1)" }.map { path in
      "\(path) is \(found[path].map { "\($0)" } ?? "absent"), "
        + "not \(expected[path].map { "\($0)" } ?? "absent")"
    }.joined(separator: "; ")
  }

  /// The first entry of the outbox that is not as it should be.
  private func outboxDifference(_ entries: [SyncModel.Entry]) -> String {
    let numbers = entries.map(\.number)
    guard numbers == model.outbox.map(\.number) else {
      return "the outbox holds \(numbers), not \(model.outbox.map(\.number))"
    }
    for (entry, expected) in zip(entries, model.outbox) where entry != expected {
      guard entry.name == expected.name, entry.digest == expected.digest,
        entry.operations.count == expected.operations.count
      else { return "entry \(entry.number) is \(entry.name), not \(expected.name)" }
      for (operation, other) in zip(entry.operations, expected.operations)
      where operation != other {
        return "entry \(entry.number) of the outbox has \(operation), not \(other)"
      }
    }
    return "the outbox is another one"
  }

  // MARK: Confirmed

  /// I1: what is confirmed is head with the images put back.
  private func confirmedDifference(_ transaction: Transaction) throws -> String? {
    let capture = try transaction.capture
    for address in SyncSchema.keys.map(SyncSchema.item) {
      let images = try capture.images(of: address)
      var units = try transaction.readObject(address)
      // An image that is not there means that the value in head is confirmed.
      let isThere = images.existence ?? (units[.existence] != nil)
      for (path, image) in images.units { units[path] = image }
      if images.existence != nil {
        units = images.units.compactMapValues { $0 }
      }
      units[.existence] = nil
      let expected = model.confirmed[address]
      guard isThere == (expected != nil) else {
        return "I1: \(address) is \(isThere ? "" : "not ")confirmed"
      }
      guard let expected else { continue }
      guard units == expected.units else {
        return "I1: \(address): \(Self.difference(units, expected.units))"
      }
      let generation = try capture.generations(of: address).confirmed
      guard generation.map({ .confirmed($0) }) == expected.generation else {
        return "I1: \(address) has generation \(generation as Any), not \(expected.generation)"
      }
    }
    return nil
  }

  // MARK: Beside the synced objects

  /// Local objects: their links wait for objects that left, and come back with them.
  private func noteDifference(_ transaction: Transaction) throws -> String? {
    var here: [UInt64: ObjectAddress] = [:]
    for (address, key) in keys { here[key.rawValue] = address }
    let head = model.head
    var found: [Int64: SyncModel.Note] = [:]
    try transaction.table("Note").forEach { note in
      guard case .int(let id) = try note["_id"] else { return }
      found[id] = SyncModel.Note(
        one: try note["one"].linkedKeys.first.flatMap { here[$0] },
        many: Set(try note["many"].linkedKeys.compactMap { here[$0] }))
    }
    let expected = model.notes.mapValues { note in
      SyncModel.Note(
        one: note.one.flatMap { head[$0] == nil ? nil : $0 },
        many: note.many.filter { head[$0] != nil })
    }
    guard found == expected else { return "R6: the notes are \(found), not \(expected)" }
    return nil
  }

  /// Exactly one entry for each operation that was refused or came too late for its object.
  private func inboxDifference(_ transaction: Transaction) throws -> String? {
    let entries = try Inbox.entries(transaction)
    let expected = model.verdicts.values.count(where: \.makesInboxEntry)
    guard entries.count == expected else {
      return "R10: \(entries.count) inbox entries for \(expected) operations"
    }
    guard Set(entries.map(\.id)).count == entries.count else { return "R10: an inbox entry twice" }
    return nil
  }

  /// A set is complete with the last batch of its bootstrap, and no earlier.
  private func setDifference(_ transaction: Transaction) throws -> String? {
    let sets = try SubscriptionSets(transaction)
    let latest = model.setVersions.max { $0.key < $1.key }?.value ?? 0
    guard sets.latest.version == latest else {
      return "the latest set is \(sets.latest.version), not \(latest)"
    }
    for (number, version) in model.setVersions {
      let state = sets.state(ofVersion: version)
      if model.viewNumber.map({ number > $0 }) ?? true {
        guard state == .pending || state == .bootstrapping else {
          return "R17: set \(version) is \(state) before its last batch"
        }
      } else if version == sets.latest.version, state != .complete {
        return "R17: set \(version) is \(state) after its last batch"
      }
    }
    return nil
  }
}

extension SyncModel.Object {
  /// The members of a set or the entries of a map.
  func parts(_ property: String) -> [RecordedValue: UnitValue] {
    var parts: [RecordedValue: UnitValue] = [:]
    for (path, unit) in units {
      if case .entry(property, let key) = path { parts[key] = unit }
    }
    return parts
  }

  /// The values of a list in their order.
  func elements(_ list: String) -> [RecordedValue] {
    var elements: [(position: ListPosition, id: ElementID, value: RecordedValue)] = []
    for (path, unit) in units {
      guard case .element(list, let id) = path, case .element(let position, let value) = unit
      else { continue }
      elements.append((position, id, value))
    }
    return elements.sorted { ($0.position, $0.id) < ($1.position, $1.id) }.map(\.value)
  }
}

extension Value {
  /// The keys of the objects that a link, or the links of a list, lead to.
  fileprivate var linkedKeys: [UInt64] {
    switch self {
    case .link(let link): [link.key]
    case .list(let elements), .set(let elements): elements.flatMap(\.linkedKeys)
    default: []
    }
  }

  /// The entries of a map by key.
  fileprivate var parts: [RecordedValue: Value] {
    guard case .map(let map) = self else { return [:] }
    return Dictionary(
      map.entries.map { (.string($0.key), $0.value) }, uniquingKeysWith: { a, _ in a })
  }
}
