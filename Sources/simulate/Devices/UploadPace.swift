#if Sync
internal import Atoll
internal import Synchronization

/// Keeps a device from writing faster than the machine synchronises.
///
/// Each transaction is applied by every device, which all run on one machine: without this the time
/// after the last kill, until all of them have everything, would grow with the time before it.
final class UploadPace: Sendable {
  /// How many commits follow a moment in which nothing waited to be sent.
  private static let burst = 500

  private struct State {
    /// None until the first such moment: what an earlier process has left is not known.
    var left = 0
    var isWaiting = false
  }
  private let state = Mutex(State())

  /// Counts a commit.
  ///
  /// - Returns: Whether the next one may follow at once.
  func allowsCommit(_ session: SyncSession) -> Bool {
    let (isAllowed, begins) = state.withLock { state in
      state.left = max(0, state.left - 1)
      let begins = state.left < Self.burst / 2 && !state.isWaiting
      if begins { state.isWaiting = true }
      return (state.left > 0, begins)
    }
    if begins {
      _Concurrency.Task {
        let isUploaded = (try? await session.wait(for: .upload)) != nil
        state.withLock { state in
          state.isWaiting = false
          if isUploaded { state.left = Self.burst }
        }
      }
    }
    return isAllowed
  }
}
#endif
