import TestSupport
import Testing

@testable import AtollStorage

/// Runs random transactions, cuts the power at a write or sync, reopens, and goes on.
///
/// The model is the list of states a reader could have been shown: the last acknowledged one, and
/// the one that was being committed.
@Suite struct PowerLossTests {
  struct Run {
    var random: SplitMix64
    let tearing: SimulatedFile.Tearing
    var faults = SimulatedFile.Faults()
    var file: SimulatedFile
    /// The last commit that returned.
    var acknowledged: KeyValueStore.Contents = [:]
    /// What a reader saw last.
    var current: KeyValueStore.Contents = [:]
    /// What the last commit was about to write.
    var inFlight: KeyValueStore.Contents = [:]
    var generation = 0

    init(seed: UInt64, tearing: SimulatedFile.Tearing) throws {
      random = SplitMix64(seed: seed)
      self.tearing = tearing
      file = try SimulatedFile(capacity: 1 << 26)
    }

    /// Opens the file and commits until the power is out or `commitCount` commits are done.
    mutating func work(commitCount: Int, operationsUntilPowerLoss: Int?) throws {
      file.faults = faults
      file.operationsUntilPowerLoss = operationsUntilPowerLoss
      inFlight = current
      do {
        let base = try KeyValueStore(file)
        for _ in 0..<commitCount { try commit(base) }
        try base.store.close()
      } catch StorageError.io where file.hasLostPower {
        // The power is out. Any other error is a bug and fails the test.
      }
    }

    private mutating func commit(_ base: KeyValueStore) throws {
      generation += 1
      var next = current
      // Now and then more pages than a header slot lists, with a longer file.
      let isLarge = Int.random(in: 0..<20, using: &random) == 0
      let count = isLarge ? 170 : Int.random(in: 1..<12, using: &random)
      let longest = isLarge ? 30_000 : 1_500
      var changes: [(key: [UInt8], value: [UInt8]?)] = []
      for _ in 0..<count {
        let key = key(Int.random(in: 0..<200, using: &random))
        let value =
          Int.random(in: 0..<5, using: &random) == 0
          ? nil : noise(Int.random(in: 0..<longest, using: &random), &random)
        changes.append((key, value))
        next[key] = value
      }
      inFlight = next
      try base.write { tree in for (key, value) in changes { try tree.set(value, for: key) } }
      acknowledged = next
      current = next
    }

    /// Cuts the power and looks at what is left; records an issue when it is not right.
    ///
    /// - Returns: whether it is right.
    mutating func recover() throws -> Bool {
      file = try file.afterPowerLoss(using: &random, tearing: tearing)
      file.faults = faults
      let base = try KeyValueStore(file)
      let contents = try base.contents()
      guard [acknowledged, current, inFlight].contains(contents) else { return false }
      guard try base.findings().isEmpty else { return false }
      // Opening changes nothing: the same again, and then go on from it.
      guard try KeyValueStore(file).contents() == contents else { return false }
      (acknowledged, current, inFlight) = (contents, contents, contents)
      return true
    }
  }

  /// Every operation of short runs, which the making of the file is part of.
  @Test(arguments: 0..<60, SimulatedFile.Tearing.allCases)
  func reopensAtACommitBoundaryWhereverThePowerFails(
    operation: Int, tearing: SimulatedFile.Tearing
  ) throws {
    for seed in seeds(2) {
      var run = try Run(seed: seed, tearing: tearing)
      try run.work(commitCount: 12, operationsUntilPowerLoss: operation)
      #expect(try run.recover(), "seed \(seed)")
      try run.work(commitCount: 3, operationsUntilPowerLoss: nil)
      #expect(try run.recover(), "seed \(seed), after going on")
    }
  }

  /// Long runs that lose power again and again, often while the file is being recovered.
  @Test(arguments: seeds(40), SimulatedFile.Tearing.allCases)
  func survivesManyPowerFailures(seed: UInt64, tearing: SimulatedFile.Tearing) throws {
    var run = try Run(seed: seed, tearing: tearing)
    for round in 0..<8 {
      let isSoon = Int.random(in: 0..<3, using: &run.random) == 0
      try run.work(
        commitCount: Int.random(in: 1..<20, using: &run.random),
        operationsUntilPowerLoss: Int.random(in: 0..<(isSoon ? 4 : 80), using: &run.random))
      guard try run.recover() else {
        Issue.record("round \(round)")
        return
      }
    }
  }

  /// A process dies without a power cut, another one writes, and then the power fails: what the
  /// first had written may have been in the system's memory only.
  @Test(arguments: seeds(40))
  func survivesDeadProcessesAndThenAPowerFailure(seed: UInt64) throws {
    var run = try Run(seed: seed, tearing: .sectors512)
    try run.work(commitCount: 5, operationsUntilPowerLoss: nil)
    #expect(try run.recover())
    for _ in 0..<6 {
      // The disk stops, as if the process did: what it wrote so far is what the next one sees.
      let stopped = StoppingFile(run.file)
      stopped.operationsUntilStop = Int.random(in: 0..<12, using: &run.random)
      do {
        let base = try KeyValueStore(stopped)
        let values = (0..<3).map { _ in noise(600, &run.random) }
        for value in values {
          var next = run.current
          next[key(1)] = value
          next[key(150)] = value
          run.inFlight = next
          try base.write { tree in
            try tree.set(value, for: key(1))
            try tree.set(value, for: key(150))
          }
          (run.acknowledged, run.current) = (next, next)
        }
      } catch StorageError.io {}
      let seen = try KeyValueStore(run.file).contents()
      #expect(seen == run.current || seen == run.inFlight)
      // Before anything of a version is written, the one before it is made durable.
      if seen != run.current { (run.acknowledged, run.current) = (run.current, seen) }
      if Bool.random(using: &run.random) {
        try run.work(
          commitCount: 2, operationsUntilPowerLoss: Int.random(in: 0..<8, using: &run.random))
        #expect(try run.recover())
      }
    }
  }
}

/// Passes operations on until it stops, like a process that is killed between two system calls.
final class StoppingFile: DataFile, @unchecked Sendable {
  // Sendable: used by one thread.
  private let file: SimulatedFile
  var operationsUntilStop = Int.max

  init(_ file: SimulatedFile) { self.file = file }

  private func step() throws(StorageError) {
    guard operationsUntilStop > 0 else {
      throw .io(operation: .write, path: path, errno: 5)
    }
    operationsUntilStop -= 1
  }

  var path: String { file.path }
  var isReadOnly: Bool { false }
  func byteCount() throws(StorageError) -> UInt64 { try file.byteCount() }
  func setByteCount(_ byteCount: UInt64) throws(StorageError) {
    try step()
    try file.setByteCount(byteCount)
  }
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError)
    -> Int
  { try file.read(into: buffer, at: offset) }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    try step()
    try file.write(bytes, at: offset)
  }
  func synchronize(_ scope: SynchronizationScope) throws(StorageError) {
    try step()
    try file.synchronize(scope)
  }
  func window(_ index: Int) throws(StorageError) -> UnsafeRawPointer { try file.window(index) }
  func close() {}
}
