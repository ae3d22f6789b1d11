internal import AtollStorage

extension IndexLayer {
  /// Calls `body` with each value in `range` and its keys, which ascend.
  ///
  /// A value whose entries lie in several leaves comes once for each, its keys going on from where
  /// they ended; so it does in descending order too.
  ///
  /// `body`: gets bytes and keys that are valid during the call, and returns whether to go
  /// on.
  /// Cost: a pass over the leaves; no allocation for a value or an entry.
  func forEachGroup(
    _ range: IndexRange, order: IndexOrder = .ascending,
    _ body: (_ value: ByteView, _ keys: Span<UInt64>) throws -> Bool
  ) throws {
    switch order {
    case .ascending:
      var keys: [UInt64] = []
      var walk = try IndexWalk(self, range)
      while let step = try walk.next() {
        guard try Self.forEachGroup(step, &keys, body) else { return }
      }
    case .descending:
      try forEachGroupDescending(range, body)
    }
  }

  private static func forEachGroup(
    _ step: IndexWalk.Step, _ keys: inout [UInt64],
    _ body: (_ value: ByteView, _ keys: Span<UInt64>) throws -> Bool
  ) throws -> Bool {
    let page = step.page
    keys.removeAll(keepingCapacity: true)
    page.appendKeys(step.entries, to: &keys)
    var cursor = IndexPage.ValueCursor(page, before: step.values.lowerBound)
    var start = 0
    for index in step.values {
      guard try cursor.next() else { throw page.malformedValues }
      let count = try page.keyCount(ofValue: index)
      guard count > 0 else { continue }
      guard count <= keys.count - start else { throw page.malformedCounts }
      // SAFETY: the cursor owns the bytes, and only `next` changes them: not before `body` returns.
      let value = unsafe ByteView(cursor.bytes)
      guard try body(value, keys.span.extracting(start..<start + count)) else { return false }
      start += count
    }
    return true
  }

  /// Goes backwards over the ordinals of the range, leaf by leaf.
  private func forEachGroupDescending(
    _ range: IndexRange, _ body: (_ value: ByteView, _ keys: Span<UInt64>) throws -> Bool
  ) throws {
    let first = try rank(range.lower)
    // The entries still to be visited: those with ordinals below `end`, whose values lie below
    // `upper`.
    var upper = range.upper
    var end = entryCount
    if let upper { end = min(try rank(upper), end) }
    var keys: [UInt64] = []
    var value = GrowableBytes()
    while end > first {
      guard let found = try tree.leafPage(atOrdinal: UInt64(end - 1)) else { return }
      let page = try IndexPage(found.page)
      let leafStart = Int(clamping: found.firstOrdinal)
      guard end - leafStart <= page.entryCount else {
        throw StorageError.corrupted(
          block: found.page.reference.block, .structure(.wrongEntryCount))
      }
      keys.removeAll(keepingCapacity: true)
      page.appendKeys(0..<end - leafStart, to: &keys)
      var index = try page.values(in: IndexRange(lower: [], upper: upper)).upperBound
      while index > 0, end > max(first, leafStart) {
        index -= 1
        let count = try page.keyCount(ofValue: index)
        guard count > 0 else { continue }
        guard count <= end - leafStart else { throw page.malformedCounts }
        try page.readValue(index, into: &value)
        end -= count
        if end == leafStart, leafStart > first {
          // The value may have entries in the leaves before: they come first.
          // SAFETY: `value` owns the bytes, here and below; they change only when the next value is
          // read, after `body` returned. Here they are copied.
          let bytes = unsafe [UInt8](value.bytes)
          end = try rank(bytes)
          guard end <= leafStart else { throw page.malformedCounts }
          upper = bytes
          guard try forEachGroup(equalTo: bytes, body) else { return }
        } else {
          let start = end - leafStart
          let bytes = unsafe ByteView(value.bytes)
          guard try body(bytes, keys.span.extracting(start..<start + count)) else { return }
        }
      }
      // Unless the counts of the leaf do not add up to what its parent says.
      guard end <= max(first, leafStart) else { throw page.malformedCounts }
    }
  }

  /// Visits all entries of one value from left to right.
  private func forEachGroup(
    equalTo value: [UInt8], _ body: (_ value: ByteView, _ keys: Span<UInt64>) throws -> Bool
  ) throws -> Bool {
    var isGoingOn = true
    try forEachGroup(.equal(to: value)) { value, keys in
      isGoingOn = try body(value, keys)
      return isGoingOn
    }
    return isGoingOn
  }
}
