// The order of a list changes at once: an element that moves stays the same one, where those of the
// standard library would set each place, or exchange two at a time.

extension List {
  private var all: ListSlice<Element> { self[startIndex..<endIndex] }

  /// Sorts the list; equal elements keep their order.
  public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    try all.sort(by: areInIncreasingOrder)
  }

  /// Reverses the order of the elements.
  public func reverse() { all.reverse() }

  /// Puts the elements in a random order.
  public func shuffle() { all.shuffle() }

  /// Puts the elements in a random order, with random numbers of a generator.
  public func shuffle(using generator: inout some RandomNumberGenerator) {
    all.shuffle(using: &generator)
  }

  /// Puts the elements for which a condition holds behind all others; both keep their order.
  ///
  /// - Returns: The position of the first of them, or the number of elements.
  @discardableResult
  public func partition(by belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Int {
    try all.partition(by: belongsInSecondPartition)
  }
}

extension List where Element: Comparable {
  /// Sorts the list in ascending order; equal elements keep theirs.
  public func sort() { sort(by: <) }
}
