import Foundation
import Synchronization
import TestThreads
import Testing

@testable import Atoll

class Trip: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var start: Stop?
  @Persisted var stops: List<Stop>
  @Persisted var named: Map<String, Stop?>
  @Persisted var notes: AnyRealmValue
}

class Stop: EmbeddedObject {
  @Persisted var name: String
  @Persisted var minutes: Int
  @Persisted var spot: Spot?

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }
}

class Spot: EmbeddedObject {
  @Persisted var x: Int
  @Persisted var y: Int
}

/// Concurrent changes of two devices inside one value.
@Suite(.waiting) struct InsideTests {
  private static func text(_ stop: Stop?) -> String {
    guard let stop else { return "-" }
    let spot = stop.spot.map { "(\($0.x),\($0.y))" } ?? ""
    return "\(stop.name) \(stop.minutes)\(spot)"
  }

  private static func text(_ value: AnyRealmValue) -> String {
    guard case .dictionary(let map) = value else { return "\(value.intValue ?? 0)" }
    return "{\(map.map { "\($0.key):\(text($0.value))" }.sorted().joined(separator: " "))}"
  }

  private static func text(_ device: TestDevice) async throws -> String {
    try await device.read { realm in
      guard let trip = realm.objects(Trip.self).first else { return "" }
      let stops = trip.stops.map { text($0) }.joined(separator: ",")
      let named = trip.named.map { "\($0.key):\(text($0.value))" }.sorted().joined(separator: ",")
      return "\(text(trip.start)) [\(stops)] {\(named)} \(text(trip.notes))"
    }
  }

  /// Makes the same change possible on two devices, lets each do its own offline, and brings them
  /// together.
  private static func merge(
    _ world: SyncWorld, _ first: @Sendable @escaping (Realm, Trip) -> Void,
    _ second: @Sendable @escaping (Realm, Trip) -> Void
  ) async throws -> [String] {
    let one = try await world.device("one")
    let two = try await world.device("two")
    for device in [one, two] { try await device.update { $0.append(QuerySubscription<Trip>()) } }
    try await one.write { realm in
      let trip = Trip()
      trip.start = Stop("Oslo")
      trip.start?.spot = Spot()
      trip.stops.append(Stop("Rome"))
      trip.named["home"] = Stop("Bern")
      trip.notes = .fromDictionary(["a": .int(1), "in": .fromDictionary(["b": .int(2)])])
      realm.add(trip)
    }
    try await one.upload()
    try await two.download()
    for device in [one, two] { try await device.goOffline() }
    for (device, change) in [(one, first), (two, second)] {
      try await device.write { realm in
        if let trip = realm.objects(Trip.self).first { change(realm, trip) }
      }
    }
    for device in [one, two] {
      try await device.goOnline()
      try await device.upload()
    }
    for device in [one, two] { try await device.download() }
    return [try await text(one), try await text(two)]
  }

  /// Promise: merge.inside.
  @Test func propertiesOfEmbeddedObjectsMergeOneByOne() async throws {
    let world = try await SyncWorld()
    let texts = try await Self.merge(
      world,
      { _, trip in
        trip.start?.name = "Bergen"
        trip.start?.spot?.x = 1
        trip.stops.first?.name = "Roma"
        trip.named["home"]??.minutes = 5
        trip.start?.increment(\.minutes, by: 10)
      },
      { _, trip in
        trip.start?.spot?.y = 2
        trip.stops.first?.minutes = 7
        trip.named["home"]??.name = "Basel"
        trip.start?.increment(\.minutes, by: 3)
        trip.start?.name = "Moss"
      })
    #expect(texts[0] == "Moss 13(1,2) [Roma 7] {home:Basel 5} {a:1 in:{b:2}}")
    #expect(texts[0] == texts[1])
    #expect(world.refusals.withLock { $0.isEmpty })
    await world.stopServer()
  }

  /// Promise: merge.inside.
  @Test func entriesOfDictionariesInValuesMergeOneByOne() async throws {
    let world = try await SyncWorld()
    let texts = try await Self.merge(
      world,
      { _, trip in
        trip.notes.dictionaryValue?["a"] = .int(10)
        trip.notes.dictionaryValue?["in"]?.dictionaryValue?["b"] = .int(20)
      },
      { _, trip in
        trip.notes.dictionaryValue?["new"] = .int(3)
        trip.notes.dictionaryValue?["in"]?.dictionaryValue?["c"] = .int(30)
      })
    #expect(texts[0] == "Oslo 0(0,0) [Rome 0] {home:Bern 0} {a:10 in:{b:20 c:30} new:3}")
    #expect(texts[0] == texts[1])
    await world.stopServer()
  }

  /// Promise: merge.inside, refusals.reason.
  @Test func anEmbeddedObjectThatIsReplacedTakesAlongWhatWasChangedInIt() async throws {
    let world = try await SyncWorld()
    let texts = try await Self.merge(
      world, { _, trip in trip.start = Stop("Bergen") },
      { _, trip in
        trip.start?.name = "Moss"
        trip.notes = .int(4)
      })
    #expect(texts[0] == "Bergen 0 [Rome 0] {home:Bern 0} 4")
    #expect(texts[0] == texts[1])
    let refusals = world.refusals.withLock { $0 }
    #expect(refusals.map(\.code) == [.writeRejected])
    await world.stopServer()
  }
}
