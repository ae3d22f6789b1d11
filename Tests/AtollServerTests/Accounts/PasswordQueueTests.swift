#if Sync
import AtollTransport
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
