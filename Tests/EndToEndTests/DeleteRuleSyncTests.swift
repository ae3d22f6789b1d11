import AtollObjects
import AtollTesting
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private class Crate: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var things: List<Trinket>
  @Persisted var next: Crate?
  @Persisted var keeper: Keeper?
  override class func deleteRules() -> [DeleteRule] {
    [.cascade(\Crate.things), .cascade(\Crate.next), .deny(\Crate.keeper)]
  }
}

private class Trinket: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var crate: Crate?
}

private class Keeper: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
}

private class Account: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var email: String
  override class func indexes() -> [Atoll.Index] { [Atoll.Index(\Account.email, isUnique: true)] }
}

/// Rules of deletion and unique indexes with a server and several devices.
@MainActor @Suite(.waiting, .hangLimit) struct DeleteRuleSyncTests {
  private func open(_ device: TestServer.Device) async throws -> Realm {
    var configuration = device.user.flexibleSyncConfiguration()
    configuration.objectTypes = [Crate.self, Trinket.self, Keeper.self]
    let realm = try await Realm(configuration: configuration)
    try await realm.subscriptions.update {
      $0.append(QuerySubscription<Crate>(name: "c"))
      $0.append(QuerySubscription<Trinket>(name: "t"))
      $0.append(QuerySubscription<Keeper>(name: "k"))
    }
    return realm
  }

  private func contents(_ realm: Realm) -> [String] {
    realm.refresh()
    var found = realm.objects(Crate.self).map { crate in
      "crate \(crate.id) \(Array(crate.things.map(\.id))) \(crate.next?.id ?? 0) \(crate.keeper?.id ?? 0)"
    }.sorted()
    found += realm.objects(Trinket.self).map { "trinket \($0.id) \($0.crate?.id ?? 0)" }.sorted()
    return found + realm.objects(Keeper.self).map { "keeper \($0.id)" }.sorted()
  }

  @Test func aUniqueIndexOfASyncedClassIsRefusedAtTheOpening() async throws {
    let server = try await TestServer()
    var configuration = try await server.device("ann").user.flexibleSyncConfiguration()
    configuration.objectTypes = [Account.self]
    let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
    #expect(error?.code == .schemaMismatch)
    #expect(
      error?.message.contains(
        "class 'Account' is synchronised, and so email cannot have a unique index: two devices may "
          + "each add an object before they know of the other's; make the value the primary key")
        == true)
    await server.stop()
  }

  @Test func whatARuleDeletesIsDeletedOnAllDevicesAndADenialIsOfOneOnly() async throws {
    let server = try await TestServer()
    let (ann, bob) = (try await server.device("ann"), try await server.device("bob"))
    let (onAnn, onBob) = (try await open(ann), try await open(bob))
    try onAnn.write {
      onAnn.create(Crate.self, value: ["id": 1, "things": [["id": 1]], "keeper": ["id": 1]])
      onAnn.create(Keeper.self, value: ["id": 2])
    }
    try await server.synchronize()
    // Neither knows of what the other does.
    ann.cutNetwork()
    bob.cutNetwork()
    try onAnn.write {
      onAnn.object(ofType: Crate.self, forPrimaryKey: 1)?.keeper =
        onAnn.object(ofType: Keeper.self, forPrimaryKey: 2)
    }
    let error = #expect(throws: Realm.Error.self) {
      try onBob.write { onBob.delete(onBob.objects(Keeper.self).where { $0.id == 1 }) }
    }
    #expect(error?.code == .deletionDenied)
    try onBob.write { onBob.delete(onBob.objects(Keeper.self).where { $0.id == 2 }) }
    ann.healNetwork()
    bob.healNetwork()
    try await server.synchronize()
    #expect(contents(onAnn) == ["crate 1 [1] 0 0", "trinket 1 0", "keeper 1"])
    #expect(contents(onBob) == contents(onAnn))
    try onBob.write { onBob.delete(onBob.objects(Crate.self)) }
    try await server.synchronize()
    #expect(contents(onAnn) == ["keeper 1"])
    await server.stop()
  }

  /// What one device deletes by its rules is all that goes, whatever the other has made meanwhile.
  @Test(arguments: seeds(6))
  func devicesThatDeleteByRulesHaveTheSameInTheEnd(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    let server = try await TestServer()
    let devices = [try await server.device("ann"), try await server.device("bob")]
    var realms: [Realm] = []
    for device in devices { realms.append(try await open(device)) }
    for _ in 0..<5 {
      for (device, realm) in zip(devices, realms) {
        if below(2) == 0 { device.cutNetwork() }
        realm.refresh()
        for _ in 0..<3 {
          do {
            try realm.write {
              for _ in 0..<4 { change(realm, below(7), below(4) + 1, below(4) + 1) }
            }
          } catch Realm.Error.deletionDenied {
            // Nothing of it remains.
          }
        }
      }
      for device in devices { device.healNetwork() }
      try await server.synchronize()
      #expect(contents(realms[0]) == contents(realms[1]), "seed \(seed)")
      for realm in realms {
        #expect(try realm.context.file.database.check().findings == [], "seed \(seed)")
      }
    }
    await server.stop()
  }

  private func change(_ realm: Realm, _ kind: Int, _ id: Int, _ other: Int) {
    let crate = realm.object(ofType: Crate.self, forPrimaryKey: id)
    switch kind {
    case 0:
      realm.create(
        Crate.self, value: ["id": id, "things": [["id": other]]], update: .modified)
    case 1: realm.create(Trinket.self, value: ["id": id], update: .modified).crate = crate
    case 2: crate?.next = realm.object(ofType: Crate.self, forPrimaryKey: other)
    case 3: crate?.keeper = realm.create(Keeper.self, value: ["id": other], update: .modified)
    case 4: if let crate { realm.delete(crate) }
    case 5: realm.delete(realm.objects(Keeper.self).where { $0.id == id })
    default: realm.delete(realm.objects(Trinket.self).where { $0.id == id })
    }
  }
}
