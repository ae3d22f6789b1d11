import AtollObjects

// Where the elements of lists stand: places for those that are inserted or moved, and the old ones
// for those that are back.

extension Recorder {
  /// Makes elements before the one at `index`.
  ///
  /// `item`: what an element holds that is there, and had the index.
  func insert(
    _ count: Int, into list: OpenedList, at index: Int,
    item: (ListElement, _ index: Int) throws(ObjectError) -> ListItem
  ) throws(ObjectError) {
    let left = try list.elements.element(at: index - 1)
    let right = try list.elements.element(at: index)
    var made: [ListElement] = []
    for position in try positions(count, between: left, and: right, list) {
      let element = ListElement(id: try state.capture.makeElementID(), position: position)
      notes[list.key]?.lists[list.column.id]?.before[element.id] = .some(nil)
      made.append(element)
    }
    if isPlaced(made, between: left, and: right) {
      for element in made { try list.elements.set(element) }
      return
    }
    var all = try list.elements.all
    all.insert(contentsOf: made, at: index)
    try place(all, moved: Set(made.map(\.id)), list, keepsFitting: false) {
      place throws(ObjectError) in
      try item(all[place], place < index ? place : place - made.count)
    }
  }

  private func positions(
    _ count: Int, between left: ListElement?, and right: ListElement?, _ list: OpenedList
  ) throws(ObjectError) -> [ListPosition] {
    let continues =
      try left.map { left throws(ObjectError) in
        try state.capture.isInserted(
          left.id, list.column.name, CaptureKey.object(list.address))
      } ?? false
    return ListPosition.run(
      left?.position, right?.position, count: count,
      mark: try state.capture.elementMark, continues: continues)
  }

  /// Whether a position is so long that those beside it might be too long.
  ///
  /// A position is at most a few numbers longer than the longer one of its neighbours. So when
  /// elements in the way are moved, they and what lies beside them get short ones.
  private func isInTheWay(_ position: ListPosition) -> Bool {
    position.bytes.count > ListPosition.madeByteCountLimit / 2
  }

  /// Gives positions to the elements that moved, between those that stay.
  ///
  /// Where there is no place between these, as devices put two at one or they have become too long,
  /// those in the way are moved too.
  ///
  /// - Parameters:
  ///   - elements: All, in the order that they are to have, with the positions that they had.
  ///   - moved: The ids of those that moved.
  ///   - list: The list.
  ///   - keepsFitting: Whether one that stands where its position puts it among the others stays.
  ///   - item: What the element at a place in `elements` holds.
  /// - Throws: Storage errors.
  func place(
    _ elements: [ListElement], moved: Set<ElementID>, _ list: OpenedList, keepsFitting: Bool = true,
    item: (_ place: Int) throws(ObjectError) -> ListItem
  ) throws(ObjectError) {
    var moved = moved
    var index = 0
    while index < elements.count {
      guard moved.contains(elements[index].id) else {
        index += 1
        continue
      }
      var (begin, end) = (index, index)
      while end < elements.count, moved.contains(elements[end].id) { end += 1 }
      while true {
        let last = begin > 0 ? elements[begin - 1] : nil
        let next = end < elements.count ? elements[end] : nil
        let placed = try places(
          ofMoved: elements[begin..<end], between: last, and: next, list,
          keepsFitting: keepsFitting)
        if isPlaced(placed, between: last, and: next) {
          for element in placed { try list.elements.set(element) }
          break
        }
        let known = begin..<end
        // Those that were moved before this run get other places too.
        while begin > 0,
          moved.contains(elements[begin - 1].id) || isInTheWay(elements[begin - 1].position)
        { begin -= 1 }
        while end < elements.count,
          elements[end].position == last?.position || isInTheWay(elements[end].position)
            || moved.contains(elements[end].id)
        { end += 1 }
        guard known != begin..<end else { throw .damagedRecord }
        for place in begin..<end where moved.insert(elements[place].id).inserted {
          try note(elements[place], list) { () throws(ObjectError) in try item(place) }
        }
      }
      index = end
    }
  }

  /// Places of elements side by side that are moved, between two that stay.
  private func places(
    ofMoved elements: ArraySlice<ListElement>, between last: ListElement?,
    and next: ListElement?, _ list: OpenedList, keepsFitting: Bool
  ) throws(ObjectError) -> [ListElement] {
    var placed: [ListElement] = []
    var index = elements.startIndex
    while index < elements.endIndex {
      let before = placed.last ?? last
      func fitting(_ index: Int) -> ListElement? {
        keepsFitting ? self.fitting(elements[index], before, next, list) : nil
      }
      if let old = fitting(index) {
        placed.append(old)
        index += 1
        continue
      }
      var stop = index + 1
      while stop < elements.endIndex, fitting(stop) == nil { stop += 1 }
      let upper = stop < elements.endIndex ? fitting(stop) : next
      let positions = try positions(stop - index, between: before, and: upper, list)
      placed += zip(elements[index..<stop], positions).map {
        ListElement(id: $0.id, position: $1)
      }
      index = stop
    }
    return placed
  }

