import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private class Farm: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted(originProperty: "home") var cows: LinkingObjects<Cow>
  @Persisted(originProperty: "visited") var guests: LinkingObjects<Cow>
}

private class Cow: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var home: Farm?
  @Persisted var visited: List<Farm>

  override class func propertiesMapping() -> [String: String] { ["home": "home_farm"] }
}

private class FarmView: Projection<Farm> {
  @Projected(\Farm.name) var title: String
  @Projected(\Farm.cows.projectTo.name) var cowNames: ProjectedCollection<String>
}

/// Observers of key paths through linking objects.
@Suite(.waiting) struct LinkingPathTests {
  /// A realm of a queue, and what its observers are told.
  private final class World {
    let queue = DispatchQueue(label: "farms")
    let configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Farm.self, Cow.self])
    let keeper: Realm
    private var told: [String] = []
    private var tokens: [NotificationToken] = []

    init() throws {
      keeper = try Realm(configuration: configuration)
      try keeper.write {
        for id in 0..<3 { keeper.create(Farm.self, value: ["id": id, "name": "farm \(id)"]) }
        for id in 0..<3 {
          let cow = keeper.create(Cow.self, value: ["id": id, "name": "cow \(id)", "age": id])
          cow.home = farm(id)
          if let first = farm(0) { cow.visited.append(first) }
        }
      }
    }

    deinit { queue.sync { tokens = [] } }

    func farm(_ id: Int) -> Farm? { keeper.object(ofType: Farm.self, forPrimaryKey: id) }
    func cow(_ id: Int) -> Cow? { keeper.object(ofType: Cow.self, forPrimaryKey: id) }

    /// Observes where the queue is; `begin` gives the token, and notes with its argument.
    func observe(
      _ begin: (Realm, @escaping (String) -> Void) throws -> NotificationToken
    ) throws {
      try queue.sync {
        let realm = try Realm(configuration: configuration, queue: queue)
        tokens.append(try begin(realm) { [unowned self] in told.append($0) })
        realm.refresh()
      }
      turn()
      _ = take()
    }

    private func turn() { for _ in 0..<3 { queue.sync {} } }

    private func take() -> [String] {
      queue.sync {
        defer { told = [] }
        return told
      }
    }

    /// Commits a write, and gives what was told of it.
    func told(of change: () -> Void) throws -> [String] {
      try keeper.write(change)
      try queue.sync { _ = try Realm(configuration: configuration, queue: queue).refresh() }
      turn()
      return take()
    }
  }

  private static func text<C>(_ change: RealmCollectionChange<C>) -> String {
    switch change {
    case .initial: "initial"
    case .update(_, let deletions, let insertions, let modifications):
      "\(deletions) \(insertions) \(modifications)"
    case .error: "error"
    }
  }

  @Test func aCollectionIsToldOfWhatItsLinkingObjectsAre() throws {
    let world = try World()
    try world.observe { realm, note in
      realm.objects(Farm.self).sorted(by: \.id).observe(keyPaths: ["cows.name"]) {
        note(Self.text($0))
      }
    }
    #expect(try world.told { world.cow(1)?.name = "Bess" } == ["[] [] [1]"])
    #expect(try world.told { world.cow(1)?.age = 9 } == [])
    #expect(try world.told { world.farm(1)?.name = "x" } == [])
    // Both farms have other cows.
    #expect(try world.told { world.cow(1)?.home = world.farm(2) } == ["[] [] [1, 2]"])
    #expect(try world.told { world.cow(1)?.home = nil } == ["[] [] [2]"])
    #expect(try world.told { world.cow(1)?.name = "Lost" } == [])
    let new = Cow()
    new.id = 7
    new.home = world.farm(0)
    #expect(try world.told { world.keeper.add(new) } == ["[] [] [0]"])
    #expect(try world.told { world.keeper.delete(new) } == ["[] [] [0]"])
  }

  @Test func aKeyPathMayGoOnBehindLinkingObjects() throws {
    let world = try World()
    try world.observe { realm, note in
      realm.objects(Farm.self).sorted(by: \.id)
        .observe(keyPaths: [\Farm.guests[0].home?.name]) { note(Self.text($0)) }
    }
    // All three cows have visited the first farm.
    #expect(try world.told { world.farm(2)?.name = "x" } == ["[] [] [0]"])
    #expect(try world.told { world.cow(1)?.visited.append(world.farm(1)!) } == ["[] [] [1]"])
    #expect(try world.told { world.cow(1)?.name = "x" } == [])
  }

  /// A list links to its other elements as before when one comes or goes.
  @Test func aListTellsOfWhatItGainsAndLosesOnly() throws {
    let world = try World()
    try world.observe { realm, note in
      realm.objects(Farm.self).sorted(by: \.id).observe(keyPaths: ["guests.name"]) {
        note(Self.text($0))
      }
    }
    let visited = try #require(world.cow(0)).visited
    #expect(try world.told { visited.append(world.farm(1)!) } == ["[] [] [1]"])
    // The objects that link come as often as they do.
    #expect(try world.told { visited.append(world.farm(1)!) } == ["[] [] [1]"])
    #expect(try world.told { visited.move(from: 0, to: 2) } == [])
    #expect(try world.told { visited[0] = world.farm(2)! } == ["[] [] [1, 2]"])
    #expect(try world.told { visited.removeAll() } == ["[] [] [0, 1, 2]"])
  }

  @Test func anObjectIsToldByTheNameOfTheProperty() throws {
    let world = try World()
    try world.observe { realm, note in
      let farm = try #require(realm.object(ofType: Farm.self, forPrimaryKey: 1))
      return farm.observe(keyPaths: ["cows.name", "name"]) { (change: ObjectChange<Farm>) in
        guard case .change(_, let properties) = change else { return note("\(change)") }
        note("\(properties.map { "\($0.name) \($0.newValue ?? "nil")" })")
      }
    }
    #expect(try world.told { world.cow(1)?.name = "Bess" } == ["[\"cows nil\"]"])
    #expect(try world.told { world.cow(0)?.name = "Bess" } == [])
    #expect(try world.told { world.cow(0)?.home = world.farm(1) } == ["[\"cows nil\"]"])
    #expect(try world.told { world.farm(1)?.name = "x" } == ["[\"name x\"]"])
    #expect(try world.told { world.keeper.delete(world.cow(0)!) } == ["[\"cows nil\"]"])
  }

  /// Without key paths linking objects do not count, as in Realm.
  @Test func linkingObjectsDoNotCountByThemselves() throws {
    let world = try World()
    try world.observe { realm, note in
      realm.objects(Farm.self).sorted(by: \.id).observe { note(Self.text($0)) }
    }
    #expect(try world.told { world.cow(1)?.name = "Bess" } == [])
  }

  @Test func aProjectionShowsItsLinkingObjectsAndIsToldOfThem() throws {
    let world = try World()
    try world.observe { realm, note in
      let view = try #require(realm.objects(FarmView.self).where { $0.title == "farm 1" }.first)
      #expect(Array(view.cowNames) == ["cow 1"])
      return view.observe { (change: ObjectChange<FarmView>) in
        guard case .change(let view, let properties) = change else { return note("\(change)") }
        note("\(properties.map(\.name)) \(Array(view.cowNames))")
      }
    }
    try world.observe { realm, note in
      let view = try #require(realm.objects(FarmView.self).where { $0.title == "farm 1" }.first)
      return view.cowNames.observe { note(Self.text($0)) }
    }
    #expect(
      try Set(world.told { world.cow(1)?.name = "Bess" })
        == ["[\"cowNames\"] [\"Bess\"]", "[] [] [0]"])
    #expect(
      try Set(world.told { world.cow(2)?.home = world.farm(1) })
        == ["[\"cowNames\"] [\"Bess\", \"cow 2\"]", "[] [1] []"])
    #expect(try world.told { world.cow(0)?.name = "x" } == [])
  }

  // MARK: Random programs

  /// Who is told of is who shows other cows or guests than before.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func whoeverShowsSomethingElseIsTold(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let world = try World()
    try world.observe { realm, note in
      realm.objects(Farm.self).sorted(by: \.id)
        .observe(keyPaths: ["cows.name", "guests.home.name"]) { change in
          guard case .update(_, _, _, let places) = change else { return }
          note(places.map { "\($0)" }.joined(separator: " "))
        }
    }
    var nextID = 10
    var log: [String] = []
    for _ in 0..<25 {
      let before = Self.shown(world.keeper)
      let told = try world.told {
        for _ in 0..<Int.random(in: 1..<4, using: &random) {
          log.append(Self.change(world, &random, &nextID))
        }
      }
      let after = Self.shown(world.keeper)
      let places = Set(told.flatMap { $0.split(separator: " ").compactMap { Int($0) } })
      // The farms are never deleted, so that places are ids.
      let changed = Set(after.keys.filter { before[$0] != after[$0] })
      guard changed.isSubset(of: places) else {
        Issue.record("\(changed) have changed, and \(places) were told of: \(log)")
        return
      }
    }
  }

  private static func shown(_ realm: Realm) -> [Int: String] {
    var shown: [Int: String] = [:]
    for farm in realm.objects(Farm.self) {
      let cows = farm.cows.map { "\($0.id) \($0.name)" }
      let guests = farm.guests.map { "\($0.id) \($0.home?.id ?? -1) \($0.home?.name ?? "-")" }
      shown[farm.id] = "\(Array(cows)) \(Array(guests))"
    }
    return shown
  }

  private static func change(
    _ world: World, _ random: inout SplitMix64, _ nextID: inout Int
  ) -> String {
    let realm = world.keeper
    let farm = realm.objects(Farm.self).randomElement(using: &random)
    guard let cow = realm.objects(Cow.self).randomElement(using: &random),
      Int.random(in: 0..<6, using: &random) > 0
    else {
      let cow = realm.create(Cow.self, value: ["id": nextID])
      nextID += 1
      cow.home = farm
      return "add \(cow.id) to \(farm?.id ?? -1)"
    }
    let id = cow.id
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      realm.delete(cow)
      return "delete \(id)"
    case 1:
      cow.home = Int.random(in: 0..<3, using: &random) == 0 ? nil : farm
      return "\(id).home = \(cow.home?.id ?? -1)"
    case 2:
      cow.name += "x"
      return "\(id).name"
    case 3:
      if let farm { cow.visited.append(farm) }
      return "\(id).visited + \(farm?.id ?? -1)"
    case 4:
      if !cow.visited.isEmpty { cow.visited.remove(at: 0) }
      return "\(id).visited - 0"
    default:
      farm?.name += "y"
      return "farm \(farm?.id ?? -1).name"
    }
  }
}
