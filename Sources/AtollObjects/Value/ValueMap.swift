/// A dictionary from string keys to values.
///
/// Invariant: `entries` ascend strictly by the UTF-8 bytes of their keys, so
/// equal maps have equal entries. Lookup is a binary search; changing one key
/// moves the entries behind it. Keys are told apart by their bytes, not by
/// Unicode equivalence.
public struct ValueMap: Sendable {
  /// A key and its value.
  public struct Entry: Sendable {
    public let key: String
    public var value: Value

    public init(key: String, value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// The entries, ascending by the UTF-8 bytes of their keys.
  public private(set) var entries: [Entry]

  /// Makes an empty map.
  public init() {
    entries = []
  }

  /// Sorts the pairs; of several with one key, the last counts.
  ///
  /// - Complexity: O(n) for pairs that ascend strictly already, else O(n log n).
  public init(_ pairs: some Sequence<(key: String, value: Value)>) {
    var sorted = pairs.map { Entry(key: $0.key, value: $0.value) }
    guard !Self.ascend(sorted) else {
      entries = sorted
      return
    }
    // The sort is stable, so equal keys keep their order.
    sorted.sort { Ordering(utf8: $0.key, $1.key) == .less }
    entries = []
    entries.reserveCapacity(sorted.count)
    for entry in sorted {
      if let last = entries.last, Ordering(utf8: last.key, entry.key) == .equal {
        entries[entries.count - 1] = entry
      } else {
        entries.append(entry)
      }
    }
  }

  /// Takes entries that already ascend strictly; nil otherwise.
  init?(ascending entries: [Entry]) {
    guard Self.ascend(entries) else { return nil }
    self.entries = entries
  }

  private static func ascend(_ entries: [Entry]) -> Bool {
    entries.indices.dropFirst().allSatisfy {
      Ordering(utf8: entries[$0 - 1].key, entries[$0].key) == .less
    }
  }

  /// The number of entries.
  public var count: Int { entries.count }

  /// The value of a key; nil when absent, and setting nil removes the key.
  public subscript(key: String) -> Value? {
    get { entries[named: key] }
    set { entries[named: key] = newValue }
  }
}

extension ValueMap.Entry: NamedElement {
  @usableFromInline package var name: String { key }

  @usableFromInline package init(name: String, value: Value) { self.init(key: name, value: value) }
}

extension ValueMap: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init(elements.map { (key: $0.0, value: $0.1) })
  }
}
