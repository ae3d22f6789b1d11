extension AnyBridge {
  /// The entries of a dictionary or a map.
  ///
  /// Keys may be equal as texts and differ in their bytes, as those of a map. A type of its own: an
  /// empty array is one of any type.
  struct Entries {
    var entries: [(key: String, value: Any)]

    func mapValues(_ transform: (Any) -> Any) -> Entries {
      Entries(entries: entries.map { ($0.key, transform($0.value)) })
    }
  }

  /// The entries of a dictionary or a map; nil for another value, or for keys that are no strings.
  static func entries(_ source: Any) -> Entries? {
    if let entries = source as? Entries { return entries }
    guard let map = source as? any RealmKeyedCollection else {
      return (source as? [String: Any]).map { Entries(entries: $0.map { ($0.key, $0.value) }) }
    }
    return entries(of: map)
  }

  private static func entries<M: RealmKeyedCollection>(of map: M) -> Entries {
    Entries(entries: zip(map.keys, map.values).map { ($0._key, $1 as Any) })
  }
}
