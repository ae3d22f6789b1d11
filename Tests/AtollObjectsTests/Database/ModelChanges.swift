import AtollObjects

/// What a transaction did to the objects of one class, as the model has it.
struct ExpectedChanges: Equatable {
  var inserted: [ObjectKey] = []
  var deleted: [ObjectKey] = []
  var modified: [ObjectKey: Set<String>] = [:]

  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }
}

extension ExpectedChanges {
  /// A change set in the model's form.
  static func all(_ changes: ChangeSet) -> [String: ExpectedChanges] {
    let classes = changes.classes.map { name, changes in
      let modified = changes.modified.mapValues { Set($0.map(\.text)) }
      return (
        name.text,
        ExpectedChanges(inserted: changes.inserted, deleted: changes.deleted, modified: modified)
      )
    }
    return Dictionary(uniqueKeysWithValues: classes)
  }
}

/// What was done to the model, netted out as a change set promises.
struct ModelChanges {
  private struct State {
    var existedBefore: Bool
    var exists: Bool
    var properties: Set<String> = []
    var wasReplaced = false
  }

  private var states: [String: [UInt64: State]] = [:]

  mutating func insert(_ className: String, _ key: UInt64) {
    if var state = states[className]?[key] {
      state.exists = true
      state.wasReplaced = state.existedBefore
      states[className]?[key] = state
    } else {
      states[className, default: [:]][key] = State(existedBefore: false, exists: true)
    }
  }

  mutating func delete(_ className: String, _ key: UInt64) {
    states[className, default: [:]][key, default: State(existedBefore: true, exists: true)]
      .exists = false
  }

  mutating func change(_ className: String, _ key: UInt64, _ property: String) {
    states[className, default: [:]][key, default: State(existedBefore: true, exists: true)]
      .properties.insert(property)
  }

  /// The class is gone.
  mutating func forget(_ className: String) { states[className] = nil }

  /// The property is gone.
  mutating func forget(_ property: String, of className: String) {
    for key in (states[className] ?? [:]).keys {
      states[className]?[key]?.properties.remove(property)
    }
  }

  func summary(_ model: ObjectModel) -> [String: ExpectedChanges] {
    var changes: [String: ExpectedChanges] = [:]
    for (className, states) in states {
      var of = ExpectedChanges()
      for (raw, state) in states.sorted(by: { $0.key < $1.key }) {
        let key = ObjectKey(rawValue: raw)
        switch (state.existedBefore, state.exists) {
        case (false, true): of.inserted.append(key)
        case (true, false): of.deleted.append(key)
        case (true, true):
          let properties =
            state.wasReplaced
            ? Set(model[className].schema.properties.map(\.name)) : state.properties
          if !properties.isEmpty { of.modified[key] = properties }
        case (false, false): break
        }
      }
      if !of.isEmpty { changes[className] = of }
    }
    return changes
  }
}

extension ObjectModel {
  /// What differs between two versions: the properties whose values are not the same.
  func difference(to newer: ObjectModel) -> [String: ExpectedChanges] {
    var changes: [String: ExpectedChanges] = [:]
    for className in newer.classNames {
      // One that was removed, and another made with its name, has another number.
      let old = classes[className].flatMap { $0.id == newer[className].id ? $0 : nil }
      let before = old?.objects ?? [:]
      let after = newer[className].objects
      var of = ExpectedChanges()
      of.inserted = after.keys.filter { before[$0] == nil }.sorted().map(ObjectKey.init)
      of.deleted = before.keys.filter { after[$0] == nil }.sorted().map(ObjectKey.init)
      for (key, old) in before {
        guard let new = after[key] else { continue }
        let changed = old.values.filter { name, value in
          // Nothing is told of a property that is gone.
          new.values[name].map { !isExactly(value, $0) } ?? false
        }
        if !changed.isEmpty { of.modified[ObjectKey(rawValue: key)] = Set(changed.keys) }
      }
      if !of.isEmpty { changes[className] = of }
    }
    return changes
  }
}
