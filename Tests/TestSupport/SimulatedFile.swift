package import AtollStorage
import Synchronization

/// A file on a disk that loses power, fills up and fails when a test says so.
///
/// The fault model, no kinder and no crueller than what Format.md assumes of a disk:
///
/// 1. There are live bytes, which reads and windows see, and durable bytes. A write changes live
///    bytes and marks their 512-byte sectors as unsynced. `synchronize` makes them durable.
/// 2. When the power fails, each unsynced sector (or block of 4 096 bytes, as the test chooses)
///    survives or not, on its own and whatever the order of the writes. What survives is the last
///    content or, of sectors, one that was overwritten since.
/// 3. The length is a fact of its own. Only a full synchronisation makes it durable; else it is
///    the old one, the new one or one between. Bytes beyond the length that survives are lost,
///    synchronised or not.
/// 4. The operation during which the power fails is half done: its sectors and its length are
///    unsynced like those before.
/// 5. After a failed synchronisation nothing becomes durable any more, and the file refuses
///    changes, like every `DataFile`. A later opening sees all writes, of which any part is on the
///    disk while the system regards all of them as written (`afterFailedSync`).
/// 6. A write that fails has written any part of its bytes from the first on; a full disk leaves
///    length and bytes as they were; a read that fails has no other effect.
/// 7. A bit may flip at rest, anywhere.
package final class SimulatedFile: DataFile {
  package static let sectorByteCount = 512

  /// The unit that the disk writes whole or not at all.
  package enum Tearing: Sendable, CaseIterable {
    case sectors512, blocks4096
  }

  /// What goes wrong.
  ///
  /// A countdown of 0 strikes the next operation of its kind, and only that.
  package struct Faults: Sendable {
    /// The write that fails with `EIO`, after some of its first sectors.
    package var writesUntilFailure: Int?
    /// How much of a failing write's bytes are written all the same.
    package var failedWritePercentage = 50
    /// The synchronisation that fails with `EIO`.
    package var syncsUntilFailure: Int?
    /// The call of `read` that fails with `EIO`; windows do not pass through here.
    package var readsUntilFailure: Int?
    /// The disk is full (`ENOSPC`) where the file would get longer than this many bytes.
    package var byteCountLimit: UInt64?

    package init() {}
  }

  /// The operations on the file so far.
  package struct Counters: Equatable, Sendable {
    package var writeCount: Int
    package var writtenByteCount: Int
    package var readCount: Int
    package var dataSyncCount: Int
    package var fullSyncCount: Int
    package var resizeCount: Int

    package init(
      writeCount: Int = 0, writtenByteCount: Int = 0, readCount: Int = 0, dataSyncCount: Int = 0,
      fullSyncCount: Int = 0, resizeCount: Int = 0
    ) {
      self.writeCount = writeCount
      self.writtenByteCount = writtenByteCount
      self.readCount = readCount
      self.dataSyncCount = dataSyncCount
      self.fullSyncCount = fullSyncCount
      self.resizeCount = resizeCount
    }
  }

  private struct State {
    var operationsUntilPowerLoss: Int?
    var hasLostPower = false
    var failedSync: Int32?
    var isClosed = false
    var faults = Faults()
    var counters = Counters()
    /// The unsynced sectors, each with the latest contents overwritten since it was durable.
    ///
    /// A dictionary's order is random, so a walk that draws random numbers sorts.
    var unsynced: [UInt64: [[UInt8]]] = [:]
    var durableByteCount: UInt64 = 0
    /// The shortest and longest the file was since its length was durable.
    var byteCounts: ClosedRange<UInt64> = 0...0
  }

  package let path: String
  package var isReadOnly: Bool { false }

  private let live: MemoryFile
  private let durable: MemoryFile
  private let capacity: Int
  private let state = Mutex(State())

  /// An empty file, durably so.
  ///
  /// - Parameters:
  ///   - path: A name for messages.
  ///   - capacity: The longest it can get, in bytes.
  /// - Throws: `.io(operation: .map, …)` when the system has no addresses left.
  package init(path: String = "simulated", capacity: Int = 1 << 30) throws(StorageError) {
    self.path = path
    self.capacity = capacity
    live = try MemoryFile(path: path, capacity: capacity)
    durable = try MemoryFile(path: path, capacity: capacity)
  }

  /// How many writes, synchronisations and resizes succeed before the power fails; nil: all.
  ///
  /// From the operation that the failure strikes, every call throws `.io` with `EIO`.
  package var operationsUntilPowerLoss: Int? {
    get { state.withLock { $0.operationsUntilPowerLoss } }
    set { state.withLock { $0.operationsUntilPowerLoss = newValue } }
  }

  package var hasLostPower: Bool { state.withLock { $0.hasLostPower } }

  package var faults: Faults {
    get { state.withLock { $0.faults } }
    set { state.withLock { $0.faults = newValue } }
  }

  package var counters: Counters {
    get { state.withLock { $0.counters } }
    set { state.withLock { $0.counters = newValue } }
  }

  /// How many sectors a power failure could take now.
  package var unsyncedSectorCount: Int { state.withLock { $0.unsynced.count } }

  package func byteCount() throws(StorageError) -> UInt64 {
    try state.withLock { (state) throws(StorageError) in
      try checkUsable(state, for: .read)
      return try live.byteCount()
    }
  }

  package func setByteCount(_ byteCount: UInt64) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      try checkWritable(state, for: .resize)
      state.counters.resizeCount += 1
      if let limit = state.faults.byteCountLimit, byteCount > limit {
        throw ErrorNumber.noSpace.during(.resize, path)
      }
      let isStruck = countDown(&state)
      let oldByteCount = try live.byteCount()
      if byteCount < oldByteCount {
        // Cut-off bytes read as zero should the file grow again, once the cut is durable.
        try markUnsynced(byteCount..<oldByteCount, &state)
      }
      try live.setByteCount(byteCount)
      noteByteCount(byteCount, &state)
      if isStruck { throw ErrorNumber.inputOutput.during(.resize, path) }
    }
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(StorageError) -> Int {
    try state.withLock { (state) throws(StorageError) in
      try checkUsable(state, for: .read)
      state.counters.readCount += 1
      if Self.strikes(&state.faults.readsUntilFailure) {
        throw ErrorNumber.inputOutput.during(.read, path)
      }
    }
    return try live.read(into: buffer, at: offset)
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      try checkWritable(state, for: .write)
      state.counters.writeCount += 1
      state.counters.writtenByteCount += bytes.count
      let (end, overflow) = offset.addingReportingOverflow(UInt64(bytes.count))
      if overflow { throw ErrorNumber.fileTooLarge.during(.write, path) }
      if let limit = state.faults.byteCountLimit, end > limit {
        throw ErrorNumber.noSpace.during(.write, path)
      }
      let isStruck = countDown(&state)
      if Self.strikes(&state.faults.writesUntilFailure) {
        // Writes begin where sectors do, and a sector is written whole or not at all.
        let sectorCount = bytes.count / Self.sectorByteCount
        let writtenCount =
          sectorCount * state.faults.failedWritePercentage / 100 * Self.sectorByteCount
        try apply(UnsafeRawBufferPointer(rebasing: bytes[..<writtenCount]), at: offset, &state)
        throw ErrorNumber.inputOutput.during(.write, path)
      }
      try apply(bytes, at: offset, &state)
      if isStruck { throw ErrorNumber.inputOutput.during(.write, path) }
    }
  }

  package func synchronize(_ scope: SynchronizationScope) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      try checkWritable(state, for: .synchronize)
      switch scope {
      case .data: state.counters.dataSyncCount += 1
      case .full: state.counters.fullSyncCount += 1
      }
      let isStruck = countDown(&state)
      if Self.strikes(&state.faults.syncsUntilFailure) {
        state.failedSync = ErrorNumber.inputOutput.rawValue
        throw ErrorNumber.inputOutput.during(.synchronize, path)
      }
      if isStruck { throw ErrorNumber.inputOutput.during(.synchronize, path) }
      try makeSectorsDurable(&state)
      if scope == .full {
        state.durableByteCount = try live.byteCount()
        state.byteCounts = state.durableByteCount...state.durableByteCount
      }
    }
  }

  package func window(_ index: Int) throws(StorageError) -> UnsafeRawPointer {
    try state.withLock { (state) throws(StorageError) in
      try checkUsable(state, for: .map)
    }
    return try live.window(index)
  }

  package func close() {
    state.withLock { $0.isClosed = true }
  }

  /// The first `limit` bytes of the file or all there are, as readers see them.
  package func bytes(limit: Int = .max) throws(StorageError) -> [UInt8] {
    let byteCount = min(limit, Int(try byteCount()))
    var failure: StorageError?
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
      do throws(StorageError) {
        initializedCount = try live.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Flips one bit at rest: live and durable, as windows see at once.
  package func flipBit(_ bit: Int, at offset: UInt64) throws(StorageError) {
    precondition(bit >= 0 && bit < 8, "a byte has 8 bits")
    for file in [live, durable] {
      var byte: UInt8 = 0
      let byteCount = try withUnsafeMutableBytes(of: &byte) { (buffer) throws(StorageError) in
        try file.read(into: buffer, at: offset)
      }
      guard byteCount == 1 else { continue }
      byte ^= 1 << UInt8(bit)
      try withUnsafeBytes(of: byte) { (buffer) throws(StorageError) in
        try file.write(buffer, at: offset)
      }
    }
  }
}

extension SimulatedFile {
  /// The file that a machine finds after the power failed now.
  ///
  /// How much survives is random too: nothing, little, half, nearly all or all of the unsynced
  /// sectors. The same file, generator state and tearing give the same result.
  package func afterPowerLoss(
    using random: inout some RandomNumberGenerator, tearing: Tearing = .sectors512
  ) throws(StorageError) -> SimulatedFile {
    // The generator cannot enter the lock's closure, so the state leaves it.
    let state = state.withLock { $0 }
    let survivor = try SimulatedFile(path: path, capacity: capacity)
    let percentage = [0, 5, 50, 95, 100].randomElement(using: &random) ?? 50
    let byteCount = Self.survivingByteCount(
      durable: state.durableByteCount, live: try live.byteCount(), seen: state.byteCounts,
      using: &random)
    try survivor.fill(from: durable, byteCount: byteCount)

    let sectorsPerUnit: UInt64 = tearing == .sectors512 ? 1 : 8
    var fate: (unit: UInt64, survives: Bool)?
    for (sector, overwritten) in state.unsynced.sorted(by: { $0.key < $1.key }) {
      let unit = sector / sectorsPerUnit
      if fate?.unit != unit {
        fate = (unit, Int.random(in: 0..<100, using: &random) < percentage)
      }
      guard fate?.survives == true else { continue }
      var contents = try Self.contents(ofSector: sector, in: live)
      if tearing == .sectors512, !overwritten.isEmpty, Bool.random(using: &random) {
        contents = overwritten.randomElement(using: &random) ?? contents
      }
      try survivor.place(contents, inSector: sector, below: byteCount)
    }
    survivor.state.withLock {
      $0.durableByteCount = byteCount
      $0.byteCounts = byteCount...byteCount
    }
    return survivor
  }

  /// The contents of a copy of the file made now: all writes, durable or not.
  package func copied(to path: String) throws(StorageError) -> SimulatedFile {
    let copy = try SimulatedFile(path: path, capacity: capacity)
    let byteCount = try live.byteCount()
    try copy.fill(from: live, byteCount: byteCount)
    copy.state.withLock {
      $0.durableByteCount = byteCount
      $0.byteCounts = byteCount...byteCount
    }
    return copy
  }

  private static func survivingByteCount(
    durable: UInt64, live: UInt64, seen: ClosedRange<UInt64>,
    using random: inout some RandomNumberGenerator
  ) -> UInt64 {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return durable
    case 1: return live
    default:
      let between = UInt64.random(in: seen, using: &random)
      // Where a file ends in between, it ends with a sector.
      return max(seen.lowerBound, between / UInt64(sectorByteCount) * UInt64(sectorByteCount))
    }
  }

  /// The file as a process finds it that opens it after a synchronisation has failed.
  ///
  /// Reads return the writes, but the system regards all of them as durable and never writes them
  /// again, as Linux does with pages whose writeback failed. Some of them reached the disk before.
  ///
  /// - Throws: `.io(operation: .map, …)` when the system has no addresses left.
  package func afterFailedSync(
    using random: inout some RandomNumberGenerator
  ) throws(StorageError) -> SimulatedFile {
    let unsynced = state.withLock { $0.unsynced }
    let percentage = [0, 5, 50, 95].randomElement(using: &random) ?? 50
    let found = try SimulatedFile(path: path, capacity: capacity)
    let byteCount = try live.byteCount()
    try found.fill(from: live, byteCount: byteCount)
    for sector in unsynced.keys.sorted()
    where Int.random(in: 0..<100, using: &random) >= percentage {
      let contents = try Self.contents(ofSector: sector, in: durable)
      try Self.write(contents, to: found.durable, at: sector * UInt64(Self.sectorByteCount))
    }
    found.state.withLock {
      $0.durableByteCount = byteCount
      $0.byteCounts = byteCount...byteCount
    }
    return found
  }

  /// Makes both sides of this new file the first `byteCount` bytes of `source`, zeroes behind.
  private func fill(from source: MemoryFile, byteCount: UInt64) throws(StorageError) {
    try live.setByteCount(byteCount)
    try durable.setByteCount(byteCount)
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    defer { chunk.deallocate() }
    var offset: UInt64 = 0
    while offset < byteCount {
      let wanted = Int(min(UInt64(chunk.count), byteCount - offset))
      let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<wanted])
      let found = try source.read(into: part, at: offset)
      if found == 0 { break }
      let bytes = UnsafeRawBufferPointer(rebasing: part[..<found])
      try live.write(bytes, at: offset)
      try durable.write(bytes, at: offset)
      offset += UInt64(found)
    }
  }

  /// Puts a sector's contents on both sides, as far as the file reaches.
  private func place(
    _ contents: [UInt8], inSector sector: UInt64, below byteCount: UInt64
  ) throws(StorageError) {
    let offset = sector * UInt64(Self.sectorByteCount)
    guard offset < byteCount else { return }
    let kept = Array(contents.prefix(Int(min(UInt64(contents.count), byteCount - offset))))
    try Self.write(kept, to: live, at: offset)
    try Self.write(kept, to: durable, at: offset)
  }
}

