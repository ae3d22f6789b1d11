#if Sync
import AtollTransport
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

@Suite(.waiting, .hangLimit) struct PasswordQueueTests {
  private let queue = PasswordQueue(workerCount: 1, waitingLimit: 2)
  private let host = HostKey("10.0.0.1")
  private let hashes = HeldHashes()

  /// Adds a hash and waits until it is running or waits.
  ///
  /// Each is of another host.
  private func add(waiting count: Int) async -> Task<Result<Int, AccountError>, Never> {
    let host = HostKey("10.0.1.\(count)")
    let task = Task { [queue, hashes] () -> Result<Int, AccountError> in
      do throws(AccountError) {
        return .success(
          try await queue.run(for: host) {
            hashes.wait()
            return count
          })
      } catch { return .failure(error) }
    }
    _ = await eventually {
      queue.waitingCount == count && hashes.begunCount == 1
    }
    return task
  }

  @Test func fewWaitAndTheRestIsRefused() async throws {
    let tasks = [await add(waiting: 0), await add(waiting: 1), await add(waiting: 2)]
    do throws(AccountError) {
      _ = try await queue.run(for: host) { Issue.record("nothing may wait any more") }
    } catch { #expect(error == .crowded) }
    #expect(hashes.begunCount == 1)
    hashes.release()
    for (number, task) in tasks.enumerated() {
      let answer = await task.value
      #expect(answer == .success(number))
    }
    let last = try await queue.run(for: host) { 4 }
    #expect(last == 4)
  }

  @Test func oneHostTakesAQuarterOfThePlaces() async throws {
    let queue = PasswordQueue(workerCount: 1, waitingLimit: 8)
    let hashes = HeldHashes()
    let others = HostKey("10.0.0.2")
    func add(_ host: HostKey, waiting count: Int) async -> Task<Bool, Never> {
      let task = Task { () -> Bool in
        do throws(AccountError) {
          return try await queue.run(for: host) {
            hashes.wait()
            return true
          }
        } catch { return false }
      }
      _ = await eventually { queue.waitingCount == count && hashes.begunCount == 1 }
      return task
    }
    let tasks = [
      await add(host, waiting: 0), await add(host, waiting: 1), await add(host, waiting: 2),
    ]
    do throws(AccountError) {
      _ = try await queue.run(for: host) { Issue.record("the host has no place any more") }
    } catch { #expect(error == .crowded) }
    let other = await add(others, waiting: 3)
    hashes.release()
    for task in tasks + [other] {
      let isDone = await task.value
      #expect(isDone)
    }
  }

  /// Adds hashes while another one is running, each of a host, and lets them run.
  ///
  /// - Returns: The hosts in the order in which they were served, without the refused ones.
  private func served(_ hosts: [HostKey], by queue: PasswordQueue) async -> [HostKey] {
    let (hashes, outcome) = (HeldHashes(), Outcome())
    let running = Task { _ = try? await queue.run(for: HostKey("10.0.9.9")) { hashes.wait() } }
    _ = await eventually { hashes.begunCount == 1 }
    var tasks: [Task<Void, Never>] = []
    for (index, host) in hosts.enumerated() {
      tasks.append(
        Task {
          do throws(AccountError) {
            try await queue.run(for: host) { outcome.served.withLock { $0.append(host) } }
          } catch {
            #expect(error == .crowded)
            outcome.refusedCount.withLock { $0 += 1 }
          }
        })
      _ = await eventually {
        queue.waitingCount + outcome.refusedCount.withLock { $0 } == index + 1
      }
    }
    hashes.release()
    await running.value
    for task in tasks { await task.value }
    return outcome.served.withLock { $0 }
  }

  private final class Outcome: Sendable {
    let served = Mutex<[HostKey]>([])
    let refusedCount = Mutex(0)
  }

  @Test func whoKnowsAPasswordComesBeforeWhoGuesses() async throws {
    let queue = PasswordQueue(workerCount: 1, waitingLimit: 8)
    let (guesser, knower) = (HostKey("10.0.0.2"), HostKey("10.0.0.3"))
    for _ in 0..<3 {
      _ = try await queue.run(for: knower, isRight: { $0 }) { true }
    }
    _ = try await queue.run(for: guesser, isRight: { $0 }) { false }
    let order = await served([guesser, guesser, knower, host], by: queue)
    #expect(order == [knower, host, guesser, guesser])
  }

  @Test func whoGuessesGivesUpAPlace() async throws {
    let (guesser, other) = (HostKey("10.0.0.2"), HostKey("10.0.0.3"))
    _ = try await queue.run(for: guesser, isRight: { $0 }) { false }
    let order = await served([guesser, other, host], by: queue)
    #expect(order == [other, host])
    _ = try await queue.run(for: other, isRight: { $0 }) { false }
    let next = await served([other, HostKey("10.0.0.4"), HostKey("10.0.0.5")], by: queue)
    #expect(next == [HostKey("10.0.0.4"), HostKey("10.0.0.5")])
    // Those who cost as much keep it.
    let last = await served(
      [HostKey("10.0.0.6"), HostKey("10.0.0.7"), HostKey("10.0.0.8")], by: queue)
    #expect(last == [HostKey("10.0.0.6"), HostKey("10.0.0.7")])
  }

  @Test(arguments: 0..<20) func theLastHashesCountLikeInAList(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var recent = RecentHashes()
    var list: [(host: HostKey, isRight: Bool?)] = []
    let hosts = (0..<5).map { HostKey("10.0.0.\($0)") }
    for _ in 0..<300 {
      let (host, isRight) = (
        hosts.randomElement(using: &random) ?? host,
        [true, false, nil].randomElement(using: &random) ?? nil
      )
      recent.note(host, isRight: isRight)
      list.append((host, isRight))
      for host in hosts {
        let own = list.suffix(64).filter { $0.host == host }
        let rightCount = own.count { $0.isRight == true }
        let wrongCount = own.count { $0.isRight == false }
        #expect(
          recent.cost(of: host) == 64 * wrongCount + own.count - rightCount - wrongCount
            + (rightCount == 0 ? 32 : rightCount))
      }
    }
  }

  @Test func aCancelledHashIsNotComputedAndLeavesItsPlace() async throws {
    let first = await add(waiting: 0)
    let dropped = await add(waiting: 1)
    dropped.cancel()
    let answer = await dropped.value
    #expect(answer == .failure(.abandoned))
    #expect(queue.waitingCount == 0)
    let next = await add(waiting: 1)
    hashes.release()
    let others = await [first.value, next.value]
    #expect(others == [.success(0), .success(1)])
    #expect(hashes.begunCount == 2)
  }

  @Test func aTaskThatIsCancelledBeforeAddsNothing() async {
    let task = Task { [queue, host] in
      while !Task.isCancelled { await Task.yield() }
      do throws(AccountError) {
        return try await queue.run(for: host) { true }
      } catch {
        #expect(error == .abandoned)
        return false
      }
    }
    task.cancel()
    let hasRun = await task.value
    #expect(!hasRun)
  }
}
#endif
