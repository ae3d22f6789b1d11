import AtollStorage
import TestSupport
import TestThreads
import Testing

/// What every data file promises, whatever is behind it.
@Suite(.computing) struct DataFileTests {
  enum Kind: CaseIterable {
    case posix, memory, simulated
  }

  /// Keeps the folder of a real file until the test ends.
  struct Subject {
    let file: any DataFile
    let folder: TemporaryFolder?

    init(_ kind: Kind) throws {
      switch kind {
      case .posix:
        let folder = TemporaryFolder()
        file = try PosixFile(path: folder.path(of: "data"), mode: .create)
        self.folder = folder
      case .memory:
        file = try MemoryFile(path: "memory", capacity: 256 << 20)
        folder = nil
      case .simulated:
        file = try SimulatedFile(capacity: 256 << 20)
        folder = nil
      }
    }

    /// Closes the file, and lets its folder go only now.
    func end() { withExtendedLifetime(folder) { file.close() } }
  }

  @Test(arguments: Kind.allCases, 0..<10 as Range<UInt64>)
  func behavesLikeAnArrayOfBytes(_ kind: Kind, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let subject = try Subject(kind)
    let file = subject.file
    defer { subject.end() }
    var model: [UInt8] = []
    for _ in 0..<100 {
      let offset = Int.random(in: 0..<20_000, using: &random)
      let count = Int.random(in: 0..<9_000, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1, 2:
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        try file.write(bytes, at: offset)
        if count == 0 { break }
        model += [UInt8](repeating: 0, count: max(0, offset + count - model.count))
        model.replaceSubrange(offset..<offset + count, with: bytes)
      case 3:
        try file.setByteCount(UInt64(offset))
        model = Array(model.prefix(offset))
        model += [UInt8](repeating: 0, count: offset - model.count)
      case 4:
        try file.synchronize(Bool.random(using: &random) ? .data : .full)
      default:
        let expected = Array(model.dropFirst(offset).prefix(count))
        #expect(try file.bytes(at: offset, count: count) == expected)
      }
      #expect(try file.byteCount() == UInt64(model.count))
    }
    #expect(try file.bytes(at: 0, count: 50_000) == model)
    let window = try file.window(0)
    #expect(Array(UnsafeRawBufferPointer(start: window, count: model.count)) == model)
  }

  @Test(arguments: Kind.allCases)
  func aReadIsShortOnlyAtTheEnd(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let file = subject.file
    defer { subject.end() }
    try file.write([1, 2, 3], at: 0)
    #expect(try file.bytes(at: 1, count: 10) == [2, 3])
    #expect(try file.bytes(at: 3, count: 10) == [])
    #expect(try file.bytes(at: 1_000_000, count: 10) == [])
  }

  @Test(arguments: Kind.allCases)
  func growthShowsThroughAWindowThatReachedBeyondTheEnd(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let file = subject.file
    defer { subject.end() }
    let before = try file.window(0)
    try file.setByteCount(1 << 20)
    try file.write([7, 8, 9], at: 1 << 19)
    #expect(before.load(fromByteOffset: (1 << 19) + 2, as: UInt8.self) == 9)
    #expect(try file.window(0) == before)
  }

  @Test(arguments: Kind.allCases)
  func aPageAcrossTheStrideLiesWholeInTheFirstWindow(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let file = subject.file
    defer { subject.end() }
    let stride = FileWindow.stride
    try file.setByteCount(UInt64(stride + FileWindow.overlap))
    try file.write([1, 2, 3, 4], at: stride - 2)
    let first = try file.window(0)
    let second = try file.window(1)
    let page = UnsafeRawBufferPointer(start: first + (stride - 2), count: 4)
    #expect(Array(page) == [1, 2, 3, 4])
    #expect((0..<2).map { second.load(fromByteOffset: $0, as: UInt8.self) } == [3, 4])
    try file.write([5], at: stride)
    #expect(first.load(fromByteOffset: stride, as: UInt8.self) == 5)
    try file.write([6], at: stride + FileWindow.overlap - 1)
    #expect(first.load(fromByteOffset: FileWindow.byteCount - 1, as: UInt8.self) == 6)
  }

  @Test(arguments: Kind.allCases, [-1, FileWindow.limit, Int.max])
  func aWindowThatCannotExistIsAnError(_ kind: Kind, index: Int) throws {
    let subject = try Subject(kind)
    let file = subject.file
    defer { subject.end() }
    let expected = ErrorNumber.fileTooLarge.during(.map, file.path)
    #expect(throws: expected) { _ = try file.window(index) }
  }

  @Test(arguments: Kind.allCases, [UInt64.max, UInt64.max - 4, UInt64(Int64.max)])
  func anOffsetBeyondAllFilesIsAnError(_ kind: Kind, offset: UInt64) throws {
    let subject = try Subject(kind)
    let file = subject.file
    defer { subject.end() }
    #expect(throws: StorageError.self) { try file.write([1, 2, 3, 4, 5], offset64: offset) }
    #expect(throws: StorageError.self) { try file.setByteCount(offset) }
    #expect(try file.byteCount() == 0)
  }

  @Test(arguments: Kind.allCases)
  func threadsThatAskFirstTogetherGetTheSameWindow(_ kind: Kind) throws {
    for _ in 0..<50 {
      let subject = try Subject(kind)
      let file = subject.file
      defer { subject.end() }
      let addresses = AtomicArray(count: 8 * 3)
      onThreads(8) { thread in
        for index in 0..<3 {
          addresses[thread * 3 + index] = Int(bitPattern: try? file.window(index))
        }
      }
      #expect(Set(addresses.values).count == 3)
    }
  }

  @Test(arguments: Kind.allCases)
  func everyCallOnAClosedFileSaysSo(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let file = subject.file
    defer { subject.end() }
    try file.setByteCount(4096)
    file.close()
    file.close()
    let closed = StorageError.closed(path: file.path, failedSync: nil)
    #expect(throws: closed) { _ = try file.byteCount() }
    #expect(throws: closed) { try file.setByteCount(1) }
    #expect(throws: closed) { _ = try file.bytes(at: 0, count: 1) }
    #expect(throws: closed) { try file.write([1], at: 0) }
    #expect(throws: closed) { try file.synchronize(.data) }
    if kind != .memory { #expect(throws: closed) { _ = try file.window(0) } }
  }
}

extension DataFile {
  /// Reads at most `count` bytes.
  func bytes(at offset: Int, count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = try read(
        into: UnsafeMutableRawBufferPointer(buffer), at: UInt64(offset))
    }
  }

  /// Writes all of `bytes`.
  func write(_ bytes: [UInt8], at offset: Int) throws {
    try write(bytes, offset64: UInt64(offset))
  }

  /// Writes all of `bytes` at an offset that need not be one.
  func write(_ bytes: [UInt8], offset64 offset: UInt64) throws {
    try bytes.withUnsafeBytes { try write($0, at: offset) }
  }
}
