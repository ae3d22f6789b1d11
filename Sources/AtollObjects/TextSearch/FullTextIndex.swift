internal import AtollStorage

// A full-text index is an index whose values are tokens: one entry for each distinct token of an
// object's text, under the key of the token as a string.

extension MutableIndex {
  /// Lists an object under the tokens of its text, where it had no text before.
  func insertTokens(of text: Span<UInt8>, key: UInt64) throws(StorageError) {
    try Tokenizer.forEachToken(in: text) { token throws(StorageError) in
      try insert(token, key: key)
    }
  }

  /// Changes the entries of an object as its text changes; `.null` is no text.
  ///
  /// Tokens that stay cost nothing in the index.
  func replaceTokens(of old: Value, with new: Value, key: UInt64) throws(StorageError) {
    let before = if case .string(let text) = old { text } else { "" }
    let after = if case .string(let text) = new { text } else { "" }
    if before.isEmpty { return try insertTokens(of: after.utf8.span, key: key) }
    try TokenSet(before).forEachDifference(
      to: TokenSet(after),
      removed: { token throws(StorageError) in
        // SAFETY: the bytes do not leave the closure: the index copies them.
        try unsafe token.bytes.withUnsafeBytes { bytes throws(StorageError) in
          try unsafe removeString(bytes, key: key)
        }
      },
      added: { token throws(StorageError) in try insert(token, key: key) })
  }

  private func insert(_ token: Span<UInt8>, key: UInt64) throws(StorageError) {
    // SAFETY: the bytes do not leave the closure: the index copies them.
    try unsafe token.bytes.withUnsafeBytes { bytes throws(StorageError) in
      try unsafe insertString(bytes, key: key)
    }
  }
}

extension Index {
  /// The entries of one token.
  package static func range(ofToken token: [UInt8]) -> IndexRange {
    var bytes = prefix(ofToken: token)
    bytes += [0, 0]
    return .equal(to: bytes)
  }

  /// The entries of the tokens that begin with `token`.
  package static func range(ofTokensWithPrefix token: [UInt8]) -> IndexRange {
    IndexRange(prefix: prefix(ofToken: token))
  }

  private static func prefix(ofToken token: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    OrderedKey.appendPrefix(ofString: String(decoding: token, as: UTF8.self), to: &bytes)
    return bytes
  }
}
