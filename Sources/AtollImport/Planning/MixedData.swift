import AtollObjects

/// Lists and objects that become mixed values, and what lies in them.
enum MixedData {
  /// Makes the value of a link: of its class, its key, and its place.
  typealias LinkMaker = (String, DataValue, SourcePosition) throws(ImportError) -> Value

  /// The value.
  ///
  /// `depth`: in how many collections it is, the property's own included.
  ///
  /// - Throws: `.integerOutOfRange` and `.doubleOutOfRange` for numbers that it could only hold as
  ///   others, `.tooDeep`; what `link` throws.
  static func value(
    _ value: DataValue, at position: SourcePosition, depth: Int, link: LinkMaker
  ) throws(ImportError) -> Value {
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(value)
    case .double(let value, _): return .double(value)
    case .string(let text), .text(let text): return .string(text)
    case .typed(let value): return value
    case .longInt(let digits): throw .data(.integerOutOfRange(digits), at: position)
    case .longDouble(let digits): throw .data(.doubleOutOfRange(digits), at: position)
    case .link(let className, let key): return try link(className, key, position)
    case .list(let elements):
      try checkDepth(depth, at: position)
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for element in elements {
        values.append(
          try self.value(element.value, at: element.position, depth: depth + 1, link: link))
      }
      return .list(values)
    case .object(let fields):
      try checkDepth(depth, at: position)
      var pairs: [(key: String, value: Value)] = []
      pairs.reserveCapacity(fields.count)
      for field in fields {
        pairs.append(
          (
            field.name,
            try self.value(field.value, at: field.position, depth: depth + 1, link: link)
          ))
      }
      return .map(ValueMap(pairs))
    }
  }

  /// Refuses a value as `value` does; links belong in dumps only.
  static func check(
    _ value: DataValue, at position: SourcePosition, depth: Int
  ) throws(ImportError) {
    switch value {
    case .longInt(let digits): throw .data(.integerOutOfRange(digits), at: position)
    case .longDouble(let digits): throw .data(.doubleOutOfRange(digits), at: position)
    case .link: throw .data(.linkOutsideOfDump, at: position)
    case .list(let elements):
      try checkDepth(depth, at: position)
      for element in elements {
        try check(element.value, at: element.position, depth: depth + 1)
      }
    case .object(let fields):
      try checkDepth(depth, at: position)
      for field in fields { try check(field.value, at: field.position, depth: depth + 1) }
    default: break
    }
  }

  private static func checkDepth(_ depth: Int, at position: SourcePosition) throws(ImportError) {
    guard depth < MixedCoding.nestingLimit else {
      throw .data(.tooDeep(limit: MixedCoding.nestingLimit), at: position)
    }
  }

  /// The links in a value, in the order in which `value` makes them.
  static func links(in value: DataValue) -> [(className: String, key: DataValue)] {
    switch value {
    case .link(let className, let key): [(className, key)]
    case .list(let elements): elements.flatMap { links(in: $0.value) }
    case .object(let fields): fields.flatMap { links(in: $0.value) }
    default: []
    }
  }
}
