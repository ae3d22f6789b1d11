internal import AtollCapture
internal import AtollObjects
internal import AtollStorage
internal import TestSupport

/// A sound file with what it answers: what damaged copies of it are compared with.
///
/// Made from its number alone, byte by byte, so that a case can be replayed.
final class SampleFile {
  /// How a file was made.
  struct Shape {
    let personCount: Int
    /// Small transactions after the first, which give the indexes a delta and the space log groups.
    let laterCount: Int
    let hasLongValues: Bool
    /// Whether the file was closed in good order; else recovery may go back by one version.
    let isClosed: Bool
  }

  static let shapes = [
    Shape(personCount: 25, laterCount: 2, hasLongValues: false, isClosed: true),
    Shape(personCount: 90, laterCount: 3, hasLongValues: true, isClosed: false),
    Shape(personCount: 420, laterCount: 40, hasLongValues: false, isClosed: true),
    Shape(personCount: 200, laterCount: 12, hasLongValues: true, isClosed: false),
  ]
  /// Every shape once plain and once encrypted.
  static let count = 2 * shapes.count

  let key: [UInt8]?
  let bytes: [UInt8]
  let isClosed: Bool
  /// The answers of the versions whose header slots lie in the file, the newest and two before;
  /// each with the answers after `change`.
  private(set) var versions: [UInt64: Version] = [:]
  let newest: UInt64
  let image: FileImage

  struct Version {
    let answers: FileAnswers
    let changed: FileAnswers
  }

  convenience init(number: Int) throws {
    try self.init(Self.shapes[number / 2], number: number)
  }

  /// A few pages with a little of all, so that much can be done with them in a second.
  static func small(isEncrypted: Bool) throws -> SampleFile {
    try SampleFile(
      Shape(personCount: 6, laterCount: 2, hasLongValues: true, isClosed: true),
      number: isEncrypted ? 1 : 0)
  }

  /// `number`: decides what is random; an odd one gives an encrypted file.
  private init(_ shape: Shape, number: Int) throws {
    key = number % 2 == 0 ? nil : (0..<64).map { UInt8($0 + number) }
    isClosed = shape.isClosed
    let file = try MemoryFile(path: "sample \(number)", capacity: FileWindow.stride)
    let database = try Self.open(file, key: key, making: number)
    var values = SampleValues(
      random: SplitMix64(seed: UInt64(number)), hasLongValues: shape.hasLongValues)
    try database.write { try Self.fill($0, shape.personCount, &values) }
    for round in 0..<shape.laterCount - 2 {
      try database.write { try Self.grow($0, shape.personCount, round, &values) }
    }
    // The versions before are read from the bytes that were there then.
    var before: [UInt64: [UInt8]] = [:]
    for round in shape.laterCount - 2..<shape.laterCount {
      before[try database.snapshot().version] = try file.bytes()
      try database.write { try Self.grow($0, shape.personCount, round, &values) }
    }
    newest = try database.snapshot().version
    if shape.isClosed {
      let block = newest % Block.firstPage
      guard
        case .valid(let slot) = HeaderSlot.read(
          Array(try file.bytes()[Self.slotRange(block)]), at: block,
          key: try key.map { try EncryptionKey($0, path: "") })
      else { throw CaseViolation("the sample has no header slot") }
      let cipher = try key.map {
        PageCipher(try EncryptionKey($0, path: ""), fileID: slot.fileID)
      }
      let sealed = slot.sealed(in: (block + 1) % Block.firstPage)
      try file.write(sealed.encoded(cipher), at: sealed.blockNumber * UInt64(Block.byteCount))
    }
    bytes = try file.bytes()
    image = try FileImage(bytes, key: key)
    versions[newest] = try Self.version(of: bytes, key: key)
    for (version, bytes) in before { versions[version] = try Self.version(of: bytes, key: key) }
  }

  private static func slotRange(_ block: BlockNumber) -> Range<Int> {
    let start = Int(block) * Block.byteCount
    return start..<start + Block.byteCount
  }

  /// Opens the database in `file`, or with `number` makes one whose id is made from it.
  static func open(_ file: MemoryFile, key: [UInt8]?, making number: Int? = nil) throws -> Database
  {
    Database(
      store: try PageStore(
        file: file, coordinator: LocalCoordinator(path: file.path), cacheByteCount: 4 << 20,
        key: try key.map { try EncryptionKey($0, path: file.path) },
        makeFileID: number.map { number in { (0..<16).map { UInt8($0 * 3 + number) } } }),
      options: .recording)
  }

  private static func version(of bytes: [UInt8], key: [UInt8]?) throws -> Version {
    let database = try open(MemoryFile(path: "sample", holding: bytes), key: key)
    let findings = try database.check().findings
    guard findings.isEmpty else { throw CaseViolation("the sample is not sound: \(findings)") }
    let answers = try FileAnswers(database.snapshot())
    try change(database, answers, isStrict: true)
    return Version(answers: answers, changed: try FileAnswers(database.snapshot()))
  }

  // MARK: Contents

