internal import AtollObjects

/// A term that tests plain values at the end of a path.
struct PathTerm {
  /// Ends in a property that is no collection.
  let path: BoundPath
  /// `any` or `none`, over the values that a path through collections leads to; `any` for others.
  let quantifier: QuerySyntax.Quantifier
  let predicate: ValuePredicate
  /// How many terms were joined to this one.
  var termCount = 1
}

/// The terms of an AND or an OR; those on the values at the end of one path are one.
///
/// So what lies behind a link is looked at once, and not for each term that needs it.
struct JoinedTerms {
  /// One for each path; properties of the object itself first, else in the order in which the paths
  /// are first named.
  let terms: [PathTerm]
  /// Those that cannot be joined.
  let others: [BoundPredicate]

  /// `isAll`: whether the terms are those of an AND.
  init(_ terms: [BoundPredicate], isAll: Bool, _ compiler: Compiler) throws {
    var groups: [(path: BoundPath, predicates: [ValuePredicate])] = []
    var places: [BoundPath: Int] = [:]
    var others: [BoundPredicate] = []
    for term in terms {
      guard let pathTerm = try compiler.pathTerm(term), pathTerm.joins(isAll: isAll) else {
        others.append(term)
        continue
      }
      if !places.isEmpty, let place = places[pathTerm.path] {
        groups[place].predicates.append(pathTerm.predicate)
      } else {
        // Most queries have one term, which is not looked for.
        if terms.count > 1 { places[pathTerm.path] = groups.count }
        groups.append((pathTerm.path, [pathTerm.predicate]))
      }
    }
    let joined = groups.map { PathTerm(joining: $0.predicates, of: $0.path, isAll: isAll) }
    self.terms =
      joined.filter { $0.path.directColumn != nil } + joined.filter { $0.path.directColumn == nil }
    self.others = others
  }
}

extension PathTerm {
  /// Whether the term and another one of its path are one test.
  ///
  /// Where a path goes through a collection, "one of its values passes" joins with its like by OR
  /// and "none passes" by AND; the other way round it may be different values that pass.
  fileprivate func joins(isAll: Bool) -> Bool {
    !path.dropsNulls || (quantifier == .none) == isAll
  }

  /// Joins the predicates of terms that `joins` holds for.
  fileprivate init(joining predicates: [ValuePredicate], of path: BoundPath, isAll: Bool) {
    self.path = path
    termCount = predicates.count
    let isNone = path.dropsNulls && isAll
    quantifier = isNone ? .none : .any
    predicate =
      if predicates.count == 1 {
        predicates[0]
      } else if isAll, !isNone {
        .all(predicates)
      } else {
        .union(predicates)
      }
  }
}

extension Compiler {
  /// The term as a test of plain values at the end of a path; nil when it is more.
  func pathTerm(_ term: BoundPredicate) throws -> PathTerm? {
    if case .not(let inner) = term {
      guard let term = try pathTerm(inner) else { return nil }
      guard term.path.dropsNulls else {
        return PathTerm(path: term.path, quantifier: .any, predicate: .not(term.predicate))
      }
      return PathTerm(
        path: term.path, quantifier: term.quantifier == .any ? .none : .any,
        predicate: term.predicate)
    }
    guard let (path, quantifier, predicate) = try pathPredicate(term),
      case .value(let column, let steps) = path.terminal, steps.isEmpty,
      column.layout.collection == .none
    else { return nil }
    guard path.dropsNulls else {
      // One value, or null.
      return PathTerm(path: path, quantifier: .any, predicate: predicate.quantified(quantifier))
    }
    return switch quantifier ?? .any {
    case .any: PathTerm(path: path, quantifier: .any, predicate: predicate)
    case .none: PathTerm(path: path, quantifier: .none, predicate: predicate)
    case .all: PathTerm(path: path, quantifier: .none, predicate: .not(predicate))
    }
  }
}
