package import AtollObjects

// What is kept for each object: images, pending operations, generations.

extension Capture {
  // MARK: Images

  package func images(of object: ObjectAddress) throws(ObjectError) -> ObjectImages {
    try images(CaptureKey.object(object))
  }

  func images(_ object: [UInt8]) throws(ObjectError) -> ObjectImages {
    var result = try ownImages(object)
    guard !images.isEmpty else { return result }
    let prefix = CaptureKey.elementImages(object)
    try images.visit(prefix: prefix) { key, bytes throws(ObjectError) in
      guard let (name, rest) = CaptureKey.name(key[prefix.count...]),
        let id = CaptureKey.elementID(rest)
      else { throw ObjectError.damagedRecord }
      result.units[.element(property: name, id)] = try Self.unitValue(bytes)
      return true
    }
    let parts = CaptureKey.partImages(object)
    try images.visit(prefix: parts) { key, bytes throws(ObjectError) in
      guard let (name, _) = CaptureKey.name(key[parts.count...]) else {
        throw ObjectError.damagedRecord
      }
      let (part, image) = try Self.partImage(bytes)
      result.units[.entry(property: name, part)] = .some(image)
      return true
    }
    return result
  }

  /// The images of an object's existence and properties.
  func ownImages(_ object: [UInt8]) throws(ObjectError) -> ObjectImages {
    guard !images.isEmpty, let own = try images.get(CaptureKey.ownImages(object)) else {
      return ObjectImages()
    }
    return try Self.decode { () throws(ValueCodingError) in try Self.ownImages(own) }
  }

  /// The image of an element, an entry or a member; `.some(nil)` when it was absent, nil when it has
  /// none.
  func partImage(_ object: [UInt8], _ path: UnitPath) throws(ObjectError) -> UnitValue?? {
    guard !images.isEmpty else { return nil }
    switch path {
    case .existence, .property: return nil
    case .element(let name, let id):
      guard let bytes = try images.get(CaptureKey.elementImage(object, name, id)) else {
        return nil
      }
      return .some(try Self.unitValue(bytes))
    case .entry(let name, let part):
      guard let bytes = try images.get(CaptureKey.partImage(object, name, part)) else { return nil }
      return .some(try Self.partImage(bytes).1)
    }
  }

  /// Replaces all images of an object.
  package func setImages(_ new: ObjectImages, of object: ObjectAddress) throws(ObjectError) {
    let key = CaptureKey.object(object)
    try setImages(new, replacing: try images(key), key)
  }

  func setImages(_ new: ObjectImages, replacing old: ObjectImages, _ object: [UInt8])
    throws(ObjectError)
  {
    var isOwnChanged = new.existence != old.existence
    for path in old.units.keys where new.units[path] == nil {
      switch path {
      case .existence, .property: isOwnChanged = true
      case .element(let name, let id):
        try images.set(nil, for: CaptureKey.elementImage(object, name, id))
      case .entry(let name, let part):
        try images.set(nil, for: CaptureKey.partImage(object, name, part))
      }
    }
    for (path, image) in new.units where old.units[path] != .some(image) {
      switch path {
      case .existence, .property: isOwnChanged = true
      case .element(let name, let id):
        try images.set(Self.bytes(image), for: CaptureKey.elementImage(object, name, id))
      case .entry(let name, let part):
        try images.set(
          Self.bytes(image, ofPart: part), for: CaptureKey.partImage(object, name, part))
      }
    }
    guard isOwnChanged else { return }
    try images.set(Self.ownBytes(new), for: CaptureKey.ownImages(object))
  }

  /// Nil when there is nothing but elements and parts.
  private static func ownBytes(_ images: ObjectImages) -> [UInt8]? {
    var own: [(name: String, image: UnitValue?)] = []
    for (path, image) in images.units {
      if case .property(let name) = path { own.append((name, image)) }
    }
    guard images.existence != nil || !own.isEmpty else { return nil }
    own.sort { Ordering(utf8: $0.name, $1.name) == .less }
    var writer = RecordedWriter()
    writer.append(byte: images.existence.map { $0 ? 2 : 1 } ?? 0)
    writer.append(varint: UInt64(own.count))
    for (name, image) in own {
      writer.append(name: name)
      writer.append(image)
    }
    return writer.bytes
  }

