internal import AtollObjects

/// One `TEXT` search of a run, run on the full-text index when the keys are first needed.
final class TextLookup {
  let column: Column
  let pattern: TextPattern
  private let table: TableAccess
  /// Nil in a version that does not have the index yet.
  private let index: Index?
  /// The wanted words with the counts of their entries, the rarest first.
  private let wanted: [(word: TextPattern.Word, count: Int)]
  private let unwanted: [(word: TextPattern.Word, count: Int)]
  private var found: [UInt64]?

  init(
    _ search: BoundTextSearch, _ table: TableAccess, in source: any TreeSource
  ) throws {
    column = search.column
    pattern = search.pattern
    self.table = table
    let index = try source.fullTextIndex(search.column)
    self.index = index
    func counted(_ words: [TextPattern.Word]) throws -> [(TextPattern.Word, Int)] {
      guard let index else { return [] }
      return try words.map { ($0, try index.count(Self.range($0))) }.sorted { $0.1 < $1.1 }
    }
    wanted = try counted(pattern.wanted)
    unwanted = try counted(pattern.unwanted)
  }

  /// Whether the index can answer; else each text is read.
  var hasIndex: Bool { index != nil }

  /// Whether `keys` are those of the objects that fail: there are no wanted words.
  var isComplement: Bool { pattern.wanted.isEmpty }

  /// About how many objects pass; nil when the index does not lead to them.
  var estimate: Int? { wanted.first?.count }

  /// The part of the objects that pass, as a guess.
  var selectivity: Double {
    guard hasIndex, table.count > 0 else { return 0.05 }
    let count = Double(wanted.first?.count ?? unwanted.last?.count ?? 0)
    let part = min(1, count / Double(table.count))
    return isComplement ? 1 - part : part
  }

  /// To read an object's text and split it takes about as long as to read so many entries.
  private static let verificationCost = 200

  /// The keys of the objects that pass, or, in a complement, of those that fail; ascending.
  ///
  /// Cost: the entries of the words, rarest first; when few objects are left, these are read
  /// instead of the entries of common words.
  func keys() throws -> [UInt64] {
    if let found { return found }
    guard let index else { return [] }
    var keys: [UInt64] = []
    if isComplement {
      for (word, _) in unwanted { keys += try Self.keys(word, index) }
      if unwanted.count > 1 { Self.normalize(&keys) }
    } else {
      var isFirst = true
      for (word, count) in wanted {
        if isFirst {
          keys = try Self.keys(word, index)
          isFirst = false
        } else if keys.isEmpty {
          break
        } else if isWorthReading(keys, insteadOf: count) {
          keys = try verified(keys)
          break
        } else {
          Self.keep(&keys, in: try Self.keys(word, index), present: true)
        }
      }
      for (word, count) in unwanted where count > 0 && !keys.isEmpty {
        if isWorthReading(keys, insteadOf: count) {
          keys = try verified(keys)
          break
        }
        Self.keep(&keys, in: try Self.keys(word, index), present: false)
      }
    }
    found = keys
    return keys
  }

  private func isWorthReading(_ keys: [UInt64], insteadOf entryCount: Int) -> Bool {
    keys.count < entryCount / Self.verificationCost
  }

  /// The objects whose text passes the whole pattern.
  private func verified(_ keys: [UInt64]) throws -> [UInt64] {
    try keys.filter { key in
      guard let place = try table.locate(key) else { return false }
      return pattern.matches(try place.value(column))
    }
  }

  private static func range(_ word: TextPattern.Word) -> IndexRange {
    word.isPrefix
      ? Index.range(ofTokensWithPrefix: word.token) : Index.range(ofToken: word.token)
  }

  /// The objects with the word, ascending.
  private static func keys(_ word: TextPattern.Word, _ index: Index) throws -> [UInt64] {
    var keys = try index.keys(range(word))
    if word.isPrefix { normalize(&keys) }
    return keys
  }

  /// Sorts keys and leaves each once.
  private static func normalize(_ keys: inout [UInt64]) {
    keys.sort()
    var previous: UInt64?
    keys.removeAll { key in
      defer { previous = key }
      return previous == key
    }
  }

  /// Keeps the keys that are in `other`, or those that are not; both ascend.
  private static func keep(_ keys: inout [UInt64], in other: [UInt64], present: Bool) {
    var position = 0
    keys.removeAll { key in
      while position < other.count, other[position] < key { position += 1 }
      return (position < other.count && other[position] == key) != present
    }
  }
}
