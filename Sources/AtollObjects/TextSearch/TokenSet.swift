/// The tokens of a text, each once, in the order of their bytes.
package struct TokenSet {
  /// The tokens, one behind the other as they came.
  private var bytes: [UInt8] = []
  /// Where each token lies in `bytes`; sorted by the tokens.
  private var places: [Range<Int>] = []

  package init(_ text: Span<UInt8>) {
    var bytes: [UInt8] = []
    var places: [Range<Int>] = []
    Tokenizer.forEachToken(in: text) { token in
      let start = bytes.count
      for index in token.indices { bytes.append(token[index]) }
      places.append(start..<bytes.count)
    }
    places.sort { Self.order(bytes.span.extracting($0), bytes.span.extracting($1)) == .less }
    var count = 0
    for place in places {
      if count > 0,
        Self.order(bytes.span.extracting(places[count - 1]), bytes.span.extracting(place)) == .equal
      {
        continue
      }
      places[count] = place
      count += 1
    }
    places.removeLast(places.count - count)
    (self.bytes, self.places) = (bytes, places)
  }

  package init(_ text: String) { self.init(text.utf8.span) }

  package var count: Int { places.count }

  /// The token at `index` of the order.
  package func token(_ index: Int) -> [UInt8] { Array(bytes[places[index]]) }

  /// Whether there is this token, or one that begins with it.
  package func contains(_ token: [UInt8], isPrefix: Bool) -> Bool {
    places.contains { place in
      isPrefix ? bytes[place].starts(with: token) : bytes[place].elementsEqual(token)
    }
  }

  /// Calls `removed` with each token that only `self` has, and `added` with those that only `new`
  /// has.
  func forEachDifference<Failure: Error>(
    to new: TokenSet, removed: (Span<UInt8>) throws(Failure) -> Void,
    added: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    var (i, j) = (0, 0)
    while i < places.count || j < new.places.count {
      var order = i < places.count ? Ordering.less : .greater
      if i < places.count, j < new.places.count {
        order = Self.order(
          bytes.span.extracting(places[i]), new.bytes.span.extracting(new.places[j]))
      }
      if order == .less { try removed(bytes.span.extracting(places[i])) }
      if order == .greater { try added(new.bytes.span.extracting(new.places[j])) }
      if order != .greater { i += 1 }
      if order != .less { j += 1 }
    }
  }

  private static func order(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Ordering {
    for index in 0..<min(a.count, b.count) where a[index] != b[index] {
      return a[index] < b[index] ? .less : .greater
    }
    return a.count == b.count ? .equal : a.count < b.count ? .less : .greater
  }
}
