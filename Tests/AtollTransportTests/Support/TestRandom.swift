#if Sync
import AtollTransport
import Synchronization
import TestSupport

/// Numbers that are the same in every run.
final class TestRandom: Sendable {
  private let generator = Mutex(SplitMix64(seed: 1))

  @Sendable func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// Waits until something is true; gives up when it must be a hang.
func eventually(
  within limit: Duration = .seconds(1_800), _ isTrue: @Sendable () async -> Bool
) async -> Bool {
  let end = ContinuousClock.now.advanced(by: limit)
  while ContinuousClock.now < end {
    if await isTrue() { return true }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return await isTrue()
}

/// The error that `body` throws.
func transportError(
  _ body: () async throws(TransportError) -> Void
) async -> TransportError? {
  do throws(TransportError) {
    try await body()
    return nil
  } catch { return error }
}
#endif
