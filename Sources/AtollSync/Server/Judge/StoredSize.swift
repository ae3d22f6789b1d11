internal import AtollCapture

/// How many bytes a unit of an object takes in the store, about.
struct StoredSize {
  /// Of the value, with the key of an entry.
  var value = 0
  /// Of the place of an element in its list.
  var position = 0

  /// Of the key of an entry or a member that is gone.
  var kept = 0

  var byteCount: Int { value + position }

  init() {}

  /// `unit`: nil of what is not there.
  init(of unit: UnitValue?, at path: UnitPath) {
    guard let unit else { return }
    let overhead =
      switch path {
      case .entry(_, let key): OperationFit.byteCount(key)
      case .element: 8
      default: 0
      }
    switch unit {
    case .value(let content): value = overhead + Self.byteCount(of: content)
    case .element(let place, let content):
      value = overhead + Self.byteCount(of: content)
      position = place.bytes.count
    case .exists: value = overhead + 8
    }
  }

  /// What is kept of an entry or a member that is gone: its key, unless that is a short one.
  init(keptOf path: UnitPath) {
    guard case .entry(_, let key) = path else { return }
    let byteCount = OperationFit.byteCount(key)
    if byteCount > Self.shortKeyByteCount { kept = byteCount }
  }

  /// Of a key that is as short as those of most entries, nothing counts when its entry is gone.
  static let shortKeyByteCount = 64

  /// Nothing for what is as small as a number: so what was never written takes nothing.
  private static func byteCount(of value: RecordedValue) -> Int {
    switch value {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    case .embedded, .list, .set, .map: OperationFit.byteCount(value)
    case .link(let target): OperationFit.excess(ofKey: target.primaryKey)
    default: 0
    }
  }
}
