internal import AtollQuery

/// Tests that `&&` or `||` join, one after the other, in time that grows with their number alone.
///
/// A value: what is appended to it changes no copy of it.
struct JoinedTests {
  enum Quantity {
    case all, any
  }

  let quantity: Quantity
  private let terms: Terms
  /// Other values may have further terms behind these.
  private let count: Int

  private final class Terms {
    var predicates: [QuerySyntax.Predicate]

    init(_ predicates: [QuerySyntax.Predicate]) { self.predicates = predicates }
  }

  init(_ quantity: Quantity, _ first: QuerySyntax.Predicate) {
    self.init(quantity, Terms([first]), count: 1)
  }

  private init(_ quantity: Quantity, _ terms: Terms, count: Int) {
    self.quantity = quantity
    self.terms = terms
    self.count = count
  }

  func appending(_ test: QuerySyntax.Predicate) -> JoinedTests {
    let isLast = terms.predicates.count == count
    let terms = isLast ? terms : Terms(Array(terms.predicates.prefix(count)))
    terms.predicates.append(test)
    return JoinedTests(quantity, terms, count: count + 1)
  }

  var predicate: QuerySyntax.Predicate {
    let tests = Array(terms.predicates.prefix(count))
    return quantity == .all ? .all(of: tests) : .any(of: tests)
  }
}
