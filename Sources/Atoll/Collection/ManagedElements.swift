internal import AtollObjects
internal import AtollQuery
internal import Foundation
internal import Synchronization

/// A list or a set that a property of a row holds, read and changed as what the file keeps.
final class ManagedElements {
  let place: _ValuePlace
  private let isSet: Bool
  /// Whether elements are read and changed one by one: those of a collection that a property
  /// declares.
  private let isByElement: Bool
  /// The elements as they were read last, and the realm's count of changes of collections then.
  private var known: (links: UInt64, elements: [_StoredValue])?
  /// Some elements of a long list or set, from `start` on, as they were read last.
  private var window: (links: UInt64, start: Int, elements: [_StoredValue])?
  /// How many elements there were when that was asked last, also by another thread of a frozen
  /// realm; and the realm's count of changes of collections then.
  private let givenCount = Atomic<Int>(0)
  private var givenNumber: UInt64 = 0

  init(_ place: _ValuePlace) {
    self.place = place
    let kind = place.row.access.descriptor.property(at: place.position).form.kind
    isSet = kind == .set
    isByElement = (kind == .list || kind == .set) && place.path.isEmpty
  }

  var row: _ManagedRow { place.row }
  var position: Int { place.position }

  /// Whether the elements are embedded objects.
  var isOwning: Bool {
    place.path.isEmpty && row.access.descriptor.property(at: position).isOwning
  }

  private func read() -> [_StoredValue] {
    guard row.isValid else { return [] }
    let value = place.value
    return (isSet ? value?.set : value?.list) ?? []
  }

  /// The element at an index.
  func load<Element: RealmCollectionValue>(_ value: _StoredValue, _ index: Int) -> Element {
    place.load(value, index)
  }

  /// The elements in the current version; none when the object is gone.
  var elements: [_StoredValue] {
    if row.context.isFrozen { return read() }
    row.context.checkConfinement()
    row.noteRead(position)
    guard row.isUsable else {
      row.noteUnread()
      return []
    }
    if let known, known.links == row.context.counts.links { return known.elements }
    let failureCount = row.context.failureCount
    let elements = read()
    if row.context.isSound(since: failureCount) { known = (row.context.counts.links, elements) }
    return elements
  }

  /// The elements for a loop: as many as `count` has said, also where the file fails to give them.
  ///
  /// A loop over fewer would end the process, as that over an array that is made of the collection.
  var loopElements: [_StoredValue] {
    let failureCount = row.context.failureCount
    let elements = elements
    guard row.context.failureCount != failureCount, elements.isEmpty,
      row.context.isFrozen || givenNumber == row.context.counts.links
    else { return elements }
    return Array(repeating: .null, count: givenCount.load(ordering: .relaxed))
  }

  /// The elements for a change, of which there are some at least.
  ///
  /// - Returns: Nil when the file fails to give them; the write does so, too.
  private func elements(atLeast leastCount: Int) -> [_StoredValue]? {
    let elements = elements
    if elements.count >= leastCount { return elements }
    row.context.refuse("a collection of \(elements.count) elements was changed behind its end")
    return nil
  }

  // MARK: Element by element

  /// Lists and sets up to this length are read whole.
  private static let wholeLimit = 512
  private static let windowLength = 64

  /// The number of elements.
  var count: Int {
    if let elements = knownElements { return elements.count }
    let count = isByElement ? row.elementCount(position) : elements.count
    if count > 0 {
      givenCount.store(count, ordering: .relaxed)
      if !row.context.isFrozen { givenNumber = row.context.counts.links }
    }
    return count
  }

  /// The element at `index`; nil when there is none, and when the file fails to give it.
  ///
  /// Those around it are read with it, so that a loop reads each part of a long list once.
  func element(_ index: Int) -> _StoredValue? {
    if let elements = isByElement ? knownElements : elements {
      return elements.indices.contains(index) ? elements[index] : nil
    }
    if let window, window.links == row.context.counts.links, !row.context.isFrozen {
      row.context.checkConfinement()
      row.noteRead(position)
      guard row.isUsable else { return nil }
      let place = index - window.start
      if window.elements.indices.contains(place) { return window.elements[place] }
    }
    let count = row.elementCount(position)
    guard index >= 0, index < count else { return nil }
    // A frozen realm is read by many threads, which share nothing that is read.
    if row.context.isFrozen { return row.elements(position, index..<index + 1).first }
    if count <= Self.wholeLimit {
      let elements = elements
      return elements.indices.contains(index) ? elements[index] : nil
    }
    let start = index - index % Self.windowLength
    let failureCount = row.context.failureCount
    let read = row.elements(position, start..<min(count, start + Self.windowLength))
    guard read.indices.contains(index - start) else { return nil }
    if row.context.isSound(since: failureCount) { window = (row.context.counts.links, start, read) }
    return read[index - start]
  }

