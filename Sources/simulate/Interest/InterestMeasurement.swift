internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import TestSupport

/// What a change costs a server, beside many views that it does not concern.
struct InterestMeasurement {
  /// How many views, or users, there are besides the writer's.
  let count: Int
  let nanosecondsPerChange: Int
  /// Frames to devices for each change.
  let framesPerChange: Double

  private init(_ world: InterestWorld, count: Int, changeCount: Int) {
    self.count = count
    let (seconds, attoseconds) = world.worked.components
    let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    nanosecondsPerChange = Int(nanoseconds) / max(1, changeCount)
    framesPerChange = Double(world.sentFrameCount) / Double(max(1, changeCount))
  }

  private static let objectCount = 300
  /// How many views one connection has.
  private static let viewsOfConnection = 100
  /// The changes that the server takes together.
  private static let burst = 300

  /// Views of six forms, each with constants of its own; a change lets an object enter one of the
  /// first views, or leave it.
  static func views(_ count: Int, changeCount: Int, seed: UInt64) throws -> InterestMeasurement {
    var random = SplitMix64(seed: seed)
    let world = try InterestWorld(classes: [InterestForm.schema]) { _ in Rights(.development) }
    var values: [[InterestForm.Kind: RecordedValue]] = []
    let objects = (0..<objectCount).map { number in
      ObjectAddress(className: "Item", primaryKey: .int(Int64(number)))
    }
    for _ in objects {
      var own: [InterestForm.Kind: RecordedValue] = [:]
      for kind in InterestForm.Kind.allCases { own[kind] = InterestForm.nothing(of: kind) }
      values.append(own)
    }
    try world.create(
      zip(objects, values).map { object, values in
        (
          object,
          values.map { ("\($0.key)", $0.value) } + [
            ("state", .string("open")), ("other", .int(-1)),
          ]
        )
      })
    let forms = (0..<count).map { InterestForm($0) }
    var peers: [(peer: InterestPeer, forms: ArraySlice<InterestForm>)] = []
    for start in stride(from: 0, to: count, by: viewsOfConnection) {
      let own = forms[start..<min(count, start + viewsOfConnection)]
      let peer = try world.connect(
        user: "user\(start)", own.map { SetMember(className: "Item", query: $0.text) })
      peers.append((peer, own))
      try world.settle()
    }

    /// Lets objects enter and leave views among the first ones.
    func change(_ times: Int, among limit: Int) throws {
      var changes: [(ObjectAddress, String, RecordedValue)] = []
      for _ in 0..<times {
        let object = Int.random(in: 0..<objectCount, using: &random)
        let form = forms[Int.random(in: 0..<min(limit, count), using: &random)]
        let nothing = InterestForm.nothing(of: form.kind)
        let value = values[object][form.kind] == nothing ? form.value : nothing
        values[object][form.kind] = value
        changes.append((objects[object], form.property, value))
      }
      try world.change(changes)
    }

    try change(burst, among: 60)
    world.reset()
    for _ in 0..<max(1, changeCount / burst) { try change(burst, among: 60) }
    let measurement = InterestMeasurement(
      world, count: count, changeCount: max(1, changeCount / burst) * burst)
    // Everywhere, for the comparison.
    for _ in 0..<4 { try change(burst, among: count) }
    for (peer, forms) in peers {
      let expected = Set(
        zip(objects, values).filter { _, values in forms.contains { $0.holds(values) } }.map(\.0))
      guard peer.held == expected else {
        throw InterestProblem(
          "\(peer.user) holds \(peer.held.count) objects, and \(expected.count) are in its views")
      }
    }
    return measurement
  }

  /// How many users a team has.
  private static let teamCount = 10

