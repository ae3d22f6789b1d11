internal import AtollCapture
internal import AtollObjects

/// A list of an object.
struct ListName: Hashable, CustomStringConvertible {
  var object: ObjectAddress
  var property: String

  var description: String { "\(object).\(property)" }
}

/// An element of a list as a file has it.
struct ListEntry: Equatable {
  var id: ElementID
  var position: ListPosition
  var value: RecordedValue
}

extension SyncModel.Object {
  /// The elements of a list in their order: the one place that says which id stands where.
  func list(_ property: String) -> [ListEntry] {
    var entries: [ListEntry] = []
    for (path, unit) in units {
      guard case .element(property, let id) = path, case .element(let position, let value) = unit
      else { continue }
      entries.append(ListEntry(id: id, position: position, value: value))
    }
    return entries.sorted { ($0.position, $0.id) < ($1.position, $1.id) }
  }
}

/// What a transaction does to one list, element by element.
///
/// Each element is a ghost: one that was inserted is another one than all that were there, however
/// equal its value. Nothing is compared but what is assigned as a whole.
struct ListScript {
  enum Origin: Equatable {
    case old(ElementID)
    case inserted
    /// The place in an assigned list: an element that was there, or another one.
    case assigned(Int)
  }

  enum Content: Hashable {
    case value(RecordedValue)
    /// The row of an embedded object.
    case child(UInt64)

    /// The target of a link.
    var target: ObjectAddress? {
      if case .value(.link(let address)) = self { address } else { nil }
    }
  }

  struct Slot {
    /// Of the ghost, in this script.
    var number: Int
    var origin: Origin
    var content: Content
  }

  let name: ListName
  /// The list as it was, with the ids of its elements.
  let before: [ListEntry]
  private(set) var slots: [Slot]
  /// The ghosts that were moved.
  private(set) var moved: Set<Int> = []
  /// The moved ghosts that stood on another side than at first of one that was removed then: where
  /// their place is among the others is open.
  private(set) var displaced: Set<Int> = []
  /// What was there when the list was assigned, and what was assigned.
  private(set) var assignment: (old: [Slot], new: [Slot])?
  /// Whether elements were hidden meanwhile: then it is open on which side of them others stand.
  var isLoose = false
  private var nextNumber: Int
  /// What was done, for people.
  private(set) var steps: [String] = []

  init(_ name: ListName, _ before: [ListEntry], _ contents: [Content]) {
    self.name = name
    self.before = before
    slots = zip(before, contents).enumerated().map { number, element in
      Slot(number: number, origin: .old(element.0.id), content: element.1)
    }
    nextNumber = before.count
  }

  private mutating func make(_ content: Content, _ origin: Origin) -> Slot {
    defer { nextNumber += 1 }
    return Slot(number: nextNumber, origin: origin, content: content)
  }

  // MARK: Operations, at places among the visible elements

  mutating func insert(_ content: Content, at index: Int, _ visible: [Int]) {
    steps.append("insert at \(index)")
    let place = index < visible.count ? visible[index] : slots.count
    slots.insert(make(content, .inserted), at: place)
  }

  mutating func remove(at index: Int, _ visible: [Int]) {
    steps.append("remove at \(index)")
    remove(at: visible[index])
  }

  private mutating func remove(at place: Int) {
    let removed = slots[place].number
    if removed < before.count {
      for (other, slot) in slots.enumerated() where moved.contains(slot.number) {
        if (slot.number < removed) != (other < place) { displaced.insert(slot.number) }
      }
    }
    slots.remove(at: place)
  }

  mutating func set(_ content: Content, at index: Int, _ visible: [Int]) {
    steps.append("set at \(index)")
    slots[visible[index]].content = content
  }

  mutating func rearrange(_ order: [Int], moving places: Set<Int>, _ visible: [Int]) {
    steps.append("move \(places.sorted()) to \(order)")
    for place in places { moved.insert(slots[visible[place]].number) }
    guard order != Array(order.indices) else { return }
    // What cannot be seen keeps its place among those that are not moved: it may come into view.
    let seen = Set(visible)
    var hidden = slots.indices.filter { !seen.contains($0) }[...]
    var arranged: [Slot] = []
    var arriving: [Slot] = []
    for index in order {
      let place = visible[index]
      guard !places.contains(index) else {
        arriving.append(slots[place])
        continue
      }
      while let first = hidden.first, first < place {
        arranged.append(slots[first])
        hidden.removeFirst()
      }
      arranged += arriving + [slots[place]]
      arriving = []
    }
    slots = arranged + hidden.map { slots[$0] } + arriving
  }

  /// Whether a list may be assigned: once, since what one made of the other can be told only then.
  var canBeAssigned: Bool { assignment == nil }

  mutating func assign(_ contents: [Content]) {
    steps.append("assign \(contents.count)")
    let old = slots
    slots = []
    for (index, content) in contents.enumerated() { slots.append(make(content, .assigned(index))) }
    assignment = (old, slots)
  }

  mutating func removeAll(_ visible: [Int]) {
    steps.append("remove \(visible.count)")
    for place in visible.reversed() { remove(at: place) }
  }
}