  /// A moved element at the place that it had, or had before the transaction, if that is between
  /// its neighbours now.
  private func fitting(
    _ element: ListElement, _ last: ListElement?, _ next: ListElement?, _ list: OpenedList
  ) -> ListElement? {
    let noted = notes[list.key]?.lists[list.column.id]?.before[element.id] ?? nil
    for position in [noted?.position, element.position] {
      guard let position, !isInTheWay(position) else { continue }
      let candidate = ListElement(id: element.id, position: position)
      let isBehind = last.map { $0.position < position } ?? true
      let isBefore = next.map { position < $0.position } ?? true
      if isBehind, isBefore { return candidate }
    }
    return nil
  }

  // MARK: Back at their places

  /// Gives elements that were moved, and lie among the others as they did, their old positions.
  ///
  /// So they are not moved: as many as can be of those side by side.
  ///
  /// What was inserted beside them gives way.
  func restorePlaces(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError) {
    guard let before = notes[key]?.lists[column.id]?.before,
      let list = try open(column, of: key, writer)
    else { return }
    var touched: [(index: Int, element: ListElement, old: ListElement?)] = []
    var isMoved = false
    for (id, element) in before {
      guard let (index, position) = try list.elements.find(id) else { continue }
      if let element, element.position == position { continue }
      isMoved = isMoved || element != nil
      touched.append(
        (
          index, ListElement(id: id, position: position),
          element.map { ListElement(id: id, position: $0.position) }
        ))
    }
    guard isMoved else { return }
    touched.sort { $0.index < $1.index }
    var start = 0
    while start < touched.count {
      var end = start + 1
      while end < touched.count, touched[end].index == touched[end - 1].index + 1 { end += 1 }
      let lower = try list.elements.element(at: touched[start].index - 1)
      let upper = try list.elements.element(at: touched[end - 1].index + 1)
      try restorePlaces(
        touched[start..<end].map { ($0.element, $0.old) }, between: lower, and: upper, list)
      start = end
    }
  }

  /// The same of elements side by side, between two that were not touched.
  private func restorePlaces(
    _ elements: [(now: ListElement, old: ListElement?)], between lower: ListElement?,
    and upper: ListElement?, _ list: OpenedList
  ) throws(ObjectError) {
    let candidates = elements.indices.filter { index in
      guard let old = elements[index].old, !isInTheWay(old.position) else { return false }
      return lower.map { $0 < old } ?? true && upper.map { old < $0 } ?? true
    }
    let kept = candidates.longestAscending { first, second in
      guard let first = elements[first].old, let second = elements[second].old else {
        return false
      }
      return first < second
    }
    guard !kept.isEmpty else { return }
    var placed: [ListElement] = []
    var next = 0
    for index in kept + [elements.count] {
      let old = index < elements.count ? elements[index].old : upper
      let between = elements[next..<index].map(\.now)
      try placed += places(of: between, between: placed.last ?? lower, and: old, list)
      if index < elements.count, let old { placed.append(old) }
      next = index + 1
    }
    // Where there is no place between two that would be back, what was moved stays so.
    guard isPlaced(placed, between: lower, and: upper, { $0 < $1 }) else { return }
    for element in placed { try list.elements.set(element) }
  }

  /// Elements where they are if that is between two others, else with places there.
  private func places(
    of elements: [ListElement], between lower: ListElement?, and upper: ListElement?,
    _ list: OpenedList
  ) throws(ObjectError) -> [ListElement] {
    guard !elements.isEmpty, !isAscending(elements, between: lower, and: upper, { $0 < $1 }) else {
      return elements
    }
    let positions = try positions(elements.count, between: lower, and: upper, list)
    return zip(elements, positions).map { ListElement(id: $0.id, position: $1) }
  }

  private func isAscending(
    _ elements: [ListElement], between lower: ListElement?, and upper: ListElement?,
    _ isBefore: (ListElement, ListElement) -> Bool
  ) -> Bool {
    guard let first = elements.first, let last = elements.last else { return true }
    return zip(elements, elements.dropFirst()).allSatisfy(isBefore)
      && lower.map { isBefore($0, first) } ?? true && upper.map { isBefore(last, $0) } ?? true
  }

  /// Whether elements have places between two others, which can be read and sent.
  private func isPlaced(
    _ elements: [ListElement], between lower: ListElement?, and upper: ListElement?,
    _ isBefore: (ListElement, ListElement) -> Bool = { $0.position < $1.position }
  ) -> Bool {
    isAscending(elements, between: lower, and: upper, isBefore)
      && elements.allSatisfy { $0.position.bytes.count <= ListPosition.madeByteCountLimit }
  }
}
