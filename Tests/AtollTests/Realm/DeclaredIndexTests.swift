import AtollObjects
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private class Member: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var team: String
  @Persisted var number: Int?
  @Persisted var email: String?
  override class func _realmObjectName() -> String? { "Member" }
}

/// The same class with indexes.
private class IndexedMember: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var team: String
  @Persisted var number: Int?
  @Persisted var mail: String?
  override class func _realmObjectName() -> String? { "Member" }
  override class func propertiesMapping() -> [String: String] { ["mail": "email"] }
  override class func indexes() -> [Atoll.Index] {
    [
      Atoll.Index(\IndexedMember.team, \IndexedMember.number, isUnique: true),
      Atoll.Index("mail", isUnique: true), Atoll.Index("number", "team"),
    ]
  }
}

private class Misspelt: Atoll.Object {
  @Persisted var team: String
  @Persisted var number: Int
  override class func indexes() -> [Atoll.Index] { [Atoll.Index("team", "numbr")] }
}

private class Stranger: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
}

private class Creditor: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
}

private class Debtor: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var creditor: Creditor?
  override class func _realmObjectName() -> String? { "Debtor" }
  override class func deleteRules() -> [DeleteRule] { [.deny("creditor")] }
}

/// The same class with another key.
private class NamedDebtor: Atoll.Object {
  @Persisted var id: Int
  @Persisted(primaryKey: true) var name: String
  @Persisted var creditor: Creditor?
  override class func _realmObjectName() -> String? { "Debtor" }
  override class func deleteRules() -> [DeleteRule] { [.deny("creditor")] }
}

/// Indexes that classes declare, in realms.
@Suite(.waiting) struct DeclaredIndexTests {
  private let folder = TestSupport.TemporaryFolder()

