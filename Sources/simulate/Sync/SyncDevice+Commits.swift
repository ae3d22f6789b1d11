internal import AtollCapture
internal import AtollObjects
internal import AtollStorage
internal import AtollSync
internal import TestSupport

// Commits of the app that change no synced object: local objects, and subscriptions.

extension SyncDevice {
  // MARK: Local objects

  /// Commits a change of an object of the local class.
  func transactLocally(_ random: inout SplitMix64) throws {
    let id = Int64.random(in: 0..<2, using: &random)
    var note = model.notes[id] ?? SyncModel.Note()
    let head = model.head
    let name = SyncSchema.item(SyncSchema.keys.randomElement(using: &random) ?? "")
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    let key = try transaction.upsert("Note", primaryKey: .int(id), [:]).key
    let target = try transaction.key("Item", primaryKey: name.primaryKey)
    guard let table = transaction.schema.table("Item") else { return }
    let link = target.map { Value.link(ObjectLink(table: table.id, key: $0.rawValue)) }
    if Bool.random(using: &random) {
      try transaction.set("Note", key, "one", link ?? .null)
      note.one = target == nil ? nil : name
    } else if let link {
      var many = try transaction.value("Note", key, "many").elements
      if note.many.contains(name) {
        many.removeAll { $0 == link }
        note.many.remove(name)
      } else {
        many.append(link)
        note.many.insert(name)
      }
      try transaction.set("Note", key, "many", .list(many))
    } else if note.many.contains(where: { head[$0] != nil }) {
      // Only what is seen goes.
      try transaction.set("Note", key, "many", .list([]))
      note.many = note.many.filter { head[$0] == nil }
    }
    var after = model
    after.notes[id] = note
    inFlight = after
    let before = try version()
    try transaction.commit()
    try didSynchronize(since: before)
    model = after
  }

  // MARK: Subscriptions

  /// Commits other subscriptions.
  func subscribe(_ random: inout SplitMix64) throws {
    if lists.options.isOn, Int.random(in: 0..<4, using: &random) > 0 {
      return try subscribe(to: [.all])
    }
    let count = [0, 1, 1, 2, 2].randomElement(using: &random) ?? 1
    let subscriptions = Set(
      (0..<count).compactMap { _ in SyncSubscription.allCases.randomElement(using: &random) })
    try subscribe(to: subscriptions)
  }

  func subscribe(to subscriptions: Set<SyncSubscription>) throws {
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    guard let now = Timestamp(seconds: Int64(clock.milliseconds / 1000), nanoseconds: 0) else {
      return
    }
    var editor = try SubscriptionEditor(
      transaction, now: now,
      makeID: { [random] in ObjectID(seconds: 0, random: random.next(), counter: 0) })
    editor.removeAll()
    for subscription in subscriptions.sorted(by: { $0.query < $1.query }) {
      editor.add("Item", query: subscription.query)
    }
    let version = editor.version
    try editor.save(in: transaction)
    let number = try transaction.capture.state().nextNumber - 1
    var after = model
    after.setVersions[number] = version
    after.sets[number] = subscriptions
    // Its entry is taken from the file, if the commit does not return.
    inFlight = after
    let before = try self.version()
    try transaction.commit()
    try didSynchronize(since: before)
    model = after
    try takeNewEntries()
  }
}
