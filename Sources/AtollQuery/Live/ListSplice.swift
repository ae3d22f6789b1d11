internal import AtollObjects
internal import AtollStorage

/// A change of a list by a few of its elements: some leave, some come in, some are put elsewhere.
///
/// The others are the base: they keep their order. An element's rank is the number of elements of
/// the base before it. A window at the beginning of the list may be all that is seen.
///
/// - Complexity: O(n log n) in the elements that are named, and one for each that enters or leaves
///   the window; not in the length of the list.
struct ListSplice {
  /// An element that comes in, or is put elsewhere.
  struct Item {
    let key: ObjectKey
    /// Its rank in the new list.
    let rank: Int
    /// Its place in the old list; nil for one that comes in.
    let oldPlace: Int?
  }

  private let oldCount: Int
  /// How many elements of the list are seen.
  private let limit: Int
  /// The places in the old list of elements that leave it, ascending.
  private let removed: [Int]
  /// In the order of the new list.
  private let items: [Item]
  /// The places in the old list of all that leave it or are put elsewhere, ascending.
  private let taken: [Int]

  init(oldCount: Int, limit: Int?, removed: [Int], items: [Item]) {
    self.oldCount = oldCount
    self.limit = limit ?? .max
    self.removed = removed
    self.items = items
    taken = (removed + items.compactMap(\.oldPlace)).sorted()
  }

  /// The keys that come in, each with its place in the base.
  ///
  /// What comes in at one place does so in this order.
  var insertions: [(key: ObjectKey, place: Int)] { items.map { ($0.key, $0.rank) } }

  /// The place in the new list of an item.
  private func newPlace(_ item: Int) -> Int { items[item].rank + item }

  /// The rank in the old list of an element that was at one of the taken places.
  private func oldRank(_ takenNumber: Int) -> Int { taken[takenNumber] - takenNumber }

  /// The place in the old list of an element of the base.
  private func oldPlace(ofBase rank: Int) -> Int {
    rank + binarySearch(0..<taken.count) { oldRank($0) <= rank }
  }

  /// The place in the new list of an element of the base.
  private func newPlace(ofBase rank: Int) -> Int {
    rank + binarySearch(0..<items.count) { items[$0].rank <= rank }
  }

  /// What is different in the window.
  ///
  /// - Parameter modified: The places in the old list of elements that were changed; those that
  ///   leave the window, or move, do not count as modified.
  /// - Returns: The difference of what is seen before and after.
  func difference(modified: [Int]) -> ResultDifference {
    let oldEnd = min(limit, oldCount)
    let newEnd = min(limit, oldCount - taken.count + items.count)
    // The elements of the base that are seen are its first ones, before and after.
    let oldBase = oldEnd - binarySearch(0..<taken.count) { taken[$0] < oldEnd }
    let newBase = newEnd - binarySearch(0..<items.count) { newPlace($0) < newEnd }
    let staying = min(oldBase, newBase)

    var deletions = removed.filter { $0 < oldEnd }
    var insertions: [Int] = []
    var moving: [Int] = []
    for (index, item) in items.enumerated() {
      let isSeen = newPlace(index) < newEnd
      let wasSeen = item.oldPlace.map { $0 < oldEnd } ?? false
      if isSeen && wasSeen {
        moving.append(index)
      } else if isSeen {
        insertions.append(newPlace(index))
      } else if wasSeen, let place = item.oldPlace {
        deletions.append(place)
      }
    }
    for rank in staying..<max(staying, oldBase) { deletions.append(oldPlace(ofBase: rank)) }
    for rank in staying..<max(staying, newBase) { insertions.append(newPlace(ofBase: rank)) }
    addMoves(of: moving, staying, &deletions, &insertions)
    deletions.sort()
    insertions.sort()
    let deleted = Set(deletions)
    return ResultDifference(
      deletions: deletions, insertions: insertions,
      modifications: modified.filter { $0 < oldEnd && !deleted.contains($0) }.sorted())
  }

  /// Adds the elements that change their order, where `moving` are the items and `baseCount` is the
  /// number of elements of the base that are seen before and after.
  private func addMoves(
    of moving: [Int], _ baseCount: Int, _ deletions: inout [Int], _ insertions: inout [Int]
  ) {
    guard !moving.isEmpty else { return }
    // In the old order, with their ranks there.
    let moves = moving.compactMap { index in
      items[index].oldPlace.map { place in
        (item: index, oldRank: place - binarySearch(0..<taken.count) { taken[$0] < place })
      }
    }.sorted { (items[$0.item].oldPlace ?? 0) < (items[$1.item].oldPlace ?? 0) }
    // The base falls into parts where an item was, or comes.
    var cuts = Set(moves.flatMap { [$0.oldRank, items[$0.item].rank] })
    cuts.formUnion([0, baseCount])
    let bounds = cuts.filter { $0 <= baseCount }.sorted()

    enum Part {
      case item(Int)
      case base(Range<Int>)
    }
    var parts: [Part] = []
    var blocks: [StayingBlocks.Block] = []
    var next = moves[...]
    func takeItems(upTo rank: Int) {
      while let move = next.first, move.oldRank <= rank {
        next.removeFirst()
        parts.append(.item(move.item))
        blocks.append(
          StayingBlocks.Block(
            place: StayingBlocks.Place(rank: items[move.item].rank, number: move.item), count: 1))
      }
    }
    for (lower, upper) in zip(bounds, bounds.dropFirst()) {
      takeItems(upTo: lower)
      parts.append(.base(lower..<upper))
      blocks.append(
        StayingBlocks.Block(
          place: StayingBlocks.Place(rank: lower, number: .max), count: upper - lower))
    }
    takeItems(upTo: .max)
    for (part, isStaying) in zip(parts, StayingBlocks(blocks).isStaying) where !isStaying {
      switch part {
      case .item(let index):
        if let place = items[index].oldPlace { deletions.append(place) }
        insertions.append(newPlace(index))
      case .base(let ranks):
        for rank in ranks {
          deletions.append(oldPlace(ofBase: rank))
          insertions.append(newPlace(ofBase: rank))
        }
      }
    }
  }
}
