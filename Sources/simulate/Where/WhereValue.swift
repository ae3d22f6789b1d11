internal import Foundation

/// A value of a plain reading: what a property holds, and nothing of a database.
indirect enum WhereValue: Equatable {
  case null
  case bool(Bool)
  case int(Int)
  /// Of a float, a double or a decimal; decimals here are such that doubles are as exact.
  case number(Double)
  case string(String)
  case data([UInt8])
  /// Seconds since the reference date.
  case date(Double)
  case uuid(String)
  /// A node of the world; -1 is one that no realm manages.
  case node(Int)
  case list([WhereValue])
  case map([String: WhereValue])

  var isNull: Bool { if case .null = self { true } else { false } }
}

/// The operators of conditions.
enum WhereOperator: CaseIterable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// What a comparison of strings overlooks.
struct WhereFolding: Equatable {
  var ignoresCase = false
  var ignoresMarks = false
}

// MARK: Comparing

extension WhereValue {
  /// Whether `a comparator b` holds: null equals null, and has no order with anything else.
  static func holds(_ comparator: WhereOperator, _ a: WhereValue, _ b: WhereValue) -> Bool {
    switch comparator {
    case .equal: equal(a, b)
    case .notEqual: !equal(a, b)
    case .less: order(a, b) == -1
    case .lessOrEqual: order(a, b).map { $0 <= 0 } ?? false
    case .greater: order(a, b) == 1
    case .greaterOrEqual: order(a, b).map { $0 >= 0 } ?? false
    }
  }

  static func equal(_ a: WhereValue, _ b: WhereValue) -> Bool {
    switch (a, b) {
    case (.node(let x), .node(let y)): x == y && x >= 0
    case (.list(let x), .list(let y)): x.count == y.count && zip(x, y).allSatisfy { equal($0, $1) }
    case (.map(let x), .map(let y)):
      x.count == y.count && x.allSatisfy { key, value in y[key].map { equal(value, $0) } ?? false }
    default: order(a, b) == 0
    }
  }

  /// -1, 0 or 1; nil for values that have no order.
  private static func order(_ a: WhereValue, _ b: WhereValue) -> Int? {
    switch (a, b) {
    case (.null, .null): return 0
    case (.bool(let x), .bool(let y)): return order(x ? 1 : 0, y ? 1 : 0)
    case (.int(let x), .int(let y)): return order(x, y)
    case (.number(let x), .number(let y)): return order(of: x, y)
    case (.int(let x), .number(let y)): return order(of: x, y)
    case (.number(let x), .int(let y)): return order(of: y, x).map { -$0 }
    case (.string(let x), .string(let y)): return order(Array(x.utf8), Array(y.utf8))
    case (.data(let x), .data(let y)): return order(x, y)
    case (.date(let x), .date(let y)): return order(of: x, y)
    case (.uuid(let x), .uuid(let y)): return order(Array(x.utf8), Array(y.utf8))
    default: return nil
    }
  }

  private static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }

  private static func order(of a: Double, _ b: Double) -> Int? {
    a.isNaN || b.isNaN ? nil : order(a, b)
  }

  /// An integer and a floating-point number by their exact values.
  private static func order(of a: Int, _ b: Double) -> Int? {
    if b.isNaN { return nil }
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 { return 1 }
    let whole = Int(b.rounded(.down))
    if a != whole { return order(a, whole) }
    return b > b.rounded(.down) ? -1 : 0
  }

  private static func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
  }
}

// MARK: Strings

/// The tests that only strings and data have.
enum WhereTextTest: CaseIterable {
  case contains, begins, ends, like
}

extension WhereValue {
  /// Whether a string, or data, passes a test with a pattern of its own kind.
  func passes(_ test: WhereTextTest, _ pattern: WhereValue, _ folding: WhereFolding) -> Bool {
    let (text, wanted): ([UInt32], [UInt32])
    switch (self, pattern) {
    case (.string(let x), .string(let y)):
      (text, wanted) = (Self.scalars(x, folding), Self.scalars(y, folding))
    case (.data(let x), .data(let y)): (text, wanted) = (x.map(UInt32.init), y.map(UInt32.init))
    default: return false
    }
    switch test {
    case .contains:
      guard text.count >= wanted.count else { return false }
      return (0...text.count - wanted.count).contains {
        text[$0..<$0 + wanted.count].elementsEqual(wanted)
      }
    case .begins: return text.starts(with: wanted)
    case .ends: return text.reversed().starts(with: wanted.reversed())
    case .like: return Self.isLike(text[...], wanted[...])
    }
  }

  /// Whether two values are equal but for what is overlooked in strings.
  static func equal(_ a: WhereValue, _ b: WhereValue, _ folding: WhereFolding) -> Bool {
    guard case .string(let x) = a, case .string(let y) = b else { return equal(a, b) }
    return scalars(x, folding) == scalars(y, folding)
  }

  private static func scalars(_ text: String, _ folding: WhereFolding) -> [UInt32] {
    var scalars = Array(text.unicodeScalars)
    if folding.ignoresMarks {
      scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
        $0.properties.generalCategory != .nonspacingMark
      }
    }
    if folding.ignoresCase {
      scalars = scalars.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
    }
    return scalars.map(\.value)
  }

  /// `*` is any run, `?` one character.
  private static func isLike(_ text: ArraySlice<UInt32>, _ pattern: ArraySlice<UInt32>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == 0x2A {
      return (text.startIndex...text.endIndex).contains { isLike(text[$0...], rest) }
    }
    guard let character = text.first else { return false }
    return (first == 0x3F || first == character) && isLike(text.dropFirst(), rest)
  }
}
