// Model classes may be `Codable`: each property is coded as its value.

extension Persisted: Decodable where Value: Decodable {
  public init(from decoder: any Decoder) throws {
    // Through a container, so that the decoder's ways with dates and data apply.
    self.init(value: try decoder.singleValueContainer().decode(Value.self), traits: [])
  }
}

extension Persisted: Encodable where Value: Encodable {
  /// Encodes the value of an unmanaged object.
  ///
  /// - Throws: `EncodingError` when there is none: the property was never set, or the object is
  ///   managed and the realm has its values.
  public func encode(to encoder: any Encoder) throws {
    guard let value else {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription:
            "the property has no value of its own: it was never set, or its object is managed by a "
            + "realm; encode an unmanaged copy"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a property that may be nil: a key that is missing, or null, means nil.
  public func decode<Value: Decodable & _PersistableInsideOptional>(
    _ type: Persisted<Value?>.Type, forKey key: Key
  ) throws -> Persisted<Value?> {
    Persisted(value: try decodeIfPresent(Value.self, forKey: key), traits: [])
  }
}

/// Runs `body`; there are no autorelease pools without Objective-C.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}
