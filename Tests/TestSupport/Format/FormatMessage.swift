/// One frame of a message, decoded by the tables of Format.md, "Sync messages".
///
/// Enough of them for the dumps.
package struct FormatMessage {
  package let bytes: [UInt8]
  package var fields: [FormatField] { reader.fields }

  private var reader: FormatReader

  package init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    reader = FormatReader(bytes)
    let kind = try reader.number(1, "kind")
    try expectZero(reader.number(1, "more parts"))
    switch kind {
    case 1: try hello()
    case 2: try welcome()
    case 3: try schema()
    case 4: try sets()
    case 5: try push()
    case 6: try batch()
    case 7: try confirm()
    case 9: try error()
    case 132: try digests()
    default: throw FormatError("kind \(kind) has no dump")
    }
    guard reader.isAtEnd else { throw FormatError("bytes follow the message") }
  }

  private func expectZero(_ value: UInt64) throws {
    guard value == 0 else { throw FormatError("\(value) is not zero") }
  }

  // MARK: Messages

  private mutating func hello() throws {
    _ = try reader.varint("protocol version")
    try fixed("client")
    try optional("has token") { try $0.fixed("token") }
    try optional("has proof") { try $0.cursor("proof") }
    try optional("has cursor") { try $0.cursor("cursor") }
    _ = try reader.varint("answered")
    try optional("has sets") { message in
      _ = try message.reader.varint("number of the set")
      try message.members()
    }
    try optional("has bootstrap") { message in
      _ = try message.reader.varint("run")
      try message.data("position")
      try message.optional("has from") { try $0.cursor("from") }
    }
    try flag("progressive")
  }

  private mutating func welcome() throws {
    _ = try reader.varint("protocol version")
    try fixed("token")
    try flag("as new")
    _ = try reader.varint("pushed")
    try fixed("digest")
    try flag("wants the schema")
  }

  private mutating func schema() throws {
    try header()
    try array("classes") { message in
      try message.name("class")
      _ = try message.reader.number(1, "flags")
      try message.optional("has primary key") { try $0.name("primary key") }
      try message.array("properties") { message in
        try message.name("property")
        _ = try message.reader.number(1, "type")
        _ = try message.reader.number(1, "collection")
        _ = try message.reader.number(1, "flags")
        try message.optional("has target") { try $0.name("target") }
      }
    }
  }

  private mutating func sets() throws {
    try header()
    try members()
  }

  private mutating func push() throws {
    try header()
    try fixed("clock")
    try optional("has seen") { try $0.cursor("seen") }
    try array("operations") { try $0.operation() }
  }

  private mutating func batch() throws {
    try optional("has from") { try $0.cursor("from") }
    try optional("has to") { try $0.cursor("to") }
    _ = try reader.varint("read-at")
    _ = try reader.varint("read-time")
    try fixed("newest clock")
    _ = try reader.varint("number of the set")
    try optional("has run") { message in
      _ = try message.reader.varint("run")
      try message.data("position")
      try message.flag("restart")
      try message.optional("has remaining") { _ = try $0.reader.varint("objects that follow") }
    }
    try array("classes") { _ in throw FormatError("the dumps have no classes") }
    try array("objects") { try $0.object() }
    try array("answers") { message in
      _ = try message.reader.varint("number")
      try message.array("runs") { message in
        _ = try message.reader.varint("verdicts")
        let verdict = try message.reader.number(1, "verdict")
        if verdict < 2 { try message.optional("has generation") { try $0.cursor("generation") } }
      }
    }
  }

  private mutating func confirm() throws {
    try fixed("token")
    try optional("has cursor") { try $0.cursor("cursor") }
    _ = try reader.varint("answered")
  }

  private mutating func error() throws {
    _ = try reader.number(1, "class of action")
    _ = try reader.varint("code")
    try optional("has retry after") { _ = try $0.reader.varint("retry after") }
    try string("text")
    try array("refused members") { message in
      _ = try message.reader.varint("place")
      try message.string("reason")
    }
  }

  private mutating func digests() throws {
    _ = try reader.varint("number")
    try cursor("cursor")
    _ = try reader.varint("number of the set")
    try optional("has digests") { message in
      try message.array("digests") { message in
        _ = try message.reader.varint("objects")
        try message.fixed("hash")
      }
    }
  }

  // MARK: Parts

  private mutating func header() throws {
    _ = try reader.varint("number")
    try fixed("digest")
    try fixed("client of the first name")
    _ = try reader.varint("number of the first name")
  }

  private mutating func members() throws {
    try signed("version of the set")
    try array("members") { message in
      try message.name("class")
      try message.string("query")
    }
  }

  private mutating func operation() throws {
    let action = try reader.number(1, "action")
    try address()
    switch try reader.number(1, "generation") {
    case 0: break
    case 1: try cursor("confirmed")
    default:
      _ = try reader.varint("pending entry")
      _ = try reader.varint("operation")
    }
    guard action > 0 else { return }
    try name("property")
    switch action {
    case 2: break
    case 3:
      try elementID("element")
      try data("position")
    default: throw FormatError("the dumps have no operation \(action)")
    }
    try value()
  }

  private mutating func object() throws {
    try address()
    let change = try reader.number(1, "change") { ["leave", "full", "update"][Int($0)] }
    guard change > 0 else { return }
    if change == 1 { try cursor("generation") }
    try array("units") { message in
      try message.expectZero(message.reader.number(1, "unit"))
      try message.name("property")
      try message.value()
    }
  }

  private mutating func address() throws {
    let place = try reader.varint("address") { $0 == 0 ? "new" : "number \($0)" }
    guard place == 0 else { return }
    try name("class")
    try value()
  }

  private mutating func value() throws {
    let tag = try reader.number(1, "value")
    switch tag {
    case 0, 1, 2: break
    case 3: try signed("integer")
    case 6: _ = try reader.raw(16, "decimal128")
    case 7: try string("string")
    case 17:
      try elementID("incarnation")
      try array("fields") { message in
        try message.name("property")
        try message.value()
      }
    default: throw FormatError("the dumps have no value \(tag)")
    }
  }

  private mutating func elementID(_ name: String) throws {
    let place = try reader.varint(name) { $0 == 0 ? "new" : "entry name \($0)" }
    if place == 0 {
      try fixed("\(name), first part")
      _ = try reader.varint("\(name), version")
    }
    _ = try reader.varint("\(name), index")
  }

  private mutating func name(_ name: String) throws {
    let place = try reader.varint(name) { $0 == 0 ? "new" : "name \($0)" }
    if place == 0 { try string("name") }
  }

  private mutating func cursor(_ name: String) throws {
    try fixed("\(name), incarnation")
    _ = try reader.varint("\(name), version")
  }

  private mutating func fixed(_ name: String) throws {
    _ = try reader.number(8, name, hexadecimal)
  }

  private mutating func flag(_ name: String) throws { _ = try reader.number(1, name) }

  private mutating func signed(_ name: String) throws {
    _ = try reader.varint(name) { "\(Int64($0 >> 1) ^ -Int64($0 & 1))" }
  }

  private mutating func string(_ name: String) throws {
    let count = try reader.varint("bytes")
    _ = try reader.raw(Int(count), name, printable)
  }

  private mutating func data(_ name: String) throws {
    let count = try reader.varint("bytes")
    _ = try reader.raw(Int(count), name)
  }

  private mutating func optional(
    _ name: String, _ read: (inout FormatMessage) throws -> Void
  ) throws {
    if try reader.number(1, name) == 1 { try read(&self) }
  }

  private mutating func array(
    _ name: String, _ read: (inout FormatMessage) throws -> Void
  ) throws {
    for _ in 0..<(try reader.varint(name)) { try read(&self) }
  }
}
