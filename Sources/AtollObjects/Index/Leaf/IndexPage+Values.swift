import AtollStorage

extension IndexPage {
  /// Puts the values of a leaf together one after the other.
  struct ValueCursor: ~Copyable {
    private let values: Values
    private let valueCount: Int
    /// For the error of values that cannot be put together, which is made when it is thrown.
    private let block: UInt64
    private var cursor: SortedBytes.EntryCursor?
    private var index: Int
    private var contents = GrowableBytes()
    private var terminatorByteCount = 0

    /// Stands before the first value.
    init(_ page: IndexPage) { self.init(page, before: 0) }

    /// Stands before value `index`.
    init(_ page: IndexPage, before index: Int) {
      values = page.values
      valueCount = page.valueCount
      block = page.page.reference.block
      self.index = index
      if case .bytes(let sorted) = values {
        cursor = SortedBytes.EntryCursor(sorted, at: index & ~(SortedBytes.restartInterval - 1))
        terminatorByteCount = sorted.terminatorByteCount
      }
    }

    /// Moves to the next value; false behind the last.
    mutating func next() throws(StorageError) -> Bool {
      guard index < valueCount else { return false }
      switch values {
      case .integers(let integers):
        contents.removeAll()
        IndexInteger.append(integers[index], to: &contents)
      case .bytes:
        contents.truncate(to: max(contents.count - terminatorByteCount, 0))
        repeat {
          guard cursor?.next(into: &contents) == true else {
            throw .corrupted(block: block, .vector(.indexValues, .lengthsDoNotAddUp))
          }
        } while (cursor?.index ?? 0) <= index
        contents.appendZeros(terminatorByteCount)
        guard contents.count <= IndexPage.valueByteLimit else {
          throw .corrupted(block: block, .vector(.indexValues, .lengthsDoNotAddUp))
        }
      }
      index += 1
      return true
    }

    /// The value, terminator included; valid until `next`.
    // SAFETY: the cursor owns the bytes: they are a copy, not the page's. Only `next` changes them.
    var bytes: UnsafeRawBufferPointer { unsafe contents.bytes }
  }
}
