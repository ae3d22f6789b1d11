internal import AtollCapture
internal import AtollObjects
internal import AtollSync

/// Judges the server's messages again, compares the verdicts with those that it gave, and computes
/// the state that it must have at the end.
///
/// Nothing here is the server's: objects are plain values with the stamp of each unit.
struct SyncJudgement {
  private struct RefusedElement {
    /// The newest version before the refusal, and the latest that it may have.
    var versions: ClosedRange<UInt64>
    /// Whether the answer was the first one to the insertion.
    var isCertain: Bool

    func isNewer(than seen: UInt64) -> Bool { isCertain && seen <= versions.lowerBound }
    func mayBeNewer(than seen: UInt64) -> Bool { seen < versions.upperBound }
  }

  /// The starts of the server's store.
  private let incarnations: [Cursor]
  private var places: [ObjectAddress: Place] = [:]
  /// The entries that were judged, with what they were answered.
  private var judged: [SyncJournal.PushName: [SyncModel.Verdict]] = [:]
  /// What became of the creations of each client.
  private var creations: [UInt64: [Generation: SyncModel.Verdict]] = [:]
  private var generations: [ObjectAddress: Set<Cursor>] = [:]
  /// The elements of each client that were refused as their ids are those of others: what the client
  /// recorded of them before it saw that is refused too.
  private var refusedElements: [UInt64: [ElementID: RefusedElement]] = [:]
  /// The newest clock so far, as the server counts them.
  private var newestClock = HybridClock(rawValue: 0)
  /// How many clocks came from the future.
  private(set) var clampedCount = 0
  /// How many creations met an object that was there.
  private(set) var mergedCount = 0
  /// How many entries came a second time, under another number.
  private(set) var knownCount = 0

  init(incarnations: [Cursor]) { self.incarnations = incarnations }

  /// How far in the future the clock of a device may be, in milliseconds.
  private static let clockTolerance: UInt64 = 60_000

  var contents: [ObjectAddress: SyncModel.Object] { places.compactMapValues(\.object) }

  /// Judges one transaction; returns the rule that is broken, nil for none.
  ///
  /// `verdicts`: what the device was answered.
  mutating func judge(_ push: SyncJournal.Push, _ verdicts: [SyncModel.Verdict]) -> String? {
    let operations = push.transaction.operations
    guard verdicts.count == operations.count else { return "R9: verdicts are missing" }
    let former = refusedElements[push.name.entry.client] ?? [:]
    refusedElements[push.id.client, default: [:]].merge(former) {
      $0.versions.upperBound > $1.versions.upperBound ? $0 : $1
    }
    let isKnown = judged[push.name] != nil
    defer { noteRefusedElements(push, verdicts, isKnown: isKnown) }
    if let first = judged[push.name] { return know(push, verdicts, first) }
    judged[push.name] = verdicts
    let subscriptions = push.subscriptions
    let stamp = Stamp(
      clock: clamp(push), client: push.id.client, number: push.id.number,
      version: push.versions.upperBound)
    let before = places
    for (index, operation) in operations.enumerated() {
      let name = Generation.pending(number: push.id.number, index: UInt32(index))
      let problem =
        operation.action == .create
        ? create(operation, name, push, stamp, verdicts[index])
        : edit(operation, push, stamp, verdicts[index])
      if let problem { return "\(problem): \(operation) of entry \(push.id.number)" }
    }
    for (index, operation) in operations.enumerated() where operation.action == .create {
      let wasThere = before[operation.object]?.object != nil
      let after = places[operation.object]?.object
      if SyncSchema.isEvent(operation.object) {
        // The server keeps the first one of a key, independently of subscriptions.
        guard wasThere != (verdicts[index] != .refused) else {
          return "R20: event \(operation.object) was answered \(verdicts[index])"
        }
        continue
      }
      switch verdicts[index] {
      case .applied:
        if let after, !isInView(after, subscriptions) {
          return "R20: creation of \(operation.object) out of view was accepted"
        }
      case .refused:
        guard !wasThere, isInView(made(operation.object, push), subscriptions) else { continue }
        return "R20: creation of \(operation.object) in view was refused"
      default: continue
      }
    }
    return nil
  }