extension SimulatedFile {
  /// How many overwritten contents of one sector are remembered.
  private static let overwrittenLimit = 4

  private func checkUsable(
    _ state: borrowing State, for operation: StorageError.Operation
  ) throws(StorageError) {
    if state.isClosed { throw .closed(path: path, failedSync: nil) }
    if state.hasLostPower { throw ErrorNumber.inputOutput.during(operation, path) }
  }

  private func checkWritable(
    _ state: borrowing State, for operation: StorageError.Operation
  ) throws(StorageError) {
    try checkUsable(state, for: operation)
    if let errno = state.failedSync { throw .closed(path: path, failedSync: errno) }
  }

  /// Counts an operation, and returns whether the power fails during it.
  private func countDown(_ state: inout State) -> Bool {
    state.hasLostPower = Self.strikes(&state.operationsUntilPowerLoss)
    return state.hasLostPower
  }

  /// Counts down to nil; true at the operation that 0 strikes.
  private static func strikes(_ countdown: inout Int?) -> Bool {
    guard let remaining = countdown else { return false }
    countdown = remaining > 0 ? remaining - 1 : nil
    return remaining <= 0
  }

  private func apply(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64, _ state: inout State
  ) throws(StorageError) {
    try markUnsynced(offset..<offset + UInt64(bytes.count), &state)
    try live.write(bytes, at: offset)
    noteByteCount(try live.byteCount(), &state)
  }

