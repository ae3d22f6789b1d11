internal import AtollQuery

/// Follows the names of properties from class to class, and gives what the file calls them.
///
/// A property may have another name in the file, and linking objects have none there: they are the
/// links of another class, followed backwards.
struct PropertyNames {
  /// The class that the next name belongs to; nil when that is not known here, so that names stay
  /// as they are.
  private(set) var descriptor: ClassDescriptor?
  /// The declared default of the last property.
  private(set) var unset: _StoredValue?

  init(_ descriptor: ClassDescriptor) { self.descriptor = descriptor }

  /// The step to a property, and whether it leads to several objects.
  mutating func step(to name: String) -> (step: QuerySyntax.PathStep, isList: Bool) {
    let property = descriptor?.property(name)
    unset = property?.unset
    guard let property else {
      descriptor = nil
      return (.property(name), false)
    }
    descriptor = property.targetClass
    guard property.isComputed, let origin = descriptor, let originName = property.originName else {
      return (.property(property.columnName), property.isCollection && property.target != nil)
    }
    let column = origin.property(originName)?.columnName ?? originName
    return (.backlinks(origin: .init(origin.name), property: .init(column)), true)
  }

  /// The path with the names that the file has; ranges stay.
  mutating func path(_ path: QuerySyntax.Path) -> QuerySyntax.Path {
    var path = path
    for (index, located) in path.steps.enumerated() {
      switch located.value {
      case .property(let name) where name.first == "$" && index == 0:
        // The variable of a subquery stands for the object itself.
        break
      case .property(let name): path.steps[index].value = step(to: name).step
      case .backlinks, .incomingLinks, .keyPathArgument, .keys: descriptor = nil
      case .values, .index, .first, .last, .all, .key, .indexArgument, .placeArgument: break
      }
    }
    return path
  }

  /// The path that a text with points between its names spells.
  static func path(_ text: String, on descriptor: ClassDescriptor) -> QuerySyntax.Path {
    var names = PropertyNames(descriptor)
    let steps = text.split(separator: ".", omittingEmptySubsequences: false)
    return QueryTree.path(steps.map { names.step(to: String($0)).step })
  }
}
