internal import AtollCapture
internal import AtollObjects
internal import AtollSync

/// What a transaction made of a list in the end, and whether its recorded operations say exactly
/// that.
///
/// The order of the ghosts in a script, and that of the ids in the file, tell which id a ghost has.
struct ListNet {
  /// Who is who: for each slot that is left the old element that it is; nil for an inserted one.
  private(set) var sources: [ElementID?] = []
  /// What the operations say that the script does not, or the other way round.
  private(set) var problem: String?

  let script: ListScript
  let after: [ListEntry]
  private let oldIDs: Set<ElementID>

  private struct Said {
    var inserted: [ElementID: RecordedValue] = [:]
    var removed: Set<ElementID> = []
    var set: [ElementID: RecordedValue] = [:]
    var edited: Set<ElementID> = []
    var moved: Set<ElementID> = []
  }

  /// Compares what a script did with what was recorded.
  ///
  /// `operations`: those of the entry on this list. `after`: the list as it is then.
  init(_ script: ListScript, _ operations: [Operation.Action], _ after: [ListEntry]) {
    self.script = script
    self.after = after
    oldIDs = Set(script.before.map(\.id))
    problem = compare(operations)
  }

  private mutating func compare(_ operations: [Operation.Action]) -> String? {
    sources = after.map { oldIDs.contains($0.id) ? $0.id : nil }
    var said = Said()
    if let problem = Self.read(operations, &said) { return problem }
    guard after.count == script.slots.count else {
      return "it has \(after.count) elements, and the app left \(script.slots.count)"
    }
    if !script.isLoose, let problem = resolve() { return problem }
    return compareExistence(said) ?? compareValues(said) ?? compareMoves(said)
  }

  /// At most one operation of a kind for an element.
  private static func read(_ operations: [Operation.Action], _ said: inout Said) -> String? {
    for action in operations {
      let isFirst: Bool
      switch action {
      case .insert(_, let id, _, let value):
        isFirst = said.inserted.updateValue(value, forKey: id) == nil
      case .removeElement(_, let id): isFirst = said.removed.insert(id).inserted
      case .setElement(_, let id, let value):
        isFirst = said.set.updateValue(value, forKey: id) == nil
      case .moveElement(_, let id, _): isFirst = said.moved.insert(id).inserted
      case .edit(.element(_, let id), _, _):
        said.edited.insert(id)
        isFirst = true
      default: return "\(action) is no operation of a list"
      }
      guard isFirst else { return "two operations of one kind for one element" }
    }
    return nil
  }

  // MARK: Who is who

  /// All slots are resolved, also behind the first that is wrong.
  private mutating func resolve() -> String? {
    var problem: String?
    var observed: [Int: ElementID?] = [:]
    for (index, slot) in script.slots.enumerated() {
      let id = after[index].id
      let isOld = oldIDs.contains(id)
      switch slot.origin {
      case .old(let own):
        sources[index] = own
        guard own != id else { continue }
        problem =
          problem
          ?? (isOld
            ? "another one of the elements that were there stands at \(index)"
            : "an element that was there was replaced by an inserted one, at \(index)")
      case .inserted:
        sources[index] = nil
        guard isOld else { continue }
        problem = problem ?? "an inserted element has the id of one that was there, at \(index)"
      case .assigned(let place):
        sources[index] = isOld ? id : nil
        observed[place] = .some(isOld ? id : nil)
      }
    }
    guard problem == nil, let assignment = script.assignment else { return problem }
    return Self.isLongest(assignment.old, assignment.new, observed)
      ? nil : "an assigned list kept other elements than the longest common part"
  }

  /// Whether what is known to be kept of an assigned list can be a longest common part.
  private static func isLongest(
    _ old: [ListScript.Slot], _ new: [ListScript.Slot], _ observed: [Int: ElementID?]
  ) -> Bool {
    let kept = Set(observed.values.compactMap { $0 })
    let plain = common(old, new) { _, _ in 1 }
    // One that must be matched counts so much that the best match has them all.
    let best = common(old, new) { source, place in
      guard let known = observed[place] else {
        // It was removed again: any but those that others are.
        if case .old(let id) = source.origin, kept.contains(id) { return 0 }
        return 1
      }
      switch (source.origin, known) {
      case (.old(let id), let known?): return id == known ? 1001 : 0
      // Whether an inserted element was kept by the assignment shows nowhere.
      case (.inserted, nil): return 1
      default: return 0
      }
    }
    return best == plain + 1000 * kept.count
  }

