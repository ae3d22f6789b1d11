internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import TestSupport

/// A server with a user who may read everything, and one who may not: the spy.
///
/// What happens is decided by two generators: one for all that the spy may know of, which is the
/// same in both worlds of a pair, and one for the rest.
final class LeakWorld {
  let root = LeakPeer(user: "root", id: 1)
  let spy = LeakPeer(user: "spy", id: 2)
  private let store: AtollStore
  private let options: SyncServer.Options
  private let serverRandom: SharedRandom
  private var server: SyncServer
  private var open: SplitMix64
  private var hidden: SplitMix64
  private var now: UInt64 = 1_000_000
  private var counter: Int64 = 0
  private var elementCount: UInt32 = 0
  private(set) var operationCount = 0

  init(seed: UInt64, secrets: UInt64) throws {
    open = SplitMix64(seed: seed)
    hidden = SplitMix64(seed: seed ^ secrets &* 0x9E37_79B9_7F4A_7C15)
    let database = try Database.inMemory(options: .recording)
    try database.write { transaction in
      try transaction.addClasses(
        LeakSchema.classes.map { added in
          var added = added
          added.isSynced = true
          return added
        })
    }
    store = AtollStore(database)
    let rules = try LeakSchema.rules(in: try database.snapshot().schema)
    var options = SyncServer.Options(rights: Rights(.rules(rules)))
    options.batchByteCount = 60
    if seed & 1 == 0 { options.unconfirmedByteLimit = 30 }
    self.options = options
    serverRandom = SharedRandom(seed: seed &+ 1)
    server = try SyncServer(store: store, options: options) { [serverRandom] in
      serverRandom.next()
    }
    root.subscribe([
      SetMember(className: "Item", query: "TRUEPREDICATE"),
      SetMember(className: "Member", query: "TRUEPREDICATE"),
      SetMember(className: "Vault", query: "TRUEPREDICATE"),
    ])
    try connect(root)
    try deliver()
    try pushMember("spy", a: 1)
    try connect(spy)
  }

