import Synchronization
import Testing

@testable import TestThreads

/// Tests that compute hold none of the threads on which servers and devices run.
@Suite(.computing) struct TestThreadsTests {
  private static func isApart() -> Bool { ThreadPool.isCurrent }

  @Test func aTestThatComputesRunsOnAThreadApart() {
    #expect(Self.isApart())
  }

  @Test func whatItAwaitsRunsThereTooAndNewTasksDoNot() async {
    await Task.yield()
    #expect(Self.isApart())
    async let child = Self.isApart()
    #expect(await child)
    #expect(await Task.detached { Self.isApart() }.value == false)
  }

  private final class Counts: Sendable {
    let inside = Atomic(0)
    let most = Atomic(0)
    let done = Atomic(0)

    func visit() async {
      most.max(inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
      for _ in 0..<5 { await Task.yield() }
      inside.subtract(1, ordering: .relaxed)
      done.add(1, ordering: .relaxed)
    }
  }

  @Test func aGateAdmitsSoManyAtATimeAndForgetsNone() async {
    let gate = Gate(placeCount: 3)
    let counts = Counts()
    await withTaskGroup { group in
      for _ in 0..<100 {
        group.addTask { await gate.pass { await counts.visit() } }
      }
    }
    #expect(counts.done.load(ordering: .relaxed) == 100)
    #expect((1...3).contains(counts.most.load(ordering: .relaxed)))
  }

  @Test func whatHasAPlaceInAGateWaitsForNoOther() async {
    let gate = Gate(placeCount: 1)
    var isInside = false
    await gate.pass { await gate.pass { isInside = true } }
    #expect(isInside)
  }

  @Test func aGateIsLeftByATestThatThrows() async {
    let gate = Gate(placeCount: 1)
    for _ in 0..<3 {
      await #expect(throws: CancellationError.self) {
        try await gate.pass { throw CancellationError() }
      }
    }
  }
}
