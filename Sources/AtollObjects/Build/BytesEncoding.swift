/// The last step of encoding bytes: the layout that `BytesVector` describes.
enum BytesEncoding {
  /// Bytes below this count are not compressed: a small vector is read more often than it is worth.
  static let leastCompressedByteCount = 256

  /// Writes a vector of `rowCount` rows.
  ///
  /// `codes` are the entry of each row, nil when entries are rows; `lengths` belong to the entries,
  /// which lie one behind the other in `bytes`.
  static func write(
    rowCount: Int, codes: IntBuilder?, lengths: IntBuilder, bytes: UnsafeRawBufferPointer,
    into out: inout GrowableBytes
  ) {
    let start = out.count
    out.append(codes == nil ? 0 as UInt8 : 1)
    out.append(UInt8(0))
    out.append(UInt16(0))
    out.append(UInt32(rowCount))
    out.append(UInt32(lengths.count))
    out.append(UInt32(bytes.count))
    out.append(UInt32(bytes.count))
    out.appendZeros(12)
    codes?.encode(into: &out)
    lengths.encode(into: &out)

    var offset: UInt32 = 0
    for entry in 0..<lengths.count {
      if entry % BytesVector.entriesPerCheckpoint == 0 { out.append(offset) }
      offset += UInt32(lengths[entry])
    }
    out.align()

    // SAFETY: the caller's bytes are valid during the call and lie in another memory than `out`: in
    // the arena of a builder, or in an array.
    if bytes.count >= leastCompressedByteCount, let stored = unsafe out.appendCompressed(bytes) {
      out.replace(at: start + 1, with: UInt8(1))
      out.replace(at: start + 16, with: UInt32(stored))
    } else {
      unsafe out.append(bytes)
    }
    out.align()
  }
}

/// The distinct values of a column, sorted by their bytes, and the value of each row.
struct DictionaryEncoding {
  private var codes = IntBuilder()
  private var lengths = IntBuilder()
  private var bytes = [UInt8]()

  /// Fewer rows are not worth a dictionary.
  private static let leastRowCount = 8

  /// Nil when a dictionary would not be smaller than the values themselves, or when more than half
  /// of them are distinct; that is found out after a pass over about half of them.
  init?(of builder: borrowing BytesBuilder) {
    let rowCount = builder.count
    guard rowCount >= Self.leastRowCount, builder.externals.isEmpty else { return nil }
    let limit = rowCount / 2
    var tableCount = 16
    while tableCount < limit * 2 + 2 { tableCount *= 2 }
    var table = [Int32](repeating: -1, count: tableCount)
    // The first row of each distinct value, in the order of their first rows; and each row's value.
    var firstRows: [Int] = []
    var rowValues: [Int32] = []
    rowValues.reserveCapacity(rowCount)
    var distinctByteCount = 0
    for row in 0..<rowCount {
      // SAFETY: the builder is borrowed, so the bytes of its rows, here and below, stay where they
      // are; `bytes` checks the row and where its value lies in the arena.
      let bytes = unsafe builder.bytes(row)
      var place = unsafe Int(truncatingIfNeeded: hash(bytes)) & (tableCount - 1)
      while true {
        let candidate = Int(table[place])
        if candidate < 0 {
          guard firstRows.count < limit else { return nil }
          table[place] = Int32(firstRows.count)
          rowValues.append(Int32(firstRows.count))
          firstRows.append(row)
          distinctByteCount += bytes.count
          break
        }
        if unsafe compare(builder.bytes(firstRows[candidate]), bytes) == 0 {
          rowValues.append(Int32(candidate))
          break
        }
        place = (place + 1) & (tableCount - 1)
      }
    }
    let codeByteCount = rowCount * IntBuilder.width(UInt64(firstRows.count - 1))
    guard
      codeByteCount + firstRows.count + distinctByteCount + 32
        < rowCount + builder.liveByteCount
    else { return nil }

    var order = firstRows.indices.map { value in
      (prefix: unsafe orderedPrefix(builder.bytes(firstRows[value])), value: value)
    }
    Self.sort(&order, firstRows: firstRows, of: builder)
    var sortedCodes = [Int64](repeating: 0, count: firstRows.count)
    bytes.reserveCapacity(distinctByteCount)
    for (code, (_, value)) in order.enumerated() {
      sortedCodes[value] = Int64(code)
      let entry = unsafe builder.bytes(firstRows[value])
      lengths.append(Int64(entry.count))
      unsafe bytes.append(contentsOf: entry)
    }
    for value in rowValues { codes.append(sortedCodes[Int(value)]) }
  }

  /// Sorts by the bytes, most pairs by their prefixes alone.
  private static func sort(
    _ order: inout [(prefix: UInt64, value: Int)], firstRows: [Int],
    of builder: borrowing BytesBuilder
  ) {
    order.sort { $0.prefix < $1.prefix }
    // Runs of one prefix are few and short; an insertion sort of the whole touches only those.
    for i in order.indices.dropFirst() {
      var j = i
      while j > 0, order[j - 1].prefix == order[j].prefix,
        // SAFETY: as in the initialiser.
        unsafe compare(
          builder.bytes(firstRows[order[j - 1].value]), builder.bytes(firstRows[order[j].value]))
          > 0
      {
        order.swapAt(j - 1, j)
        j -= 1
      }
    }
  }

  func encode(into out: inout GrowableBytes) {
    // SAFETY: the bytes do not leave the closure, and `out` is another memory.
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe BytesEncoding.write(
        rowCount: codes.count, codes: codes, lengths: lengths, bytes: bytes, into: &out)
    }
  }
}
