internal import AtollCapture
internal import AtollObjects

extension RecordedWriter {
  mutating func append<Element>(
    _ elements: [Element], _ write: (inout RecordedWriter, Element) -> Void
  ) {
    append(varint: UInt64(elements.count))
    for element in elements { write(&self, element) }
  }

  mutating func append<Element>(
    _ element: Element?, _ write: (inout RecordedWriter, Element) -> Void
  ) {
    append(flag: element != nil)
    if let element { write(&self, element) }
  }
}

extension RecordedReader {
  /// Elements take a byte or more each, so that memory stays a small multiple of the bytes.
  mutating func readArray<Element>(
    _ read: (inout RecordedReader) throws(ValueCodingError) -> Element
  ) throws(ValueCodingError) -> [Element] {
    let count = try readCount()
    var elements: [Element] = []
    elements.reserveCapacity(min(count, 1024))
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }

  mutating func readOptional<Element>(
    _ read: (inout RecordedReader) throws(ValueCodingError) -> Element
  ) throws(ValueCodingError) -> Element? {
    try readFlag() ? try read(&self) : nil
  }
}
