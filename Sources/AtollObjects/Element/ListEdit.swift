/// How a list became another one, by the ids of its elements.
struct ListEdit {
  /// The old elements that are gone.
  private(set) var removed: [Int] = []
  /// For each new element the old one that it is; nil for an inserted one.
  private(set) var sources: [Int?]
  /// The new list's ids and positions.
  private(set) var elements: [ListElement] = []
  private(set) var insertedCount: UInt32 = 0
  let isChange: Bool

  /// `makeID`: an id that no element has had, by the number of the element that is inserted.
  init(
    _ old: [ListItem], _ oldElements: [ListElement], _ new: [ListItem],
    makeID: (UInt32) -> ElementID
  ) {
    sources = ListDifference.kept(old, new)
    Self.pairReplaced(&sources, oldCount: old.count)
    Self.loosenTies(&sources, oldElements)
    var isKept = [Bool](repeating: false, count: old.count)
    for source in sources { if let source { isKept[source] = true } }
    removed = isKept.indices.filter { !isKept[$0] }
    isChange =
      !removed.isEmpty
      || zip(sources, new).contains { source, item in
        source.map { old[$0].value != item.value } ?? true
      }
    guard isChange else { return }
    elements.reserveCapacity(new.count)
    var index = 0
    while index < new.count {
      if let source = sources[index] {
        elements.append(oldElements[source])
        index += 1
        continue
      }
      var end = index
      while end < new.count, sources[end] == nil { end += 1 }
      let next = end < new.count ? sources[end].map { oldElements[$0].position } : nil
      for position in ListPosition.between(elements.last?.position, next, count: end - index) {
        let id = makeID(insertedCount)
        elements.append(ListElement(id: id, position: position.marked(by: id.client)))
        insertedCount += 1
      }
      index = end
    }
  }

  /// One element in the place of one other is the same, with another value.
  private static func pairReplaced(_ sources: inout [Int?], oldCount: Int) {
    var previous = -1
    for index in sources.indices {
      if let source = sources[index] {
        previous = source
        continue
      }
      let isAlone =
        (index == 0 || sources[index - 1] != nil)
        && (index + 1 == sources.count || sources[index + 1] != nil)
      let next = index + 1 < sources.count ? sources[index + 1] ?? oldCount : oldCount
      guard isAlone, next - previous == 2 else { continue }
      sources[index] = previous + 1
      previous += 1
    }
  }

  /// Inserts again what follows an inserted element at one position: there is no place between.
  ///
  /// Devices mark their positions, so that this is for equal marks alone.
  private static func loosenTies(_ sources: inout [Int?], _ elements: [ListElement]) {
    var last: ListPosition?
    var isInserting = false
    for index in sources.indices {
      guard let source = sources[index] else {
        isInserting = true
        continue
      }
      if isInserting, let last, elements[source].position <= last {
        sources[index] = nil
        continue
      }
      last = elements[source].position
      isInserting = false
    }
  }
}
