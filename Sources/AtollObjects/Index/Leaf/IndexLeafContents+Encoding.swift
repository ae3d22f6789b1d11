import AtollStorage

extension IndexLeafContents {
  /// The payload of the leaf's page; `IndexPage` describes it.
  ///
  /// - Throws: `.valueTooLarge` for a pair that occurs more often than a leaf can say.
  func encode() throws(StorageError) -> [UInt8] {
    guard entryCount <= IndexPage.entryLimit else {
      throw .valueTooLarge(byteCount: entryCount * 8, limit: IndexPage.entryLimit * 8)
    }
    var out = GrowableBytes()
    var counts = IntBuilder()
    out.appendZeros(IndexPage.headerByteCount)
    let valueCount: Int
    if measure.isDense {
      valueCount = encodeDense(into: &out, counts: &counts)
    } else {
      valueCount = self.valueCount
      if measure.form == .integers { encodeIntegers(into: &out) } else { encodeBytes(into: &out) }
      for index in 0..<valueCount { counts.append(Int64(entries(ofValue: index).count)) }
    }
    let valuesByteCount = out.count - IndexPage.headerByteCount
    out.align()
    out.replace(at: 0, with: UInt32(valueCount))
    out.replace(at: 4, with: UInt32(entryCount))
    out.replace(at: 8, with: UInt32(measure.form.rawValue))
    out.replace(at: 12, with: UInt32(out.count))
    out.replace(at: 20, with: UInt32(valuesByteCount))
    counts.encode(into: &out)
    out.align()
    out.replace(at: 16, with: UInt32(out.count))
    var keyVector = IntBuilder()
    // SAFETY: the contents do not change here, and only keys below their count are read. The bytes
    // of `out` are copied.
    let keyCount = unsafe keys.count
    for index in 0..<keyCount { keyVector.append(unsafe keys[index]) }
    keyVector.encode(into: &out)
    return unsafe [UInt8](out.bytes)
  }

  private func encodeIntegers(into out: inout GrowableBytes) {
    var integers = IntBuilder()
    for index in 0..<valueCount { integers.append(integer(index)) }
    integers.encode(into: &out)
  }

  /// Writes all integers from the first to the last; returns how many there are.
  private func encodeDense(into out: inout GrowableBytes, counts: inout IntBuilder) -> Int {
    var integers = IntBuilder()
    var next = measure.firstInteger
    for index in 0..<valueCount {
      let integer = integer(index)
      while next < integer {
        integers.append(next)
        counts.append(0)
        next += 1
      }
      integers.append(integer)
      counts.append(Int64(entries(ofValue: index).count))
      next = integer &+ 1
    }
    integers.encode(into: &out)
    return integers.count
  }

  private func encodeBytes(into out: inout GrowableBytes) {
    let terminatorByteCount = measure.form.terminatorByteCount
    let prefixByteCount = measure.prefixByteCount
    let start = out.count
    let restartCount = SortedBytes.restartCount(valueCount)
    out.append(UInt32(prefixByteCount))
    out.append(UInt32(0))
    out.appendZeros(4 * restartCount)
    // SAFETY: the contents do not change here, and `out` is another memory. Every value is at least
    // as long as the terminator that its form leaves out. The measure has seen each value: its
    // prefix is no longer than any of them without the terminator. `common` is at most `byteCount`,
    // and that at most the count of the value. So each slice lies in its value.
    unsafe out.append(UnsafeRawBufferPointer(rebasing: value(0)[..<prefixByteCount]))
    let entriesStart = out.count
    var lastByteCount = 0
    for index in 0..<valueCount {
      let value = unsafe value(index)
      let byteCount = value.count - terminatorByteCount
      if index % SortedBytes.restartInterval == 0 {
        let restart = index / SortedBytes.restartInterval
        out.replace(
          at: start + SortedBytes.headerByteCount + 4 * restart,
          with: UInt32(out.count - entriesStart))
        Self.appendVarint(byteCount - prefixByteCount, to: &out)
        unsafe out.append(UnsafeRawBufferPointer(rebasing: value[prefixByteCount..<byteCount]))
      } else {
        let common = min(sharedByteCount(index), byteCount, lastByteCount)
        let dropped = lastByteCount - common
        let added = byteCount - common
        out.append(UInt8(min(dropped, 15)) | UInt8(min(added, 15)) << 4)
        if dropped >= 15 { Self.appendVarint(dropped - 15, to: &out) }
        if added >= 15 { Self.appendVarint(added - 15, to: &out) }
        unsafe out.append(UnsafeRawBufferPointer(rebasing: value[common..<byteCount]))
      }
      lastByteCount = byteCount
    }
    out.replace(at: start + 4, with: UInt32(out.count - entriesStart))
  }

  private static func appendVarint(_ value: Int, to out: inout GrowableBytes) {
    var rest = value
    while rest >= 0x80 {
      out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    out.append(UInt8(rest))
  }
}
