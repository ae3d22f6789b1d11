import Synchronization

/// Counts who uses the file of a store, and closes it, with the place among its users, after the
/// last.
///
/// The store is a user until it is closed, a write transaction until it gave the writer lock back,
/// and a reader lane until the store is closed and the lane's last snapshot is gone.
final class FileUse: Sendable {
  private let file: any DataFile
  private let coordinator: any Coordinator
  private let userCount = Atomic(1)

  /// Counts one user.
  init(_ file: any DataFile, _ coordinator: any Coordinator) {
    self.file = file
    self.coordinator = coordinator
  }

  /// Adds a user; there is another one meanwhile.
  func begin() {
    let count = userCount.add(1, ordering: .relaxed).newValue
    precondition(count > 1, "the use of a file begins before it is closed")
  }

  /// Takes a user away, and closes the file after the last.
  func end() {
    let count = userCount.subtract(1, ordering: .acquiringAndReleasing).newValue
    precondition(count >= 0, "a file's use ends once for each user")
    guard count == 0 else { return }
    file.close()
    coordinator.close()
  }
}