  private mutating func noteRefusedElements(
    _ push: SyncJournal.Push, _ verdicts: [SyncModel.Verdict], isKnown: Bool
  ) {
    for (operation, verdict) in zip(push.transaction.operations, verdicts) {
      guard case .insert(_, let id, _, _) = operation.action, verdict == .duplicate else {
        continue
      }
      refusedElements[push.id.client, default: [:]][id] = RefusedElement(
        versions: push.versions, isCertain: !isKnown)
    }
  }

  func hasJudged(_ name: SyncJournal.PushName) -> Bool { judged[name] != nil }

  /// R3: an entry that was judged before is answered alike and changes nothing.
  private mutating func know(
    _ push: SyncJournal.Push, _ verdicts: [SyncModel.Verdict], _ first: [SyncModel.Verdict]
  ) -> String? {
    knownCount += 1
    guard verdicts.map(\.firstHand) == first.map(\.firstHand) else {
      return "R3: entry \(push.name) was answered \(first), and then \(verdicts)"
    }
    for (index, verdict) in verdicts.enumerated() {
      if case .applied = verdict {
        return "R3: entry \(push.name) was applied twice, now as \(push.id)"
      }
      guard push.transaction.operations[index].action == .create else { continue }
      creations[push.id.client, default: [:]][
        .pending(number: push.id.number, index: UInt32(index))] = verdict.firstHand
    }
    return nil
  }

  /// The newest version that a transaction had seen, of the history that the server has.
  private func seenVersion(_ push: SyncJournal.Push) -> UInt64 {
    guard let seen = push.transaction.seen,
      let index = incarnations.firstIndex(where: { $0.incarnation == seen.incarnation })
    else { return 0 }
    guard index + 1 < incarnations.count else { return seen.version }
    return min(seen.version, incarnations[index + 1].version - 1)
  }

  /// R4: a clock from the future counts as the latest that is allowed, or as the reading after the
  /// newest one.
  private mutating func clamp(_ push: SyncJournal.Push) -> HybridClock {
    let allowed = (push.milliseconds + Self.clockTolerance) << HybridClock.counterBitCount
    let limit = HybridClock(rawValue: max(allowed, newestClock.rawValue + 1))
    let clock = min(push.transaction.clock, limit)
    if clock < push.transaction.clock { clampedCount += 1 }
    newestClock = max(newestClock, clock)
    return clock
  }

  private func isInView(
    _ object: SyncModel.Object?, _ subscriptions: Set<SyncSubscription>
  ) -> Bool {
    object.map { object in subscriptions.contains { $0.matches(object.units) } } ?? false
  }

  /// The new object of a transaction.
  private func made(_ address: ObjectAddress, _ push: SyncJournal.Push) -> SyncModel.Object? {
    var replay = SyncModel.Replay([:])
    replay.apply(
      SyncModel.Entry(
        number: push.id.number, name: push.name.entry, digest: push.name.digest,
        operations: push.transaction.operations))
    return replay.contents[address]
  }

  // MARK: Creations

  private mutating func create(
    _ operation: Operation, _ name: Generation, _ push: SyncJournal.Push, _ stamp: Stamp,
    _ verdict: SyncModel.Verdict
  ) -> String? {
    var place = places[operation.object] ?? Place()
    creations[push.id.client, default: [:]][name] = verdict
    let seen = seenVersion(push)
    switch verdict {
    case .applied(let generation?):
      place.makers[push.id.client] = push.versions
      if let live = place.object {
        guard live.generation == .confirmed(generation) else {
          return "R8: a creation met another generation"
        }
        places[operation.object] = place
        mergedCount += 1
        return nil
      }
      if let deletion = place.deletion, deletion.client != push.id.client,
        deletion.versions.lowerBound >= seen
      {
        return "R8: a creation lives though a later deletion was not seen"
      }
      guard generations[operation.object, default: []].insert(generation).inserted else {
        return "R8: a generation twice"
      }
      place.stamps = [:]
      place.counts = [:]
      place.inner = [:]
      place.moves = [:]
      place.elements = []
      place.awaited = []
      place.object = SyncModel.Object(
        generation: .confirmed(generation),
        units: SyncSchema.defaults(of: operation.object.className))
    case .deletion:
      guard place.object == nil, let deletion = place.deletion else {
        return "R8: a creation is outdated without a deletion"
      }
      guard deletion.client != push.id.client else {
        return "R8: a creation is outdated by a deletion of its own"
      }
      guard deletion.versions.upperBound > seen else {
        return "R8: a creation is outdated by a deletion that was seen"
      }
    case .refused: break
    case .applied(nil), .known, .newerClock, .duplicate:
      return "R9: \(verdict) for a creation"
    }
    places[operation.object] = place
    return nil
  }

