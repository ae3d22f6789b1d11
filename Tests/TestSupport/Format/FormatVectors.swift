extension FormatReader {
  /// An integer vector at this place, which is part of bytes that begin at `start`.
  package mutating func integers(_ name: String) throws -> [Int64] {
    let encoding = try number(1, "\(name).encoding") { $0 == 0 ? "packed" : "arithmetic" }
    let width = try count(1, "\(name).width")
    try zeros(2)
    let count = try count(4, "\(name).count")
    let base = try signed("\(name).base")
    switch encoding {
    case 0:
      guard [0, 1, 2, 3, 4, 8].contains(width) else { throw FormatError("width \(width)") }
      guard width > 0, count > 0 else { return Array(repeating: base, count: count) }
      let packed = try raw(count * width, "\(name).packed") { bytes in
        let values = (0..<min(count, 8)).map { index in
          base &+ Int64(bitPattern: Self.littleEndian(bytes[width * index..<width * index + width]))
        }
        return values.map { "\($0)" }.joined(separator: ", ") + (count > 8 ? ", …" : "")
      }
      // Room for 16 bytes from the last value on.
      let byteCount = ((count - 1) * width + 16 + 15) & ~15
      try zeros(byteCount - count * width, "padding")
      return (0..<count).map {
        base &+ Int64(bitPattern: Self.littleEndian(packed[$0 * width..<$0 * width + width]))
      }
    case 1:
      guard width == 0 else { throw FormatError("an arithmetic sequence with a width") }
      let stride = try signed("\(name).stride")
      try zeros(8)
      return (0..<count).map { base &+ Int64($0) &* stride }
    default: throw FormatError("an unknown encoding of integers")
    }
  }

  package mutating func signed(_ name: String) throws -> Int64 {
    Int64(bitPattern: try number(8, name) { "\(Int64(bitPattern: $0))" })
  }

  package mutating func bits(_ name: String) throws -> [Bool] {
    let encoding = try number(1, "\(name).encoding") {
      $0 == 0 ? "all false" : $0 == 1 ? "all true" : "bitmap"
    }
    try zeros(3)
    let count = try count(4, "\(name).count")
    let trueCount = try self.count(4, "\(name).trueCount")
    try zeros(4)
    guard encoding == 2 else {
      guard encoding <= 1, trueCount == (encoding == 1 ? count : 0) else {
        throw FormatError("a vector of bits contradicts itself")
      }
      return Array(repeating: encoding == 1, count: count)
    }
    let start = byteOffset
    let words = try raw((count + 63) / 64 * 8, "\(name).bitmap")
    try padding(from: start)
    let bits = (0..<words.count * 8).map { words[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
    guard bits.count(where: { $0 }) == trueCount, !bits[count...].contains(true) else {
      throw FormatError("a bitmap has other bits than its count says")
    }
    return Array(bits.prefix(count))
  }

  /// A vector of values of `width` bytes.
  package mutating func fixed(_ name: String, width: Int) throws -> [[UInt8]] {
    let encoding = try number(1, "\(name).encoding") {
      $0 == 0 ? "raw" : $0 == 1 ? "constant" : "LZ4"
    }
    guard try count(1, "\(name).width") == width else { throw FormatError("another width") }
    try zeros(2)
    let count = try count(4, "\(name).count")
    let stored = try self.count(4, "\(name).storedByteCount")
    try zeros(4)
    let start = byteOffset
    let bytes = try raw(stored, "\(name).bytes")
    try padding(from: start)
    switch encoding {
    case 0: return (0..<count).map { Array(bytes[$0 * width..<$0 * width + width]) }
    case 1: return Array(repeating: bytes, count: count)
    case 2:
      let decoded = try secondLZ4(bytes, byteCount: count * width)
      return (0..<count).map { Array(decoded[$0 * width..<$0 * width + width]) }
    default: throw FormatError("an unknown encoding of fixed values")
    }
  }

  /// A vector of values of any length.
  package mutating func byteStrings(_ name: String) throws -> [[UInt8]] {
    let encoding = try number(1, "\(name).encoding") { $0 == 0 ? "plain" : "dictionary" }
    let flags = try number(1, "\(name).flags") { $0 == 0 ? "raw" : "LZ4" }
    try zeros(2)
    let count = try count(4, "\(name).count")
    let entryCount = try self.count(4, "\(name).entryCount")
    let byteCount = try self.count(4, "\(name).byteCount")
    let stored = try self.count(4, "\(name).storedByteCount")
    try zeros(12)
    guard encoding <= 1, flags <= 1, encoding == 1 || entryCount == count else {
      throw FormatError("a vector of bytes contradicts itself")
    }
    let codes = encoding == 1 ? try integers("\(name).codes") : (0..<Int64(count)).map { $0 }
    let lengths = try integers("\(name).lengths")
    let start = byteOffset
    var checkpoints: [Int] = []
    for index in 0..<(entryCount + 63) / 64 {
      checkpoints.append(try self.count(4, "\(name).checkpoints[\(index)]"))
    }
    try padding(from: start)
    let bytesStart = byteOffset
    var bytes = try raw(stored, "\(name).bytes") { flags == 1 ? "an LZ4 block" : printable($0) }
    try padding(from: bytesStart)
    if flags == 1 { bytes = try secondLZ4(bytes, byteCount: byteCount) }

    var entries: [[UInt8]] = []
    var end = 0
    for (index, length) in lengths.enumerated() {
      if index % 64 == 0, checkpoints[index / 64] != end {
        throw FormatError("a checkpoint is wrong")
      }
      guard length >= 0, Int(length) <= bytes.count - end else {
        throw FormatError("an entry leaves its bytes")
      }
      entries.append(Array(bytes[end..<end + Int(length)]))
      end += Int(length)
    }
    guard entries.count == entryCount, codes.count == count, end == byteCount else {
      throw FormatError("the lengths do not add up")
    }
    return try codes.map { code in
      guard entries.indices.contains(Int(code)) else { throw FormatError("a code without entry") }
      return entries[Int(code)]
    }
  }
}
