internal import AtollCapture
internal import AtollObjects

/// Changes inside values, by the full model: a second telling of what `RecordedValue.changed` does.
enum SyncInside {
  /// The value after a change; nil when its place is not there.
  static func changed(_ unit: UnitValue, _ place: InnerPlace, _ change: InnerChange) -> UnitValue? {
    switch unit {
    case .exists: nil
    case .value(let value): changed(value, place, change).map { .value($0) }
    case .element(let position, let value):
      changed(value, place, change).map { .element(position, $0) }
    }
  }

  private static func changed(
    _ value: RecordedValue, _ place: InnerPlace, _ change: InnerChange
  ) -> RecordedValue? {
    // The way down, then the way back up.
    var way: [RecordedValue] = [value]
    for name in place.names.dropLast() {
      guard let next = inside(way[way.count - 1], name) else { return nil }
      way.append(next)
    }
    var incarnation: ElementID?
    for step in way {
      switch step {
      case .embedded(let object): incarnation = object.incarnation
      case .map: break
      default: return nil
      }
    }
    guard incarnation == place.incarnation else { return nil }
    var new = replacement(of: inside(way[way.count - 1], place.names[way.count - 1]), change)
    for (step, name) in zip(way, place.names).reversed() { new = replacing(name, in: step, new) }
    return new
  }

  /// What is at a place; nil: nothing, or a type's default.
  static func value(_ unit: UnitValue, _ place: InnerPlace) -> RecordedValue? {
    place.names.reduce(unit.content) { value, name in value.flatMap { inside($0, name) } }
  }

  private static func replacement(of old: RecordedValue?, _ change: InnerChange) -> RecordedValue? {
    switch change {
    case .set(let value): return value
    case .remove: return nil
    case .increment(let delta, let startsAtZero):
      if old == nil, !startsAtZero { return nil }
      guard case .int(let number) = old ?? .int(0) else { return old }
      return startsAtZero && number &+ delta == 0 ? nil : .int(number &+ delta)
    }
  }

  /// What an embedded object or a map holds under a name.
  private static func inside(_ value: RecordedValue, _ name: String) -> RecordedValue? {
    switch value {
    case .embedded(let object): object.fields.first { $0.property == name }?.value
    case .map(let entries): entries.first { Array($0.key.utf8) == Array(name.utf8) }?.value
    default: nil
    }
  }

  private static func replacing(
    _ name: String, in value: RecordedValue, _ new: RecordedValue?
  ) -> RecordedValue {
    switch value {
    case .embedded(let object):
      var fields = Dictionary(uniqueKeysWithValues: object.fields.map { ($0.property, $0.value) })
      fields[name] = new
      return .embedded(
        EmbeddedValue(
          incarnation: object.incarnation,
          fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { RecordedField(property: $0.key, value: $0.value) }))
    case .map(let entries):
      let others = entries.filter { Array($0.key.utf8) != Array(name.utf8) }
      return RecordedValue(
        entries: (others + (new.map { [RecordedEntry(key: name, value: $0)] } ?? []))
          .map { (key: .string($0.key), value: $0.value) })
    default: return value
    }
  }
}