  // MARK: Edits

  /// The next insertion under the id is of another element.
  private mutating func noteInsertion(_ operation: Operation, _ push: SyncJournal.Push) {
    guard !push.transaction.isRetold else { return }
    places[operation.object]?.awaited.remove(operation.unit.path)
  }

  private mutating func edit(
    _ operation: Operation, _ push: SyncJournal.Push, _ stamp: Stamp,
    _ verdict: SyncModel.Verdict
  ) -> String? {
    var place = places[operation.object] ?? Place()
    var generation = operation.generation
    var isOfOwnCreation = false
    if let named = generation, let creation = creations[push.id.client]?[named] {
      isOfOwnCreation = true
      guard case .applied(let made?) = creation else {
        // The server forgets what became of a creation; then its edits mean a life that never was.
        let isUndone = verdict.isRefusal || verdict == .deletion
        return isUndone ? nil : "R8: \(verdict), and its creation \(creation)"
      }
      generation = .confirmed(made)
    }
    let isLive = place.object != nil && place.object?.generation == generation
    let path = operation.unit.path
    var (isDuplicate, isAwaited) = (false, false)
    // Whether the operation is, and may be, of a refused element and not of that with its id.
    var (isOfRefused, mayBeOfRefused) = (false, false)
    if case .insert = operation.action {
      let isKnown = isLive && place.elements.contains(path)
      isAwaited = isKnown && (place.awaited.contains(path) || push.transaction.isRetold)
      isDuplicate = isKnown && !isAwaited
    } else if case .element(_, let id) = path, let refused = refusedElements[push.id.client]?[id] {
      let seen = seenVersion(push)
      mayBeOfRefused = refused.mayBeNewer(than: seen)
      isOfRefused = refused.isNewer(than: seen)
    }
    guard !isOfRefused || verdict == .duplicate else {
      return "R5: \(verdict) for a change of a refused element"
    }
    if verdict == .duplicate {
      return isDuplicate || mayBeOfRefused ? nil : "R5: an id was taken for another element's"
    }
    switch verdict {
    case .applied:
      guard isLive else { return "R8: an edit of a dead generation was applied" }
      if isDuplicate { return "R5: an element was inserted under the id of another" }
      if isAwaited { return "R5: an element was inserted again" }
      if let held = push.held, !held.contains(operation.object), !isOfOwnCreation,
        place.makers[push.id.client].map({ $0.upperBound <= push.confirmedVersion }) ?? true
      {
        return "R20: an edit of an object that was not held was applied"
      }
    case .newerClock:
      guard isLive else { return "R8: \(verdict) for an edit of a dead generation" }
      if isAwaited {
        if place.object?.units[path] == nil, !push.transaction.isRetold {
          return "R5: \(verdict) for a removed element"
        }
        noteInsertion(operation, push)
        return nil
      }
      var stamps = place.stamps
      if case .moveElement = operation.action { stamps = place.moves }
      guard let newer = place.newestRival(operation, stamps[path]), stamp < newer else {
        return "R4: an edit lost to an older clock"
      }
      if newer.client == push.id.client { return "R4: an edit lost to one of the same device" }
      if newer.version <= seenVersion(push) {
        return "R4: an edit lost to a value that it had seen"
      }
      return nil
    case .deletion:
      switch operation.action {
      case .setElement, .moveElement:
        return isLive && place.object?.units[path] != nil
          ? "R5: an edit of an element that is there is outdated" : nil
      case .edit(_, let inner, let change):
        let isThere = place.object?.units[path].map { SyncInside.changed($0, inner, change) != nil }
        return isLive && isThere == true ? "R5: an edit inside what is there is outdated" : nil
      case .insert where isAwaited:
        noteInsertion(operation, push)
        return place.object?.units[path] == nil ? nil : "R5: \(verdict) for what is there"
      default: break
      }
      guard !isLive else { return "R8: an edit of the live generation is outdated" }
      return nil
    case .refused:
      if isDuplicate { return nil }
      if push.held?.contains(operation.object) ?? false {
        return "R20: an edit of an object that was held was refused"
      }
      // After a reset the view decides.
      if push.held != nil, let made = place.makers[push.id.client],
        made.lowerBound >= push.confirmedVersion
      {
        return "R20: an edit of an object that the device had made was refused"
      }
      return nil
    case .known, .duplicate: return "R3: \(verdict) for an entry that was judged for the first time"
    }
    if operation.action.isOfWholeUnit {
      if let rival = place.newestInside(path), stamp < rival {
        return "R4: an edit won over a newer clock inside"
      }
      place.inner[path] = nil
    }
    switch operation.action {
    case .create: break
    case .edit(_, let inner, let change):
      if let rival = place.newestRival(operation, place.stamps[path]), stamp < rival {
        return "R4: an edit inside a value won over a newer clock"
      }
      if let problem = edit(inside: path, inner, change, stamp, &place) { return problem }
    case .delete:
      place = Place(makers: place.makers)
      place.deletion = (push.id.client, push.versions)
    case .set(_, let value):
      if let older = place.stamps[path], stamp < older {
        return "R4: an edit won over a newer clock"
      }
      var count = place.counts[path] ?? Count(set: value)
      (count.set, count.setStamp) = (value, stamp)
      place.counts[path] = count
      place.object?.units[path] = .value(count.value)
      place.stamps[path] = stamp
    case .increment(_, let delta):
      guard case .value(let value)? = place.object?.units[path] else {
        return "R5: something was added to what is no property"
      }
      var count = place.counts[path] ?? Count(set: value)
      guard count.isNewer(stamp) else { return "R4: an increment won over a newer clock" }
      count.added.append((stamp, delta))
      place.counts[path] = count
      place.object?.units[path] = .value(count.value)
    case .insert(_, _, let position, let value):
      place.object?.units[path] = .element(position, value)
      place.stamps[path] = stamp
      place.elements.insert(path)
      if push.transaction.isRetold { place.awaited.insert(path) }
    case .setElement(_, _, let value):
      if let older = place.stamps[path], stamp < older {
        return "R4: an edit won over a newer clock"
      }
      guard case .element(let position, _)? = place.object?.units[path] else {
        return "R5: an element that was removed was set"
      }
      place.object?.units[path] = .element(position, value)
      place.stamps[path] = stamp
    case .moveElement(_, _, let position):
      if let older = place.moves[path], stamp < older {
        return "R4: a move won over a newer clock"
      }
      guard case .element(_, let value)? = place.object?.units[path] else {
        return "R5: an element that was removed was moved"
      }
      place.object?.units[path] = .element(position, value)
      place.moves[path] = stamp
    case .removeElement:
      place.object?.units[path] = nil
      place.inner[path] = nil
      if place.elements.insert(path).inserted { place.awaited.insert(path) }
    case .setEntry, .addMember, .removeEntry:
      if let older = place.stamps[path], stamp < older {
        return "R4: a change of an entry or member won over a newer clock"
      }
      switch operation.action {
      case .setEntry(_, _, let value): place.object?.units[path] = .value(value)
      case .addMember: place.object?.units[path] = .exists
      default: place.object?.units[path] = nil
      }
      // That it is not there is a value too.
      place.stamps[path] = stamp
    }
    places[operation.object] = place
    return nil
  }

  private func edit(
    inside path: UnitPath, _ inner: InnerPlace, _ change: InnerChange, _ stamp: Stamp,
    _ place: inout Place
  ) -> String? {
    guard let unit = place.object?.units[path], SyncInside.changed(unit, inner, change) != nil
    else {
      return "R5: an edit inside what is not there was applied"
    }
    let normal = SyncSchema.defaultValue(at: inner)
    var count =
      place.inner[path]?[inner] ?? Count(set: SyncInside.value(unit, inner) ?? normal ?? .null)
    switch change {
    case .increment(let delta, _): count.added.append((stamp, delta))
    case .set(let value): (count.set, count.setStamp) = (value, stamp)
    case .remove: (count.set, count.setStamp) = (normal ?? .null, stamp)
    }
    for other in place.inner[path, default: [:]].keys where other.isWithin(inner) && other != inner
    {
      place.inner[path]?[other] = nil
    }
    place.inner[path, default: [:]][inner] = count
    let isGone = normal == nil ? change == .remove : count.value == normal
    let new = isGone ? InnerChange.remove : .set(count.value)
    place.object?.units[path] = SyncInside.changed(unit, inner, new)
    return nil
  }
}
