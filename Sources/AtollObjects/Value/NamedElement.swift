/// An element of a list that is in the order of its elements' names, byte by byte; no name comes
/// twice.
@usableFromInline
package protocol NamedElement {
  associatedtype Held

  var name: String { get }
  var value: Held { get set }

  init(name: String, value: Held)
}

extension Array where Element: NamedElement {
  /// The value of a name; nil when absent, and setting nil removes the element.
  ///
  /// - Complexity: O(log n) to read and to replace a value; what follows an insertion or a removal
  ///   moves.
  @inlinable
  package subscript(named name: String) -> Element.Held? {
    get {
      let (index, isPresent) = position(of: name)
      return isPresent ? self[index].value : nil
    }
    set {
      let (index, isPresent) = position(of: name)
      switch (newValue, isPresent) {
      case (let value?, true): self[index].value = value
      case (let value?, false): insert(Element(name: name, value: value), at: index)
      case (nil, true): remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// Changes the value of a name in place; nil when it is absent.
  @inlinable
  package mutating func withValue<Result>(
    named name: String, _ body: (inout Element.Held) -> Result?
  ) -> Result? {
    let (index, isPresent) = position(of: name)
    return isPresent ? body(&self[index].value) : nil
  }

  /// Where the name is, or where it would go.
  @inlinable
  func position(of name: String) -> (index: Int, isPresent: Bool) {
    var lower = 0
    var upper = count
    while lower < upper {
      let middle = lower + (upper - lower) / 2
      switch Ordering(utf8: self[middle].name, name) {
      case .less: lower = middle + 1
      case .greater: upper = middle
      case .equal: return (middle, true)
      }
    }
    return (lower, false)
  }
}
