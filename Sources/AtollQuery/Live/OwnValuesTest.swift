internal import AtollObjects

/// A test of an object by values of its own plain properties: the same in every version.
///
/// Made once for a query and applied to single objects, where a `RowTest` is made for a version and
/// looks at whole leaves.
indirect enum OwnValuesTest {
  case constant(Bool)
  case column(Column, ValuePredicate)
  case all([OwnValuesTest])
  case any([OwnValuesTest])
  case not(OwnValuesTest)

  /// - Returns: Nil for a predicate that reads anything else, or names an object.
  init?(_ predicate: BoundPredicate, _ compiler: Compiler) throws {
    func tests(_ terms: [BoundPredicate]) throws -> [OwnValuesTest]? {
      var tests: [OwnValuesTest] = []
      for term in terms {
        guard let test = try OwnValuesTest(term, compiler) else { return nil }
        tests.append(test)
      }
      return tests
    }
    switch predicate {
    case .constant(let value): self = .constant(value)
    case .and(let terms):
      guard let tests = try tests(terms) else { return nil }
      self = .all(tests)
    case .or(let terms):
      guard let tests = try tests(terms) else { return nil }
      self = .any(tests)
    case .not(let inner):
      guard let test = try OwnValuesTest(inner, compiler) else { return nil }
      self = .not(test)
    case .test, .between:
      guard let (path, _, predicate) = try compiler.pathPredicate(predicate),
        let column = path.directColumn, column.layout.collection == .none,
        column.layout.value != .link, column.layout.value != .mixed
      else { return nil }
      self = .column(column, predicate)
    case .text, .geoWithin: return nil
    }
  }

  func passes(_ row: RowPlace) throws -> Bool {
    switch self {
    case .constant(let value): value
    case .column(let column, let predicate): predicate.matches(try row.value(column))
    case .all(let tests): try tests.allSatisfy { try $0.passes(row) }
    case .any(let tests): try tests.contains { try $0.passes(row) }
    case .not(let test): try !test.passes(row)
    }
  }
}
