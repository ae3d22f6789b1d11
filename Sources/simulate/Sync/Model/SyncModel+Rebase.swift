internal import AtollCapture
internal import AtollObjects

extension SyncModel {
  /// Takes answers and the values of a batch in.
  ///
  /// - Returns: What is wrong with them; nil when they fit.
  mutating func rebase(
    answers: [UInt64: [Verdict]], changes: [ObjectAddress: Change]
  ) -> String? {
    var generations: [Generation: Generation] = [:]
    var replay = Replay(confirmed)
    var left: [Entry] = []
    for var entry in outbox {
      Self.rename(&entry, generations)
      guard entry.number > answered, let verdicts = answers[entry.number] else {
        left.append(entry)
        continue
      }
      guard left.isEmpty else {
        return "entry \(entry.number) is answered before \(left[0].number)"
      }
      answered = entry.number
      if entry.operations.isEmpty { continue }
      guard verdicts.count == entry.operations.count else {
        return "\(verdicts.count) verdicts for \(entry.operations.count) operations"
      }
      for index in entry.operations.indices {
        let name = OperationName(entry: entry.name, index: UInt32(index))
        let pending = Generation.pending(number: entry.number, index: UInt32(index))
        let verdict = verdicts[index]
        guard self.verdicts.updateValue(verdict, forKey: name) == nil else {
          return "a second answer for operation \(name)"
        }
        // An edit names a creation of the same transaction, whose answer came before it.
        Self.rename(&entry.operations[index], generations)
        let operation = entry.operations[index]
        switch verdict {
        case .applied(let generation), .known(let generation):
          if operation.action == .create {
            guard let generation else { return "no generation for creation \(name)" }
            generations[pending] = .confirmed(generation)
          }
          if case .known = verdict { break }
          replay.apply(operation, named: pending, generation: generation)
        case .newerClock, .deletion, .refused, .duplicate: break
        }
      }
    }
    outbox = left.map { entry in
      var entry = entry
      Self.rename(&entry, generations)
      return entry
    }
    confirmed = replay.contents
    return apply(changes)
  }

  /// Pending operations name the generation in the answer.
  private static func rename(_ entry: inout Entry, _ generations: [Generation: Generation]) {
    for index in entry.operations.indices { rename(&entry.operations[index], generations) }
  }

  private static func rename(
    _ operation: inout Operation, _ generations: [Generation: Generation]
  ) {
    guard let generation = operation.generation, let name = generations[generation] else { return }
    operation.generation = name
  }

  private mutating func apply(_ changes: [ObjectAddress: Change]) -> String? {
    for (address, change) in changes {
      switch change {
      case .leave: confirmed[address] = nil
      case .full(let generation, let units):
        let all = SyncSchema.defaults(of: address.className).merging(units) { $1 }
        confirmed[address] = Object(generation: .confirmed(generation), units: all)
      case .update(let units):
        guard confirmed[address] != nil else {
          return "an update of \(address), which is not confirmed"
        }
        for (path, value) in units { confirmed[address]?.units[path] = value }
      }
    }
    return nil
  }

  // MARK: Catch-up

  /// Takes a batch in; returns what is wrong with it, nil when it fits.
  ///
  /// `run`: number and position of the catch-up that it is a part of; nil for a live stream.
  /// `isProgressive`: whether the parts of a catch-up are committed one by one.
  mutating func receive(
    from: Cursor?, to: Cursor?, run: (number: UInt64, position: [UInt8], isRestart: Bool)?,
    changes: [ObjectAddress: Change], answers: [UInt64: [Verdict]], isProgressive: Bool
  ) -> String? {
    guard from == cursor else { return "a batch from \(from as Any) at \(cursor as Any)" }
    var all = changes
    if let run {
      if run.isRestart { parts = [] }
      parts.append(Part(run: run.number, position: run.position, changes: changes))
      if to == nil, !isProgressive { return nil }
      if !isProgressive { all = merged() }
    }
    guard let to else { return rebase(answers: answers, changes: all) }
    if from == nil {
      // Everything is downloaded again: missing objects are removed, also those that an answer
      // would create.
      let arrived = Set(parts.flatMap(\.changes.keys))
      let pending = outbox.filter { answers[$0.number] != nil }.flatMap(\.operations)
      for address in Set(confirmed.keys).union(pending.map(\.object))
      where !arrived.contains(address) {
        all[address] = .leave
      }
    }
    if let cursor, cursor.incarnation == to.incarnation, to.version < cursor.version {
      return "the cursor goes back"
    }
    parts = []
    cursor = to
    let problem = rebase(answers: answers, changes: all)
    heldAtCursor = Set(confirmed.keys)
    return problem
  }

