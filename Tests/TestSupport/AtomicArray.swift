import Synchronization

/// Numbers that threads change without a lock, which would make them wait for each other.
package final class AtomicArray: @unchecked Sendable {
  // Allocated once, never moved; every element is an atomic.
  private let elements: UnsafeMutableBufferPointer<Atomic<Int>>

  /// An array of zeroes.
  package init(count: Int) {
    elements = .allocate(capacity: count)
    for index in elements.indices { elements.initializeElement(at: index, to: Atomic(0)) }
  }

  deinit {
    elements.deinitialize()
    elements.deallocate()
  }

  package var count: Int { elements.count }

  /// The element at `index`, loaded and stored in one order for all threads.
  package subscript(index: Int) -> Int {
    get { elements[index].load(ordering: .sequentiallyConsistent) }
    set { elements[index].store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// Adds to the element at `index`, and returns what it is then.
  @discardableResult
  package func add(_ number: Int, at index: Int) -> Int {
    elements[index].add(number, ordering: .sequentiallyConsistent).newValue
  }

  /// All elements, each loaded once.
  package var values: [Int] { elements.indices.map { self[$0] } }
}
