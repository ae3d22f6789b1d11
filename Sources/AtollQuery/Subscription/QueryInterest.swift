package import AtollObjects
internal import AtollStorage

/// What an object must have to pass a query, as ranges of index keys.
///
/// Queries are filed by it, so that a changed object finds those that it may concern by its values,
/// however many there are. `Index.bytes(of:)` gives the key of a value.
package indirect enum QueryInterest {
  /// Any object may pass; `isExact`: all do.
  case everything(isExact: Bool)
  /// An object that passes has a value in one of the ranges, in the property or in the collection
  /// that it is; `isExact`: what has such a value passes.
  case values(Column, [IndexRange], isExact: Bool)
  /// What passes is what one of these says; of none: nothing passes.
  case anyOf([QueryInterest])
  /// What passes is what each of these says: one of them is enough to find it.
  case allOf([QueryInterest])
}

extension Query {
  /// Reads off what an object must have to pass.
  ///
  /// - Parameter source: The version in which objects that the query names are looked up.
  /// - Returns: What the query is filed by.
  /// - Throws: `ObjectError` when the class is not in `source`; `QueryError` for a query with
  ///   GROUP.
  package func interest(in source: some ObjectSource) throws -> QueryInterest {
    try requireObjects()
    guard let source = source as? any TreeSource else {
      throw ObjectError.noSuchClass(bound.table.name, nearest: nil)
    }
    let execution = Execution(
      source: source, arguments: arguments, countsWaitingLinks: countsWaitingLinks)
    return try QueryFailure.translated {
      try InterestReader(compiler: Compiler(execution: execution)).interest(of: bound.predicate)
    }
  }
}

/// Reads off a predicate what it asks of an object.
private struct InterestReader {
  let compiler: Compiler

  /// More ranges than this would take more memory than the text that they are from.
  private static let rangeLimit = 1_024

  func interest(of predicate: BoundPredicate) throws -> QueryInterest {
    if let term = try compiler.pathTerm(predicate) { return interest(of: term) }
    switch predicate {
    case .constant(let value): return value ? .everything(isExact: true) : .anyOf([])
    case .and(let terms): return all(try interests(of: terms, isAll: true))
    case .or(let terms): return any(try interests(of: terms, isAll: false))
    case .test, .between: return try interest(ofElements: predicate)
    case .not, .text, .geoWithin: return .everything(isExact: false)
    }
  }

  /// Those on one property are one: `age > 3 AND age < 5` is a range.
  private func interests(of terms: [BoundPredicate], isAll: Bool) throws -> [QueryInterest] {
    let joined = try JoinedTerms(terms, isAll: isAll, compiler)
    return try joined.terms.map { interest(of: $0) }
      + joined.others.map { other in try interest(of: other) }
  }

  private func all(_ parts: [QueryInterest]) -> QueryInterest {
    var telling: [QueryInterest] = []
    var isExact = true
    for part in parts {
      switch part {
      case .everything(let isWhole): isExact = isExact && isWhole
      case .anyOf(let none) where none.isEmpty: return part
      default: telling.append(part)
      }
    }
    if telling.isEmpty { return .everything(isExact: isExact) }
    return telling.count == 1 && isExact ? telling[0] : .allOf(telling)
  }

  private func any(_ parts: [QueryInterest]) -> QueryInterest {
    var telling: [QueryInterest] = []
    /// Whether some part says nothing, and whether one of those lets all pass.
    var silent: Bool?
    for part in parts {
      if case .everything(let isWhole) = part {
        silent = silent ?? false || isWhole
      } else {
        telling.append(part)
      }
    }
    if let silent { return .everything(isExact: silent) }
    return telling.count == 1 ? telling[0] : .anyOf(telling)
  }

  private func interest(of term: PathTerm) -> QueryInterest {
    guard let column = term.path.directColumn, term.quantifier == .any else {
      return .everything(isExact: false)
    }
    return interest(term.predicate, column)
  }

  /// A comparison of which one element of a collection is enough.
  private func interest(ofElements predicate: BoundPredicate) throws -> QueryInterest {
    guard let (path, quantifier, predicate) = try compiler.pathPredicate(predicate),
      quantifier ?? .any == .any, path.hops.isEmpty,
      case .value(let column, let steps) = path.terminal, steps.isEmpty || steps == [.all],
      column.layout.collection == .list || column.layout.collection == .set,
      !predicate.matches(.null)
    else { return .everything(isExact: false) }
    // Not exact: of long collections not all elements are looked at.
    guard case .values(_, let ranges, _) = interest(predicate, column) else {
      return interest(predicate, column)
    }
    return .values(column, ranges, isExact: false)
  }

  private func interest(_ predicate: ValuePredicate, _ column: Column) -> QueryInterest {
    // The keys of mixed values of several types lie apart, and links are not compared by keys.
    guard column.layout.value != .mixed, column.layout.value != .link,
      let (ranges, isExact) = IndexChoice.ranges(predicate, column),
      ranges.count <= Self.rangeLimit
    else { return .everything(isExact: false) }
    return ranges.isEmpty ? .anyOf([]) : .values(column, ranges, isExact: isExact)
  }
}
