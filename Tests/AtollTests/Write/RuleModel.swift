/// What a realm with rules of deletion and indexes is to hold, as plain values.
struct RuleModel {
  struct Slot: Hashable {
    /// Tells it from all others.
    var number: Int
    var part: Int?
    var box: Int?
    var owner: Int?
  }

  struct Box: Hashable {
    var name = ""
    var shelf = 0
    var label: String?
    var next: Int?
    var parts: [Int] = []
    var tags: Set<Int> = []
    var named: [String: Int?] = [:]
    var slot: Slot?
    var slots: [Slot] = []

    var allSlots: [Slot] { (slot.map { [$0] } ?? []) + slots }
  }

  struct Part: Hashable {
    var code = ""
    var box: Int?
  }

  /// An object of one of the classes.
  enum Place: Hashable {
    case box(Int)
    case part(Int)
    case slot(Int)
  }

  var boxes: [Int: Box] = [:]
  var parts: [Int: Part] = [:]
  /// The codes of a class that comes late.
  var strays: [Int: String] = [:]
  /// The objects that linked to a deleted one by a property that denies that, and are still there.
  var denying: Set<Place> = []

  /// Whether two objects have the same values where the classes have unique indexes.
  var isAmbiguous: Bool {
    func isRepeated(_ values: [[String]]) -> Bool { Set(values).count < values.count }
    return isRepeated(
      boxes.values.compactMap { box in box.label.map { ["\(box.shelf)", $0] } })
      || isRepeated(parts.values.map { [$0.code] }) || isRepeated(strays.values.map { [$0] })
  }

  /// Changes the embedded objects of a box; those that it has no more are deleted.
  mutating func setSlots(of id: Int, _ change: (inout Box) -> Void) {
    guard var box = boxes[id] else { return }
    let before = box.allSlots
    change(&box)
    boxes[id] = box
    for slot in before where !box.allSlots.contains(where: { $0.number == slot.number }) {
      denying.remove(.slot(slot.number))
      delete(follow(slot))
    }
  }

  /// Gives the embedded object of a box its links, as far as there is what they lead to.
  mutating func setLinks(ofSlotOf id: Int, _ slot: Slot) {
    guard boxes[id] != nil else { return }
    var slot = slot
    if let part = slot.part, parts[part] == nil { slot.part = nil }
    if let box = slot.box, boxes[box] == nil { slot.box = nil }
    if let owner = slot.owner, boxes[owner] == nil { slot.owner = nil }
    boxes[id]?.slot = slot
  }

  /// What goes with an embedded object.
  private func follow(_ slot: Slot) -> [Place] {
    (slot.part.map { [.part($0)] } ?? []) + (slot.owner.map { [.box($0)] } ?? [])
  }

  mutating func delete(_ places: [Place]) {
    var waiting = places
    while let next = waiting.popLast() {
      switch next {
      case .box(let id):
        guard let box = boxes.removeValue(forKey: id) else { continue }
        denying.remove(next)
        waiting += (box.next.map { [.box($0)] } ?? []) + box.parts.map { .part($0) }
        for slot in box.allSlots {
          denying.remove(.slot(slot.number))
          waiting += follow(slot)
        }
        forget(box: id)
      case .part(let id):
        guard parts.removeValue(forKey: id) != nil else { continue }
        forget(part: id)
      case .slot: break
      }
    }
  }

  private mutating func changeSlots(_ change: (inout Slot) -> Void) {
    for id in boxes.keys {
      if var slot = boxes[id]?.slot {
        change(&slot)
        boxes[id]?.slot = slot
      }
      for index in boxes[id]?.slots.indices ?? 0..<0 {
        guard var slot = boxes[id]?.slots[index] else { continue }
        change(&slot)
        boxes[id]?.slots[index] = slot
      }
    }
  }

  private mutating func forget(box id: Int) {
    for other in boxes.keys where boxes[other]?.next == id { boxes[other]?.next = nil }
    for part in parts.keys where parts[part]?.box == id { parts[part]?.box = nil }
    var new: Set<Place> = []
    changeSlots { slot in
      if slot.owner == id { slot.owner = nil }
      guard slot.box == id else { return }
      slot.box = nil
      new.insert(.slot(slot.number))
    }
    denying.formUnion(new)
  }

  private mutating func forget(part id: Int) {
    for box in boxes.keys {
      boxes[box]?.parts.removeAll { $0 == id }
      if boxes[box]?.tags.remove(id) != nil { denying.insert(.box(box)) }
      for (name, part) in boxes[box]?.named ?? [:] where part == id {
        boxes[box]?.named[name] = .some(nil)
      }
    }
    changeSlots { if $0.part == id { $0.part = nil } }
  }
}