  /// The elements, if they were read and nothing changed since.
  private var knownElements: [_StoredValue]? {
    guard let known, !row.context.isFrozen, known.links == row.context.counts.links else {
      return nil
    }
    row.context.checkConfinement()
    row.noteRead(position)
    return row.isUsable ? known.elements : nil
  }

  /// Ends the process unless a write is open and the object is there.
  ///
  /// - Returns: Whether the collection can be changed: not one of an object that cannot be read, and
  ///   nothing in a write that could not begin.
  func requireWrite() -> Bool {
    guard row.context.requireWrite("a \(isSet ? "set" : "list") was changed") != nil,
      row.checkChangeable()
    else { return false }
    // Setting what the collection holds finds out, but nothing may be set when it is empty.
    guard count == 0, !row.isValid else { return true }
    row.refuseDeleted()
    return false
  }

  // MARK: A set by its members

  /// Whether a set has a member.
  func contains(_ member: _StoredValue) -> Bool {
    guard isByElement, count > Self.wholeLimit else { return elements.contains(member) }
    return row.part(position, member) != nil
  }

  /// Adds members to a set, those that are not there.
  func insert(_ members: [_StoredValue]) {
    if isByElement, isFew(members.count, of: count) {
      for member in members { row.context.setPart(row, position, member, member) }
      forget()
      return
    }
    let old = elements
    var known = Set(old)
    let added = members.filter { known.insert($0).inserted }
    if !added.isEmpty { set(old + added) }
  }

  /// Removes a member of a set; false for a set that is changed as a whole.
  func remove(_ member: _StoredValue) -> Bool {
    guard isByElement else { return false }
    row.context.setPart(row, position, member, nil)
    forget()
    return true
  }

  private func forget() {
    known = nil
    window = nil
  }

  // MARK: A list by its places

  /// Whether so few elements change that each is changed by itself.
  private func isFew(_ changedCount: Int, of count: Int) -> Bool {
    changedCount <= max(1, count / 8)
  }

  /// Whether a server is told what becomes of each element: which of equal ones is removed then
  /// matters.
  ///
  /// Also of a file of a synced realm that is opened without a configuration of sync.
  private var isRecorded: Bool { row.access.table.isSynced }

  /// Puts other elements in the place of a range of a list.
  private func replaceEach(_ range: Range<Int>, with newElements: [_StoredValue]) {
    let isKnown = knownElements != nil
    let failureCount = row.context.failureCount
    // What takes the place of elements that others may change meanwhile is another one.
    let kept = isRecorded && range.count > 1 ? 0 : min(range.count, newElements.count)
    for offset in 0..<kept {
      row.context.setElement(row, position, at: range.lowerBound + offset, newElements[offset])
    }
    for index in (range.lowerBound + kept..<range.upperBound).reversed() {
      row.context.removeElement(row, position, at: index)
    }
    for offset in kept..<newElements.count {
      row.context.insertElement(row, position, at: range.lowerBound + offset, newElements[offset])
    }
    window = nil
    // The array has one owner while it is changed.
    guard isKnown, var elements = known?.elements, row.context.isSound(since: failureCount) else {
      return known = nil
    }
    known = nil
    elements.replaceSubrange(range, with: newElements)
    known = (row.context.counts.links, elements)
  }

  func isSame(as other: ManagedElements?) -> Bool {
    guard let other else { return false }
    return place.isSame(as: other.place)
  }

  func replace(_ range: Range<Int>, with newElements: [_StoredValue]) {
    let isEach =
      isRecorded && range.lowerBound < count || isFew(range.count + newElements.count, of: count)
    if isByElement, isEach {
      guard row.checkChangeable() else { return }
      return replaceEach(range, with: newElements)
    }
    guard var elements = elements(atLeast: range.upperBound) else { return }
    // The array has one owner while it is changed.
    known = nil
    elements.replaceSubrange(range, with: newElements)
    set(elements)
  }

  /// Removes the elements at some places of a list.
  func remove(_ places: IndexSet) {
    guard isByElement, isRecorded || isFew(places.count, of: count) else {
      let elements = elements
      return set(elements.indices.filter { !places.contains($0) }.map { elements[$0] })
    }
    guard row.checkChangeable() else { return }
    for range in places.rangeView.reversed() {
      replaceEach(range, with: [])
    }
  }

