/// A range of a list.
///
/// What is done to its elements is done to the list at once, and they stay the same elements: that
/// is why it is not the slice of the standard library, which exchanges two of them by two new
/// values.
public struct ListSlice<Element: RealmCollectionValue> {
  /// The list.
  public let base: List<Element>
  public let startIndex: Int
  public let endIndex: Int

  init(_ base: List<Element>, _ bounds: Range<Int>) {
    self.base = base
    startIndex = bounds.lowerBound
    endIndex = bounds.upperBound
  }

  /// Ends the process for a position that is not in the range, unless the file has failed to say how
  /// long the list is: it is refused by the list then, or nothing is there.
  private func check(_ position: Int) {
    if position >= startIndex, position < endIndex { return }
    base.refuse(
      "the position \(position) is not in the range \(startIndex..<endIndex) of a list")
  }

  private func check(_ bounds: Range<Int>) {
    if bounds.lowerBound >= startIndex, bounds.upperBound <= endIndex { return }
    base.refuse("\(bounds) is not within the range \(startIndex..<endIndex) of a list")
  }

  /// Puts the elements in another order; `change` gets their positions in the list.
  private func rearrange(_ change: (inout ArraySlice<Int>) throws -> Void) rethrows {
    let end = base.count
    guard startIndex >= 0, endIndex <= end else {
      return base.refuse(
        "the range \(startIndex..<endIndex) of a list of \(end) elements was changed")
    }
    try base.rearrange(moving: [], of: end) { order in try change(&order[startIndex..<endIndex]) }
  }
}

// As lazy as the list: `filter` and `map` read an element when it is asked for.
extension ListSlice: RandomAccessCollection, MutableCollection, LazyCollectionProtocol {
  /// The element at a position in the list.
  public subscript(position: Int) -> Element {
    get {
      check(position)
      return base[position]
    }
    nonmutating set {
      check(position)
      base[position] = newValue
    }
  }

  /// A part of the range; setting it puts any number of other elements in its place.
  public subscript(bounds: Range<Int>) -> ListSlice {
    get {
      check(bounds)
      return ListSlice(base, bounds)
    }
    nonmutating set {
      check(bounds)
      base[bounds] = newValue
    }
  }

  /// Exchanges two elements.
  public func swapAt(_ index1: Int, _ index2: Int) {
    check(index1)
    check(index2)
    base.swapAt(index1, index2)
  }

  /// Sorts the elements; equal ones keep their order.
  public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    let elements = Array(self)
    try rearrange { order in
      try order.sort {
        try areInIncreasingOrder(elements[$0 - startIndex], elements[$1 - startIndex])
      }
    }
  }

  /// Reverses the order of the elements.
  public func reverse() { rearrange { $0.reverse() } }

  /// Puts the elements in a random order.
  public func shuffle() { rearrange { $0.shuffle() } }

  /// Puts the elements in a random order, with random numbers of a generator.
  public func shuffle(using generator: inout some RandomNumberGenerator) {
    rearrange { $0.shuffle(using: &generator) }
  }

  /// Puts the elements for which a condition holds behind all others; both keep their order.
  ///
  /// - Returns: The position of the first of them, or the end of the range.
  @discardableResult
  public func partition(by belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Int {
    let belongs = try Array(self).map(belongsInSecondPartition)
    rearrange { order in
      let (first, second) = (
        order.filter { !belongs[$0 - startIndex] }, order.filter { belongs[$0 - startIndex] }
      )
      order.replaceSubrange(startIndex..<endIndex, with: first + second)
    }
    return startIndex + belongs.count { !$0 }
  }
}

extension ListSlice where Element: Comparable {
  /// Sorts the elements in ascending order; equal ones keep theirs.
  public func sort() { sort(by: <) }
}
