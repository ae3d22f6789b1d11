import AtollObjects
import AtollStorage
import TestSupport

/// The golden files of sets and maps outside of their row groups.
enum GoldenParts {
  /// Trees, as they are written.
  static let path = "Tests/AtollObjectsTests/Golden/Files/v3-parts.golden"
  /// Single values, as builds before wrote them; it is never written again.
  static let wholePath = "Tests/AtollObjectsTests/Golden/Files/v3-whole-parts.golden"
  static let fileID: [UInt8] = Array(0xC0...0xCF)

  /// The members of the set, and the keys of the map with their numbers.
  static let words = (0..<1_500).map { "word \($0 * 7_919 % 100_003)" }

  static var set: Value { .set(words.sorted().map { .string($0) }) }

  static var map: Value {
    .map(ValueMap(words.enumerated().map { (key: $1, value: .int(Int64($0))) }))
  }

  static let classes = [
    ClassSchema(
      "Notes",
      properties: [
        PropertySchema("id", .int), PropertySchema("words", .string, collection: .set),
        PropertySchema("places", .int, collection: .map),
      ], primaryKey: "id")
  ]

  /// Makes the file as an application would, closed in good order.
  static func make() throws -> [UInt8] {
    let folder = TemporaryFolder()
    let path = folder.path(of: "golden")
    let file = try PosixFile(path: path, mode: .create)
    let empty = try PageStore(
      file: file, coordinator: LockFile(for: file), cacheByteCount: 1 << 20,
      makeFileID: { fileID })
    try empty.close()
    let database = try Database.open(path)
    try database.write { transaction in
      try transaction.addClasses(classes)
      try transaction.create("Notes", ["id": .int(1), "words": set, "places": map])
      try transaction.create(
        "Notes",
        ["id": .int(2), "words": .set([.string("a")]), "places": .map(["a": .int(1)])])
    }
    try database.close()
    let reader = try PosixFile(path: path, mode: .readOnly)
    var bytes = [UInt8](repeating: 0, count: Int(try reader.byteCount()))
    let count = try bytes.withUnsafeMutableBytes { try reader.read(into: $0, at: 0) }
    guard count == bytes.count else { throw FormatError("the file ends early") }
    return bytes
  }
}
