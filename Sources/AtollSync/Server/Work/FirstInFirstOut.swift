/// A queue: what was appended first is taken first.
struct FirstInFirstOut<Element> {
  private var elements: [Element?] = []
  /// The elements before this one were taken.
  private var start = 0

  var count: Int { elements.count - start }
  var isEmpty: Bool { count == 0 }
  var first: Element? { self[0] }

  /// An element, counted from the first one; nil when there are fewer.
  subscript(offset: Int) -> Element? { offset < count ? elements[start + offset] : nil }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Keeps the elements for which `isKept` is true, in their order.
  mutating func keep(where isKept: (Element) -> Bool) {
    elements = elements[start...].filter { $0.map(isKept) ?? false }
    start = 0
  }

  /// Removes and returns the first element; nil when there is none.
  ///
  /// - Complexity: O(1), amortised.
  mutating func takeFirst() -> Element? {
    guard !isEmpty else { return nil }
    // At once: what it holds may be large.
    defer {
      elements[start] = nil
      start += 1
      if start == elements.count {
        elements = []
        start = 0
      } else if start >= 64, start > elements.count / 2 {
        elements.removeFirst(start)
        start = 0
      }
    }
    return elements[start]
  }
}
