internal import AtollObjects

/// The values that objects are sorted by which a live query has read last.
///
/// Searches of one list begin at the same few objects: those are read once.
struct KnownSortValues {
  private var values: [ObjectKey: [SortValue]] = [:]
  /// About how much memory the values take, in bytes.
  private var byteCount = 0

  /// More is forgotten at the end of a step; a list of any length is searched without.
  private static let byteLimit = 1 << 19

  init() {}

  subscript(key: ObjectKey) -> [SortValue]? {
    get { values[key] }
    set {
      let old = values[key]
      values[key] = newValue
      byteCount += Self.byteCount(newValue) - Self.byteCount(old)
    }
  }

  /// Forgets everything when it is too much.
  mutating func trim() {
    if byteCount > Self.byteLimit { self = KnownSortValues() }
  }

  private static func byteCount(_ values: [SortValue]?) -> Int {
    guard let values else { return 0 }
    // An entry of the dictionary, the array and the values in it.
    return values.reduce(64 + values.count * MemoryLayout<SortValue>.stride) { sum, value in
      switch value {
      case .value(.string(let text)): sum + text.utf8.count
      case .value(.data(let bytes)): sum + bytes.count
      default: sum
      }
    }
  }
}