  private func markUnsynced(_ range: Range<UInt64>, _ state: inout State) throws(StorageError) {
    if range.isEmpty { return }
    let unit = UInt64(Self.sectorByteCount)
    for sector in range.lowerBound / unit...(range.upperBound - 1) / unit {
      guard var overwritten = state.unsynced[sector] else {
        state.unsynced[sector] = []
        continue
      }
      if overwritten.count == Self.overwrittenLimit { overwritten.removeFirst() }
      overwritten.append(try Self.contents(ofSector: sector, in: live))
      state.unsynced[sector] = overwritten
    }
  }

  private func noteByteCount(_ byteCount: UInt64, _ state: inout State) {
    state.byteCounts =
      min(state.byteCounts.lowerBound, byteCount)...max(state.byteCounts.upperBound, byteCount)
  }

  private func makeSectorsDurable(_ state: inout State) throws(StorageError) {
    // One buffer for all: this is where a simulation spends its time.
    var contents = [UInt8](repeating: 0, count: Self.sectorByteCount)
    for sector in state.unsynced.keys {
      try Self.read(sector, of: live, into: &contents)
      try Self.write(contents, to: durable, at: sector * UInt64(Self.sectorByteCount))
    }
    state.unsynced.removeAll(keepingCapacity: true)
  }

  /// A sector's bytes, zero where the file does not reach.
  private static func contents(
    ofSector sector: UInt64, in file: MemoryFile
  ) throws(StorageError) -> [UInt8] {
    var contents = [UInt8](repeating: 0, count: sectorByteCount)
    try read(sector, of: file, into: &contents)
    return contents
  }

  private static func read(
    _ sector: UInt64, of file: MemoryFile, into contents: inout [UInt8]
  ) throws(StorageError) {
    var failure: StorageError?
    contents.withUnsafeMutableBytes { buffer in
      do throws(StorageError) {
        let byteCount = try file.read(into: buffer, at: sector * UInt64(sectorByteCount))
        for index in byteCount..<sectorByteCount { buffer[index] = 0 }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private static func write(
    _ bytes: [UInt8], to file: MemoryFile, at offset: UInt64
  ) throws(StorageError) {
    var failure: StorageError?
    bytes.withUnsafeBytes { buffer in
      do throws(StorageError) { try file.write(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
