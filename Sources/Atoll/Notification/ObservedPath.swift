internal import AtollObjects

/// A key path that is observed, by the names that the file has.
struct ObservedPath {
  let steps: [VersionDifference.PathStep]

  /// Follows the names of properties in Swift, with points between them; a path that the class does
  /// not have ends the process.
  init(_ keyPath: String, on observed: ClassDescriptor) {
    var steps: [VersionDifference.PathStep] = []
    var descriptor: ClassDescriptor? = observed
    for name in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
      guard let property = descriptor?.property(String(name)) else {
        Misuse.trap("'\(keyPath)' is no path of '\(observed.name)' that can be observed")
      }
      descriptor = property.targetClass
      steps.append(Self.step(property, descriptor))
    }
    self.steps = steps
  }

  /// The step to what a property holds; linking objects are links of another class, followed
  /// backwards.
  private static func step(
    _ property: PropertyDescriptor, _ target: ClassDescriptor?
  ) -> VersionDifference.PathStep {
    guard property.isComputed, let target, let origin = property.originName else {
      return .property(property.columnName)
    }
    return .backlinks(
      className: target.name, column: target.property(origin)?.columnName ?? origin)
  }

  /// The names of the columns of a path that follows no link backwards.
  var columns: [String] {
    steps.compactMap { if case .property(let name) = $0 { name } else { nil } }
  }
}
