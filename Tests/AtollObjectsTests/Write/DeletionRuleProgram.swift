import AtollObjects
import TestSupport
import Testing

/// Random deletions in two classes that link to each other by rules which change, compared with plain
/// rows.
struct DeletionRuleProgram {
  private struct Place: Hashable, Comparable {
    var className: String
    var key: ObjectKey

    static func < (a: Place, b: Place) -> Bool {
      (a.className, a.key) < (b.className, b.key)
    }
  }

  private struct State {
    /// The targets of the link and of the list of each object.
    var objects: [Place: [String: [Place]]] = [:]
    var rules: [String: [String: DeletionRule]] = [:]
    /// The objects that linked to a deleted one by a property that denies that, and are still there.
    var denying: Set<Place> = []
  }

  private static let targets = [
    "A": ["one": "A", "list": "B"], "B": ["one": "A", "list": "B"],
  ]
  private let seed: UInt64
  private var random: SplitMix64
  private let database: Database
  private var state = State()

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix64(seed: seed)
    database = try Database.inMemory()
  }

  mutating func run() throws {
    try database.write { transaction in
      try transaction.addClasses(
        Self.targets.sorted { $0.key < $1.key }.map { name, properties in
          ClassSchema(
            name,
            properties: properties.sorted { $0.key < $1.key }.map { property, target in
              PropertySchema(
                property, linkTo: target, collection: property == "list" ? .list : .none)
            })
        })
    }
    for name in Self.targets.keys {
      state.rules[name] = ["one": .nullify, "list": .nullify]
    }
    for _ in 0..<25 { try step() }
  }

  private mutating func step() throws {
    let before = state
    state.denying = []
    let transaction = try database.beginWrite()
    for _ in 0..<below(10) + 1 { try change(transaction) }
    if below(6) == 0 {
      transaction.cancel()
      state = before
    } else {
      var isRefused = false
      let isDenied = !state.denying.isEmpty
      do throws(ObjectError) { try transaction.commit() } catch {
        guard case .deletionDenied = error else { throw error }
        isRefused = true
        state = before
      }
      #expect(isRefused == isDenied, "seed \(seed)")
    }
    #expect(try database.check().findings == [], "seed \(seed)")
    let snapshot = try database.snapshot()
    var found: [Place: [String: [Place]]] = [:]
    for name in Self.targets.keys {
      let table = try snapshot.table(name)
      try table.forEach { object in
        found[Place(className: name, key: object.key)] = [
          "one": try places(object.value(table.column("one")), snapshot.schema),
          "list": try places(object.value(table.column("list")), snapshot.schema),
        ]
      }
    }
    #expect(found == state.objects, "seed \(seed)")
  }

  private func places(_ value: Value, _ schema: Schema) throws -> [Place] {
    let links: [ObjectLink] =
      switch value {
      case .link(let link): [link]
      case .list(let elements):
        elements.compactMap { if case .link(let link) = $0 { link } else { nil } }
      default: []
      }
    return try links.map { link in
      Place(
        className: try #require(schema.table(id: link.table)).name,
        key: ObjectKey(rawValue: link.key))
    }
  }

  private mutating func change(_ transaction: Transaction) throws {
    let places = state.objects.keys.sorted()
    switch below(9) {
    case 0...2:
      let name = below(2) == 0 ? "A" : "B"
      let key = try transaction.create(name)
      state.objects[Place(className: name, key: key)] = ["one": [], "list": []]
    case 3...5:
      guard let place = places.randomElement(using: &random) else { return }
      let property = below(2) == 0 ? "one" : "list"
      let target = Self.targets[place.className]?[property]
      let possible = places.filter { $0.className == target }
      let count = min(possible.count, property == "one" ? below(2) : below(3))
      let chosen = (0..<count).compactMap { _ in possible.randomElement(using: &random) }
      let links = try chosen.map { chosen in
        Value.link(
          ObjectLink(
            table: try #require(transaction.schema.table(chosen.className)).id,
            key: chosen.key.rawValue))
      }
      try transaction.set(
        place.className, place.key, property,
        property == "one" ? links.first ?? .null : .list(links))
      state.objects[place]?[property] = chosen
    case 6...7:
      guard let place = places.randomElement(using: &random) else { return }
      try transaction.delete(place.className, place.key)
      delete(place)
    default:
      guard below(2) == 0 else {
        // Reading a table takes what was deleted out of it.
        _ = try transaction.table("A").count
        return
      }
      let (name, property) = (below(2) == 0 ? "A" : "B", below(2) == 0 ? "one" : "list")
      let rule = DeletionRule.allCases[below(3)]
      try transaction.setDeletionRule(rule, on: property, of: name)
      state.rules[name]?[property] = rule
    }
  }

  private mutating func delete(_ place: Place) {
    var waiting = [place]
    while let next = waiting.popLast() {
      guard let held = state.objects.removeValue(forKey: next) else { continue }
      state.denying.remove(next)
      for (property, targets) in held where state.rules[next.className]?[property] == .cascade {
        waiting += targets
      }
      for (source, properties) in state.objects {
        for (property, targets) in properties where targets.contains(next) {
          if state.rules[source.className]?[property] == .deny { state.denying.insert(source) }
          state.objects[source]?[property] = targets.filter { $0 != next }
        }
      }
    }
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}
