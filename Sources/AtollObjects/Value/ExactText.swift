/// A text as a key of sets and dictionaries: it is told apart from others by its bytes.
///
/// Swift's `String` takes canonically equivalent texts for one, such as é in one scalar and in two.
/// Names of classes and properties, keys of maps and columns of data are two then.
public struct ExactText: Hashable, Sendable {
  /// The text as it was given.
  public let text: String

  /// Makes a key of a text.
  public init(_ text: String) { self.text = text }

  public static func == (a: ExactText, b: ExactText) -> Bool { a.text.hasSameBytes(as: b.text) }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { bytes in
      // SAFETY: the bytes are read during the call.
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
  }
}

extension ExactText: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text) }
}

extension ExactText: CustomStringConvertible {
  public var description: String { text }
}

extension String {
  /// Whether the other text has the same bytes in UTF-8; `==` is true of equivalent ones too.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && Ordering(utf8: self, other) == .equal
  }
}
