/// A row group, decoded by Format.md, section 5: its vectors by column and role.
package struct FormatRowGroup {
  package enum Vector: Equatable {
    case integers([Int64])
    case bits([Bool])
    case fixed([[UInt8]])
    case bytes([[UInt8]])
    case external([External])
  }

  package struct External: Equatable {
    package var index: Int
    package var reference: FormatReference
    package var byteCount: Int
    package var prefix: UInt64
  }

  package struct Place: Hashable {
    package var column: Int
    package var role: Int

    package init(_ column: Int, _ role: Int) {
      self.column = column
      self.role = role
    }
  }

  package var rowCount: Int
  package var vectors: [Place: Vector] = [:]
  package var fields: [FormatField]

  private static let roles = [
    "validity", "values", "nanoseconds", "counts", "mapKeys", "elementValidity", "elementValues",
    "elementNanoseconds", "external", "elementExternal",
  ]
  private static let kinds = ["", "integers", "bits", "fixed", "bytes", "external"]

  package init(_ payload: [UInt8]) throws {
    var reader = FormatReader(payload)
    rowCount = try reader.count(4, "rowCount")
    let vectorCount = try reader.count(2, "vectorCount")
    try reader.zeros(10)
    var directory: [(place: Place, kind: Int, byteOffset: Int, byteCount: Int)] = []
    for index in 0..<vectorCount {
      let column = try reader.count(4, "[\(index)].column")
      let role = Int(
        try reader.number(1, "[\(index)].role") { Self.name(Self.roles, $0) })
      let kind = Int(try reader.number(1, "[\(index)].kind") { Self.name(Self.kinds, $0) })
      try reader.zeros(2)
      let byteOffset = try reader.count(4, "[\(index)].byteOffset")
      let byteCount = try reader.count(4, "[\(index)].byteCount")
      guard role < Self.roles.count, (1..<Self.kinds.count).contains(kind) else {
        throw FormatError("an unknown vector")
      }
      directory.append((Place(column, role), kind, byteOffset, byteCount))
    }
    guard directory.first?.place == Place(0, 1) else { throw FormatError("the keys are missing") }
    for entry in directory.sorted(by: { $0.byteOffset < $1.byteOffset }) {
      guard entry.byteOffset == reader.byteOffset, entry.byteCount % 16 == 0 else {
        throw FormatError("a vector does not follow the one before")
      }
      let name =
        entry.place.column == 0
        ? "keys" : "column \(entry.place.column) \(Self.roles[entry.place.role])"
      vectors[entry.place] = try reader.part(entry.byteCount) { reader in
        switch entry.kind {
        case 1: .integers(try reader.integers(name))
        case 2: .bits(try reader.bits(name))
        case 3: .fixed(try reader.fixed(name, width: Int(reader.bytes[reader.byteOffset + 1])))
        case 4: .bytes(try reader.byteStrings(name))
        default: .external(try Self.external(&reader, name))
        }
      }
    }
    guard reader.isAtEnd else { throw FormatError("bytes are left in the row group") }
    fields = reader.fields
  }

  private static func name(_ names: [String], _ number: UInt64) -> String {
    number < UInt64(names.count) ? "\(number), \(names[Int(number)])" : "\(number)"
  }

  private static func external(_ reader: inout FormatReader, _ name: String) throws -> [External] {
    let start = reader.byteOffset
    let count = try reader.count(4, "\(name).count")
    try reader.zeros(12)
    var records: [External] = []
    for record in 0..<count {
      let index = try reader.count(4, "\(name)[\(record)].index")
      try reader.zeros(4)
      let reference = try reader.reference("\(name)[\(record)].reference")
      let byteCount = try reader.count(8, "\(name)[\(record)].byteCount")
      let prefix = try reader.number(8, "\(name)[\(record)].prefix", hexadecimal)
      records.append(
        External(index: index, reference: reference, byteCount: byteCount, prefix: prefix))
    }
    try reader.padding(from: start)
    return records
  }

  /// The objects' keys.
  package var keys: [UInt64] {
    integers(0, 1).map { UInt64(bitPattern: $0) ^ 1 << 63 }
  }

  package func integers(_ column: Int, _ role: Int) -> [Int64] {
    if case .integers(let values) = vectors[Place(column, role)] { values } else { [] }
  }

  package func bits(_ column: Int, _ role: Int) -> [Bool] {
    if case .bits(let values) = vectors[Place(column, role)] { values } else { [] }
  }

  package func bytes(_ column: Int, _ role: Int) -> [[UInt8]] {
    switch vectors[Place(column, role)] {
    case .bytes(let values), .fixed(let values): values
    default: []
    }
  }

  package func strings(_ column: Int, _ role: Int) -> [String] {
    bytes(column, role).map { String(decoding: $0, as: UTF8.self) }
  }

  package func external(_ column: Int, _ role: Int) -> [External] {
    if case .external(let values) = vectors[Place(column, role)] { values } else { [] }
  }
}
