#if Sync
/// Waits until something is true; gives up when it must be a hang.
func eventually(_ isTrue: @Sendable () async -> Bool) async -> Bool {
  let end = ContinuousClock.now.advanced(by: .seconds(1_800))
  while ContinuousClock.now < end {
    if await isTrue() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return await isTrue()
}
#endif