  private static func fill(
    _ transaction: Transaction, _ personCount: Int, _ values: inout SampleValues
  ) throws {
    try transaction.addClasses(SampleClasses.classes)
    var places: [ObjectKey] = []
    for index in 0..<max(8, personCount / 8) {
      places.append(try transaction.create("Place", values.place(index)))
    }
    for index in 0..<personCount {
      let person = try transaction.create("Person", values.person(index * 3))
      try connect(transaction, person, places, index, &values)
    }
    for index in places.indices where index % 3 == 0 {
      let links = (0..<3).map { places[(index + $0 * 5 + 1) % places.count] }
      try transaction.set(
        "Place", places[index], "near", .set(links.map { link("Place", $0, transaction) }))
    }
    try transaction.link(
      "Person", ObjectKey(integerPrimaryKey: 0), "friends", toPrimaryKeys: [.int(999_999)])
  }

  private static func connect(
    _ transaction: Transaction, _ person: ObjectKey, _ places: [ObjectKey], _ index: Int,
    _ values: inout SampleValues
  ) throws {
    if index % 5 != 0, !places.isEmpty {
      let place = places[values.number(places.count)]
      try transaction.set("Person", person, "home", link("Place", place, transaction))
    }
    if index > 3, index % 2 == 0 {
      let friends = (0..<3).map { _ in
        ObjectKey(integerPrimaryKey: Int64(values.number(index) * 3))
      }
      try transaction.set(
        "Person", person, "friends", .list(friends.map { link("Person", $0, transaction) }))
    }
    if index % 4 == 0 {
      try transaction.createEmbedded(
        in: "Person", person, "address", ["street": .string("Street \(index)")])
    }
    let event = try transaction.create("Event", values.event())
    try transaction.set("Event", event, "person", link("Person", person, transaction))
  }

  /// A small transaction, as most are.
  private static func grow(
    _ transaction: Transaction, _ personCount: Int, _ round: Int, _ values: inout SampleValues
  ) throws {
    let person = try transaction.create("Person", values.person(10_000 + round))
    try connect(transaction, person, [], 0, &values)
    for _ in 0..<3 {
      let key = ObjectKey(integerPrimaryKey: Int64(values.number(personCount) * 3))
      guard try transaction.contains("Person", key) else { continue }
      let fresh = values.person(0)
      for name in ["age", "name", "about", "notes", "scores"] {
        try transaction.set("Person", key, name, fresh[name] ?? .null)
      }
      if values.number(4) == 0, personCount > 60 { try transaction.delete("Person", key) }
    }
    _ = try transaction.create("Event", values.event())
  }

  private static func link(_ className: String, _ key: ObjectKey, _ source: Transaction) -> Value {
    guard let table = source.schema.table(className) else { return .null }
    return .link(ObjectLink(table: table.id, key: key.rawValue))
  }

  // MARK: Change

  /// A transaction that updates, adds and deletes objects of every class.
  ///
  /// Not strict: what fails is passed over as far as the transaction allows, because the damage may
  /// be of a kind that no checksum tells.
  static func change(_ database: Database, _ answers: FileAnswers, isStrict: Bool) throws {
    let transaction = try database.beginWrite()
    defer { transaction.cancel() }
    var values = SampleValues(random: SplitMix64(seed: 77), hasLongValues: true)
    func attempt(_ body: () throws -> Void) throws {
      do { try body() } catch {
        if isStrict || !FileErrors.isTyped(error) { throw error }
      }
    }
    for rows in answers.classes where !rows.keys.isEmpty {
      let keys = [0, rows.keys.count / 2, rows.keys.count - 1].map {
        ObjectKey(rawValue: rows.keys[$0])
      }
      switch rows.name {
      case "Person":
        for key in keys {
          let fresh = values.person(0)
          for name in fresh.keys.sorted() where name != "id" {
            try attempt { try transaction.set("Person", key, name, fresh[name] ?? .null) }
          }
        }
        for key in keys {
          let member = Value.string("word \(values.number(900) &* 7919)")
          try attempt { try transaction.insert("Person", key, "words", member: member) }
          try attempt { try transaction.remove("Person", key, "words", member: .string("fox")) }
          try attempt {
            try transaction.set("Person", key, "facts", mapKey: "fact 333", .string("another"))
          }
          try attempt { try transaction.remove("Person", key, "facts", mapKey: "fact 7") }
        }
        try attempt { _ = try transaction.create("Person", values.person(700_001)) }
        try attempt { try transaction.delete("Person", keys[1]) }
        try attempt {
          try transaction.createEmbedded(
            in: "Person", keys[0], "address", ["street": .string("New")])
        }
      case "Place":
        try attempt { _ = try transaction.create("Place", values.place(5000)) }
        try attempt {
          try transaction.set("Place", keys[0], "near", .set([link("Place", keys[1], transaction)]))
        }
        try attempt { try transaction.delete("Place", keys[2]) }
      case "Event":
        for _ in 0..<3 {
          try attempt { _ = try transaction.create("Event", values.event()) }
        }
        for key in keys { try attempt { try transaction.set("Event", key, "level", .int(9)) } }
        try attempt { try transaction.delete("Event", keys[1]) }
      default: break
      }
    }
    try transaction.commit()
  }
}
