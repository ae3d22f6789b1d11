/// How two runs of bytes compare: by their first difference, else by their counts; below, equal to
/// or above 0.
@inline(__always)
func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let common = min(left.count, right.count)
  if common > 0, let a = left.baseAddress, let b = right.baseAddress {
    var i = 0
    // SAFETY: each load ends at or before `common`, inside both runs.
    while i + 8 <= common {
      let x = unsafe a.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      let y = unsafe b.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      if x != y { return x.byteSwapped < y.byteSwapped ? -1 : 1 }
      i &+= 8
    }
    while i < common {
      let x = unsafe a.load(fromByteOffset: i, as: UInt8.self)
      let y = unsafe b.load(fromByteOffset: i, as: UInt8.self)
      if x != y { return x < y ? -1 : 1 }
      i &+= 1
    }
  }
  return left.count - right.count
}

/// A hash of bytes for a table that lives for one call: quick, and the same in every process.
@inline(__always)
func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
  var state = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
  guard let start = bytes.baseAddress else { return state }
  var i = 0
  // SAFETY: each load ends at or before `bytes.count`.
  while i + 8 <= bytes.count {
    let word = unsafe start.loadUnaligned(fromByteOffset: i, as: UInt64.self)
    state = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
    state ^= state &>> 32
    i &+= 8
  }
  var tail: UInt64 = 0
  while i < bytes.count {
    tail = tail &<< 8 | UInt64(unsafe start.load(fromByteOffset: i, as: UInt8.self))
    i &+= 1
  }
  state = (state ^ tail) &* 0xD6E8_FEB8_6659_FD93
  return state ^ (state &>> 32)
}

/// The first eight bytes as a number that orders like the bytes; zeros stand for bytes that are not
/// there.
@inline(__always)
func orderedPrefix(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
  if bytes.count >= 8, let start = bytes.baseAddress {
    // SAFETY: eight bytes exist.
    return unsafe start.loadUnaligned(as: UInt64.self).byteSwapped
  }
  var prefix: UInt64 = 0
  for i in 0..<8 {
    prefix = prefix &<< 8
    if i < bytes.count { prefix |= UInt64(unsafe bytes[i]) }
  }
  return prefix
}
