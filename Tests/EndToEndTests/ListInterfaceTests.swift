import TestThreads
import Testing

@testable import Atoll

/// What changes of lists in Swift come to beside those of another device, which were made at the
/// same time.
@Suite(.waiting) struct ListInterfaceTests {
  enum Change: CaseIterable {
    case assignEqual, setInSlice, swapInSlice, sortSlice, shortenSlice, assignOwnSlice, sort
    case replaceRange
  }

  private static func make(_ change: Change, _ members: List<String>, _ team: Team) {
    let members = members
    switch change {
    case .assignEqual:
      let equal = List<String>()
      equal.append(objectsIn: Array(members))
      team.members = equal
    case .setInSlice: members[0..<2][1] = "Ben"
    case .swapInSlice: members[0..<2].swapAt(0, 1)
    case .sortSlice: members[0..<2].sort(by: >)
    case .shortenSlice: members[0..<2].removeFirst()
    case .assignOwnSlice: members[0..<2] = members[0..<2]
    case .sort: members.sort(by: >)
    case .replaceRange: members.replaceSubrange(1..<3, with: ["Ben"])
    }
  }

  /// The members, of which the other device has called the first, `Ann`, `Eve`.
  private static func expected(_ change: Change) -> [String] {
    switch change {
    case .assignEqual, .assignOwnSlice: ["Eve", "Bob", "Cy"]
    case .setInSlice: ["Eve", "Ben", "Cy"]
    case .swapInSlice, .sortSlice: ["Bob", "Eve", "Cy"]
    case .shortenSlice: ["Bob", "Cy"]
    case .sort: ["Cy", "Bob", "Eve"]
    case .replaceRange: ["Eve", "Ben"]
    }
  }

  /// Lets two devices change what both have, offline.
  private static func merge(
    _ world: SyncWorld, _ one: TestDevice, _ two: TestDevice,
    _ first: @Sendable @escaping (Realm) -> Void, _ second: @Sendable @escaping (Realm) -> Void
  ) async throws {
    try await one.upload()
    try await two.download()
    for device in [one, two] { try await device.goOffline() }
    try await one.write(first)
    try await two.write(second)
    for device in [one, two] {
      try await device.goOnline()
      try await device.upload()
    }
    for device in [one, two] { try await device.download() }
  }

  /// Promise: lists.assign, lists.value, lists.move.
  @Test(arguments: Change.allCases)
  func aChangeTouchesNoElementThatItDoesNotName(_ change: Change) async throws {
    let world = try await SyncWorld()
    let (one, two) = (try await world.device("one"), try await world.device("two"))
    for device in [one, two] { try await device.update { $0.append(QuerySubscription<Team>()) } }
    try await one.write { realm in
      let team = Team()
      team.members.append(objectsIn: ["Ann", "Bob", "Cy"])
      realm.add(team)
    }
    try await Self.merge(
      world, one, two,
      { realm in
        if let team = realm.objects(Team.self).first { Self.make(change, team.members, team) }
      },
      { $0.objects(Team.self).first?.members[0] = "Eve" })
    for device in [one, two] {
      let found = try await device.read { Array($0.objects(Team.self).first?.members ?? List()) }
      #expect(found == Self.expected(change))
    }
    await world.stopServer()
  }

  /// Promise: lists.embedded.
  @Test func embeddedObjectsThatAreInsertedLeaveTheOthersAsTheyAre() async throws {
    let world = try await SyncWorld()
    let (one, two) = (try await world.device("one"), try await world.device("two"))
    for device in [one, two] { try await device.update { $0.append(QuerySubscription<Trip>()) } }
    try await one.write { realm in
      let trip = Trip()
      for name in "abcdefghij" { trip.stops.append(Stop(String(name))) }
      realm.add(trip)
    }
    try await Self.merge(
      world, one, two,
      { realm in
        realm.objects(Trip.self).first?.stops.insert(contentsOf: [Stop("x"), Stop("y")], at: 9)
      },
      { $0.objects(Trip.self).first?.stops[9].minutes = 7 })
    for device in [one, two] {
      let found = try await device.read { realm in
        realm.objects(Trip.self).first?.stops.map { "\($0.name)\($0.minutes)" }.joined()
      }
      #expect(found == "a0b0c0d0e0f0g0h0i0x0y0j7")
    }
    await world.stopServer()
  }
}
