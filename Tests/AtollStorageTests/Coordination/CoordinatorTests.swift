import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What every coordinator promises to the threads of one process.
@Suite(.computing) struct CoordinatorTests {
  enum Kind: CaseIterable {
    case local, lockFile
  }

  /// A coordinator, with the folder of its files.
  final class Subject: Sendable {
    let coordinator: any Coordinator
    private let folder: TemporaryFolder?

    init(_ kind: Kind, now: @escaping @Sendable () -> UInt64 = { 77 }) throws {
      switch kind {
      case .local:
        coordinator = LocalCoordinator(path: "local", now: now)
        folder = nil
      case .lockFile:
        let folder = TemporaryFolder()
        let file = try PosixFile(path: folder.path(of: "data"), mode: .create)
        coordinator = try LockFile(for: file, now: now)
        self.folder = folder
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func pinsAreSeenUntilTheyEnd(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let coordinator = subject.coordinator
    #expect(try coordinator.pins() == [])
    let first = try coordinator.pin(transaction: 5)
    let second = try coordinator.pin(transaction: 5)
    let third = try coordinator.pin(transaction: 9)
    let pins = try coordinator.pins()
    #expect(pins.map(\.transaction).sorted() == [5, 5, 9])
    #expect(pins.allSatisfy { $0.since == 77 })
    #expect(Set(pins.map(\.processID)).count == 1)
    coordinator.unpin(second)
    #expect(coordinator.move(first, to: .unbounded(8)))
    #expect(coordinator.holds(first, 8) && !coordinator.holds(first, 5))
    #expect(try coordinator.pins().map(\.transaction).sorted() == [8, 9])
    coordinator.unpin(first)
    coordinator.unpin(third)
    #expect(try coordinator.pins() == [])
  }

  @Test(arguments: Kind.allCases)
  func theNewestTransactionIsUnknownUntilPublished(_ kind: Kind) throws {
    let subject = try Subject(kind)
    #expect(subject.coordinator.newestTransaction == 0)
    subject.coordinator.publish(transaction: 12)
    #expect(subject.coordinator.newestTransaction == 12)
  }

  @Test(arguments: Kind.allCases)
  func pinNewestFollowsAWriterThatOvertakesIt(_ kind: Kind) throws {
    let subject = try Subject(kind)
    var answers: [UInt64] = [3, 4, 6, 6]
    let pinned = try subject.coordinator.pinNewest { () throws(StorageError) in
      .unbounded(answers.removeFirst())
    }
    #expect(pinned.version.transaction == 6)
    #expect(answers.isEmpty)
    #expect(try subject.coordinator.pins().map(\.transaction) == [6])
  }

  @Test(arguments: Kind.allCases)
  func aPinSaysHowLongItsVersionIs(_ kind: Kind) throws {
    let coordinator = try Subject(kind).coordinator
    let slot = try coordinator.pin(
      VersionExtent(3, blockCount: 700), likely: ReaderSlot(index: 5))
    #expect(try coordinator.pins().map(\.version) == [VersionExtent(3, blockCount: 700)])
    #expect(coordinator.move(slot, to: VersionExtent(4, blockCount: 20)))
    #expect(try coordinator.pins().map(\.version) == [VersionExtent(4, blockCount: 20)])
  }

  /// A foreign program overwrote the slot between the pin and the second look.
  @Test(arguments: Kind.allCases)
  func pinNewestPinsAgainWhatWasLost(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let coordinator = subject.coordinator
    var isFirst = true
    let pinned = try coordinator.pinNewest(likely: ReaderSlot(index: 7)) { () in
      if isFirst {
        isFirst = false
        return .unbounded(3)
      }
      if coordinator.holds(ReaderSlot(index: 7), 3) { coordinator.unpin(ReaderSlot(index: 7)) }
      return .unbounded(4)
    }
    #expect(pinned.version.transaction == 4)
    #expect(try coordinator.pins().map(\.transaction) == [4])
  }

  @Test(arguments: Kind.allCases)
  func aLikelySlotIsTakenOnlyWhenItIsFree(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let coordinator = subject.coordinator
    let first = try coordinator.pin(transaction: 1, likely: ReaderSlot(index: 900))
    #expect(first.index == 900)
    #expect(try coordinator.pin(transaction: 2, likely: first).index == 0)
    #expect(try coordinator.pin(transaction: 3, likely: ReaderSlot(index: 5_000)).index == 1)
    #expect(try coordinator.pins().map(\.transaction).sorted() == [1, 2, 3])
  }

  @Test(arguments: Kind.allCases)
  func pinNewestLeavesNoPinWhenTheSecondLookFails(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let failure = StorageError.notADatabase(path: "x")
    var isFirst = true
    #expect(throws: failure) {
      _ = try subject.coordinator.pinNewest { () throws(StorageError) in
        if !isFirst { throw failure }
        isFirst = false
        return .unbounded(3)
      }
    }
    #expect(try subject.coordinator.pins() == [])
  }

  @Test(arguments: Kind.allCases)
  func aFullReaderTableIsAnErrorUntilAReaderEnds(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let coordinator = subject.coordinator
    let slots = try (1...1024).map { try coordinator.pin(transaction: $0) }
    #expect(Set(slots).count == 1024)
    #expect(
      throws: StorageError.readerTableFull(limit: 1024, processID: getpid(), slotCount: 1024)
    ) {
      _ = try coordinator.pin(transaction: 1)
    }
    coordinator.unpin(slots[500])
    _ = try coordinator.pin(transaction: 2000)
    #expect(try coordinator.pins().count == 1024)
  }

