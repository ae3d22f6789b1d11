import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// A long outbox delays nothing.
@Suite(.waiting) struct OutboxTests {
  private static func task(_ name: String, minutes: Int) -> Task {
    let task = Task()
    task.taskName = name
    task.progressMinutes = minutes
    return task
  }

  /// Promise: refusals.stopNothing.
  @Test func aLongOutboxWithAnEntryThatIsRefusedHoldsNothingUp() async throws {
    let count = 250
    let world = try await SyncWorld()
    let one = try await world.device("one")
    let two = try await world.device("two")
    try await one.update { $0.append(QuerySubscription<Task> { $0.progressMinutes >= 0 }) }
    try await two.update { $0.append(QuerySubscription<Task>()) }
    try await one.goOffline()
    for number in 0..<count {
      try await one.write {
        $0.add(Self.task("one \(number)", minutes: number == count / 2 ? -1 : number))
      }
    }
    try await one.goOnline()
    // While the outbox is on its way.
    for number in 0..<20 {
      try await two.write { $0.add(Self.task("two \(number)", minutes: number)) }
    }
    try await two.upload()
    try await one.synchronize()
    try await two.download()
    let expected = Set(
      (0..<count).filter { $0 != count / 2 }.map { "one \($0)" } + (0..<20).map { "two \($0)" })
    for device in [one, two] {
      let names = try await device.read { $0.objects(Task.self).map(\.taskName).sorted() }
      #expect(names == expected.sorted())
    }
    #expect(world.refusals.withLock { $0.map(\.code) } == [.writeRejected])
    await world.stopServer()
  }
}
