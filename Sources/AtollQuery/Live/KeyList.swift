package import AtollObjects
internal import AtollStorage

/// Keys of objects in an order, in chunks: one insertion moves the keys of its chunk only.
///
/// A list that was never changed is one chunk, as fast as an array.
///
/// Invariant: no chunk is empty; `ends` has for each the number of keys up to its end.
package struct KeyList: RandomAccessCollection, Sendable {
  /// Longer chunks are split.
  private static let chunkLimit = 1 << 10

  private var chunks: [[ObjectKey]]
  private var ends: [Int]

  /// Takes over keys as one chunk.
  package init(_ keys: [ObjectKey] = []) {
    chunks = keys.isEmpty ? [] : [keys]
    ends = keys.isEmpty ? [] : [keys.count]
  }

  /// Takes over keys for a list that will change.
  init(chunking keys: [ObjectKey]) {
    self.init(keys)
    rebuild()
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { ends.last ?? 0 }

  package subscript(index: Int) -> ObjectKey {
    if chunks.count == 1 { return chunks[0][index] }
    precondition(index >= 0 && index < endIndex, "a place in the list")
    let chunk = self.chunk(of: index)
    return chunks[chunk][index - start(chunk)]
  }

  /// The keys as an array.
  package var array: [ObjectKey] {
    if chunks.count <= 1 { return chunks.first ?? [] }
    var keys: [ObjectKey] = []
    keys.reserveCapacity(count)
    for chunk in chunks { keys += chunk }
    return keys
  }

  package static func == (a: Self, b: Self) -> Bool { a.elementsEqual(b) }

  /// The number of keys before a chunk.
  private func start(_ chunk: Int) -> Int { chunk == 0 ? 0 : ends[chunk - 1] }

  private func chunk(of index: Int) -> Int {
    binarySearch(0..<ends.count) { ends[$0] <= index }
  }

  /// Finds the first key for which a test fails that holds for all keys before it.
  ///
  /// The first keys of chunks are tested before others, so the same few mostly.
  ///
  /// - Returns: Its place; the number of keys if there is none.
  /// - Complexity: O(log n) tests.
  func partitioningIndex<Failure: Error>(
    _ isBefore: (ObjectKey) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    let next = try binarySearch(0..<chunks.count) { index throws(Failure) in
      try isBefore(chunks[index][0])
    }
    guard next > 0 else { return 0 }
    let chunk = chunks[next - 1]
    let place = try binarySearch(1..<chunk.count) { index throws(Failure) in
      try isBefore(chunk[index])
    }
    return start(next - 1) + place
  }

  // MARK: Changes

  /// Removes the keys at places, which ascend.
  ///
  /// - Complexity: A chunk for each place, and the number of chunks.
  mutating func remove(at places: [Int]) {
    guard !places.isEmpty else { return }
    // From the end on, so that the places before stay.
    for place in places.reversed() {
      let chunk = self.chunk(of: place)
      chunks[chunk].remove(at: place - start(chunk))
    }
    rebuild()
  }

  /// Inserts keys, each before the key that is now at its place; the places ascend.
  ///
  /// - Complexity: A chunk for each key, and the number of chunks.
  mutating func insert(_ keys: [(key: ObjectKey, place: Int)]) {
    guard !keys.isEmpty else { return }
    if chunks.isEmpty {
      self = KeyList(chunking: keys.map(\.key))
      return
    }
    for (key, place) in keys.reversed() {
      let chunk = Swift.min(self.chunk(of: place), chunks.count - 1)
      chunks[chunk].insert(key, at: place - start(chunk))
    }
    rebuild()
  }

  /// Keeps the first keys only.
  mutating func keepFirst(_ limit: Int) {
    guard limit < count else { return }
    self = KeyList(chunking: Array(array.prefix(limit)))
  }

  /// Restores the invariant, and splits chunks that are too long.
  private mutating func rebuild() {
    if chunks.contains(where: { $0.isEmpty || $0.count > Self.chunkLimit }) {
      chunks = chunks.flatMap { chunk -> [[ObjectKey]] in
        guard chunk.count > Self.chunkLimit else { return chunk.isEmpty ? [] : [chunk] }
        // Half full, so that there is room.
        let length = Self.chunkLimit / 2
        return stride(from: 0, to: chunk.count, by: length).map {
          Array(chunk[$0..<Swift.min($0 + length, chunk.count)])
        }
      }
    }
    var end = 0
    ends.removeAll(keepingCapacity: true)
    for chunk in chunks {
      end += chunk.count
      ends.append(end)
    }
  }
}

extension KeyList: Equatable {}
