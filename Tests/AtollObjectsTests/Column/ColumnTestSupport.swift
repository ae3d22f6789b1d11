import AtollObjects
import AtollStorage
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension SplitMix64 {
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

/// An external store in memory that knows what is in use.
final class MemoryStore: ExternalStore {
  struct UnknownReference: Error {}

  private(set) var values: [UInt64: [UInt8]] = [:]
  private var next: UInt64 = 1

  func read(_ reference: ExternalReference) throws -> [UInt8] {
    guard let bytes = values[reference.first] else { throw UnknownReference() }
    return bytes
  }

  func read(_ reference: ExternalReference, from offset: Int, limit: Int) throws -> [UInt8] {
    Array(try read(reference).dropFirst(offset).prefix(limit))
  }

  func write(_ bytes: [UInt8]) throws -> ExternalReference {
    defer { next += 1 }
    values[next] = bytes
    return ExternalReference(first: next, second: ~next)
  }

  func free(_ reference: ExternalReference) throws {
    guard values.removeValue(forKey: reference.first) != nil else { throw UnknownReference() }
  }
}

/// Encoded bytes as a page has them, aligned, with memory behind them that must not be touched: a
/// read past their end ends the process, whatever the build.
final class PageBytes {
  private let mapping: UnsafeMutableRawBufferPointer
  let bytes: UnsafeRawBufferPointer
  let environment: RowGroupEnvironment

  struct NoMemory: Error {}

  init(_ content: [UInt8], _ environment: RowGroupEnvironment) throws {
    self.environment = environment
    let guardByteCount = 4096
    let usable = (content.count + 4095) / 4096 * 4096
    guard
      let start = mmap(
        nil, usable + guardByteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      start != MAP_FAILED, mprotect(start + usable, guardByteCount, PROT_NONE) == 0
    else { throw NoMemory() }
    mapping = UnsafeMutableRawBufferPointer(start: start, count: usable + guardByteCount)
    // Row groups have a multiple of 16 bytes, so an intact one ends exactly where the guard begins.
    let offset = usable - (content.count + 15) / 16 * 16
    UnsafeMutableRawBufferPointer(rebasing: mapping[offset..<usable]).copyBytes(from: content)
    bytes = UnsafeRawBufferPointer(
      rebasing: UnsafeRawBufferPointer(mapping)[offset..<(offset + content.count)])
  }

  deinit {
    munmap(mapping.baseAddress, mapping.count)
  }
}

/// A view of an encoded row group that holds its bytes.
func open(
  _ bytes: [UInt8], store: (any ExternalStore)? = nil, cache: DecodedCache? = nil,
  page: PageIdentity = PageIdentity(block: 0, checksum: 0)
) throws -> RowGroupPage {
  let owner = try PageBytes(bytes, RowGroupEnvironment(cache: cache, store: store))
  return try RowGroupPage(owner.bytes, owner: owner, page: page, environment: owner.environment)
}

/// Whether two values are the same bit for bit.
func isSame(_ a: Value, _ b: Value) -> Bool {
  (try? encoded(a)) == (try? encoded(b))
}

func encoded(_ value: Value) throws -> [UInt8] {
  var bytes: [UInt8] = []
  try MixedCoding.append(value, to: &bytes)
  return bytes
}

extension ColumnLayout: CustomTestStringConvertible {
  /// Every layout a property can have.
  static let all: [ColumnLayout] = ValueType.allCases.flatMap { type in
    CollectionKind.allCases.flatMap { kind in
      [false, true].map {
        ColumnLayout(type, kind, isOptional: $0, linkTable: type == .link ? 3 : 0)
      }
    }
  }

  public var testDescription: String {
    "\(value)\(isOptional ? "?" : "") \(collection)"
  }

  /// What a row has that was never set.
  var defaultValue: Value {
    switch collection {
    case .list: return .list([])
    case .set: return .set([])
    case .map: return .map(ValueMap())
    case .none: break
    }
    if allowsNull { return .null }
    switch value {
    case .bool: return .bool(false)
    case .int: return .int(0)
    case .float: return .float(0)
    case .double: return .double(0)
    case .decimal: return .decimal(Decimal128(low: 0, high: 0))
    case .string: return .string("")
    case .data: return .data([])
    case .date: return Timestamp(seconds: 0, nanoseconds: 0).map(Value.date) ?? .null
    case .objectID: return .objectID(ObjectID(seconds: 0, random: 0, counter: 0))
    case .uuid: return .uuid(UniqueID(high: 0, low: 0))
    case .mixed: return .null
    case .link: return .link(ObjectLink(table: linkTable, key: 0))
    }
  }

  /// A value that a row of this layout can have.
  ///
  /// `spread` says how different the values are: 0 few and small, 1 many, 2 any, 3 also ones too
  /// large for a leaf.
  func random(_ spread: Int, _ random: inout SplitMix64) -> Value {
    let maximum = spread == 3 && random.below(150) == 0 ? 3000 : 5
    switch collection {
    case .none: return scalar(spread, &random)
    case .list:
      return .list((0..<random.below(maximum)).map { _ in element(spread, &random) })
    case .set:
      return .set((0..<random.below(maximum)).map { _ in element(spread, &random) })
    case .map:
      return .map(
        ValueMap(
          (0..<random.below(maximum)).map { _ in
            (key: "k\(random.below(maximum * 2))", value: element(spread, &random))
          }))
    }
  }

  private func element(_ spread: Int, _ random: inout SplitMix64) -> Value {
    scalar(spread, &random)
  }

  private func scalar(_ spread: Int, _ random: inout SplitMix64) -> Value {
    if allowsNull && random.below(5) == 0 { return .null }
    let any = spread >= 2
    let small = Int64(random.below(spread == 0 ? 3 : 1000))
    switch value {
    case .bool: return .bool(random.below(2) == 0)
    case .int: return .int(any ? Int64(bitPattern: random.next()) : small - 1)
    case .link:
      return .link(ObjectLink(table: linkTable, key: any ? random.next() : UInt64(small)))
    case .float:
      let pattern = UInt32(truncatingIfNeeded: random.next())
      return .float(any ? Float(bitPattern: pattern) : Float(small))
    case .double: return .double(any ? Double(bitPattern: random.next()) : Double(small) / 4)
    case .decimal:
      return .decimal(Decimal128(low: any ? random.next() : UInt64(small), high: 0x3040 << 48))
    case .string: return .string(text(spread, &random))
    case .data: return .data(Array(text(spread, &random).utf8))
    case .date:
      let seconds = any ? Int64(bitPattern: random.next()) : 1_600_000_000 + small
      let nanoseconds = Int32(spread == 0 ? 0 : random.below(1_000_000_000))
      let date = Timestamp(
        seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds)
      return date.map(Value.date) ?? .null
    case .objectID:
      return .objectID(
        ObjectID(seconds: 1_700_000_000, random: 77, counter: UInt32(truncatingIfNeeded: small)))
    case .uuid: return .uuid(UniqueID(high: any ? random.next() : 1, low: UInt64(small)))
    case .mixed:
      switch random.below(4) {
      case 0: return .int(small)
      case 1: return .string(text(spread, &random))
      case 2: return .list([.int(small), .null, .map(["a": .string(text(spread, &random))])])
      default: return .double(Double(small))
      }
    }
  }

  private func text(_ spread: Int, _ random: inout SplitMix64) -> String {
    switch spread {
    case 0: return ["", "Berlin", "Zürich"][random.below(3)]
    case 3 where random.below(150) == 0:
      return String(repeating: "\(random.below(1000)) ", count: 4000)
    default:
      return "user\(random.below(5000))" + String(repeating: "é", count: random.below(20))
    }
  }
}

/// A collection outside of its leaf, as a store in memory keeps it: under the number of its
/// reference.
final class MemoryList: OutsideList {
  let layout: ColumnLayout
  private let memory: MemoryStore
  private var contents: [Value]
  private var contentKeys: [String]
  private var stored: ExternalReference?

  init(_ memory: MemoryStore, _ layout: ColumnLayout) {
    self.memory = memory
    self.layout = layout
    contents = []
    contentKeys = []
  }

  init(_ memory: MemoryStore, _ layout: ColumnLayout, stored: ExternalValue) throws {
    self.memory = memory
    self.layout = layout
    self.stored = stored.reference
    let bytes = try memory.read(stored.reference)
    guard case .list(let both) = try MixedCoding.decode(bytes.span.bytes), both.count == 2,
      let keys = both[0].list, let elements = both[1].list
    else { throw MemoryStore.UnknownReference() }
    contents = elements
    contentKeys = keys.compactMap(\.string)
  }

  var count: Int { contents.count }
  func elements(_ range: Range<Int>) -> [Value] { Array(contents[range]) }
  func keys(_ range: Range<Int>) -> [String] { Array(contentKeys[range]) }

  func byteCount() throws -> Int {
    (contents + contentKeys.map { .string($0) }).reduce(0) {
      $0 + 20 + MixedCoding.byteCount(of: $1)
    }
  }

  func run(at index: Int) -> PartRun {
    let isMap = layout.collection == .map
    return PartRun(range: 0..<count) { [contents, contentKeys] in
      isMap ? .string(contentKeys[$0]) : contents[$0]
    }
  }

  func insert(_ element: Value, key: String?, at index: Int) {
    contents.insert(element, at: index)
    if let key { contentKeys.insert(key, at: index) }
  }

  func set(_ index: Int, _ element: Value) { contents[index] = element }

  func remove(at index: Int) {
    contents.remove(at: index)
    if layout.collection == .map { contentKeys.remove(at: index) }
  }

  func store() throws -> ExternalValue {
    if let stored { try memory.free(stored) }
    var bytes: [UInt8] = []
    let keys = contentKeys.map { Value.string($0) }
    try MixedCoding.append(.list([.list(keys), .list(contents)]), to: &bytes)
    let reference = try memory.write(bytes)
    stored = reference
    return ExternalValue(
      reference: reference, byteCount: UInt64(contents.count), prefix: layout.hasParts ? 1 : 0)
  }

  func removeAll() throws {
    if let stored { try memory.free(stored) }
    stored = nil
    contents = []
    contentKeys = []
  }
}

extension MemoryStore {
  func makeList(_ layout: ColumnLayout) -> any OutsideList { MemoryList(self, layout) }

  func openList(_ value: ExternalValue, _ layout: ColumnLayout) throws -> any OutsideList {
    try MemoryList(self, layout, stored: value)
  }

  func readList(_ value: ExternalValue, _ layout: ColumnLayout) throws -> any OutsideElements {
    try MemoryList(self, layout, stored: value)
  }
}
