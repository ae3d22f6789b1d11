package import AtollCapture
package import AtollObjects

extension Batch {
  func write(to writer: inout RecordedWriter) {
    writer.append(from)
    writer.append(to)
    writer.append(varint: readAt)
    writer.append(varint: readTime)
    writer.append(fixed: newestClock.rawValue)
    writer.append(varint: setNumber)
    writer.append(run) { writer, run in
      writer.append(varint: run.number)
      writer.append(bytes: run.position)
      writer.append(flag: run.isRestart)
      writer.append(run.remainingCount) { $0.append(varint: $1) }
    }
    writer.append(classes) { $0.append($1) }
    writer.append(objects) { $0.append($1) }
    writer.append(answers) { $0.append($1) }
  }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    from = try reader.readOptionalCursor()
    to = try reader.readOptionalCursor()
    readAt = try reader.readVarint()
    readTime = try reader.readVarint()
    newestClock = HybridClock(rawValue: try reader.readFixed())
    setNumber = try reader.readVarint()
    run = try reader.readOptional { reader throws(ValueCodingError) in
      let number = try reader.readVarint()
      let position = try reader.readBytes()
      // A device keeps it in a small record, which it writes with every batch.
      guard position.count <= BatchRun.positionByteLimit else {
        throw .invalidContents(byteOffset: reader.byteOffset)
      }
      let isRestart = try reader.readFlag()
      let remainingCount = try reader.readOptional { reader throws(ValueCodingError) in
        try reader.readVarint()
      }
      return BatchRun(
        number: number, position: position, isRestart: isRestart, remainingCount: remainingCount)
    }
    // Only a part of a catch-up may be followed by more.
    guard to != nil || run != nil else { throw .invalidContents(byteOffset: reader.byteOffset) }
    classes = try reader.readArray { reader throws(ValueCodingError) in
      try reader.readClassSchema()
    }
    objects = try reader.readArray { reader throws(ValueCodingError) in
      try reader.readObjectChange()
    }
    answers = try reader.readArray { reader throws(ValueCodingError) in try reader.readAnswer() }
  }
}

private enum ChangeTag: UInt8 {
  case leave = 0
  case full = 1
  case update = 2
}

private enum UnitTag: UInt8 {
  case value = 0
  case element = 1
  case removedElement = 2
  case entry = 3
  case member = 4
  case removedEntry = 5
}

extension RecordedWriter {
  package mutating func append(_ change: ObjectChange) {
    append(change.object)
    switch change.change {
    case .leave: append(byte: ChangeTag.leave.rawValue)
    case .full(let generation, let units):
      append(byte: ChangeTag.full.rawValue)
      append(generation)
      append(units) { $0.append($1) }
    case .update(let units):
      append(byte: ChangeTag.update.rawValue)
      append(units) { $0.append($1) }
    }
  }

  private mutating func append(_ unit: UnitChange) {
    switch (unit.path, unit.value) {
    case (.property(let property), .value(let value)?):
      append(byte: UnitTag.value.rawValue)
      append(name: property)
      append(value)
    case (.element(let property, let id), .element(let position, let value)?):
      append(byte: UnitTag.element.rawValue)
      append(name: property)
      append(id)
      append(position)
      append(value)
    case (.element(let property, let id), nil):
      append(byte: UnitTag.removedElement.rawValue)
      append(name: property)
      append(id)
    case (.entry(let property, let key), .value(let value)?):
      append(byte: UnitTag.entry.rawValue)
      append(name: property)
      append(key)
      append(value)
    case (.entry(let property, let key), .exists?):
      append(byte: UnitTag.member.rawValue)
      append(name: property)
      append(key)
    case (.entry(let property, let key), nil):
      append(byte: UnitTag.removedEntry.rawValue)
      append(name: property)
      append(key)
    default:
      preconditionFailure("a unit below existence holds a value of its own form")
    }
  }
}

extension RecordedReader {
  package mutating func readObjectChange() throws(ValueCodingError) -> ObjectChange {
    let object = try readAddress()
    let byte = try readByte()
    switch ChangeTag(rawValue: byte) {
    case .leave: return ObjectChange(object, .leave)
    case .full:
      let generation = try readCursor()
      return ObjectChange(object, .full(generation: generation, try readUnitChanges()))
    case .update: return ObjectChange(object, .update(try readUnitChanges()))
    case nil: throw .unknownTag(byte, byteOffset: byteOffset - 1)
    }
  }

  private mutating func readUnitChanges() throws(ValueCodingError) -> [UnitChange] {
    try readArray { reader throws(ValueCodingError) in try reader.readUnitChange() }
  }

  private mutating func readUnitChange() throws(ValueCodingError) -> UnitChange {
    let byte = try readByte()
    guard let tag = UnitTag(rawValue: byte) else {
      throw .unknownTag(byte, byteOffset: byteOffset - 1)
    }
    let property = try readName()
    switch tag {
    case .value: return UnitChange(.property(property), .value(try readValue()))
    case .element:
      let id = try readElementID()
      let position = try readPosition()
      return UnitChange(.element(property: property, id), .element(position, try readValue()))
    case .removedElement:
      return UnitChange(.element(property: property, try readElementID()), nil)
    case .entry:
      let key = try readMapKey()
      return UnitChange(.entry(property: property, key), .value(try readValue()))
    case .member: return UnitChange(.entry(property: property, try readValue()), .exists)
    case .removedEntry: return UnitChange(.entry(property: property, try readValue()), nil)
    }
  }
}
