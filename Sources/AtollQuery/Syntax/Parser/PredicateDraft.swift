/// A predicate under construction, which stays open as long as its surroundings may absorb it.
///
/// An AND that ends up inside an AND gives its terms away, and two negations cancel; both only
/// turns out when the parenthesis behind it closes.
struct PredicateDraft {
  enum Content {
    case finished(QuerySyntax.Predicate)
    case and(TermList)
    case or(TermList)
  }

  var content: Content
  var isNegated = false

  /// The depth of `content` without the negation.
  private var contentDepth: Int

  /// A test that cannot be absorbed; `depth` counts it.
  init(_ predicate: QuerySyntax.Predicate, depth: Int) {
    content = .finished(predicate)
    contentDepth = depth
  }

  init(_ connective: Connective, _ terms: TermList) {
    contentDepth = terms.depth + 1
    content = connective == .and ? .and(terms) : .or(terms)
  }

  /// The depth of the finished predicate.
  var depth: Int { contentDepth + (isNegated ? 1 : 0) }

  /// Builds the tree.
  func predicate() -> QuerySyntax.Predicate {
    let positive: QuerySyntax.Predicate
    switch content {
    case .finished(let predicate): positive = predicate
    case .and(let terms): positive = .and(terms.array())
    case .or(let terms): positive = .or(terms.array())
    }
    return isNegated ? .not(positive) : positive
  }
}

/// What joins the terms of a list.
enum Connective {
  case and, or
}

/// Collects the terms of one connective and absorbs terms that are lists of the same kind.
struct TermCollector {
  let connective: Connective

  /// The only term so far; it stays a draft because the surroundings may absorb it.
  private var only: PredicateDraft?
  private var terms: TermList?

  init(_ connective: Connective) {
    self.connective = connective
  }

  var isEmpty: Bool { only == nil && terms == nil }

  mutating func append(_ draft: PredicateDraft) {
    if isEmpty {
      only = draft
      return
    }
    if let first = only.take() { absorb(first) }
    absorb(draft)
  }

  /// Gives the collected terms away: the only one as it came, several as a list.
  mutating func take() -> PredicateDraft? {
    if let draft = only.take() { return draft }
    return terms.take().map { PredicateDraft(connective, $0) }
  }

  private mutating func absorb(_ draft: PredicateDraft) {
    let terms = self.terms ?? TermList()
    self.terms = terms
    switch (draft.content, connective, draft.isNegated) {
    case (.and(let inner), .and, false), (.or(let inner), .or, false):
      terms.append(contentsOf: inner)
    default:
      terms.append(draft.predicate(), depth: draft.depth)
    }
  }
}
