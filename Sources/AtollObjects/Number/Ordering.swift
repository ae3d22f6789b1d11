/// The outcome of comparing two values that have an order.
public enum Ordering: Int8, Sendable {
  case less = -1
  case equal = 0
  case greater = 1

  /// The outcome with the operands exchanged.
  var reversed: Ordering {
    switch self {
    case .less: .greater
    case .equal: .equal
    case .greater: .less
    }
  }

  /// Compares two values of a total order.
  @inlinable @inline(__always)
  package init<T: Comparable>(_ a: T, _ b: T) {
    self = a < b ? .less : (a == b ? .equal : .greater)
  }

  /// Compares byte strings: unsigned bytes, a proper prefix first.
  init(bytes a: [UInt8], _ b: [UInt8]) {
    self.init(a.span, b.span)
  }

  /// Compares the UTF-8 bytes of two strings; no locale, no normalisation.
  ///
  /// Swift's own `==` and `<` treat canonically equivalent strings as equal,
  /// which a query must not.
  @usableFromInline package init(utf8 a: String, _ b: String) {
    self.init(a.utf8.span, b.utf8.span)
  }

  private init(_ a: Span<UInt8>, _ b: Span<UInt8>) {
    let shared = min(a.count, b.count)
    var index = 0
    while index < shared {
      let x = a[index]
      let y = b[index]
      guard x == y else {
        self = x < y ? .less : .greater
        return
      }
      index += 1
    }
    self.init(a.count, b.count)
  }

  /// Compares two lists element by element; a proper prefix comes first.
  ///
  /// `compare` orders two elements. Cost: one call per shared position until the first difference.
  init<T>(
    _ a: [T], _ b: [T], by compare: (T, T) -> Ordering
  ) {
    for index in 0..<min(a.count, b.count) {
      let order = compare(a[index], b[index])
      guard order == .equal else {
        self = order
        return
      }
    }
    self.init(a.count, b.count)
  }
}
