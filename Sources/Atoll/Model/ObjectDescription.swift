/// The text of an object for people.
enum ObjectDescription {
  /// How deep linked objects are shown.
  private static let depthLimit = 5

  static func text(of object: ObjectBase, depth: Int = 0) -> String {
    let descriptor = ClassDescriptor.of(type(of: object))
    if object.isInvalidated { return "\(descriptor.name) [invalidated]" }
    if depth >= depthLimit { return "\(descriptor.name) {…}" }
    var lines = "\(descriptor.name) {\n"
    for property in descriptor.properties {
      let value = property.storage.value(of: object, position: property.position)
      let shown: String
      switch AnyBridge.unwrapped(value) {
      case nil: shown = "(null)"
      case let linked as ObjectBase: shown = text(of: linked, depth: depth + 1)
      case let collection as any RealmCollection: shown = text(of: collection, depth: depth + 1)
      case let map as any RealmKeyedCollection: shown = text(of: map, depth: depth + 1)
      case let value?: shown = "\(value)"
      }
      lines += "\t\(property.name) = \(shown.replacing("\n", with: "\n\t"));\n"
    }
    return lines + "}"
  }

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
