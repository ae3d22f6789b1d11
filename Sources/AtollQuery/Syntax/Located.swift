extension QuerySyntax {
  /// A piece of a query and the bytes it was read from.
  ///
  /// The range is a note for error messages, no part of the value: two pieces are equal when their
  /// values are, wherever they stood.
  public struct Located<Value: Hashable & Sendable>: Hashable, Sendable {
    /// What was read.
    public var value: Value

    /// UTF-8 byte offsets into the query; `0..<0` when the piece was not read from text.
    public var range: Range<Int>

    /// Makes a piece that was read from the bytes of a range, by default from no text.
    public init(_ value: Value, range: Range<Int> = 0..<0) {
      self.value = value
      self.range = range
    }

    public static func == (left: Self, right: Self) -> Bool { left.value == right.value }

    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
  }
}