  static func ownImages(_ bytes: [UInt8]) throws(ValueCodingError) -> ObjectImages {
    var images = ObjectImages()
    var reader = RecordedReader(bytes)
    switch try reader.readByte() {
    case 0: break
    case 1: images.existence = false
    case 2: images.existence = true
    case let tag: throw .unknownTag(tag, byteOffset: 0)
    }
    for _ in 0..<(try reader.readCount()) {
      let name = try reader.readName()
      images.units[.property(name)] = .some(try reader.readUnitValue())
    }
    try reader.finish()
    return images
  }

  private static func bytes(_ value: UnitValue?) -> [UInt8] {
    var writer = RecordedWriter()
    writer.append(value)
    return writer.bytes
  }

  /// The part itself, of which its key may have a digest only, and the image.
  private static func bytes(_ value: UnitValue?, ofPart part: RecordedValue) -> [UInt8] {
    var writer = RecordedWriter()
    writer.append(part)
    writer.append(value)
    return writer.bytes
  }

  static func partImage(_ bytes: [UInt8]) throws(ObjectError) -> (RecordedValue, UnitValue?) {
    try decode { () throws(ValueCodingError) in
      var reader = RecordedReader(bytes)
      let part = try reader.readValue()
      let value = try reader.readUnitValue()
      try reader.finish()
      return (part, value)
    }
  }

  static func unitValue(_ bytes: [UInt8]) throws(ObjectError) -> UnitValue? {
    try decode { () throws(ValueCodingError) in
      var reader = RecordedReader(bytes)
      let value = try reader.readUnitValue()
      try reader.finish()
      return value
    }
  }

  /// Whether a pending operation inserted an element.
  func isInserted(_ id: ElementID, _ property: String, _ object: [UInt8]) throws(ObjectError)
    -> Bool
  {
    switch try partImage(object, .element(property: property, id)) {
    case .some(nil): true
    default: false
    }
  }

  /// Whether any unit has an image.
  package var hasImages: Bool { !images.isEmpty }

  // MARK: Pending operations

  /// Where the pending operations on an object and its units are, in order.
  package func pending(of object: ObjectAddress) throws(ObjectError) -> [PendingOperations] {
    var result: [PendingOperations] = []
    guard !touched.isEmpty else { return result }
    let prefix = CaptureKey.object(object)
    try touched.visit(prefix: prefix) { key, bytes throws(ObjectError) in
      result.append(try Self.pending(key[prefix.count...], bytes))
      return true
    }
    return result
  }

  static func pending(_ rest: ArraySlice<UInt8>, _ bytes: [UInt8]) throws(ObjectError)
    -> PendingOperations
  {
    guard rest.count == 8 else { throw ObjectError.damagedRecord }
    return try decode { () throws(ValueCodingError) in
      var reader = RecordedReader(bytes)
      let first = try reader.readUInt32()
      let count = try reader.readUInt32()
      try reader.finish()
      return PendingOperations(
        number: CaptureKey.bigEndian(rest), first: first, count: count)
    }
  }

  /// Says where an entry's operations on an object are; nil: it has none any more.
  package func setPending(
    _ pending: PendingOperations?, of object: ObjectAddress, number: UInt64
  ) throws(ObjectError) {
    var writer = RecordedWriter()
    if let pending {
      writer.append(varint: UInt64(pending.first))
      writer.append(varint: UInt64(pending.count))
    }
    try touched.set(
      pending == nil ? nil : writer.bytes, for: Self.touchedKey(object, number))
  }

  // MARK: Generations

  package func generations(of object: ObjectAddress) throws(ObjectError) -> ObjectGenerations {
    guard let bytes = try generations.get(CaptureKey.object(object)) else {
      return ObjectGenerations(confirmed: nil, head: nil)
    }
    return try Self.decode { () throws(ValueCodingError) in
      try ObjectGenerations(decoding: bytes)
    }
  }

  /// Says which lives of an object are in head and confirmed; in neither: forgets it.
  ///
  /// A local key that `value` does not say stays.
  package func setGenerations(_ value: ObjectGenerations, of object: ObjectAddress)
    throws(ObjectError)
  {
    var value = value
    if value.localKey == nil { value.localKey = try generations(of: object).localKey }
    try generations.set(value.isEmpty ? nil : value.encoded, for: CaptureKey.object(object))
  }
}
