package import AtollObjects

extension Query {
  /// The value that a property has in every object that passes.
  ///
  /// That of an equality that is the whole predicate, or one of the terms of the AND at the top;
  /// nil when there is none, or when equal values may differ. What does not have the value does not
  /// pass; what has it may or may not.
  package var requiredValue: (column: Column, value: Value)? {
    let terms: [BoundPredicate]
    if case .and(let parts) = bound.predicate { terms = parts } else { terms = [bound.predicate] }
    return terms.lazy.compactMap { requiredValue(of: $0) }.first
  }

  private func requiredValue(of term: BoundPredicate) -> (column: Column, value: Value)? {
    guard case .test(let test) = term, test.comparator == .equal, test.folding == .exact,
      test.leftQuantifier == nil, test.rightQuantifier == nil
    else { return nil }
    let constant: BoundConstant
    let path: BoundPath
    switch (test.left, test.right) {
    case (.path(let left), .constant(let right)): (path, constant) = (left, right)
    case (.constant(let left), .path(let right)): (path, constant) = (right, left)
    default: return nil
    }
    if case .object = constant { return nil }
    guard let column = path.directColumn, column.layout.collection == .none else { return nil }
    let value = constant.value(arguments)
    switch (column.layout.value, value) {
    case (.int, .int), (.string, .string), (.bool, .bool), (.objectID, .objectID), (.uuid, .uuid),
      (.int, .null), (.string, .null), (.bool, .null), (.objectID, .null), (.uuid, .null):
      return (column, value)
    default: return nil
    }
  }
}
