internal import AtollObjects
internal import Dispatch

extension SharedFile {
  /// Returns when all that was committed is on the disk; no thread of an actor waits.
  func makeDurable() async throws {
    try await withCheckedThrowingContinuation { continuation in
      makeDurable { continuation.resume(with: $0) }
    }
  }

  /// Calls `completion` from another thread when all that was committed is on the disk.
  func makeDurable(_ completion: @escaping @Sendable (Result<Void, any Swift.Error>) -> Void) {
    DispatchQueue.global().async {
      completion(
        Result {
          do { try self.database.synchronize() } catch { throw Realm.Error(error) }
        })
    }
  }
}