  /// Users who see what they own and what belongs to their teams, as a role of RunAServer.md has it;
  /// a change concerns the owner and one team.
  static func users(_ count: Int, changeCount: Int, seed: UInt64) throws -> InterestMeasurement {
    var random = SplitMix64(seed: seed)
    let task = ClassSchema(
      "Task",
      properties: [
        PropertySchema("_id", .int), PropertySchema("owner", .string),
        PropertySchema("team", .string), PropertySchema("title", .string),
      ], primaryKey: "_id")
    let member = ClassSchema(
      "Member",
      properties: [
        PropertySchema("_id", .string), PropertySchema("teams", .string, collection: .list),
      ], primaryKey: "_id")
    let world = try InterestWorld(classes: [task, member]) { schema in
      let own = try RuleCondition(
        "owner == $user.id OR team IN $user.data.teams", on: "Task", in: schema,
        userClass: "Member")
      let writer = Role(
        "writer", application: .users(["writer"]), read: .all, write: .all, insert: .all,
        delete: .all)
      return Rights(
        .rules(
          ServerRules(
            classes: [
              "Task": ClassRules(roles: [writer, Role("reader", read: .matching(own))]),
              "Member": ClassRules(roles: [writer]),
            ], userClass: "Member")))
    }
    var counter: UInt32 = 0
    try world.createMembers(
      (0..<count).map { user in
        counter += 1
        return ("user\(user)", "team\(user / teamCount)", counter)
      })
    // Of a few users, however many there are: as many devices are told.
    var owners = (0..<objectCount).map { _ in Int.random(in: 0..<min(count, 100), using: &random) }
    let objects = (0..<objectCount).map {
      ObjectAddress(className: "Task", primaryKey: .int(Int64($0)))
    }
    var teams = owners.map { $0 / teamCount }
    try world.create(
      objects.indices.map { index in
        (
          objects[index],
          [
            ("owner", .string("user\(owners[index])")), ("team", .string("team\(teams[index])")),
            ("title", .string("title")),
          ]
        )
      })
    var peers: [InterestPeer] = []
    for user in 0..<count {
      peers.append(
        try world.connect(
          user: "user\(user)", [SetMember(className: "Task", query: "TRUEPREDICATE")]))
      if user % 100 == 99 { try world.settle() }
    }
    try world.settle()

    func change(_ times: Int) throws {
      var changes: [(ObjectAddress, String, RecordedValue)] = []
      for number in 0..<times {
        changes.append(
          (
            objects[Int.random(in: 0..<objectCount, using: &random)], "title",
            .string("title \(number)")
          ))
      }
      try world.change(changes)
    }
    try change(burst)
    world.reset()
    for _ in 0..<max(1, changeCount / burst) { try change(burst) }
    let measurement = InterestMeasurement(
      world, count: count, changeCount: max(1, changeCount / burst) * burst)
    // Others own them, and other teams have them.
    var changes: [(ObjectAddress, String, RecordedValue)] = []
    for index in objects.indices {
      owners[index] = Int.random(in: 0..<count, using: &random)
      teams[index] = Int.random(in: 0...(count - 1) / teamCount, using: &random)
      changes.append((objects[index], "owner", .string("user\(owners[index])")))
      changes.append((objects[index], "team", .string("team\(teams[index])")))
    }
    try world.change(changes)
    for (user, peer) in peers.enumerated() {
      let expected = Set(
        objects.indices.filter { owners[$0] == user || teams[$0] == user / teamCount }
          .map { objects[$0] })
      guard peer.held == expected else {
        throw InterestProblem(
          "\(peer.user) holds \(peer.held.count) tasks, and may read \(expected.count)")
      }
    }
    return measurement
  }
}

extension InterestWorld {
  /// Makes the data of users: each is in one team.
  fileprivate func createMembers(
    _ members: [(user: String, team: String, number: UInt32)]
  ) throws {
    let place = ListPosition.between(nil, nil, count: 1)[0]
    try create(
      members.map { member in
        ObjectAddress(className: "Member", primaryKey: .string(member.user))
      }.map { ($0, []) })
    try edit(
      members.map { member in
        (
          ObjectAddress(className: "Member", primaryKey: .string(member.user)),
          Operation.Action.insert(
            property: "teams", ElementID(client: 1, number: 1 << 40, index: member.number), place,
            .string(member.team))
        )
      })
  }
}
