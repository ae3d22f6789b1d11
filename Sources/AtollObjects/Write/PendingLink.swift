/// A link that waits: where it is, and for what.
struct PendingLink {
  var place: PendingPlace
  /// Its target among `PendingTargets`.
  var target: Int
  /// The key in a map; in a mixed property the way to the link, a `ValuePath`.
  var mapKey: [UInt8]
  /// Whether it still waits.
  var isThere = true
}

/// Where a link waits.
struct PendingPlace: Hashable, Comparable {
  var source: ObjectLink
  var column: UInt32
  var position: UInt32

  /// Of the source's class and key, the column and the position, most significant bytes first.
  static let byteCount = 4 + 8 + 4 + 4

  init(source: ObjectLink, column: UInt32, position: UInt32) {
    self.source = source
    self.column = column
    self.position = position
  }

  /// Reads `byteCount` bytes.
  init(_ bytes: ArraySlice<UInt8>) {
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      bytes.dropFirst(offset).prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    }
    source = ObjectLink(table: UInt32(number(0, 4)), key: number(4, 8))
    column = UInt32(number(12, 4))
    position = UInt32(number(16, 4))
  }

  var bytes: [UInt8] {
    var bytes = Self.sourceBytes(source, column)
    bytes.appendBigEndian(position)
    return bytes
  }

  /// What the places of an object, or of one of its properties, begin with.
  static func sourceBytes(_ source: ObjectLink, _ column: UInt32?) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount)
    bytes.appendBigEndian(source.table)
    bytes.appendBigEndian(source.key)
    if let column { bytes.appendBigEndian(column) }
    return bytes
  }

  /// In the order of their bytes.
  static func < (a: PendingPlace, b: PendingPlace) -> Bool {
    if a.source != b.source { return a.source < b.source }
    return a.column == b.column ? a.position < b.position : a.column < b.column
  }
}

/// The objects that links wait for, each once and by a number.
struct PendingTargets {
  struct Target {
    var table: UInt32
    /// The primary key.
    var key: Value
    /// Class and primary key as the tree has them.
    var address: [UInt8]
    /// The links that were added and wait for it.
    var added: [Int] = []
    /// Whether the tree's entries of it are gone.
    var isTaken = false
  }

  private struct Name: Hashable {
    var table: UInt32
    var key: Value
  }

  private var targets: [Target] = []
  private var numbers: [Name: Int] = [:]

  subscript(number: Int) -> Target {
    get { targets[number] }
    _modify { yield &targets[number] }
  }

  func find(table: UInt32, key: Value) -> Int? { numbers[Name(table: table, key: key)] }

  /// The number of a target, which is given one if it has none; nil for what is no primary key.
  mutating func number(table: UInt32, key: Value) -> Int? {
    if let known = find(table: table, key: key) { return known }
    guard let address = Self.address(table: table, key: key) else { return nil }
    return add(table, key, address)
  }

  /// The same for the bytes of a tree; nil for what are none.
  mutating func number(decoding address: [UInt8]) -> Int? {
    guard address.count > 4 else { return nil }
    var offset = 4
    guard let key = try? OrderedKey.decode(address, at: &offset), offset == address.count else {
      return nil
    }
    let table = address[..<4].reduce(0) { $0 << 8 | UInt32($1) }
    return find(table: table, key: key) ?? add(table, key, address)
  }

  private mutating func add(_ table: UInt32, _ key: Value, _ address: [UInt8]) -> Int {
    targets.append(Target(table: table, key: key, address: address))
    numbers[Name(table: table, key: key)] = targets.count - 1
    return targets.count - 1
  }

  /// By their numbers, the places of the targets in the order of their addresses.
  var ranks: [Int] {
    let sorted = targets.indices.sorted {
      targets[$0].address.lexicographicallyPrecedes(targets[$1].address)
    }
    var ranks = [Int](repeating: 0, count: targets.count)
    for (rank, number) in sorted.enumerated() { ranks[number] = rank }
    return ranks
  }

  static func address(table: UInt32, key: Value) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(table)
    do throws(ValueCodingError) { try OrderedKey.append(key, to: &bytes) } catch { return nil }
    return bytes
  }
}
