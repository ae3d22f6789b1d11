/// The terms of an AND or OR while it is being read.
///
/// Parentheses regroup: in `a OR (b OR (c OR d))` the inner terms move outwards once per level.
/// The list grows cheaply at both ends, so the shorter of two lists always moves and each term
/// moves at most log n times. A class, so that no hidden copy spoils that.
final class TermList {
  /// The first terms, last one first.
  private var reversedFront: [QuerySyntax.Predicate] = []
  private var back: [QuerySyntax.Predicate] = []

  /// The depth of the deepest term.
  private(set) var depth = 0

  var count: Int { reversedFront.count + back.count }

  func append(_ term: QuerySyntax.Predicate, depth termDepth: Int) {
    back.append(term)
    depth = max(depth, termDepth)
  }

  /// Moves all terms of `other`, which is left empty, behind the terms of this list.
  func append(contentsOf other: TermList) {
    depth = max(depth, other.depth)
    if other.count > count {
      // Take the place of the longer list and put the terms of this one in front.
      swap(&reversedFront, &other.reversedFront)
      swap(&back, &other.back)
      reversedFront.append(contentsOf: other.back.reversed())
      reversedFront.append(contentsOf: other.reversedFront)
    } else {
      back.append(contentsOf: other.reversedFront.reversed())
      back.append(contentsOf: other.back)
    }
    other.reversedFront = []
    other.back = []
  }

  /// The terms in order.
  func array() -> [QuerySyntax.Predicate] {
    if reversedFront.isEmpty { return back }
    return reversedFront.reversed() + back
  }
}
