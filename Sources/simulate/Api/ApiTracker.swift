internal import Atoll
internal import Observation
internal import Synchronization

/// A read in a block of `withObservationTracking`, which is told once that another one may differ.
final class ApiTracker {
  private final class Told: Sendable {
    let isTold = Atomic(false)
  }

  private let name: String
  private let read: () -> String
  private let value: String
  private let told = Told()

  /// Reads in such a block.
  init(_ name: String, _ read: @escaping () -> String) {
    self.name = name
    self.read = read
    value = withObservationTracking(read) { [told] in
      told.isTold.store(true, ordering: .relaxed)
    }
  }

  var isTold: Bool { told.isTold.load(ordering: .relaxed) }

  /// What is wrong: it reads something else now, and was not told.
  var problem: String? {
    guard !isTold else { return nil }
    let now = read()
    return now == value || isTold ? nil : "who reads \(name) has \(value), is not told of \(now)"
  }
}

extension ApiRun {
  /// Reads something, to be told when it changes.
  func track(_ place: ApiPlace) {
    guard place.trackers.count < 4, let (name, read) = trackedRead(place) else { return }
    note(place, "track \(name)")
    place.trackers.append(ApiTracker(name, read))
  }

  private func trackedRead(_ place: ApiPlace) -> (name: String, read: () -> String)? {
    if chance(1, of: 2), let number = anyNumber(place) {
      return trackedRead(of: object(number, place), number, place)
    }
    let kinds = schema.tables.filter { place.touched.contains($0.name) }
    guard !kinds.isEmpty else { return nil }
    let (kind, realm) = (pick(kinds), realm(place))
    guard let operations = kind.operations else { return nil }
    switch number(0..<6) {
    case 0: return ("the count of \(kind.name)", { "\(operations.count(realm))" })
    case 1 where kind.key != nil:
      guard let key = kind.key else { return nil }
      let value = pick(key.samples)
      let argument = key.argument(value, objects(place))
      return (
        "\(kind.name) with the key \(value)",
        { "\(operations.object(realm, key: argument).map { ApiKind.number(of: $0) } ?? -1)" }
      )
    case 2:
      let query = query(kind, place)
      return (
        "projections of \(kind.name) \(query.text ?? "") \(query.arguments)",
        { "\(operations.viewNumbers(realm, query))" }
      )
    default:
      let query = query(kind, place)
      return (
        "\(kind.name) \(query.text ?? "") \(query.arguments)",
        { "\(operations.numbers(realm, query))" }
      )
    }
  }

  /// A read of one of an object's properties, of a kept collection, or of a projection.
  private func trackedRead(
    of object: ObjectBase, _ number: Int, _ place: ApiPlace
  ) -> (name: String, read: () -> String)? {
    let kind = place.world[number].kind
    if let view = ApiViewKind.of(kind), chance(1, of: 3) {
      return (
        "the projection of #\(number)",
        {
          if object.isInvalidated { return "nothing" }
          return view.show(object).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
        }
      )
    }
    guard !schema[kind].fields.isEmpty else { return nil }
    let field = pick(schema[kind].fields)
    if field.shape != .one, chance(1, of: 2), let read = field.hold(object) {
      return ("the kept \(field.name) of #\(number)", { "\(read())" })
    }
    return (
      "#\(number).\(field.name)",
      { object.isInvalidated ? "nothing" : "\(field.read(object))" }
    )
  }

  /// Compares what was read in all places with what is there now.
  func settleTrackers() throws {
    for place in places where place.realm != nil && !place.isWriting && !place.isUnpinned {
      try place.run {
        for tracker in place.trackers {
          if let problem = tracker.problem { throw CaseViolation("in \(place.name): \(problem)") }
        }
        place.trackers.removeAll(where: \.isTold)
      }
    }
  }
}
