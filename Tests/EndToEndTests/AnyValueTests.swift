import Foundation
import Synchronization
import TestThreads
import Testing

@testable import Atoll

class Fact: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var value: AnyRealmValue
  @Persisted var values: List<AnyRealmValue>
}

/// Values of any type, with objects in them, between devices.
@Suite(.waiting) struct AnyValueTests {
  private static func text(_ value: AnyRealmValue) -> String {
    switch value {
    case .list(let list): "[\(list.map { text($0) }.joined(separator: " "))]"
    case .dictionary(let map):
      "{\(map.map { "\($0.key):\(text($0.value))" }.joined(separator: " "))}"
    case .object(let object): "<\((object as? Task)?.taskName ?? "?")>"
    case .int(let number): "\(number)"
    case .none: "-"
    default: "\(value)"
    }
  }

  private static func text(_ device: TestDevice) async throws -> String {
    try await device.read { realm in
      guard let fact = realm.objects(Fact.self).first else { return "" }
      return "\(text(fact.value)) \(fact.values.map { text($0) }.joined(separator: ","))"
    }
  }

  @Test func linksInValuesWaitForObjectsThatASubscriptionBringsLater() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    try await one.update { set in
      set.append(QuerySubscription<Fact>())
      set.append(QuerySubscription<Task>())
    }
    try await one.write { realm in
      let task = Task()
      task.taskName = "paint"
      let fact = Fact()
      fact.value = .fromDictionary([
        "all": .fromArray([.int(1), .object(task)]), "first": .object(task),
      ])
      fact.values.append(objectsIn: [.object(task), .int(2)])
      realm.add(fact)
    }
    try await one.upload()
    let two = try await world.device("two")
    try await two.update { $0.append(QuerySubscription<Fact>()) }
    #expect(try await Self.text(two) == "{all:[1 -] first:-} -,2")
    // An edit beside a pending link keeps it; so does an assignment of the whole value that leaves
    // it.
    try await two.write { realm in
      let fact = realm.objects(Fact.self).first
      fact?.value.dictionaryValue?["all"]?.listValue?.insert(.int(0), at: 0)
      fact?.values.append(.int(3))
    }
    try await two.upload()
    try await one.download()
    #expect(try await Self.text(one) == "{all:[0 1 <paint>] first:<paint>} <paint>,2,3")
    try await two.update { $0.append(QuerySubscription<Task>()) }
    #expect(try await Self.text(two) == "{all:[0 1 <paint>] first:<paint>} <paint>,2,3")
    try await two.write { realm in realm.delete(realm.objects(Task.self)) }
    try await two.upload()
    try await one.download()
    #expect(try await Self.text(one) == "{all:[0 1 -] first:-} -,2,3")
    #expect(world.refusals.withLock { $0.isEmpty })
    await world.stopServer()
  }

  @Test func theLaterOfTwoChangesOfAValueStaysWithAllThatIsInIt() async throws {
    let world = try await SyncWorld()
    let one = try await world.device("one")
    let two = try await world.device("two")
    for device in [one, two] { try await device.update { $0.append(QuerySubscription<Fact>()) } }
    try await one.write { realm in
      let fact = Fact()
      fact.value = .fromArray([.int(1)])
      fact.values.append(.int(1))
      realm.add(fact)
    }
    try await one.upload()
    try await two.download()
    for device in [one, two] { try await device.goOffline() }
    try await one.write { realm in
      realm.objects(Fact.self).first?.value.listValue?.append(.int(2))
      realm.objects(Fact.self).first?.values.append(.int(2))
    }
    try await two.write { realm in
      realm.objects(Fact.self).first?.value.listValue?.append(.int(3))
      realm.objects(Fact.self).first?.values.insert(.none, at: 0)
    }
    for device in [one, two] { try await device.goOnline() }
    for device in [one, two] { try await device.upload() }
    for device in [one, two] { try await device.download() }
    for device in [one, two] { #expect(try await Self.text(device) == "[1 3] -,1,2") }
    #expect(world.refusals.withLock { $0.isEmpty })
    await world.stopServer()
  }
}
