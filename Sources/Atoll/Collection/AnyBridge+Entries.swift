extension AnyBridge {
  /// The entries of a dictionary or a map; nil for another value, or for keys that are no strings.
  static func entries(_ source: Any) -> [String: Any]? {
    guard let map = source as? any RealmKeyedCollection else { return source as? [String: Any] }
    return entries(of: map)
  }

  private static func entries<M: RealmKeyedCollection>(of map: M) -> [String: Any] {
    var entries: [String: Any] = [:]
    for (key, value) in zip(map.keys, map.values) { entries[key._key] = value as Any }
    return entries
  }
}