  /// The parts of the catch-up as one.
  private func merged() -> [ObjectAddress: Change] {
    var all: [ObjectAddress: Change] = [:]
    for (address, change) in parts.lazy.flatMap(\.changes) {
      switch (all[address], change) {
      case (.full(let generation, let units)?, .update(let new)):
        var units = units
        for (path, value) in new { units[path] = value }
        all[address] = .full(generation, units)
      case (.update(let units)?, .update(let new)):
        all[address] = .update(units.merging(new) { $1 })
      default: all[address] = change
      }
    }
    return all
  }

  /// The position of an interrupted catch-up in HELLO.
  ///
  /// - Returns: What is wrong with it; nil when it fits.
  mutating func resume(at position: (run: UInt64, position: [UInt8])?) -> String? {
    guard let position else {
      parts = []
      return nil
    }
    // The run may have changed since its first parts: it is named by the last.
    guard
      let last = parts.lastIndex(where: {
        $0.run == position.run && $0.position == position.position
      })
    else { return "it resumes at a position that never came" }
    parts.removeSubrange((last + 1)...)
    return nil
  }
}

// MARK: Another identity

extension SyncModel {
  /// Whether what the server has taken in under the id of a file can be entries of this one (R3).
  func matches(pushed: UInt64, digest: UInt64) -> Bool {
    guard pushed >= answered, pushed <= outbox.last?.number ?? answered else { return false }
    return pushed == answered || outbox.first { $0.number == pushed }?.digest == digest
  }

  /// The outbox is renumbered, and everything is downloaded again; names and digests stay (R3).
  func underAnotherIdentity() -> SyncModel {
    var model = self
    var generations: [Generation: Generation] = [:]
    var numbers: [UInt64: UInt64] = [:]
    for place in model.outbox.indices {
      let old = model.outbox[place].number
      let new = UInt64(place) + 1
      numbers[old] = new
      model.outbox[place].number = new
      for index in model.outbox[place].operations.indices {
        generations[.pending(number: old, index: UInt32(index))] =
          .pending(number: new, index: UInt32(index))
      }
      for index in model.outbox[place].operations.indices {
        guard let name = model.outbox[place].operations[index].generation, case .pending = name
        else { continue }
        // One that is not here was refused, and another one may have its name now.
        model.outbox[place].operations[index].generation =
          generations[name] ?? .pending(number: 0, index: 0)
      }
    }
    // Of the sets that were answered, the last one is the set of the next HELLO.
    let last = setVersions.keys.filter { $0 <= answered }.max()
    func renumbered<Value>(_ old: [UInt64: Value]) -> [UInt64: Value] {
      var new: [UInt64: Value] = [:]
      for (number, value) in old {
        if number == last { new[0] = value }
        if let number = numbers[number] { new[number] = value }
      }
      return new
    }
    model.setVersions = renumbered(setVersions)
    model.sets = renumbered(sets)
    model.viewNumber = last != nil && viewNumber.map { $0 >= last ?? 0 } ?? false ? 0 : nil
    model.answered = 0
    model.cursor = nil
    model.parts = []
    return model
  }
}
