/// How a list became another one, by the ids of its elements.
struct ListEdit {
  /// The old elements that are gone.
  private(set) var removed: [Int] = []
  /// For each new element the old one that it is; nil for an inserted one.
  private(set) var sources: [Int?]
  /// Whether each new element that is an old one has another position.
  private(set) var isMoved: [Bool]
  /// The new list's ids and positions.
  private(set) var elements: [ListElement] = []
  private(set) var insertedCount: UInt32 = 0
  let isChange: Bool

  /// Compares two lists.
  ///
  /// `trace`: where elements were moved, as far as that was told. `makeID`: an id that no element
  /// has had, by the number of the element that is inserted.
  init(
    _ old: [ListItem], _ oldElements: [ListElement], _ new: [ListItem], _ trace: ListTrace?,
    makeID: (UInt32) -> ElementID
  ) {
    if var trace {
      trace.advance(to: new)
      sources = trace.sources
      isMoved = sources.map { $0.map(trace.moved.contains) ?? false }
      Self.leaveInPlace(&isMoved, sources, oldElements)
    } else {
      sources = Self.sources(old, new)
      isMoved = Array(repeating: false, count: new.count)
    }
    Self.loosenTies(&isMoved, sources, oldElements)
    var isKept = [Bool](repeating: false, count: old.count)
    for source in sources { if let source { isKept[source] = true } }
    removed = isKept.indices.filter { !isKept[$0] }
    isChange =
      !removed.isEmpty || isMoved.contains(true)
      || zip(sources, new).contains { source, item in
        source.map { old[$0].value != item.value } ?? true
      }
    guard isChange else { return }
    if place(oldElements, makeID) { return }
    shorten(oldElements)
    _ = place(oldElements, makeID)
  }

  /// Gives positions to what is new or moved, between those of the elements that keep their places.
  ///
  /// - Returns: Whether all that were made are short enough.
  private mutating func place(
    _ oldElements: [ListElement], _ makeID: (UInt32) -> ElementID
  ) -> Bool {
    var fits = true
    elements = []
    insertedCount = 0
    let count = sources.count
    elements.reserveCapacity(count)
    /// The old element that keeps its place.
    func stays(_ index: Int) -> Int? { isMoved[index] ? nil : sources[index] }
    var index = 0
    while index < count {
      if let source = stays(index) {
        elements.append(oldElements[source])
        index += 1
        continue
      }
      var end = index
      while end < count, stays(end) == nil { end += 1 }
      let next = end < count ? stays(end).map { oldElements[$0].position } : nil
      let positions = ListPosition.between(elements.last?.position, next, count: end - index)
      for (place, position) in zip(index..<end, positions) {
        let fresh = makeID(insertedCount)
        let element: ListElement
        if let source = sources[place] {
          element = ListElement(
            id: oldElements[source].id, position: position.marked(by: fresh.client))
        } else {
          element = ListElement(id: fresh, position: position.marked(by: fresh.client))
          insertedCount += 1
        }
        if element.position.bytes.count > ListPosition.madeByteCountLimit { fits = false }
        elements.append(element)
      }
      index = end
    }
    return fits
  }

  /// Moves the elements of long positions, where one between two of them would be too long.
  ///
  /// A position is at most a few numbers longer than the longer one of its neighbours. So those
  /// that are left are short enough, and what is moved gets short ones.
  private mutating func shorten(_ elements: [ListElement]) {
    for index in sources.indices {
      guard let source = sources[index] else { continue }
      if elements[source].position.bytes.count > ListPosition.madeByteCountLimit / 2 {
        isMoved[index] = true
      }
    }
  }

  /// For each new element the old one that it is, where none was moved; nil for an inserted one.
  static func sources(_ old: [ListItem], _ new: [ListItem]) -> [Int?] {
    var sources = ListDifference.kept(old, new)
    pairReplaced(&sources, oldCount: old.count)
    return sources
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

  /// An element that was moved and stands where its position puts it among the others was not.
  private static func leaveInPlace(
    _ isMoved: inout [Bool], _ sources: [Int?], _ elements: [ListElement]
  ) {
    var next = [ListElement?](repeating: nil, count: sources.count)
    var following: ListElement?
    for index in sources.indices.reversed() {
      next[index] = following
      if let source = sources[index], !isMoved[index] { following = elements[source] }
    }
    var last: ListElement?
    for index in sources.indices {
      guard let source = sources[index] else { continue }
      let element = elements[source]
      let isBehind = last.map { $0 < element } ?? true
      let isBefore = next[index].map { element < $0 } ?? true
      if isBehind, isBefore { isMoved[index] = false }
      if !isMoved[index] { last = element }
    }
  }

  /// Moves what follows an inserted element at one position, or one before its own: there is no
  /// place between.
  ///
  /// Devices mark their positions, so that the first is for equal marks alone.
  private static func loosenTies(
    _ isMoved: inout [Bool], _ sources: [Int?], _ elements: [ListElement]
  ) {
    var last: ListPosition?
    var isInserting = false
    for index in sources.indices {
      guard let source = sources[index], !isMoved[index] else {
        isInserting = true
        continue
      }
      let position = elements[source].position
      if let last, position < last || isInserting && position == last {
        isMoved[index] = true
        continue
      }
      last = position
      isInserting = false
    }
  }
}
