import AtollObjects
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

// Two versions of the classes of a program.

private class OldMast: Atoll.Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var height: Int?
  @Persisted var wood: String
  @Persisted(indexed: true) var age: Int
  @Persisted var sails: List<OldSail>
  @Persisted var number: Int
  override class func _realmObjectName() -> String? { "Mast" }
}

private class OldSail: Atoll.Object {
  @Persisted var area: Double
  @Persisted var mast: OldMast?
  override class func _realmObjectName() -> String? { "Sail" }
}

private class NewMast: Atoll.Object {
  @Persisted var name: String
  @Persisted var height: Int
  @Persisted var wood: Int
  @Persisted var age: Int
  @Persisted var sails: List<NewSail>
  @Persisted(primaryKey: true) var number: Int
  @Persisted var colour = "white"
  override class func _realmObjectName() -> String? { "Mast" }
}

private class NewSail: Atoll.Object {
  @Persisted var mast: NewMast?
  override class func _realmObjectName() -> String? { "Sail" }
}

/// What a higher schema version changes by itself.
@Suite(.computing) struct AutomaticMigrationTests {
  private let folder = TemporaryFolder()

  private func configuration(
    version: UInt64, _ types: [ObjectBase.Type]?
  ) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(filePath: folder.path(of: "a.realm")), schemaVersion: version,
      objectTypes: types)
  }

  private func makeOldFile(numbers: [Int] = [7, 3]) throws {
    let realm = try Realm(configuration: configuration(version: 1, [OldMast.self, OldSail.self]))
    try realm.write {
      for (index, number) in numbers.enumerated() {
        let mast = realm.create(
          OldMast.self,
          value: [
            "name": "m\(index)", "wood": "oak", "age": 10 + index, "number": number,
            "height": index == 0 ? nil : 12,
          ])
        for area in [1.5, 2.5] {
          mast.sails.append(realm.create(OldSail.self, value: ["area": area, "mast": mast]))
        }
      }
    }
  }

  private func checkNew(_ realm: Realm) {
    let masts = realm.objects(NewMast.self).sorted(by: \.number)
    #expect(masts.map(\.number) == [3, 7])
    #expect(masts.map(\.name) == ["m1", "m0"])
    #expect(masts.map(\.height) == [12, 0])
    // Of another type: what was there goes.
    #expect(masts.map(\.wood) == [0, 0])
    #expect(masts.map(\.age) == [11, 10])
    #expect(masts.map(\.colour) == ["white", "white"])
    for mast in masts {
      #expect(mast.sails.count == 2)
      #expect(mast.sails.allSatisfy { $0.mast?.number == mast.number })
    }
    #expect(realm.object(ofType: NewMast.self, forPrimaryKey: 7)?.name == "m0")
    #expect(realm.objects(NewSail.self).where { $0.mast.name == "m1" }.count == 2)
  }

  @Test func aHigherVersionBringsTheFileToTheClasses() throws {
    try makeOldFile()
    #expect(throws: Realm.Error(.schemaMismatch)) {
      _ = try Realm(configuration: configuration(version: 1, [NewMast.self, NewSail.self]))
    }
    let new = configuration(version: 2, [NewMast.self, NewSail.self])
    let realm = try Realm(configuration: new)
    checkNew(realm)
    #expect(try schemaVersionAtURL(#require(new.fileURL)) == 2)
    let mast = try #require(realm.context.schema["Mast"])
    #expect(mast.primaryKey == "number" && mast["age"]?.isIndexed == false)
    #expect(realm.context.schema["Sail"]?.properties.map(\.name) == ["mast"])
    // New objects are as in a new file.
    try realm.write { realm.create(NewMast.self, value: ["number": 5, "name": "m2"]) }
    #expect(realm.objects(NewMast.self).count == 3)
    #expect(throws: Realm.Error.self) {
      _ = try Realm(configuration: configuration(version: 1, [OldMast.self, OldSail.self]))
    }
  }

  /// Without a list of classes the program names one when it uses it.
  @Test func aClassThatIsUsedLaterIsBroughtToTheVersionThen() throws {
    try makeOldFile()
    let realm = try Realm(configuration: configuration(version: 2, nil))
    #expect(realm.context.schema["Mast"]?.primaryKey == "name")
    checkNew(realm)
    #expect(realm.context.schema["Mast"]?.primaryKey == "number")
    // And not again: the same version takes nothing away.
    #expect(throws: Realm.Error(.schemaMismatch)) {
      _ = try Realm(configuration: configuration(version: 2, [OldMast.self, OldSail.self]))
    }
    checkNew(realm)
  }

  @Test func whatCannotBeDoneLeavesTheFileAsItWas() throws {
    try makeOldFile(numbers: [4, 4])
    let url = try #require(configuration(version: 2, nil).fileURL)
    let before = try Data(contentsOf: url)
    #expect(throws: Realm.Error.self) {
      _ = try Realm(configuration: configuration(version: 2, [NewMast.self, NewSail.self]))
    }
    #expect(try schemaVersionAtURL(url) == 1)
    #expect(try Data(contentsOf: url) == before)
    let realm = try Realm(configuration: configuration(version: 1, [OldMast.self, OldSail.self]))
    #expect(realm.objects(OldMast.self).map(\.wood) == ["oak", "oak"])
  }
}