  private static func common(
    _ old: [ListScript.Slot], _ new: [ListScript.Slot],
    _ weight: (ListScript.Slot, Int) -> Int
  ) -> Int {
    var row = [Int](repeating: 0, count: new.count + 1)
    for source in old {
      var next = row
      for place in new.indices {
        var best = max(row[place + 1], next[place])
        if source.content == new[place].content {
          let gain = weight(source, place)
          if gain > 0 { best = max(best, row[place] + gain) }
        }
        next[place + 1] = best
      }
      row = next
    }
    return row[new.count]
  }

  // MARK: The operations

  private func compareExistence(_ said: Said) -> String? {
    let ids = Set(after.map(\.id))
    let removed = oldIDs.subtracting(ids)
    let inserted = ids.subtracting(oldIDs)
    guard said.removed == removed else {
      return "\(said.removed.count) elements are said to be removed, and \(removed.count) are"
    }
    guard Set(said.inserted.keys) == inserted else {
      return "\(said.inserted.count) elements are said to be inserted, and \(inserted.count) are"
    }
    let left = Set(
      script.slots.compactMap { slot in
        if case .old(let id) = slot.origin { id } else { nil }
      })
    guard left.isSubset(of: ids) else { return "an element is gone that the app did not remove" }
    if script.assignment == nil, left.count + inserted.count != ids.count {
      return "an element is there that the app removed"
    }
    return nil
  }

  private func compareValues(_ said: Said) -> String? {
    let old = Dictionary(script.before.map { ($0.id, $0.value) }) { a, _ in a }
    for entry in after {
      guard let before = old[entry.id] else {
        if said.inserted[entry.id] != entry.value { return "an insertion has another value" }
        if said.set[entry.id] != nil || said.edited.contains(entry.id) {
          return "an inserted element is set"
        }
        continue
      }
      let isEdited = said.edited.contains(entry.id)
      guard before != entry.value else {
        if said.set[entry.id] != nil || isEdited { return "an element is set that has its value" }
        continue
      }
      guard let value = said.set[entry.id] else {
        if !isEdited { return "a new value is in no operation" }
        continue
      }
      if isEdited { return "an element is set, and changed inside" }
      if value != entry.value { return "an element is set to another value" }
    }
    let others = said.set.keys.filter { old[$0] == nil } + said.edited.filter { old[$0] == nil }
    return others.isEmpty ? nil : "an element is set that is not there"
  }

  private func compareMoves(_ said: Said) -> String? {
    let positions = Dictionary(script.before.map { ($0.id, $0.position) }) { a, _ in a }
    let there = Set(after.map(\.id))
    guard said.moved.isSubset(of: oldIDs), said.moved.isSubset(of: there) else {
      return "an element is moved that was not there, or is not any more"
    }
    // Also those that were moved before the list was assigned.
    var moved = Set(
      script.moved.filter { $0 < script.before.count }.map { script.before[$0].id })
    var displaced: Set<ElementID> = []
    for (index, slot) in script.slots.enumerated() {
      guard let id = sources[index] else { continue }
      if script.moved.contains(slot.number) { moved.insert(id) }
      if script.displaced.contains(slot.number) { displaced.insert(id) }
    }
    let equal = Dictionary(grouping: script.before, by: \.position).filter { $0.value.count > 1 }
    for id in said.moved where !moved.contains(id) {
      guard let position = positions[id] else { continue }
      // Nothing fits between two that stand at one position, nor behind a very long one.
      if equal[position] == nil, position.bytes.count <= ListPosition.madeByteCountLimit / 4,
        !script.isLoose
      {
        return "an element is moved that the app did not move"
      }
    }
    guard !script.isLoose, script.assignment == nil else { return nil }
    let was = script.before.map(\.id).filter(there.contains)
    let now = after.map(\.id).filter(oldIDs.contains)
    for id in said.moved.intersection(moved) where Self.hasItsPlace(id, was, now) {
      guard !displaced.contains(id), let position = positions[id], equal[position] == nil else {
        continue
      }
      return "an element is moved that is back at its place"
    }
    return nil
  }

  /// Whether all others that were there stand on the same side of an element as before.
  private static func hasItsPlace(
    _ id: ElementID, _ was: [ElementID], _ now: [ElementID]
  ) -> Bool {
    guard let before = was.firstIndex(of: id), let after = now.firstIndex(of: id) else {
      return false
    }
    return Set(was[..<before]) == Set(now[..<after])
  }
}
