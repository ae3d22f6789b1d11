internal import AtollObjects

/// Reads objects from JSON text, a chunk at a time, and knows the place of every value.
///
/// The text is either one array of objects or JSON lines (one object after another, each beginning
/// on a new line; a record may itself be spread over lines). The first character decides. The
/// grammar is RFC 8259 without exceptions, in UTF-8, after an optional byte order mark. Stricter
/// than the RFC: a name appears once in an object, by its bytes, a surrogate pair is complete, and
/// nesting is limited. Objects in a record whose first name begins with `$` are values in
/// `ExtendedJSON`, unless the reader is asked to take them as they are.
///
/// Memory follows the longest string and the current record. Cost: about 4 ns a byte for text
/// that is mostly short strings (240 MB/s, measured on 12 MB of city names in many scripts).
package struct JSONReader: RecordReader, ~Copyable {
  /// How many lists and objects may be open at once, the record being the first.
  ///
  /// A dump of mixed values has about twice as many as they nest.
  static let depthLimit = 256

  var window: ByteWindow
  /// Unescaped bytes of the string being read; kept for its capacity.
  var unescaped: [UInt8] = []
  private var state = State.beforeFirstRecord
  private let isPlain: Bool

  private enum State {
    case beforeFirstRecord, inLines, inArray, finished
  }

  /// `isPlain`: whether objects with names such as `$oid` are taken as they are.
  package init(_ source: any ByteSource, isPlain: Bool = false, chunkByteCount: Int = 1 << 18) {
    window = ByteWindow(source, chunkByteCount: chunkByteCount)
    self.isPlain = isPlain
  }

  package var byteOffset: Int { window.byteOffset }

  package mutating func next() throws(ImportError) -> DataRecord? {
    switch state {
    case .beforeFirstRecord: try firstRecord()
    case .inLines: try nextLine()
    case .inArray: try nextInArray()
    case .finished: nil
    }
  }

  /// Reads one value that is the whole text, as in an argument of a command.
  package mutating func onlyValue() throws(ImportError) -> DataValue {
    try skipWhitespace()
    let value = try value(depth: 1)
    try expectEndOfData()
    return value
  }

  // MARK: Records

  private mutating func firstRecord() throws(ImportError) -> DataRecord? {
    try window.skipByteOrderMark()
    try skipWhitespace()
    switch try window.peek() {
    case nil:
      state = .finished
      return nil
    case UInt8(ascii: "{"):
      state = .inLines
      return try record()
    case UInt8(ascii: "["):
      state = .inArray
      window.cursor += 1
      try skipWhitespace()
      switch try window.peek() {
      case UInt8(ascii: "]"): return try endOfArray()
      case UInt8(ascii: "{"): return try record()
      default: throw try window.unexpected(.recordOrEndOfArray)
      }
    default:
      throw try window.unexpected(.records)
    }
  }

  private mutating func nextLine() throws(ImportError) -> DataRecord? {
    let line = window.line
    try skipWhitespace()
    guard let byte = try window.peek() else {
      state = .finished
      return nil
    }
    guard window.line > line else { throw try window.unexpected(.endOfLine) }
    guard byte == UInt8(ascii: "{") else { throw try window.unexpected(.record) }
    return try record()
  }

  private mutating func nextInArray() throws(ImportError) -> DataRecord? {
    try skipWhitespace()
    switch try window.peek() {
    case UInt8(ascii: "]"):
      return try endOfArray()
    case UInt8(ascii: ","):
      let comma = window.position
      window.cursor += 1
      try skipWhitespace()
      switch try window.peek() {
      case UInt8(ascii: "{"): return try record()
      case UInt8(ascii: "]"): throw .data(.trailingComma, at: comma)
      default: throw try window.unexpected(.record)
      }
    default:
      throw try window.unexpected(.commaOrEndOfList)
    }
  }

  private mutating func endOfArray() throws(ImportError) -> DataRecord? {
    window.cursor += 1
    try expectEndOfData()
    state = .finished
    return nil
  }

  private mutating func expectEndOfData() throws(ImportError) {
    try skipWhitespace()
    guard try window.peek() == nil else { throw try window.unexpected(.endOfData) }
  }

  private mutating func record() throws(ImportError) -> DataRecord {
    let position = window.position
    return DataRecord(fields: try fields(depth: 1, areNames: true), position: position)
  }

  // MARK: Values

  /// Reads a value whose first byte, which is not white space, is at the cursor.
  private mutating func value(depth: Int) throws(ImportError) -> DataValue {
    guard let byte = try window.peek() else { throw try window.unexpected(.value) }
    return switch byte {
    case UInt8(ascii: "\""): .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    case UInt8(ascii: "["): .list(try elements(depth: depth))
    case UInt8(ascii: "{"): try object(depth: depth)
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): try word()
    default: throw try window.unexpected(.value)
    }
  }

  /// Reads an object that is a value; the cursor is at its brace.
  ///
  /// `isMarked`: whether it stands behind `$object`, so that its own names mean nothing.
  private mutating func object(
    depth: Int, isMarked: Bool = false
  ) throws(ImportError) -> DataValue {
    let position = window.position
    let fields = try fields(depth: depth, areNames: isMarked)
    guard !isPlain, !isMarked, let extended = ExtendedJSON(fields) else { return .object(fields) }
    return try extended.value(at: position)
  }

  /// Reads an object; the cursor is at its brace.
  ///
  /// `areNames`: whether a name is nothing but a name, also where it is `$object`.
  private mutating func fields(depth: Int, areNames: Bool) throws(ImportError) -> [DataField] {
    guard depth <= Self.depthLimit else {
      throw .data(.tooDeep(limit: Self.depthLimit), at: window.position)
    }
    window.cursor += 1
    var names = NameSet()
    var fields: [DataField] = []
    try skipWhitespace()
    if try window.peek() == UInt8(ascii: "}") {
      window.cursor += 1
      return fields
    }
    while true {
      guard try window.peek() == UInt8(ascii: "\"") else {
        throw try window.unexpected(fields.isEmpty ? .nameOrEndOfObject : .name)
      }
      let namePosition = window.position
      let name = try string()
      guard names.insert(name, among: fields) else {
        throw .data(.duplicateName(name), at: namePosition)
      }
      try skipWhitespace()
      guard try window.peek() == UInt8(ascii: ":") else { throw try window.unexpected(.colon) }
      window.cursor += 1
      try skipWhitespace()
      let position = window.position
      let isMark = !areNames && fields.isEmpty && name == ExtendedJSON.objectMark
      let next = try window.peek()
      let isMarked = isMark && next == UInt8(ascii: "{")
      let value =
        if isMarked {
          try object(depth: depth + 1, isMarked: true)
        } else {
          try value(depth: depth + 1)
        }
      fields.append(DataField(name: name, value: value, position: position))
      guard try continues(to: UInt8(ascii: "}"), else: .commaOrEndOfObject) else { return fields }
    }
  }

  /// Reads a list; the cursor is at its bracket.
  private mutating func elements(depth: Int) throws(ImportError) -> [DataElement] {
    guard depth <= Self.depthLimit else {
      throw .data(.tooDeep(limit: Self.depthLimit), at: window.position)
    }
    window.cursor += 1
    var elements: [DataElement] = []
    try skipWhitespace()
    switch try window.peek() {
    case UInt8(ascii: "]"):
      window.cursor += 1
      return elements
    case nil: throw try window.unexpected(.valueOrEndOfList)
    default: break
    }
    while true {
      let position = window.position
      elements.append(DataElement(value: try value(depth: depth + 1), position: position))
      guard try continues(to: UInt8(ascii: "]"), else: .commaOrEndOfList) else { return elements }
    }
  }

  /// Passes over the comma and to the next element, or over `end`.
  ///
  /// - Returns: whether another element follows.
  private mutating func continues(
    to end: UInt8, else expectation: DataProblem.Expectation
  ) throws(ImportError) -> Bool {
    try skipWhitespace()
    let byte = try window.peek()
    if byte == end {
      window.cursor += 1
      return false
    }
    guard byte == UInt8(ascii: ",") else { throw try window.unexpected(expectation) }
    let comma = window.position
    window.cursor += 1
    try skipWhitespace()
    guard try window.peek() != end else { throw .data(.trailingComma, at: comma) }
    return true
  }

  /// Reads `true`, `false` or `null`; the cursor is at a letter.
  private mutating func word() throws(ImportError) -> DataValue {
    let position = window.position
    var letters: [UInt8] = []
    while letters.count < 24, let byte = try window.peek(), isLetterOrDigit(byte) {
      letters.append(byte)
      window.cursor += 1
    }
    let word = String(decoding: letters, as: UTF8.self)
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default: throw .data(.unknownWord(word), at: position)
    }
  }

  private mutating func skipWhitespace() throws(ImportError) {
    while let byte = try window.peek() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        window.cursor += 1
      case UInt8(ascii: "\n"):
        window.cursor += 1
        window.startLine()
      default:
        return
      }
    }
  }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default:
    false
  }
}

/// The names of an object so far, told apart by their bytes; a hash set only when they are many.
private struct NameSet {
  private static let linearLimit = 16
  private var names: Set<ExactText> = []

  /// - Returns: false when one of `fields` has the name already.
  mutating func insert(_ name: String, among fields: [DataField]) -> Bool {
    guard fields.count >= Self.linearLimit else {
      return !fields.contains { $0.name.hasSameBytes(as: name) }
    }
    if names.isEmpty { for field in fields { names.insert(ExactText(field.name)) } }
    return names.insert(ExactText(name)).inserted
  }
}
