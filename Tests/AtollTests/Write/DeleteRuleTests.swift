import AtollObjects
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private class Puppy: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var friend: Puppy?
}

private class Kennel: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var puppies: List<Puppy>
  @Persisted var bank: Bank?
  override class func deleteRules() -> [DeleteRule] {
    [.cascade(\Kennel.puppies), .deny("bank")]
  }
}

private class Bank: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
}

/// The same class without rules.
private class PlainKennel: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var puppies: List<Puppy>
  @Persisted var bank: Bank?
  override class func _realmObjectName() -> String? { "Kennel" }
}

private class WrongRule: Atoll.Object {
  @Persisted var name: String
  @Persisted(originProperty: "friend") var puppies: LinkingObjects<Puppy>
  override class func deleteRules() -> [DeleteRule] { [.cascade("name"), .deny("nothing")] }
}

/// Rules of deletion that classes declare, in realms.
@Suite(.waiting) struct DeleteRuleTests {
  private let folder = TestSupport.TemporaryFolder()

  private func open(_ types: [ObjectBase.Type], version: UInt64 = 0) throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(filePath: folder.path(of: "keepers.realm")), schemaVersion: version,
        objectTypes: types))
  }

  private func fill(_ realm: Realm) throws {
    try realm.write {
      realm.create(
        Kennel.self,
        value: ["id": 1, "puppies": [["id": 1], ["id": 2]], "bank": ["id": 1]])
      realm.create(Puppy.self, value: ["id": 3])
    }
  }

  private func expectDenied(_ body: () throws -> Void) -> String {
    let error = #expect(throws: Realm.Error.self) { try body() }
    #expect(error?.code == .deletionDenied)
    return error?.message ?? ""
  }

  @Test func whatAnObjectOwnsIsDeletedWithItAndKnownAsInvalid() throws {
    let realm = try open([Kennel.self])
    try fill(realm)
    let keeper = try #require(realm.object(ofType: Kennel.self, forPrimaryKey: 1))
    let puppy = keeper.puppies[0]
    try realm.write { realm.delete(keeper) }
    #expect(puppy.isInvalidated)
    #expect(realm.objects(Puppy.self).map(\.id) == [3])
    #expect(realm.objects(Bank.self).count == 1)
  }

  @Test func aWriteThatDeletesWhatIsHeldThrowsAndNothingOfItRemains() throws {
    let realm = try open([Kennel.self])
    try fill(realm)
    let message = expectDenied {
      try realm.write {
        realm.create(Puppy.self, value: ["id": 4])
        realm.delete(realm.objects(Bank.self))
      }
    }
    #expect(
      message
        == "object 1 of class 'Bank' cannot be deleted, as Kennel.bank of object 1 links to it; "
        + "delete that one too, or let it link to another before")
    #expect(realm.objects(Puppy.self).count == 3)
    #expect(realm.objects(Kennel.self).first?.bank?.id == 1)
    try realm.write {
      realm.objects(Kennel.self).first?.bank = nil
      realm.delete(realm.objects(Bank.self))
    }
    #expect(realm.objects(Bank.self).isEmpty)
  }

  @Test func everythingCanBeDeletedAtOnce() throws {
    let realm = try open([Kennel.self])
    try fill(realm)
    try realm.write {
      realm.create(Kennel.self, value: ["id": 2, "bank": ["id": 1]], update: .modified)
      realm.deleteAll()
    }
    #expect(realm.objects(Puppy.self).isEmpty && realm.objects(Bank.self).isEmpty)
  }

  @Test func theFileHoldsTheRulesForProgramsWithoutThemUntilAHigherVersion() throws {
    do {
      let realm = try open([Kennel.self])
      try fill(realm)
    }
    do {
      let realm = try open([PlainKennel.self])
      _ = expectDenied { try realm.write { realm.delete(realm.objects(Bank.self)) } }
      _ = expectDenied { try realm.write { realm.delete(realm.dynamicObjects("Bank")) } }
      try realm.write { realm.delete(realm.dynamicObjects("Kennel")) }
      #expect(realm.objects(Puppy.self).count == 1)
      try realm.write {
        realm.create(
          PlainKennel.self, value: ["id": 5, "puppies": [["id": 9]], "bank": ["id": 5]])
      }
    }
    let realm = try open([PlainKennel.self], version: 1)
    try realm.write {
      realm.delete(realm.objects(Bank.self))
      realm.delete(realm.objects(PlainKennel.self))
    }
    #expect(realm.objects(Puppy.self).count == 2)
  }

  @Test func aRuleForWhatHoldsNoObjectsIsRefusedAtTheOpening() throws {
    let error = #expect(throws: Realm.Error.self) { _ = try open([WrongRule.self, Puppy.self]) }
    #expect(error?.code == .schemaMismatch)
    for name in ["name", "nothing"] {
      #expect(
        error?.message.contains(
          "class 'WrongRule' has a rule of deletion for '\(name)', which is no property of it that "
            + "holds objects") == true)
    }
  }

  @Test func aMigrationDeletesByTheRulesOfTheNewVersion() throws {
    do {
      let realm = try open([PlainKennel.self])
      try realm.write {
        realm.create(PlainKennel.self, value: ["id": 1, "puppies": [["id": 1]], "bank": ["id": 1]])
      }
    }
    var configuration = Realm.Configuration(
      fileURL: URL(filePath: folder.path(of: "keepers.realm")), schemaVersion: 1,
      objectTypes: [Kennel.self])
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Bank") { _, bank in
        if let bank { migration.delete(bank) }
      }
    }
    let denied = configuration
    _ = expectDenied { _ = try Realm(configuration: denied) }
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Kennel") { _, keeper in
        if let keeper { migration.delete(keeper) }
      }
    }
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(Puppy.self).isEmpty)
    #expect(realm.objects(Bank.self).count == 1)
  }
}
