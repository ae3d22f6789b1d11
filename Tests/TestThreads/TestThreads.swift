// TestThreads: which threads a test runs on.
//
// All tests run in one process, and tasks share as many threads as there are processors. A test
// that computes or blocks would hold one of them while a server, its devices and the tests that
// wait for them have none: log-ins then time out. So every suite says what it does: `.computing` or
// `.waiting`.
public import Testing
import Foundation

/// Runs each test on a thread apart from those that tasks share; a few tests at a time.
public struct ComputingTrait: SuiteTrait, TestTrait, TestScoping {
  private static let pool = ThreadPool()
  /// Two for each processor: one may wait for a disk or another process.
  private static let gate = Gate(
    placeCount: 2 * max(2, ProcessInfo.processInfo.activeProcessorCount))

  public let isRecursive = true

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.gate.pass {
      try await withTaskExecutorPreference(Self.pool) { try await function() }
    }
  }
}

/// Runs the tests on the threads that tasks share, as in an application; a few at a time.
public struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
  private static let gate = Gate(placeCount: 4)

  public let isRecursive = true

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.gate.pass(function)
  }
}

extension Trait where Self == ComputingTrait {
  /// The tests compute or block, and run on threads apart.
  public static var computing: Self { Self() }
}

extension Trait where Self == WaitingTrait {
  /// The tests wait for servers, devices, actors or timers.
  public static var waiting: Self { Self() }
}

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that hangs.
  ///
  /// Longer than all tests take together on a busy machine: the time that a test waits for its turn
  /// counts.
  public static var hangLimit: Self { .timeLimit(.minutes(60)) }
}
