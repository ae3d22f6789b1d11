internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Threads that look random keys up while one writer commits without a pause.
package struct ReadersBesideWriter: Sendable {
  package let readerCount: Int
  package let seconds: Double
  /// Keys that are there from the beginning.
  package let count: Int
  package let values: ValueSource
  /// New values in each durable transaction of the writer.
  package let updatesInTransaction: Int

  package init(
    readerCount: Int, seconds: Double, count: Int, values: ValueSource, updatesInTransaction: Int
  ) {
    self.readerCount = readerCount
    self.seconds = seconds
    self.count = count
    self.values = values
    self.updatesInTransaction = updatesInTransaction
  }

  /// What a run found out.
  package struct Outcome: Sendable {
    /// Look-ups of all readers together; the result is how many gave no value of their key.
    package let reads: Sample
    /// Transactions; the result is the bytes of the files.
    package let commits: Sample
  }

  /// What the threads share.
  private final class Progress: Sendable {
    let isOver = Atomic(false)
    let readCount = Atomic(0)
    let wrongCount = Atomic(0)
    let failureCount = Atomic(0)
  }

  /// Fills the database, and lets readers and writer loose on it.
  ///
  /// - Parameter engine: open and empty.
  /// - Returns: both sides' work in the same time.
  /// - Throws: what the engine throws, in a reader too.
  package func run(_ engine: any KeyValueEngine) throws -> Outcome {
    for start in stride(from: 0, to: count, by: 1000) {
      try engine.put(
        (start..<min(count, start + 1000)).map {
          KeyValueEntry(key: $0, value: values.value($0, generation: 0))
        })
    }
    let progress = Progress()
    var threads: [ThreadHandle] = []
    for index in 0..<readerCount {
      let reader = try engine.makeReader()
      threads.append(
        ThreadHandle {
          read(reader, seed: UInt64(index), progress)
        })
    }
    var random = SplitMix64(state: Seed.keyValue)
    var transactionSeconds: [Double] = []
    let clock = ContinuousClock()
    let meter = ProcessMeter()
    let begin = clock.now
    let readsBefore = progress.readCount.load(ordering: .relaxed)
    var writerError: (any Error)?
    do {
      while (clock.now - begin).inSeconds < seconds {
        let start = clock.now
        let generation = transactionSeconds.count + 1
        try engine.put(
          (0..<updatesInTransaction).map { _ in
            let key = random.nextKey(below: count)
            return KeyValueEntry(key: key, value: values.value(key, generation: generation))
          })
        transactionSeconds.append((clock.now - start).inSeconds)
      }
    } catch { writerError = error }
    let elapsed = (clock.now - begin).inSeconds
    let readCount = progress.readCount.load(ordering: .relaxed) - readsBefore
    let resources = meter.use()
    progress.isOver.store(true, ordering: .releasing)
    for thread in threads { thread.join() }
    if let writerError { throw writerError }
    let wrong =
      progress.wrongCount.load(ordering: .acquiring)
      + progress.failureCount.load(ordering: .acquiring)
    return Outcome(
      reads: Sample(operations: readCount, seconds: elapsed, result: wrong, resources: resources),
      commits: Sample(
        operations: transactionSeconds.count, seconds: elapsed,
        result: try engine.fileByteCount(), resources: resources,
        transactionSeconds: transactionSeconds))
  }

  private func read(_ reader: any KeyValueReader, seed: UInt64, _ progress: Progress) {
    var random = SplitMix64(state: Seed.keyValue &+ 1 &+ seed)
    while !progress.isOver.load(ordering: .acquiring) {
      // The counters are shared, so they are updated once for a hundred look-ups.
      var wrongCount = 0
      do {
        for _ in 0..<100 {
          let key = random.nextKey(below: count)
          var isRight = false
          let isFound = try reader.withValue(of: key) { isRight = values.isValue($0, of: key) }
          if !isFound || !isRight { wrongCount += 1 }
        }
      } catch {
        progress.failureCount.add(1, ordering: .relaxed)
        return
      }
      progress.readCount.add(100, ordering: .relaxed)
      progress.wrongCount.add(wrongCount, ordering: .relaxed)
    }
  }
}

/// A thread of the system; tasks would share as many as there are processors.
private final class ThreadHandle {
  private var thread: pthread_t?

  private final class Work {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Starts `body`, to which the caller hands over what it uses.
  init(_ body: @escaping () -> Void) {
    let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
    #if canImport(Darwin)
    // SAFETY: the function takes over the reference that was retained above.
    let failure = unsafe pthread_create(
      &thread, nil,
      {
        unsafe Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run()
        return nil
      }, work)
    #else
    var created = pthread_t()
    // SAFETY: the function takes over the reference that was retained above.
    let failure = unsafe pthread_create(
      &created, nil,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
        }
        return nil
      }, work)
    thread = created
    #endif
    precondition(failure == 0, "the system gives a thread")
  }

  func join() {
    guard let thread else { return }
    pthread_join(thread, nil)
  }
}
