extension DescribedCollection where Self: RealmCollection {
  func text(depth: Int) -> String { ObjectDescription.text(of: self, depth: depth) }
}

extension List: DescribedCollection {}
extension MutableSet: DescribedCollection {}
extension LinkingObjects: DescribedCollection {}

extension Map: DescribedCollection {
  func text(depth: Int) -> String { ObjectDescription.text(of: self, depth: depth) }
}

extension ObjectDescription {
  /// The entries of a map.
  static func text<M: RealmKeyedCollection>(of map: M, depth: Int = 0) -> String {
    let name = "Map<\(M.Key.self), \(M.Value.self)>"
    if depth >= depthLimit { return "\(name) (\(map.count) entries)" }
    let lines = map.keys.map { key in
      let value: Any = map[key] as Any
      let shown =
        (AnyBridge.unwrapped(value) as? ObjectBase).map { text(of: $0, depth: depth) }
        ?? AnyBridge.unwrapped(value).map { "\($0)" } ?? "(null)"
      return "\n\t[\(key)]: \(shown.replacing("\n", with: "\n\t"))"
    }
    return "\(name) (\(lines.joined(separator: ","))\n)"
  }

  /// The first hundred elements of a collection.
  static func text<C: RealmCollection>(of collection: C, depth: Int = 0) -> String {
    let name = "\(C.self)".prefix { $0 != "<" }
    let count = collection.count
    var lines = "\(name)<\(C.Element.self)> ("
    if depth >= depthLimit { return lines + "\(count) elements)" }
    for (index, element) in collection.prefix(100).enumerated() {
      let shown = (element as? ObjectBase).map { text(of: $0, depth: depth) } ?? "\(element)"
      lines += "\n\t[\(index)] \(shown.replacing("\n", with: "\n\t"))"
      if index < count - 1 { lines += "," }
    }
    if count > 100 { lines += "\n\t... \(count - 100) elements skipped." }
    return lines + "\n)"
  }
}