  private func configuration(
    _ type: ObjectBase.Type, version: UInt64 = 0, _ block: MigrationBlock? = nil
  ) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(filePath: folder.path(of: "team.realm")), schemaVersion: version,
      migrationBlock: block, objectTypes: [type])
  }

  private func open(_ type: ObjectBase.Type, version: UInt64 = 0) throws -> Realm {
    try Realm(configuration: configuration(type, version: version))
  }

  private var indexesOfFile: Set<IndexSchema> {
    get throws {
      let database = try Database.open(folder.path(of: "team.realm"))
      defer { try? database.close() }
      #expect(try database.check().findings == [])
      return Set(try database.snapshot().schema["Member"]?.indexes ?? [])
    }
  }

  private func expectNotUnique(_ body: () throws -> Void) {
    let error = #expect(throws: Realm.Error.self) { try body() }
    #expect(error?.code == .notUnique)
  }

  private static let declared: Set<IndexSchema> = [
    IndexSchema(["team", "number"], isUnique: true), IndexSchema(["email"], isUnique: true),
    IndexSchema(["number", "team"]),
  ]

  @Test func theFileHasTheIndexesThatTheClassDeclares() throws {
    do { _ = try open(IndexedMember.self) }
    #expect(try indexesOfFile == Self.declared)
  }

  @Test func aWriteThatMakesTwoObjectsEqualThrowsAndNothingOfItRemains() throws {
    let realm = try open(IndexedMember.self)
    try realm.write { realm.create(IndexedMember.self, value: [1, "red", 7, "a@x"]) }
    let error = #expect(throws: Realm.Error.self) {
      try realm.write {
        realm.create(IndexedMember.self, value: [2, "blue", 7, "b@x"])
        realm.create(IndexedMember.self, value: [3, "red", 7, nil])
      }
    }
    #expect(error?.code == .notUnique)
    #expect(
      error?.message
        == "objects 1 and 3 of class 'Member' both have red, 7 in team, number, of which a unique "
        + "index is kept")
    #expect(realm.objects(IndexedMember.self).map(\.id) == [1])
    try realm.write { realm.create(IndexedMember.self, value: [3, "red", nil, nil]) }
    try realm.write { realm.create(IndexedMember.self, value: [4, "red", nil, nil]) }
    #expect(realm.objects(IndexedMember.self).count == 3)
  }

  @Test func valuesChangePlacesAlsoBetweenManagedObjects() throws {
    let realm = try open(IndexedMember.self)
    try realm.write {
      realm.create(IndexedMember.self, value: [1, "red", 1, "a"])
      realm.create(IndexedMember.self, value: [2, "red", 2, "b"])
    }
    let members = realm.objects(IndexedMember.self).sorted(byKeyPath: "id")
    try realm.write { (members[0].mail, members[1].mail) = (members[1].mail, members[0].mail) }
    #expect(members.map(\.mail) == ["b", "a"])
    #expect(realm.objects(IndexedMember.self).where { $0.mail == "a" }.first?.id == 2)
  }

  @Test func dynamicObjectsAndOlderClassesAreHeldToThem() throws {
    do { _ = try open(IndexedMember.self) }
    let realm = try open(Member.self)
    try realm.write { realm.create(Member.self, value: [1, "red", 1, "a"]) }
    expectNotUnique {
      try realm.write { _ = realm.create(Member.self, value: [2, "blue", 1, "a"]) }
    }
    expectNotUnique {
      try realm.write { _ = realm.dynamicCreate("Member", value: ["id": 3, "email": "a"]) }
    }
    #expect(realm.objects(Member.self).count == 1)
  }

  @Test func aFileWhoseObjectsAreEqualIsNotOpenedWithThem() throws {
    do {
      let realm = try open(Member.self)
      try realm.write {
        for id in 1...3 { realm.create(Member.self, value: [id, "red", id, "same"]) }
      }
    }
    let error = #expect(throws: Realm.Error.self) { _ = try open(IndexedMember.self) }
    #expect(error?.code == .notUnique)
    #expect(error?.message.contains("objects 1 and 2 of class 'Member' both have same") == true)
    #expect(try indexesOfFile == [])
    let realm = try open(Member.self)
    #expect(realm.objects(Member.self).count == 3)
  }

  @Test func aMigrationBlockMakesObjectsDistinctBeforeTheyAreJudged() throws {
    do {
      let realm = try open(Member.self)
      try realm.write {
        for id in 1...3 { realm.create(Member.self, value: [id, "red", 1, "same"]) }
      }
    }
    let realm = try Realm(
      configuration: configuration(IndexedMember.self, version: 1) { migration, _ in
        migration.enumerateObjects(ofType: "Member") { old, new in
          new?["number"] = old?["id"]
          new?["email"] = "\(old?["id"] as? Int ?? 0)@x"
        }
      })
    #expect(realm.objects(IndexedMember.self).where { $0.mail == "2@x" }.count == 1)
    #expect(
      realm.objects(IndexedMember.self).where { $0.team == "red" && $0.number > 1 }.count == 2)
  }

  @Test func aHigherVersionRemovesWhatTheClassDoesNotDeclareAnyMore() throws {
    do { _ = try open(IndexedMember.self) }
    do { _ = try open(Member.self) }
    #expect(try indexesOfFile == Self.declared)
    let plan = try Realm.migrationPlan(for: configuration(Member.self, version: 1))
    #expect(
      plan.changes.contains(.removeJointIndex(on: ["email"], inClass: "Member", isUnique: true)))
    do {
      let realm = try open(Member.self, version: 1)
      try realm.write {
        for id in 1...2 { realm.create(Member.self, value: [id, "red", 1, "same"]) }
      }
    }
    #expect(try indexesOfFile == [])
  }

  @Test func anIndexOfWhatIsNoPropertyIsRefusedAtTheOpening() throws {
    let error = #expect(throws: Realm.Error.self) { _ = try open(Misspelt.self) }
    #expect(error?.code == .schemaMismatch)
    #expect(
      error?.message.contains("no property 'numbr' for an index; did you mean 'number'?") == true)
  }

  @Test func aClassThatIsFirstUsedInAnOpenWriteIsHeldToThem() throws {
    var anyClass = configuration(IndexedMember.self)
    anyClass.objectTypes = nil
    let realm = try Realm(configuration: anyClass)
    expectNotUnique {
      try realm.write {
        for id in 1...2 { realm.create(IndexedMember.self, value: [id, "red", 1, nil]) }
      }
    }
    #expect(realm.objects(IndexedMember.self).isEmpty)
    try realm.write { realm.create(IndexedMember.self, value: [1, "red", 1, nil]) }
    realm.beginWrite()
    realm.create(IndexedMember.self, value: [2, "red", 1, nil])
    realm.cancelWrite()
    try realm.write { realm.create(IndexedMember.self, value: [2, "red", 2, nil]) }
    #expect(realm.objects(IndexedMember.self).count == 2)
  }

  /// A realm without a list of classes learns only by the use of a class that the file's objects are
  /// equal: no wrong use, so that the write throws.
  @Test func aWriteThatUsesAClassFirstThrowsForALongValueOfTheFile() throws {
    let long = String(repeating: "x", count: 70_000)
    do {
      let realm = try open(Member.self)
      try realm.write { realm.create(Member.self, value: [1, "red", 1, long]) }
    }
    var anyClass = configuration(IndexedMember.self)
    anyClass.objectTypes = nil
    do {
      let realm = try Realm(configuration: anyClass)
      let error = #expect(throws: Realm.Error.self) {
        try realm.write { _ = realm.create(IndexedMember.self, value: [2, "blue", 1, nil]) }
      }
      #expect(error?.message.contains("in a migrationBlock of") == true)
      #expect(realm.objects(IndexedMember.self).map(\.mail) == [long])
    }
    #expect(throws: Realm.Error.self) { _ = try open(IndexedMember.self) }
    #expect(try indexesOfFile == [])
  }

  @Test func aWriteThatUsesAClassFirstThrowsForEqualObjectsOfTheFile() throws {
    do {
      let realm = try open(Member.self)
      try realm.write {
        for id in 1...3 { realm.create(Member.self, value: [id, "red", id, "same"]) }
      }
    }
    var anyClass = configuration(IndexedMember.self)
    anyClass.objectTypes = nil
    do {
      let realm = try Realm(configuration: anyClass)
      #expect(realm.objects(IndexedMember.self).where { $0.mail == "same" }.count == 3)
      let writes: [(Realm) -> Void] = [
        { $0.create(IndexedMember.self, value: [4, "blue", 1, nil]) },
        { $0.objects(IndexedMember.self).first?.mail = "other" },
        { realm in realm.delete(realm.objects(IndexedMember.self)) },
        { realm in
          realm.create(Stranger.self, value: [1])
          realm.create(IndexedMember.self, value: [1, "blue", 1, "new"], update: .modified)
          realm.create(Stranger.self, value: [2])
        },
      ]
      for write in writes {
        let error = #expect(throws: Realm.Error.self) { try realm.write { write(realm) } }
        #expect(error?.code == .notUnique)
        for part in [
          "objects 1 and 2 of class 'Member' both have same in email", "in a migrationBlock of",
        ] {
          #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        }
      }
      #expect(realm.objects(Stranger.self).isEmpty)
      #expect(realm.objects(IndexedMember.self).map(\.mail) == ["same", "same", "same"])
      // Other classes can be written.
      try realm.write { realm.create(Stranger.self, value: [3]) }
    }
    #expect(try indexesOfFile == [])
    let realm = try open(Member.self)
    try realm.write { for member in realm.objects(Member.self) { member.email = "\(member.id)" } }
    let indexed = try Realm(configuration: anyClass)
    try indexed.write { indexed.create(IndexedMember.self, value: [4, "red", 9, nil]) }
    expectNotUnique {
      try indexed.write { _ = indexed.create(IndexedMember.self, value: [5, "red", 9, nil]) }
    }
  }

  @Test func anEncryptedFileAndItsCopiesKeepTheIndexes() throws {
    var configuration = configuration(IndexedMember.self)
    let (key, other) = (Data(repeating: 7, count: 64), Data(repeating: 8, count: 64))
    configuration.encryptionKey = key
    let copy = URL(filePath: folder.path(of: "copy.realm"))
    do {
      let realm = try Realm(configuration: configuration)
      try realm.write {
        for id in 1...300 {
          realm.create(IndexedMember.self, value: [id, "team \(id % 7)", id, "\(id)@x"])
        }
      }
      try realm.write { realm.delete(realm.objects(IndexedMember.self).where { $0.number > 200 }) }
      try realm.writeCopy(toFile: copy, encryptionKey: other)
    }
    configuration.fileURL = copy
    configuration.encryptionKey = other
    configuration.shouldCompactOnLaunch = { _, _ in true }
    let realm = try Realm(configuration: configuration)
    #expect(try realm.context.file.database.check().findings == [])
    let members = realm.objects(IndexedMember.self)
    #expect(members.where { $0.team == "team 3" && $0.number > 100 }.count == 15)
    #expect(members.where { $0.mail == "77@x" }.first?.id == 77)
    expectNotUnique {
      try realm.write { _ = realm.create(IndexedMember.self, value: [999, "b", 1, "77@x"]) }
    }
  }

  @Test func aMigrationThatChangesKeysNamesTheObjectThatDeniesADeletion() throws {
    do {
      let realm = try Realm(configuration: configuration(NamedDebtor.self))
      try realm.write {
        realm.create(NamedDebtor.self, value: [9, "x", ["id": 5]])
        realm.create(NamedDebtor.self, value: [8, "y", NSNull()])
      }
    }
    func migrate(_ isToo: Bool) throws -> Realm {
      try Realm(
        configuration: configuration(Debtor.self, version: 1) { migration, _ in
          migration.enumerateObjects(ofType: "Creditor") { _, new in
            if let new { migration.delete(new) }
          }
          migration.enumerateObjects(ofType: "Debtor") { _, new in
            if isToo, let new, new["name"] as? String == "x" { migration.delete(new) }
          }
        })
    }
    let error = #expect(throws: Realm.Error.self) { _ = try migrate(false) }
    #expect(error?.code == .deletionDenied)
    #expect(
      error?.message.contains("Debtor.creditor of object 9 links to it") == true,
      "\(error?.message ?? "")")
    let realm = try migrate(true)
    #expect(realm.objects(Debtor.self).map(\.id) == [8])
  }
}