  func set(_ elements: [_StoredValue]) {
    let failureCount = row.context.failureCount
    place.set(isSet ? .set(elements) : .list(elements))
    // The file has an order of its own for the elements of a set.
    let isKnown = !isSet && row.context.isSound(since: failureCount)
    known = isKnown ? (row.context.counts.links, elements) : nil
  }

  /// Puts the elements in another order, in which those at some places were moved.
  func rearrange(_ order: [Int], moved: Set<Int>) {
    guard row.checkChangeable() else { return }
    let failureCount = row.context.failureCount
    guard let elements = elements(atLeast: order.count) else { return }
    guard isByElement else { return set(order.map { elements[$0] }) }
    row.context.rearrange(row, position, order, moved)
    forget()
    guard row.context.isSound(since: failureCount) else { return }
    known = (row.context.counts.links, order.map { elements[$0] })
  }

  /// What the file holds for an element; nil for an object that is in no realm of this file.
  func stored<Element: RealmCollectionValue>(_ element: Element) -> _StoredValue? {
    let value = element.asked(row.context)
    return value == .link(.toNothing) ? nil : value
  }

  /// Puts embedded objects in the place of others, which are deleted.
  ///
  /// Those that the list holds already stay, in their new order.
  func replaceOwned(_ range: Range<Int>, with objects: [ObjectBase]) {
    guard row.checkChangeable() else { return }
    guard objects.allSatisfy({ $0._row == nil }) else {
      return replaceKeeping(range, with: objects)
    }
    if isFew(range.count + objects.count, of: count) {
      for index in range.reversed() { row.context.removeElement(row, position, at: index) }
      for (offset, object) in objects.enumerated() {
        row.context.adder.append(object, to: row, position, at: range.lowerBound + offset)
      }
      known = nil
      window = nil
      return
    }
    guard let old = elements(atLeast: range.upperBound) else { return }
    if !range.isEmpty {
      var kept = old
      kept.removeSubrange(range)
      row.context.set(row, position, .list(kept))
    }
    for object in objects { row.context.adder.append(object, to: row, position) }
    guard range.upperBound < old.count, !objects.isEmpty else { return }
    // The new ones were appended: they go to their place.
    let end = old.count - range.count
    let added = end..<end + objects.count
    rearrange(
      Array(0..<range.lowerBound) + added + Array(range.lowerBound..<end), moved: Set(added))
  }

  /// As `replaceOwned`, where some objects are elements of the list.
  private func replaceKeeping(_ range: Range<Int>, with objects: [ObjectBase]) {
    guard let old = elements(atLeast: range.upperBound) else { return }
    var places: [Int?] = []
    for object in objects {
      guard let row = object._row else {
        places.append(nil)
        continue
      }
      guard let place = place(of: row, in: old) else { return }
      places.append(place)
    }
    if range.count == 1, let index = places.first ?? nil, places.count == 1 {
      if index == range.lowerBound { return }
      var order = Array(old.indices)
      order.swapAt(index, range.lowerBound)
      return rearrange(order, moved: [index, range.lowerBound])
    }
    let kept = places.compactMap { $0 }
    guard kept.allSatisfy(range.contains), Set(kept).count == kept.count else {
      return row.context.refuse(
        "an embedded object would be twice in a list; move it with move(from:to:), or insert a "
          + "copy made with init(value:)")
    }
    for index in range.reversed() where !kept.contains(index) {
      row.context.removeElement(row, position, at: index)
    }
    let remaining = kept.sorted()
    let order = kept.map { range.lowerBound + (remaining.firstIndex(of: $0) ?? 0) }
    let end = old.count - (range.count - kept.count)
    known = nil
    window = nil
    if order != order.sorted() {
      let range = range.lowerBound..<range.lowerBound + kept.count
      rearrange(
        Array(0..<range.lowerBound) + order + Array(range.upperBound..<end), moved: Set(range))
    }
    for (offset, object) in objects.enumerated() where places[offset] == nil {
      row.context.adder.append(object, to: row, position, at: range.lowerBound + offset)
    }
    known = nil
    window = nil
  }

  /// The place of an embedded object, which is one of the elements; nil when the file fails to say
  /// so.
  private func place(of object: _ManagedRow, in elements: [_StoredValue]) -> Int? {
    if object.isUnreadable {
      row.context.failWrite()
      return nil
    }
    guard object.checkAlive() else { return nil }
    if object.context === row.context, let index = elements.firstIndex(of: object.link) {
      return index
    }
    object.refuseOwned(by: row)
    return nil
  }
}
