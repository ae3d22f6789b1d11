import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// A database with a key is like any other, for those who have the key.
@Suite(.computing) struct EncryptedDatabaseTests {
  private static let key = (0..<64).map { UInt8($0) }
  private static let otherKey = (0..<32).map { UInt8($0 &* 7) }

  private static func options(_ key: [UInt8]?) -> Database.Options {
    .init(encryptionKey: key)
  }

  /// The operations of the model tests, with every version read back from the file.
  @Test(arguments: seeds(10))
  func agreesWithTheModel(seed: UInt64) throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "model.atoll")
    var run = ModelRun(seed: seed &+ 1 << 33)
    let database = try run.workReopening(path, options: Self.options(Self.key))
    try database.close()
  }

  @Test func aCopyHasTheKeyThatIsAskedFor() throws {
    let folder = TemporaryFolder()
    var run = ModelRun(seed: 3)
    let database = try Database.open(
      folder.path(of: "source.atoll"), options: Self.options(Self.key))
    try run.begin(database)
    for _ in 0..<4 { try run.step(database) }
    try run.releaseAll()
    let cases: [(name: String, encryption: Database.Encryption, key: [UInt8]?)] = [
      ("same", .unchanged, Self.key), ("other", .key(Self.otherKey), Self.otherKey),
      ("plain", .none, nil),
    ]
    for (name, encryption, key) in cases {
      let path = folder.path(of: name)
      try database.writeCompactCopy(to: path, encryption: encryption)
      let copy = try Database.open(path, options: Self.options(key))
      try run.compare(copy)
      try run.check(copy)
      try copy.close()
      for wrong in [Self.key, Self.otherKey, nil] where wrong != key {
        let problem: StorageError.EncryptionProblem =
          key == nil ? .notEncrypted : wrong == nil ? .keyMissing : .keyWrong
        #expect(throws: ObjectError.storage(.encryption(path: path, problem))) {
          try Database.open(path, options: Self.options(wrong))
        }
      }
    }
  }

  @Test func compactionChangesTheKeyInPlace() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "data.atoll")
    var run = ModelRun(seed: 4)
    let database = try Database.open(path)
    try run.begin(database)
    for _ in 0..<4 { try run.step(database) }
    try run.releaseAll()
    try database.close()
    var key: [UInt8]?
    let steps: [(encryption: Database.Encryption, key: [UInt8]?)] = [
      (.key(Self.key), Self.key), (.unchanged, Self.key), (.key(Self.otherKey), Self.otherKey),
      (.none, nil), (.unchanged, nil),
    ]
    for step in steps {
      _ = try Database.compact(path, encryptionKey: key, encryption: step.encryption)
      key = step.key
      let database = try Database.open(path, options: Self.options(key))
      try run.compare(database)
      try run.check(database)
      try database.close()
    }
  }

  @Test func aKeyOfAnotherLengthIsRefused() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "data.atoll")
    #expect(throws: ObjectError.storage(.encryption(path: path, .keyByteCount(3)))) {
      try Database.open(path, options: Self.options([1, 2, 3]))
    }
  }

  @Test func nothingOfTheDataIsReadableInTheFilesBeside() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "data.atoll")
    let database = try Database.open(path, options: Self.options(Self.key))
    let secret = "the secret of the lagoon"
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Secret", properties: [PropertySchema("secretText", .string, isIndexed: true)]))
      for index in 0..<2_000 {
        try transaction.create("Secret", ["secretText": .string("\(secret) \(index)")])
      }
    }
    for name in [path, path + "-lock"] {
      let file = try PosixFile(path: name, mode: .readOnly)
      var bytes = [UInt8](repeating: 0, count: Int(try file.byteCount()))
      _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
      for text in [secret, "secretText", "Secret"] {
        let pattern = Array(text.utf8)
        let isFound = bytes.indices.dropLast(pattern.count - 1).contains {
          bytes[$0] == pattern[0] && bytes[$0..<$0 + pattern.count].elementsEqual(pattern)
        }
        #expect(!isFound, "\(text) in \(name)")
      }
    }
    withExtendedLifetime(database) {}
  }
}
