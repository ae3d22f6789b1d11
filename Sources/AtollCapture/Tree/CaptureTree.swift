package import AtollObjects
import AtollStorage

/// A named tree whose values may be longer than an entry takes.
///
/// A value is its number of pieces and the first one; the others follow under the key, 0xFF and
/// their number in four bytes. As no key begins with another, they lie right behind.
package struct CaptureTree<Tree: NamedEntries> {
  private let tree: Tree

  package init(_ tree: Tree) { self.tree = tree }

  package func get(_ key: [UInt8]) throws(ObjectError) -> [UInt8]? {
    guard let first = try tree.get(key) else { return nil }
    return try value(key, first)
  }

  /// Visits the entries from `start` on whose keys begin with `prefix`, until `body` says false.
  package func visit(
    prefix: [UInt8] = [], from start: [UInt8] = [],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(ObjectError) -> Bool
  ) throws(ObjectError) {
    var pending: (key: [UInt8], value: [UInt8], missing: Int)?
    try tree.visit(prefix: prefix, from: start) { key, value throws(ObjectError) in
      if var entry = pending {
        guard key.count == entry.key.count + 5, key.starts(with: entry.key) else {
          throw ObjectError.damagedRecord
        }
        entry.value += value
        entry.missing -= 1
        pending = entry.missing == 0 ? nil : entry
        return entry.missing > 0 ? true : try body(entry.key, entry.value)
      }
      let count = Self.pieceCount(value)
      let first = Self.contents(value)
      guard count > 1 else { return try body(key, first) }
      pending = (key, first, count - 1)
      return true
    }
    guard pending == nil else { throw ObjectError.damagedRecord }
  }

  var isEmpty: Bool { tree.count == 0 }

  private func value(_ key: [UInt8], _ first: [UInt8]) throws(ObjectError) -> [UInt8] {
    var value = Self.contents(first)
    for piece in 1..<max(1, Self.pieceCount(first)) {
      guard let next = try tree.get(Self.key(key, piece)) else { throw ObjectError.damagedRecord }
      value += next
    }
    return value
  }

  fileprivate static func key(_ key: [UInt8], _ piece: Int) -> [UInt8] {
    guard piece > 0 else { return key }
    var bytes = key
    bytes.append(0xFF)
    bytes.appendBigEndian(UInt32(piece))
    return bytes
  }

  static func pieceCount(_ first: [UInt8]) -> Int {
    var reader = RecordedReader(Array(first.prefix(10)))
    return Int(clamping: (try? reader.readVarint()) ?? 0)
  }

  static func contents(_ first: [UInt8]) -> [UInt8] {
    guard let end = first.firstIndex(where: { $0 < 0x80 }) else { return [] }
    return Array(first[(end + 1)...])
  }
}

extension CaptureTree where Tree == NamedTree {
  private static var pieceByteCount: Int { 128 << 10 }

  /// Sets or, with nil, removes the value.
  package func set(_ value: [UInt8]?, for key: [UInt8]) throws(ObjectError) {
    let oldCount = try tree.get(key).map(Self.pieceCount) ?? 0
    guard let value else {
      for piece in 0..<oldCount { try tree.set(nil, for: Self.key(key, piece)) }
      return
    }
    let count = max(1, (value.count + Self.pieceByteCount - 1) / Self.pieceByteCount)
    for piece in 0..<count {
      let start = piece * Self.pieceByteCount
      let bytes = value[start..<min(value.count, start + Self.pieceByteCount)]
      var entry: [UInt8] = []
      entry.reserveCapacity(bytes.count + 4)
      if piece == 0 { entry.appendCount(count) }
      entry += bytes
      try tree.set(entry, for: Self.key(key, piece))
    }
    for piece in max(count, 1)..<max(count, oldCount, 1) {
      try tree.set(nil, for: Self.key(key, piece))
    }
  }

  /// The keys that begin with `prefix`, in order.
  func keys(prefix: [UInt8]) throws(ObjectError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    try visit(prefix: prefix) { key, _ throws(ObjectError) in
      keys.append(key)
      return true
    }
    return keys
  }

  /// Removes what is left of values of which a piece is lost.
  func removeFragments() throws(ObjectError) {
    var fragments: [[UInt8]] = []
    var pieces: [[UInt8]] = []
    var count = 0
    try tree.visit(prefix: [], from: []) { key, value throws(ObjectError) in
      if let first = pieces.first, key.count == first.count + 5, key.starts(with: first) {
        if pieces.count < count, key == Self.key(first, pieces.count) {
          pieces.append(key)
        } else {
          fragments.append(key)
        }
        return true
      }
      if pieces.count != count { fragments += pieces }
      pieces = [key]
      count = Self.pieceCount(value)
      return true
    }
    if pieces.count != count { fragments += pieces }
    for key in fragments { try tree.set(nil, for: key) }
  }

  func removeAll() throws(ObjectError) { try tree.removeAll() }

  func removeAll(prefix: [UInt8]) throws(ObjectError) {
    for key in try keys(prefix: prefix) { try set(nil, for: key) }
  }
}

/// A named tree that can be read.
package protocol NamedEntries {
  var count: Int { get }
  func get(_ key: [UInt8]) throws(ObjectError) -> [UInt8]?
  func visit(
    prefix: [UInt8], from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(ObjectError) -> Bool
  ) throws(ObjectError)
}

extension NamedTree: NamedEntries {}
extension NamedTreeView: NamedEntries {}

extension ObjectError {
  /// An entry of a tree that keeps what is pending cannot be decoded.
  static var damagedRecord: ObjectError {
    .storage(.corrupted(block: 0, .structure(.malformedEntries)))
  }
}
