import Foundation
import TestThreads
import Testing

@testable import Atoll

/// Where an error arrives: on the actor that called.
@Suite(.waiting) struct CallerActorTests {
  /// What may throw after it has waited.
  enum Call: CaseIterable {
    case update, updateWithSet, waitForSynchronization, waitUntilTimeout, caughtUp, verify
    case subscribe, unsubscribe, unsubscribeNamed, asyncWrite, open, initialize
  }

  /// Jobs of an actor on a queue, which can be asked for.
  private final class QueueExecutor: SerialExecutor {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "caller")

    init() { queue.setSpecific(key: Self.key, value: true) }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private actor Caller {
    private nonisolated let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let configuration: Realm.Configuration
    private var realm: Realm?

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func open() async throws {
      realm = try await Realm(configuration: configuration, actor: self)
    }

    func close() { realm = nil }

    /// Whether the error of a call arrives here; nil when there is none.
    func isErrorHere(_ call: Call) async -> Bool? {
      guard let realm else { return nil }
      let set = realm.subscriptions
      if set.first(named: "all") == nil {
        set.update({ set.append(QuerySubscription<Task>(name: "all")) }, onComplete: nil)
      }
      let task = _Concurrency.Task {
        // A function of the actor around the calls would bring their errors back to it.
        do {
          switch call {
          case .update:
            try await set.update { set.append(QuerySubscription<Team>(name: "teams")) }
          case .updateWithSet: try await set.update { set in set.removeAll(ofType: Team.self) }
          case .waitForSynchronization: try await set.waitForSynchronization()
          case .waitUntilTimeout: try await set.waitForSynchronization(timeout: 0.01)
          case .caughtUp: try await set.caughtUp()
          case .verify: try await set.verify()
          case .subscribe: try await realm.objects(Team.self).subscribe(waitForSync: .always)
          case .unsubscribe: try await set.first(named: "all")?.unsubscribe()
          case .unsubscribeNamed: try await realm.unsubscribe(named: "all")
          case .asyncWrite: try await realm.asyncWrite { realm.create(Task.self) }
          case .open: _ = try await Realm.open(configuration: configuration)
          case .initialize:
            _ = try await Realm(
              configuration: configuration, actor: self, downloadBeforeOpen: .always)
          }
          return nil as Bool?
        } catch { return QueueExecutor.isCurrent }
      }
      if call != .waitUntilTimeout { task.cancel() }
      return await task.value
    }
  }

  @Test func anErrorArrivesOnTheActorThatCalled() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    await world.stopServer()
    let caller = Caller(device.configuration)
    try await caller.open()
    for call in Call.allCases {
      #expect(await caller.isErrorHere(call) == true, "\(call)")
    }
    await caller.close()
    withExtendedLifetime(world) {}
  }
}
