/// A collection that a property holds, whose text is part of that of its object.
protocol DescribedCollection {
  /// Returns the text with the elements, inside of `depth` objects and collections.
  func text(depth: Int) -> String
}

/// The text of an object for people.
enum ObjectDescription {
  /// How deep linked objects are shown.
  static let depthLimit = 5

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
      case let collection as any DescribedCollection: shown = collection.text(depth: depth + 1)
      case let value?: shown = "\(value)"
      }
      lines += "\t\(property.name) = \(shown.replacing("\n", with: "\n\t"));\n"
    }
    return lines + "}"
  }
}