  private func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &open) }
  private func secretNumber(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &hidden) }

  // MARK: Steps

  /// One thing happens.
  func step() throws {
    now += UInt64(number(50))
    switch number(14) {
    case 0, 1, 2, 3: try changeOpenItem()
    case 4, 5, 6: try pushSecrets([])
    case 7, 8: spyPushes()
    case 9: spySubscribes()
    case 10: try reconnect()
    case 11: try pushMember("spy", a: Int64(number(3)))
    case 12: try restart()
    default: break
    }
    try send(root)
    try send(spy)
    try deliver(limit: number(3) == 0 ? 1 : 100)
  }

  /// Everybody comes together.
  func finish() throws {
    if spy.connection == nil { try connect(spy) }
    try send(root)
    try send(spy)
    try deliver()
  }

  /// A change of which the spy may read a part.
  private func changeOpenItem() throws {
    let key = LeakSchema.openKeys[number(LeakSchema.openKeys.count)]
    let item = LeakSchema.item(key)
    guard let generation = root.generations[item] else {
      let made = root.creation(0)
      var operations = [Operation(object: item, generation: nil, action: .create)]
      operations += openEdits(item, made)
      return try pushSecrets(operations)
    }
    if number(6) == 0 {
      return try pushSecrets([
        Operation(object: item, generation: .confirmed(generation), action: .delete)
      ])
    }
    try pushSecrets(openEdits(item, .confirmed(generation)))
  }

  private func openEdits(_ item: ObjectAddress, _ generation: Generation) -> [Operation] {
    elementCount += 1
    let element = ElementID(client: 1, number: 1 << 40, index: elementCount)
    let place = ListPosition.between(nil, nil, count: 3)[number(3)]
    let vault = RecordedValue.link(
      LeakSchema.vault(LeakSchema.vaultKeys[number(LeakSchema.vaultKeys.count)]))
    let actions: [Operation.Action] = [
      .set(property: "a", .int(Int64(number(3)))),
      .set(property: "text", .string(["x", "y", "hidden"][number(3)])),
      .insert(property: "tags", element, place, .string("t\(number(3))")),
      .addMember(property: "marks", .string("m\(number(3))")),
      .removeEntry(property: "marks", key: .string("m\(number(3))")),
      .insert(property: "vaults", element, place, vault),
      .addMember(property: "keys", vault), .removeEntry(property: "keys", key: vault),
      .set(property: "one", number(3) == 0 ? .null : vault),
      .addMember(property: "anys", number(2) == 0 ? vault : .int(1)),
    ]
    return (0...number(3)).map { _ in
      Operation(object: item, generation: generation, action: actions[number(actions.count)])
    }
  }

  /// A transaction of root: what the spy may know of, then what it may not.
  ///
  /// Something of it is always accepted, so that versions are the same in both worlds: how many
  /// transactions there were is no secret.
  private func pushSecrets(_ known: [Operation]) throws {
    var operations = known
    let deleted = known.contains { $0.action == .delete }
    for _ in 0..<secretNumber(4) {
      if secretNumber(3) == 0 {
        operations += vaultOperations(at: operations.count)
        continue
      }
      let isOpenItem = secretNumber(2) == 0 && !deleted
      let keys = isOpenItem ? LeakSchema.openKeys : LeakSchema.hiddenKeys
      operations += secretOperations(
        LeakSchema.item(keys[secretNumber(keys.count)]), isOpenItem: isOpenItem,
        at: operations.count)
    }
    let counted = LeakSchema.item("counter")
    counter += 1
    let generation: Generation
    if let made = root.generations[counted] {
      generation = .confirmed(made)
    } else {
      generation = root.creation(operations.count)
      operations.append(Operation(object: counted, generation: nil, action: .create))
      operations.append(
        Operation(
          object: counted, generation: generation,
          action: .set(property: "a", .int(LeakSchema.hiddenNumber))))
    }
    operations.append(
      Operation(
        object: counted, generation: generation,
        action: .set(property: "secret", .string("\(counter)"))))
    push(operations)
    try send(root)
    try deliver(to: root)
  }

  /// A target of links comes, or goes.
  private func vaultOperations(at index: Int) -> [Operation] {
    let vault = LeakSchema.vault(LeakSchema.vaultKeys[secretNumber(LeakSchema.vaultKeys.count)])
    guard let generation = root.generations[vault] else {
      let made = root.creation(index)
      return [
        Operation(object: vault, generation: nil, action: .create),
        Operation(
          object: vault, generation: made,
          action: .set(property: "hoard", .string("s\(secretNumber(5))"))),
      ]
    }
    return [Operation(object: vault, generation: .confirmed(generation), action: .delete)]
  }

  private func secretOperations(
    _ item: ObjectAddress, isOpenItem: Bool, at index: Int
  ) -> [Operation] {
    let actions: [Operation.Action] = [
      .set(property: "secret", .string("s\(secretNumber(5))")),
      .setEntry(property: "scores", key: .string("k"), .int(Int64(secretNumber(5)))),
      .insert(
        property: "notes",
        ElementID(
          client: 1, number: (1 << 41) + UInt64(operationCount + index),
          index: UInt32(secretNumber(99))),
        ListPosition.between(nil, nil, count: 3)[secretNumber(3)], .string("n\(secretNumber(5))")),
    ]
    let action = actions[secretNumber(actions.count)]
    if let generation = root.generations[item] {
      if !isOpenItem, secretNumber(4) == 0 {
        return [Operation(object: item, generation: .confirmed(generation), action: .delete)]
      }
      return [Operation(object: item, generation: .confirmed(generation), action: action)]
    }
    guard !isOpenItem else { return [] }
    let made = root.creation(index)
    return [
      Operation(object: item, generation: nil, action: .create),
      Operation(
        object: item, generation: made, action: .set(property: "a", .int(LeakSchema.hiddenNumber))),
      Operation(object: item, generation: made, action: action),
    ]
  }

  private func push(_ operations: [Operation]) {
    operationCount += operations.count
    root.push(operations, clock: HybridClock(milliseconds: now))
  }

  private func pushMember(_ user: String, a: Int64) throws {
    let member = LeakSchema.member(user)
    let known = root.generations[member]
    let generation = known.map { Generation.confirmed($0) } ?? root.creation(0)
    push(
      (known == nil ? [Operation(object: member, generation: nil, action: .create)] : []) + [
        Operation(object: member, generation: generation, action: .set(property: "a", .int(a)))
      ])
    try send(root)
    try deliver(to: root)
  }

  // MARK: The spy

  /// It names what it holds and what it guesses.
  private func spyPushes() {
    let keys = LeakSchema.openKeys + LeakSchema.hiddenKeys + ["none", "counter"]
    var operations: [Operation] = []
    for _ in 0...number(3) {
      let item = LeakSchema.item(keys[number(keys.count)])
      // A guess is of the server's history, or of one that it never had.
      let incarnation = number(4) > 0 ? spy.cursor?.incarnation ?? 1 : 1
      let guess = Cursor(incarnation: incarnation, version: UInt64(number(9)))
      let generation = Generation.confirmed(spy.generations[item] ?? guess)
      let actions: [Operation.Action] = [
        .set(property: "text", .string("spy")), .set(property: "a", .int(Int64(number(3)))),
        .set(property: "secret", .string("mine")), .delete,
        .removeEntry(property: "scores", key: .string("k")),
        .addMember(property: "marks", .string("spy")),
      ]
      operations.append(
        Operation(object: item, generation: generation, action: actions[number(actions.count)]))
    }
    if number(3) == 0 {
      // Its keys are its own: a key that can be guessed tells whether it is taken.
      let item = LeakSchema.item("spy \(number(1 << 30))")
      let made = spy.creation(operations.count)
      operations.append(Operation(object: item, generation: nil, action: .create))
      operations.append(
        Operation(object: item, generation: made, action: .set(property: "a", .int(1))))
    }
    operationCount += operations.count
    spy.push(operations, clock: HybridClock(milliseconds: now))
  }

  private func spySubscribes() {
    let queries = [
      "TRUEPREDICATE", "a == 1", "a >= 0 AND text == 'x'", "tags.@count > 0", "'m1' IN marks",
      "secret == 's1'", "notes.@count > 0", "text == 'hidden'", "_id BEGINSWITH 'h'",
      "vaults.@count > 0", "NOT vaults.@count == 1", "keys.@count == 2", "one == NULL",
      "one != NULL AND a == 1", "ALL anys == 1", "anys.@count BETWEEN {1, 2}",
    ]
    var members = [SetMember(className: "Item", query: queries[number(queries.count)])]
    for className in ["Member", "Vault"] where number(3) == 0 {
      members.append(SetMember(className: className, query: "TRUEPREDICATE"))
    }
    if number(3) == 0 {
      members.append(SetMember(className: "Item", query: queries[number(queries.count)]))
    }
    spy.subscribe(members)
  }

  // MARK: The network

  private func connect(_ peer: LeakPeer) throws {
    let id = server.connect(user: peer.user, now: now)
    peer.connection = id
    try send(peer.hello(), from: peer)
  }

  private func reconnect() throws {
    if let id = spy.connection {
      server.disconnect(id)
      spy.connection = nil
    }
    if number(2) == 0 { try connect(spy) }
  }

  private func restart() throws {
    root.connection = nil
    let wasOnline = spy.connection != nil
    spy.connection = nil
    server = try SyncServer(store: store, options: options) { [serverRandom] in
      serverRandom.next()
    }
    try connect(root)
    try deliver()
    if wasOnline { try connect(spy) }
  }

  private func send(_ peer: LeakPeer) throws {
    if peer === spy, peer.connection == nil { return }
    try send(peer.outgoing(), from: peer)
  }

  private func send(_ frames: [[UInt8]], from peer: LeakPeer) throws {
    for frame in frames {
      guard let id = peer.connection else { return }
      try take(server.receive(frame, from: id, now: now))
    }
  }

  private func take(_ outputs: [SyncServer.Output]) throws {
    for output in outputs {
      switch output {
      case .send(let id, let frame):
        guard let peer = [root, spy].first(where: { $0.connection == id }) else { continue }
        try send(try peer.receive(frame), from: peer)
      case .close(let id, _):
        for peer in [root, spy] where peer.connection == id { peer.connection = nil }
      }
    }
  }

  /// Delivers until there are no more messages, or for some ticks.
  ///
  /// `to`: the one who can take batches; nil: both.
  private func deliver(to peer: LeakPeer? = nil, limit: Int = 1_000) throws {
    let others: [LeakPeer] = [root, spy].filter { peer != nil && $0 !== peer }
    for _ in 0..<limit {
      let outputs = try server.advance(
        now: now, blocked: Set(others.compactMap(\.connection)))
      if outputs.isEmpty { return }
      try take(outputs)
    }
  }
}
