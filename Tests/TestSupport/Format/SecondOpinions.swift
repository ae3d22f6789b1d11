/// XXH64 with seed 0, from the specification, byte by byte and apart from the library's.
package func secondXXH64(_ bytes: some Collection<UInt8>) -> UInt64 {
  let input = Array(bytes)
  let primes: [UInt64] = [
    11_400_714_785_074_694_791, 14_029_467_366_897_019_727, 1_609_587_929_392_839_161,
    9_650_029_242_287_828_579, 2_870_177_450_012_600_261,
  ]
  func rotated(_ value: UInt64, _ bits: Int) -> UInt64 { value << bits | value >> (64 - bits) }
  func word(_ offset: Int, _ byteCount: Int) -> UInt64 {
    (0..<byteCount).reduce(0) { $0 | UInt64(input[offset + $1]) << UInt64(8 * $1) }
  }
  func round(_ accumulator: UInt64, _ lane: UInt64) -> UInt64 {
    rotated(accumulator &+ lane &* primes[1], 31) &* primes[0]
  }
  var offset = 0
  var hash = primes[4]
  if input.count >= 32 {
    var lanes = [primes[0] &+ primes[1], primes[1], 0, 0 &- primes[0]]
    while offset + 32 <= input.count {
      for lane in 0..<4 { lanes[lane] = round(lanes[lane], word(offset + 8 * lane, 8)) }
      offset += 32
    }
    hash = zip(lanes, [1, 7, 12, 18]).reduce(0) { $0 &+ rotated($1.0, $1.1) }
    for lane in lanes { hash = (hash ^ round(0, lane)) &* primes[0] &+ primes[3] }
  }
  hash &+= UInt64(input.count)
  while offset + 8 <= input.count {
    hash = rotated(hash ^ round(0, word(offset, 8)), 27) &* primes[0] &+ primes[3]
    offset += 8
  }
  if offset + 4 <= input.count {
    hash = rotated(hash ^ word(offset, 4) &* primes[0], 23) &* primes[1] &+ primes[2]
    offset += 4
  }
  while offset < input.count {
    hash = rotated(hash ^ UInt64(input[offset]) &* primes[4], 11) &* primes[0]
    offset += 1
  }
  hash = (hash ^ hash >> 33) &* primes[1]
  hash = (hash ^ hash >> 29) &* primes[2]
  return hash ^ hash >> 32
}

/// Decompresses one LZ4 block, from the description of the block format, without liblz4.
///
/// - Throws: `FormatError` when the block ends early or refers to bytes before its beginning.
package func secondLZ4(_ block: [UInt8], byteCount: Int) throws -> [UInt8] {
  var output: [UInt8] = []
  output.reserveCapacity(byteCount)
  var offset = 0
  func next() throws -> Int {
    guard offset < block.count else { throw FormatError("the LZ4 block ends early") }
    offset += 1
    return Int(block[offset - 1])
  }
  func length(_ nibble: Int) throws -> Int {
    var length = nibble
    guard nibble == 15 else { return length }
    while true {
      let more = try next()
      length += more
      if more < 255 { return length }
    }
  }
  while offset < block.count {
    let token = try next()
    let literalCount = try length(token >> 4)
    guard literalCount <= block.count - offset else {
      throw FormatError("the literals of the LZ4 block end early")
    }
    output += block[offset..<offset + literalCount]
    offset += literalCount
    if offset == block.count { break }
    let distance = try next() | (try next()) << 8
    guard distance > 0, distance <= output.count else {
      throw FormatError("a match of the LZ4 block begins before the output")
    }
    for _ in 0..<(try length(token & 15)) + 4 { output.append(output[output.count - distance]) }
  }
  guard output.count == byteCount else {
    throw FormatError("the LZ4 block gives \(output.count) bytes, not \(byteCount)")
  }
  return output
}