  @Test(arguments: Kind.allCases)
  func aWriterLockEndsOnAnotherThread(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let coordinator = subject.coordinator
    try coordinator.lockWriter()
    #expect(try !coordinator.tryLockWriter())
    onThreads(1) { _ in coordinator.unlockWriter() }
    #expect(try coordinator.tryLockWriter())
    coordinator.unlockWriter()
  }

  @Test(arguments: Kind.allCases)
  func oneThreadWritesAtATime(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let writerCount = Atomic(0)
    let total = AtomicArray(count: 1)
    onThreads(16) { _ in
      for _ in 0..<100 {
        do {
          try subject.coordinator.lockWriter()
        } catch {
          Issue.record(error)
          return
        }
        #expect(writerCount.add(1, ordering: .relaxed).newValue == 1)
        // Load and store, not `add`: another writer in between would be lost.
        total[0] = total[0] + 1
        writerCount.subtract(1, ordering: .relaxed)
        subject.coordinator.unlockWriter()
      }
    }
    #expect(total[0] == 1600)
  }

  @Test(arguments: Kind.allCases)
  func twoHundredThreadsShareTheReaderTable(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let coordinator = subject.coordinator
    let holderCounts = AtomicArray(count: 1024)
    let conflictCount = Atomic(0)
    onThreads(200) { thread in
      var random = SplitMix64(seed: UInt64(thread))
      for _ in 0..<50 {
        do {
          let count = Int.random(in: 1...5, using: &random)
          let slots = try (0..<count).map { _ in
            try coordinator.pin(transaction: UInt64(thread) + 1)
          }
          for slot in slots where holderCounts.add(1, at: slot.index) != 1 {
            conflictCount.add(1, ordering: .relaxed)
          }
          for slot in slots {
            holderCounts.add(-1, at: slot.index)
            coordinator.unpin(slot)
          }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(try coordinator.pins() == [])
    #expect(conflictCount.load(ordering: .relaxed) == 0, "a slot had two holders")
  }

  /// Each publication waits until all have heard of the last, so one lost wake-up stops the test.
  @Test(arguments: Kind.allCases)
  func everyPublicationWakesAllWhoWait(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let coordinator = subject.coordinator
    let heard = AtomicArray(count: 3)
    onThreads(4) { thread in
      for number in 1...2_000 as ClosedRange<UInt64> {
        if thread < 3 {
          coordinator.wait(timeout: .seconds(3600)) { coordinator.newestTransaction >= number }
          heard[thread] = Int(number)
        } else {
          while heard.values.contains(where: { $0 < Int(number) - 1 }) { sched_yield() }
          coordinator.publish(transaction: number)
        }
      }
    }
    #expect(heard.values == [2_000, 2_000, 2_000])
  }

  @Test(arguments: Kind.allCases)
  func aWaitEndsWithItsTimeout(_ kind: Kind) throws {
    let subject = try Subject(kind)
    var questionCount = 0
    subject.coordinator.wait(timeout: .milliseconds(20)) {
      questionCount += 1
      return false
    }
    #expect(questionCount >= 2)
    subject.coordinator.wait(timeout: .zero) { true }
  }

  /// The pin protocol at work: a writer recycles every version that no pin holds, readers check
  /// that the version they pinned stays whole.
  @Test(arguments: Kind.allCases)
  func noWriterRecyclesAVersionThatAReaderPinned(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let coordinator = subject.coordinator
    let versionCount = 20_000
    let isRecycled = AtomicArray(count: versionCount + 1)
    let hasEnded = Atomic(false)
    // Some versions are longer than those before, some shorter, and the file is cut meanwhile.
    @Sendable func extent(_ transaction: UInt64) -> VersionExtent {
      VersionExtent(transaction, blockCount: transaction &* 0x9E37_79B9_7F4A_7C15 >> 54)
    }
    let fileLength = Atomic(extent(1).blockCount)
    coordinator.publish(transaction: 1)
    onThreads(4) { thread in
      do {
        if thread == 0 {
          var kept: Set<UInt64> = [1]
          for version in 2...UInt64(versionCount) where !hasEnded.load(ordering: .relaxed) {
            try coordinator.lockWriter()
            let pins = try coordinator.pins()
            let held = HeldVersions(pins: pins, newest: version - 1, durable: version - 1)
            let needed = max(extent(version - 1).blockCount, held.blockCount)
            fileLength.store(needed, ordering: .relaxed)
            let pinned = Set(pins.map(\.transaction))
            // The newest transaction itself is never recycled.
            for old in kept where old < version - 1 && !pinned.contains(old) {
              isRecycled[Int(old)] = 1
              kept.remove(old)
            }
            kept.insert(version)
            fileLength.max(extent(version).blockCount, ordering: .relaxed)
            coordinator.publish(transaction: version)
            coordinator.unlockWriter()
          }
          hasEnded.store(true, ordering: .relaxed)
        } else {
          while !hasEnded.load(ordering: .relaxed) {
            let (slot, version) = try coordinator.pinNewest { () throws(StorageError) in
              extent(coordinator.newestTransaction)
            }
            for _ in 0..<20 {
              let isShort = fileLength.load(ordering: .relaxed) < version.blockCount
              guard isRecycled[Int(version.transaction)] != 0 || isShort else { continue }
              Issue.record("version \(version.transaction) was recycled or cut under its pin")
              hasEnded.store(true, ordering: .relaxed)
            }
            coordinator.unpin(slot)
          }
        }
      } catch {
        Issue.record(error)
        hasEnded.store(true, ordering: .relaxed)
      }
    }
    #expect(isRecycled.values.reduce(0, +) > versionCount / 2)
  }

  @Test(arguments: Kind.allCases)
  func closingEndsPinsAndTheWriterLock(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let coordinator = subject.coordinator
    let slot = try coordinator.pin(transaction: 3)
    try coordinator.lockWriter()
    coordinator.close()
    coordinator.close()
    coordinator.unpin(slot)
    coordinator.unlockWriter()
    for call in [
      { _ = try coordinator.pin(transaction: 1) }, { _ = try coordinator.pins() },
      { try coordinator.lockWriter() }, { _ = try coordinator.tryLockWriter() },
      { _ = try coordinator.isOnlyProcess() },
    ] {
      #expect(throws: StorageError.self) { try call() }
    }
  }

  /// Any program may have written to the table, so a slot that is not ours is left alone.
  @Test func aSlotThatIsGivenBackTwiceIsLeftToItsNewOwner() throws {
    let coordinator = LocalCoordinator(path: "local")
    let slot = try coordinator.pin(transaction: 3)
    coordinator.unpin(slot)
    coordinator.unpin(slot)
    #expect(!coordinator.move(slot, to: .unbounded(4)))
    #expect(!coordinator.holds(slot, 3))
    #expect(try coordinator.pins().isEmpty)
  }

  @Test func aWriterLockThatIsGivenBackTwiceTraps() async {
    await #expect(processExitsWith: .failure) {
      let coordinator = LocalCoordinator(path: "local")
      try coordinator.lockWriter()
      coordinator.unlockWriter()
      coordinator.unlockWriter()
    }
  }
}
