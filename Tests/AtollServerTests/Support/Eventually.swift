#if Sync
/// Waits until something is true, for a few seconds at most.
func eventually(_ isTrue: @Sendable () async -> Bool) async -> Bool {
  let end = ContinuousClock.now.advanced(by: .seconds(30))
  while ContinuousClock.now < end {
    if await isTrue() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return await isTrue()
}
#endif
