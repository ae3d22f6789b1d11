internal import AtollImport
internal import AtollObjects
internal import TestSupport

/// The trial of documents in Extended JSON: what is imported is what a plain model says.
struct ExtendedTrial {
  let seed: UInt64

  /// - Throws: `CaseViolation`.
  func run() throws -> (flags: [Bool], byteCount: Int) {
    var maker = ExtendedMaker(random: SplitMix64(seed: seed))
    let data = maker.documents()
    let database = try Database.inMemory()
    let version = try database.snapshot().version
    do {
      try importAll(data, into: database, &maker)
    } catch ImportError.data(let problem, let position) where data.damagedLine != nil {
      guard try database.snapshot().version == version else {
        throw CaseViolation("a damaged document leaves a part behind: \(problem)")
      }
      guard position.line == data.damagedLine.map({ $0 + 1 }) else {
        throw CaseViolation(
          "the error is at \(position), not in line \(data.damagedLine ?? 0): \(problem)")
      }
      return ([true, false, false], data.text.utf8.count)
    } catch {
      throw CaseViolation("documents are refused: \(Self.text(error))")
    }
    guard data.damagedLine == nil else { throw CaseViolation("a damaged document is imported") }
    try compare(data, try database.snapshot())
    // The same once more changes nothing.
    if maker.number(4) == 0 {
      do {
        try importAll(data, into: database, &maker)
      } catch {
        throw CaseViolation("documents are refused again: \(Self.text(error))")
      }
      try compare(data, try database.snapshot())
    }
    return ([true, true, false], data.text.utf8.count)
  }

  private static func text(_ error: any Error) -> String {
    (error as? ImportError)?.description(name: "f") ?? "\(error)"
  }

  private func importAll(
    _ data: ExtendedMaker.Documents, into database: Database, _ maker: inout ExtendedMaker
  ) throws {
    let stated = data.properties.filter(\.isStated)
    let options = ImportOptions(
      primaryKey: "_id", types: stated.map { .init(property: $0.name, type: $0.type) })
    let importer = Importer(
      destination: ImportDestination(database), className: "Doc", options: options,
      batchRecordCount: 1 + maker.number(4))
    _ = try importer.run(readingTwice: { JSONReader(MemorySource(data.text)) })
  }

  private func compare(_ data: ExtendedMaker.Documents, _ snapshot: Snapshot) throws {
    let table = try snapshot.table("Doc")
    guard table.count == data.documents.count else { throw CaseViolation("documents are missing") }
    for (key, values) in data.documents {
      guard let object = try table.object(primaryKey: key) else {
        throw CaseViolation("there is no document \(key)")
      }
      for (property, value) in zip(data.properties, values) {
        // A property of nulls or of empty lists has no type.
        guard let column = table.schema.column(property.name) else { continue }
        if property.isStated, column.layout.value != property.type {
          throw CaseViolation("'\(property.name)' is of type \(column.layout.value)")
        }
        let found = try object[property.name]
        let wanted = value ?? Self.nothing(in: column.layout)
        guard Self.text(found) == Self.text(wanted) else {
          throw CaseViolation("'\(property.name)' is \(found), not \(wanted)")
        }
      }
    }
  }

  /// What a document without the property has, or with null.
  private static func nothing(in layout: ColumnLayout) -> Value {
    switch layout.collection {
    case .none: .null
    case .list, .set: .list([])
    case .map: .map(ValueMap())
    }
  }

  /// A text that two values have if they are the same, digit by digit.
  private static func text(_ value: Value) -> String {
    switch value {
    case .list(let elements): "[" + elements.map(text).joined(separator: ",") + "]"
    case .map(let map):
      "{" + map.entries.map { "\(Array($0.key.utf8)):\(text($0.value))" }.joined(separator: ",")
        + "}"
    case .string(let text): "\(Array(text.utf8))"
    case .double(let number): number.isNaN ? "NaN" : "\(number.bitPattern)"
    default: "\(value.type.map { "\($0)" } ?? "") \(value)"
    }
  }
}
