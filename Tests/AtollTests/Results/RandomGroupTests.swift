import AtollQuery
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Groups, snapshots and plans in random programs: groups are what a loop over the elements finds,
/// and a snapshot is what was there when it was taken.
@Suite(.waiting) struct RandomGroupTests {
  @Test(arguments: 0..<60 as Range<UInt64>)
  func groupsAndSnapshotsAreWhatIsThere(seed: UInt64) throws {
    try RandomGroups(seed: seed).run()
  }
}

private class Plant: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var kind: Int
  @Persisted var bed: String?
  /// Halves, whose sums are exact.
  @Persisted var height: Double?
  @Persisted var parent: Plant?
  @Persisted var seeds: List<Plant>

  var text: String {
    "\(id) \(kind) \(bed ?? "-") \(height ?? -1) \(parent?.id ?? -1) \(Array(seeds.map(\.id)))"
  }
}

private final class RandomGroups {
  private var random: SplitMix64
  private let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
  private let realm: Realm
  private var kept: [(snapshot: RealmSnapshot<Results<Plant>>, texts: [String])] = []
  private var lists: [(snapshot: RealmSnapshot<List<Plant>>, ids: [Int])] = []
  private var lastID = 0
  private var log: [String] = []

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    realm = try Realm(configuration: configuration)
  }

  private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  func run() throws {
    for _ in 0..<30 {
      try step()
      guard try check() else {
        Issue.record("\(log)")
        return
      }
    }
  }

  private func step() throws {
    let count = number(1..<6)
    switch number(0..<6) {
    case 0:
      realm.beginWrite()
      for _ in 0..<count { change(realm) }
      log.append("cancel")
      if try !check() { log.append("in the open write") }
      realm.cancelWrite()
    case 1:
      // Changes that another thread makes, which the realm sees when it moves.
      let (configuration, seed) = (configuration, random.next())
      log.append("another thread")
      try onAnotherThread {
        var other = SplitMix64(seed: seed)
        let realm = try Realm(configuration: configuration)
        try realm.write {
          for plant in realm.objects(Plant.self) where Int.random(in: 0..<3, using: &other) == 0 {
            plant.kind = Int.random(in: 0..<4, using: &other)
          }
        }
      }
      realm.refresh()
    case 2: keep()
    default: try realm.write { for _ in 0..<count { change(realm) } }
    }
    if kept.count > 4 { kept.removeFirst() }
    if lists.count > 4 { lists.removeFirst() }
  }

  private func change(_ realm: Realm) {
    let plants = realm.objects(Plant.self)
    guard plants.count > 3, number(0..<4) > 0, let plant = plants.randomElement(using: &random)
    else {
      lastID += 1
      log.append("add \(lastID)")
      let plant = realm.create(Plant.self, value: ["id": lastID, "kind": number(0..<4)])
      plant.bed = number(0..<3) == 0 ? nil : "bed \(number(0..<2))"
      plant.height = number(0..<3) == 0 ? nil : Double(number(0..<20)) / 2
      return
    }
    let other = plants[number(0..<plants.count)]
    switch number(0..<6) {
    case 0:
      log.append("delete \(plant.id)")
      realm.delete(plant)
    case 1: plant.kind = number(0..<4)
    case 2: plant.height = number(0..<4) == 0 ? nil : Double(number(0..<20)) / 2
    case 3: plant.parent = number(0..<3) == 0 ? nil : other
    default: plant.seeds.append(other)
    }
  }

  private func keep() {
    log.append("snapshot")
    let tall = realm.objects(Plant.self).where { $0.height > 3 }.sorted(by: \.id)
    kept.append((tall.snapshot(), tall.map(\.text)))
    guard let plant = realm.objects(Plant.self).randomElement(using: &random) else { return }
    lists.append((plant.seeds.snapshot(), plant.seeds.map(\.id)))
  }

  // MARK: Checks

  private func check() throws -> Bool {
    let plants = realm.objects(Plant.self)
    var results = [
      plants, plants.sorted(by: \.id, ascending: false), plants.where { $0.kind == 2 },
      plants.filter("height > $0", 4).sorted(by: \.kind), plants.distinct(by: ["bed"]),
    ]
    if let list = plants.randomElement(using: &random)?.seeds {
      results += [list.sorted(by: \.id), list.where { $0.kind < 2 }]
      guard try areGroupsRight(list) else { return false }
    }
    for result in results {
      guard try areGroupsRight(result) else { return false }
      let plan = try result.explain()
      if plan.resultCount != result.count {
        Issue.record("the plan gives \(plan.resultCount) objects of \(result.count)")
        return false
      }
    }
    return try areSnapshotsRight()
  }

  private func areGroupsRight<C: RealmCollection>(_ plants: C) throws -> Bool
  where C.Element == Plant {
    let groups = try plants.grouped(
      by: \.bed, \.parent?.kind,
      computing: .sum(of: \.height), .min(of: \.height), .max(of: \.kind), .average(of: \.kind))
    let found = groups.map { group in
      let (bed, kind) = group.key
      let (sum, least, greatest, average) = group.values
      return "\(bed ?? "-") \(kind ?? -1) \(group.count) \(sum ?? -1) \(least ?? -1) "
        + "\(greatest ?? -1) \(average.map { Int(($0 * 1000).rounded()) } ?? -1)"
    }
    let expected = Self.groups(Array(plants))
    if found == expected { return true }
    Issue.record("the groups are \(found), and the elements give \(expected)")
    return false
  }

  /// The groups as a loop finds them.
  private static func groups(_ plants: [Plant]) -> [String] {
    var names: [String] = []
    var members: [String: [Plant]] = [:]
    for plant in plants {
      let name = "\(plant.bed ?? "-") \(plant.parent?.kind ?? -1)"
      if members[name] == nil { names.append(name) }
      members[name, default: []].append(plant)
    }
    return names.map { name in
      let plants = members[name] ?? []
      let heights = plants.compactMap(\.height)
      let kinds = plants.map(\.kind)
      let average = Double(kinds.reduce(0, +)) / Double(kinds.count)
      return "\(name) \(plants.count) \(heights.reduce(0, +)) \(heights.min() ?? -1) "
        + "\(kinds.max() ?? -1) \(Int((average * 1000).rounded()))"
    }
  }

  private func areSnapshotsRight() throws -> Bool {
    let problem = Problem()
    try onAnotherThread { [kept, lists] in
      for (snapshot, texts) in kept where Array(snapshot.value.map(\.text)) != texts {
        problem.text = "\(Array(snapshot.value.map(\.text))) was \(texts)"
      }
      for (snapshot, ids) in lists where Array(snapshot.value.map(\.id)) != ids {
        problem.text = "the list \(Array(snapshot.value.map(\.id))) was \(ids)"
      }
    }
    if let text = problem.text { Issue.record("a snapshot has changed: \(text)") }
    return problem.text == nil
  }
}

// SAFETY: written on a thread that has ended when it is read.
private final class Problem: @unchecked Sendable {
  var text: String?
}
