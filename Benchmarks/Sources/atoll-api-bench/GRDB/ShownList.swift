import Dispatch
import Synchronization

/// What a screen shows of a list: its length, and the first of its rows.
struct ShownList {
  static let visibleCount = 20

  private(set) var first: String?
  private(set) var checksum: Int

  init(count: Int) {
    checksum = count
  }

  mutating func append(name: String, count: Int) {
    if first == nil { first = name }
    checksum = checksum &* 31 &+ count &+ name.utf8.count
  }
}

/// Hands what an observer shows to the thread that made the change.
final class Screen: Sendable {
  private let shown = Mutex<ShownList?>(nil)
  private let isNew = DispatchSemaphore(value: 0)

  func show(_ list: ShownList) {
    shown.withLock { $0 = list }
    isNew.signal()
  }

  /// Waits until the row `first` is the first of the list, and returns the list's checksum.
  ///
  /// An observer may be told of the list before the change, or of the same list twice.
  ///
  /// - Throws: `Comparison.Failure` when it is not shown within a minute.
  func wait(for first: String) throws -> Int {
    while isNew.wait(timeout: .now() + 60) == .success {
      if let list = shown.withLock({ $0 }), list.first == first { return list.checksum }
    }
    throw Comparison.Failure(
      description: "the observer was not told within a minute that \(first) is the first row")
  }
}
