/// A value in a property whose text is part of that of its object: a collection, or a value of any
/// type.
protocol DescribedValue {
  /// Returns the text, inside of others.
  func text(_ scope: DescriptionScope) -> String
}

/// How much of an object, and of all that it leads to, one text shows.
///
/// However many objects lie behind an object, and however often, the text ends: cycles by the
/// depth, and breadth by the one budget of the whole text.
struct DescriptionScope {
  /// How deep linked objects, and collections, are shown.
  private static let depthLimit = 5
  /// How many objects and elements of collections a text shows.
  private static let countLimit = 1000

  /// What is left of the text for all parts of it.
  private final class Budget {
    var count = countLimit
  }

  private let depth: Int
  private let budget: Budget

  init() {
    depth = 0
    budget = Budget()
  }

  private init(depth: Int, _ budget: Budget) {
    self.depth = depth
    self.budget = budget
  }

  /// For what an object or a collection leads to.
  var inner: DescriptionScope { DescriptionScope(depth: depth + 1, budget) }

  /// Whether the elements, or the properties, of what is here are not shown.
  var isExhausted: Bool { depth >= Self.depthLimit || budget.count <= 0 }

  /// Takes note of one object or element more; false when there is room for none.
  func takesOne() -> Bool {
    budget.count -= 1
    return budget.count >= 0
  }

  /// The text of any value, at this depth.
  func text(_ value: Any?) -> String {
    switch AnyBridge.unwrapped(value) {
    case nil: "(null)"
    case let object as ObjectBase: ObjectDescription.text(of: object, self)
    case let value as any DescribedValue: value.text(self)
    case let value?: "\(value)"
    }
  }
}

/// The text of an object for people.
enum ObjectDescription {
  static func text(of object: ObjectBase, _ scope: DescriptionScope = DescriptionScope()) -> String
  {
    let descriptor = object.descriptor
    if object.isInvalidated { return "\(descriptor.name) [invalidated]" }
    if scope.isExhausted || !scope.takesOne() { return "\(descriptor.name) {…}" }
    var lines = "\(descriptor.name) {\n"
    for property in descriptor.properties {
      let value = property.storage.value(of: object, position: property.position)
      let shown = scope.inner.text(value)
      lines += "\t\(property.name) = \(shown.replacing("\n", with: "\n\t"));\n"
    }
    return lines + "}"
  }
}
