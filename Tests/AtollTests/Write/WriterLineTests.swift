import Testing

@testable import Atoll

/// Who waits for other writers of this process.
@Suite(.timeLimit(.minutes(1))) struct WriterLineTests {
  /// One that is woken may have been cancelled, and does not write then.
  @Test func allThatWaitAreWokenByTheEndOfAWriter() async throws {
    let line = WriterLine()
    line.enter()
    await withTaskGroup { group in
      for _ in 0..<3 { group.addTask { await line.wait() } }
      // So that all of them wait.
      try? await Task.sleep(for: .milliseconds(100))
      line.leave()
    }
    #expect(line.tryEnter())
  }
}
