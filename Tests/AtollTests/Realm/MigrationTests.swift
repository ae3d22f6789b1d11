import AtollObjects
import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

// The classes of two versions of a program.

private class OldSailor: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var first: String
  @Persisted var last: String
  @Persisted var age: String
  @Persisted var rank: Int?
  @Persisted var ship: OldShip?
  @Persisted var bag: OldBag?
  @Persisted var pay: Double
  override class func _realmObjectName() -> String? { "Sailor" }
}

private class OldShip: Atoll.Object {
  @Persisted var name: String
  @Persisted var tons: Int
  override class func _realmObjectName() -> String? { "Ship" }
}

private class OldBag: EmbeddedObject {
  @Persisted var weight: Int
  override class func _realmObjectName() -> String? { "Bag" }
}

private class OldRope: Atoll.Object {
  @Persisted var length: Int
  override class func _realmObjectName() -> String? { "Rope" }
}

/// The class `Rope` with a property that the file names otherwise.
private class MappedRope: Atoll.Object {
  @Persisted var metres: Int
  override class func _realmObjectName() -> String? { "Rope" }
  override class func propertiesMapping() -> [String: String] { ["metres": "size"] }
}

private class NewSailor: Atoll.Object {
  @Persisted(primaryKey: true) var key: String
  @Persisted(indexed: true) var name: String
  @Persisted var age: Int
  @Persisted var rank: Int
  @Persisted var wage: Double
  @Persisted var ships: List<NewShip>
  @Persisted var bag: NewBag?
  @Persisted var grade = 3
  override class func _realmObjectName() -> String? { "Sailor" }
}

private class NewShip: Atoll.Object {
  @Persisted var name: String
  @Persisted var tons: Int
  override class func _realmObjectName() -> String? { "Ship" }
}

private class NewBag: EmbeddedObject {
  @Persisted var weight: Int
  override class func _realmObjectName() -> String? { "Bag" }
}

private class NewPort: Atoll.Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var depth = 12
  override class func _realmObjectName() -> String? { "Port" }
}

private class OldCask: Atoll.Object {
  @Persisted var hoop: OldHoop?
  override class func _realmObjectName() -> String? { "Cask" }
}

private class OldHoop: Atoll.Object {
  @Persisted var width: Int
  override class func _realmObjectName() -> String? { "Hoop" }
}

private class NewCask: Atoll.Object {
  @Persisted var hoop: NewHoop?
  override class func _realmObjectName() -> String? { "Cask" }
}

private class NewHoop: EmbeddedObject {
  @Persisted var width: Int
  override class func _realmObjectName() -> String? { "Hoop" }
}

private class MigratedBarrel: Atoll.Object {
  @Persisted var volume: Double
}

private struct Refusal: Error, Equatable {}

/// How often something was done, on any thread.
private final class Count: Sendable {
  private let count = Mutex(0)

  func withLock<Result: Sendable>(_ body: (inout sending Int) -> sending Result) -> Result {
    count.withLock(body)
  }
}

/// A block that moves the data of an older version.
@Suite(.computing) struct MigrationTests {
  private let folder = TemporaryFolder()

  private var file: URL { URL(filePath: folder.path(of: "a.realm")) }

  private static let oldTypes: [ObjectBase.Type] = [
    OldSailor.self, OldShip.self, OldBag.self, OldRope.self,
  ]
  private static let newTypes: [ObjectBase.Type] = [
    NewSailor.self, NewShip.self, NewBag.self, NewPort.self,
  ]

  private func old(_ version: UInt64 = 1) -> Realm.Configuration {
    Realm.Configuration(fileURL: file, schemaVersion: version, objectTypes: Self.oldTypes)
  }

  private func new(_ block: MigrationBlock? = nil) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: file, schemaVersion: 2, migrationBlock: block, objectTypes: Self.newTypes)
  }

  private func makeFile() throws {
    let realm = try Realm(configuration: old())
    try realm.write {
      for index in 0..<3 {
        realm.create(
          OldSailor.self,
          value: [
            "id": 10 - index, "first": "f\(index)", "last": "l\(index)", "age": "\(20 + index)",
            "rank": index == 0 ? nil : index, "pay": Double(index) / 2,
            "ship": index == 2 ? nil : ["name": "s\(index)", "tons": index],
            "bag": ["weight": index],
          ])
      }
      realm.create(OldRope.self, value: [5])
    }
  }

  /// Whether the file holds what `makeFile` has put into it, and nothing else.
  private func isAsItWas() throws -> Bool {
    let realm = try Realm(configuration: old())
    let sailors = realm.objects(OldSailor.self).sorted(by: \.id)
    return try schemaVersionAtURL(file) == 1
      && sailors.map(\.first) == ["f2", "f1", "f0"] && sailors.map(\.age) == ["22", "21", "20"]
      && sailors.map(\.rank) == [2, 1, nil] && sailors.map { $0.ship?.name } == [nil, "s1", "s0"]
      && sailors.map { $0.bag?.weight } == [2, 1, 0] && realm.objects(OldShip.self).count == 2
      && realm.objects(OldRope.self).map(\.length) == [5]
      && realm.context.schema["Port"] == nil
  }

  private static let moving: MigrationBlock = { migration, version in
    #expect(version == 1)
    migration.renameProperty(onType: "Sailor", from: "pay", to: "wage")
    migration.enumerateObjects(ofType: "Sailor") { old, new in
      guard let old, let new else {
        Issue.record("an object has one form only")
        return
      }
      new["key"] = "k\(old["id"] as? Int ?? -1)"
      new["name"] = "\(old["first"] ?? "") \(old["last"] ?? "")"
      new["age"] = (old["age"] as? String).flatMap { Int($0) }
      if let ship = old["ship"] as? MigrationObject { new.dynamicList("ships").append(ship) }
    }
    migration.create("Port", value: ["name": "Genoa"])
    migration.create("Port", value: ["name": "Riga", "depth": 4])
    #expect(migration.deleteData(forType: "Rope"))
    #expect(!migration.deleteData(forType: "Ropes"))
  }

  private func checkMoved(_ realm: Realm) {
    let sailors = realm.objects(NewSailor.self).sorted(by: \.key)
    #expect(sailors.map(\.key) == ["k10", "k8", "k9"])
    #expect(sailors.map(\.name) == ["f0 l0", "f2 l2", "f1 l1"])
    #expect(sailors.map(\.age) == [20, 22, 21] && sailors.map(\.rank) == [0, 2, 1])
    #expect(sailors.map(\.wage) == [0, 1, 0.5] && sailors.map(\.grade) == [3, 3, 3])
    #expect(sailors.map { Array($0.ships.map(\.name)) } == [["s0"], [], ["s1"]])
    #expect(sailors.map { $0.bag?.weight } == [0, 2, 1])
    #expect(realm.object(ofType: NewSailor.self, forPrimaryKey: "k9")?.wage == 0.5)
    #expect(realm.objects(NewSailor.self).filter("wage > 0").count == 2)
    #expect(realm.objects(NewPort.self).sorted(by: \.name).map(\.depth) == [12, 4])
    #expect(realm.context.schema["Rope"] == nil && realm.objects(NewShip.self).count == 2)
    let schema = realm.context.schema["Sailor"]
    #expect(schema?.primaryKey == "key" && schema?["name"]?.isIndexed == true)
    #expect(
      schema.map { Set($0.properties.map(\.name)) }
        == ["key", "name", "age", "rank", "wage", "ships", "bag", "grade"])
  }

  /// Promise: migrations.whole.
  @Test func aBlockMovesTheDataInOneTransaction() throws {
    try makeFile()
    let before = try newestVersion()
    let realm = try Realm(configuration: new(Self.moving))
    checkMoved(realm)
    #expect(try newestVersion() == before + 1)
    #expect(try schemaVersionAtURL(file) == 2)
    #expect(try realm.context.file.database.check().findings.isEmpty)
    // Not again.
    #expect(try Realm(configuration: new { _, _ in Issue.record("again") }) == realm)
  }

  private func newestVersion() throws -> UInt64 {
    let database = try Database.open(file.path, options: .init(mode: .readOnly))
    defer { try? database.close() }
    return try database.snapshot().version
  }

  @Test func performMigrationLeavesNoRealmOpen() throws {
    try makeFile()
    try Realm.performMigration(for: new(Self.moving))
    #expect(try Realm.deleteFiles(for: new()) == true)
  }

  /// Where a block does not get to its end the file has what it had.
  ///
  /// Promise: migrations.nothing.
  @Test func aBlockThatFailsLeavesTheFileAsItWas() throws {
    try makeFile()
    let bytes = try Data(contentsOf: file)
    #expect(throws: Refusal()) {
      _ = try Realm(
        configuration: new { migration, version in
          Self.moving(migration, version)
          migration.fail(Refusal())
          migration.fail(Realm.Error(.fail))
          migration.enumerateObjects(ofType: "Ship") { _, _ in Issue.record("it goes on") }
          migration.create("Port", value: ["name": "Oslo"])
        })
    }
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try isAsItWas())
  }

  /// Promise: migrations.nothing, migrations.keys.
  @Test func whatDoesNotFitAfterTheBlockFails() throws {
    try makeFile()
    let error = #expect(throws: Realm.Error.self) {
      _ = try Realm(
        configuration: new { migration, _ in
          migration.enumerateObjects(ofType: "Sailor") { _, new in new?["key"] = "same" }
        })
    }
    #expect(error?.code == .schemaMismatch && error?.message.contains("same") == true)
    #expect(try isAsItWas())
  }

  @Test func renamesThatCannotBeFail() throws {
    try makeFile()
    for (type, from, to) in [
      ("Sailor", "none", "wage"), ("Sailor", "rank", "wage"), ("Sailor", "pay", "salary"),
      ("Sailor", "first", "wage"), ("Sail", "pay", "wage"), ("Sailor", "age", "name"),
    ] {
      let error = #expect(throws: Realm.Error.self) {
        _ = try Realm(
          configuration: new { migration, _ in
            migration.renameProperty(onType: type, from: from, to: to)
          })
      }
      #expect(
        error?.code == .schemaMismatch && error?.message.contains("cannot be renamed") == true)
    }
    #expect(throws: Realm.Error(.schemaMismatch)) {
      _ = try Realm(
        configuration: new { migration, _ in
          migration.renameProperty(onType: "Sailor", from: "pay", to: "wage")
          migration.renameProperty(onType: "Sailor", from: "pay", to: "wage")
        })
    }
    #expect(try isAsItWas())
  }

  @Test func objectsHaveTheFormsThatThereAre() throws {
    try makeFile()
    let realm = try Realm(
      configuration: new { migration, version in
        #expect(migration.oldSchema["Sailor"]?["first"]?.type == .string)
        #expect(migration.oldSchema["Sailor"]?.primaryKeyProperty?.name == "id")
        #expect(migration.newSchema["Sailor"]?["first"] == nil)
        #expect(migration.newSchema["Sailor"]?.primaryKeyProperty?.name == "key")
        #expect(migration.newSchema["Rope"] == nil && migration.oldSchema["Rope"] != nil)
        var ropes: [Int?] = []
        migration.enumerateObjects(ofType: "Rope") { old, new in
          #expect(new == nil)
          ropes.append(old?["length"] as? Int)
        }
        #expect(ropes == [5])
        migration.create("Port", value: ["name": "Genoa"])
        var ports: [String?] = []
        migration.enumerateObjects(ofType: "Port") { old, new in
          #expect(old == nil)
          ports.append(new?["name"] as? String)
        }
        #expect(ports == ["Genoa"])
        migration.enumerateObjects(ofType: "Nothing") { _, _ in Issue.record("of no class") }
        // What is deleted is passed over, and so is what is made.
        migration.enumerateObjects(ofType: "Ship") { old, new in
          guard let new, old?["name"] as? String == "s0" else { return }
          migration.delete(new)
          migration.create("Ship", value: ["name": "s9"])
        }
        var ships: [String?] = []
        migration.enumerateObjects(ofType: "Ship") { old, new in
          #expect(old?["name"] as? String == new?["name"] as? String)
          ships.append(new?["name"] as? String)
        }
        #expect(ships == ["s1"])
        // The realm of a new object finds others.
        migration.enumerateObjects(ofType: "Sailor") { old, new in
          #expect(new?.realm?.dynamicObjects("Ship").count == 2)
          #expect(old?.realm?.dynamicObjects("Ship").count == 2)
          #expect(old?.isInvalidated == false && new?["rank"] is Int)
          new?["key"] = "\(old?["id"] as? Int ?? 0)"
        }
      })
    // A class that has left stays as long as nothing takes it away.
    #expect(realm.context.schema["Rope"] != nil)
    #expect(Set(realm.objects(NewShip.self).map(\.name)) == ["s1", "s9"])
  }

  /// A primary key that stays may be set, where that of no two objects is one in the end.
  @Test func primaryKeysAreSet() throws {
    try makeFile()
    let types = Self.oldTypes
    let realm = try Realm(
      configuration: .init(
        fileURL: file, schemaVersion: 2,
        migrationBlock: { migration, _ in
          migration.enumerateObjects(ofType: "Sailor") { old, new in
            // 10, 9, 8 become 9, 10, 8.
            let id = old?["id"] as? Int ?? 0
            new?["id"] = id == 8 ? 8 : 19 - id
            new?["first"] = "was \(id)"
          }
        }, objectTypes: types))
    #expect(realm.object(ofType: OldSailor.self, forPrimaryKey: 9)?.first == "was 10")
    #expect(realm.object(ofType: OldSailor.self, forPrimaryKey: 10)?.first == "was 9")
    #expect(realm.object(ofType: OldSailor.self, forPrimaryKey: 9)?.bag?.weight == 0)
    #expect(realm.context.schema["Sailor"]?.primaryKey == "id")
    #expect(try realm.context.file.database.check().findings.isEmpty)
  }

  /// Promise: migrations.keys.
  @Test func twoObjectsWithOnePrimaryKeyFail() throws {
    try makeFile()
    let types = Self.oldTypes
    #expect(throws: Realm.Error(.schemaMismatch)) {
      _ = try Realm(
        configuration: .init(
          fileURL: file, schemaVersion: 2,
          migrationBlock: { migration, _ in
            migration.enumerateObjects(ofType: "Sailor") { _, new in new?["id"] = 4 }
          }, objectTypes: types))
    }
    #expect(try isAsItWas())
  }

  /// A program that names no classes for the realm names those that its block mentions.
  @Test func aClassThatTheBlockMentionsIsBroughtToTheVersion() throws {
    let database = try Database.open(file.path, options: .init(mode: .create))
    try database.write { transaction in
      for name in ["MigratedBarrel", "MigratedCrate"] {
        try transaction.addClass(ClassSchema(name, properties: [PropertySchema("size", .int)]))
        try transaction.create(name, ["size": .int(4)])
      }
    }
    try database.close()
    let configuration = Realm.Configuration(
      fileURL: file, schemaVersion: 2,
      migrationBlock: { migration, version in
        #expect(version == 0)
        migration.enumerateObjects(ofType: MigratedBarrel.className()) { old, new in
          new?["volume"] = (old?["size"] as? Int).map { Double($0) + 0.5 }
        }
        // Of this one the program has no class.
        migration.renameProperty(onType: "MigratedCrate", from: "size", to: "width")
        migration.enumerateObjects(ofType: "MigratedCrate") { old, new in
          new?["width"] = (old?["size"] as? Int).map { $0 + 100 }
        }
      })
    let realm = try Realm(configuration: configuration)
    #expect(realm.dynamicObjects("MigratedCrate").map { $0.width as? Int } == [104])
    #expect(realm.objects(MigratedBarrel.self).map { $0.volume } == [4.5])
    let barrel = try #require(realm.context.schema["MigratedBarrel"])
    #expect(barrel.properties.map { $0.name } == ["volume"])
    #expect(try schemaVersionAtURL(file) == 2)
  }

  @Test func aNewFileAndTheSameVersionRunNoBlock() throws {
    let block: MigrationBlock = { _, _ in Issue.record("the block was called") }
    do {
      let realm = try Realm(configuration: new(block))
      try realm.write { realm.create(NewPort.self, value: ["name": "Riga"]) }
    }
    #expect(try Realm(configuration: new(block)).objects(NewPort.self).count == 1)
  }

  @Test func aFileOfTheFirstVersionIsMigratedToo() throws {
    do {
      let realm = try Realm(configuration: old(0))
      try realm.write { realm.create(OldRope.self, value: [5]) }
    }
    let types = Self.oldTypes
    let realm = try Realm(
      configuration: .init(
        fileURL: file, schemaVersion: 1,
        migrationBlock: { migration, version in
          #expect(version == 0)
          migration.enumerateObjects(ofType: "Rope") { old, new in new?["length"] = 6 }
        }, objectTypes: types))
    #expect(realm.objects(OldRope.self).map(\.length) == [6])
  }

  @Test func aFileThatIsToBeDeletedForAMigrationRunsNoBlock() throws {
    try makeFile()
    let realm = try Realm(
      configuration: .init(
        fileURL: file, schemaVersion: 2,
        migrationBlock: { _, _ in Issue.record("the block was called") },
        deleteRealmIfMigrationNeeded: true, objectTypes: Self.newTypes))
    #expect(realm.isEmpty)
  }

  /// Promise: migrations.alone.
  @Test func aRealmOfAnOlderVersionKeepsTheFileFromItsMigration() throws {
    try makeFile()
    let open = try Realm(configuration: old())
    let error = #expect(throws: Realm.Error.self) {
      _ = try Realm(configuration: new(Self.moving))
    }
    #expect(error?.code == .alreadyOpen)
    let configuration = new(Self.moving)
    let code = OtherThread.result {
      do { _ = try Realm(configuration: configuration) } catch {
        return (error as? Realm.Error)?.code
      }
      return nil
    }
    #expect(code == .alreadyOpen)
    #expect(open.objects(OldSailor.self).count == 3)
    withExtendedLifetime(open) {}
  }

  /// Of those who come at the same time one migrates, and the others find the new version.
  ///
  /// Promise: migrations.wait.
  @Test func othersWaitForAMigration() throws {
    try makeFile()
    let blocks = Count()
    let configuration = new { migration, version in
      blocks.withLock { $0 += 1 }
      Thread.sleep(forTimeInterval: 0.05)
      Self.moving(migration, version)
    }
    let old = old()
    let group = DispatchGroup()
    for index in 0..<4 {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        let realm = try? Realm(configuration: configuration)
        #expect(realm?.objects(NewSailor.self).count == 3, "thread \(index)")
      }
    }
    group.wait()
    #expect(blocks.withLock { $0 } == 1)
    checkMoved(try Realm(configuration: new()))
    #expect(throws: Realm.Error.self) { _ = try Realm(configuration: old) }
  }

  /// What another process does to the classes: a program that is older stays where it is.
  ///
  /// Promise: migrations.behind.
  @Test func aRealmThatNoLongerFitsStaysAndSaysSo() throws {
    try makeFile()
    let told = Mutex<[Realm.Error]>([])
    var configuration = old()
    configuration.failureHandler = { error in told.withLock { $0.append(error) } }
    let realm = try Realm(configuration: configuration)
    let sailor = try #require(realm.object(ofType: OldSailor.self, forPrimaryKey: 9))
    let rope = try #require(realm.dynamicObjects("Rope").first)
    let dynamic = try #require(realm.dynamicObject(ofType: "Sailor", forPrimaryKey: 9))
    #expect(sailor.first == "f1")
    try realm.context.file.database.write { transaction in
      // Keys 8, 9, 10 become 1, 2, 3.
      try transaction.changePrimaryKey(of: "Sailor", to: nil)
      try transaction.addProperty(PropertySchema("colour", .string), to: "Rope")
    }
    #expect(!realm.refresh() && !realm.refresh())
    #expect(told.withLock { $0.map(\.code) } == [.schemaMismatch])
    #expect(sailor.first == "f1" && dynamic["first"] as? String == "f1")
    #expect(throws: Realm.Error(.schemaMismatch)) { try realm.write { sailor.first = "wrong" } }
    #expect(rope["length"] as? Int == 5)
    // What only gets more is no matter, and what a dynamic object was is not another one.
    let other = try Realm(
      configuration: .init(fileURL: file, schemaVersion: 1, objectTypes: [OldRope.self]))
    withExtendedLifetime(other) {}
  }

  @Test func aDynamicObjectWhoseKeyIsAnotherOnesIsInvalidated() throws {
    do {
      let realm = try Realm(configuration: old())
      try realm.write {
        // By what was the key of the first the second is found in the end.
        for id in [Int.min + 2, Int.min + 5] {
          realm.create(OldSailor.self, value: ["id": id, "first": "f\(id - .min)"])
        }
        realm.create(OldRope.self, value: [5])
      }
    }
    let realm = try Realm(
      configuration: .init(fileURL: file, schemaVersion: 1, objectTypes: [OldRope.self]))
    let sailor = try #require(
      realm.dynamicObject(ofType: "Sailor", forPrimaryKey: Int.min + 2))
    let rope = try #require(realm.objects(OldRope.self).first)
    let frozen = sailor.freeze()
    try realm.context.file.database.write { transaction in
      try transaction.changePrimaryKey(of: "Sailor", to: nil)
      try transaction.addProperty(PropertySchema("colour", .string), to: "Rope")
    }
    #expect(realm.refresh())
    #expect(sailor.isInvalidated && frozen["first"] as? String == "f2" && rope.length == 5)
    #expect(realm.dynamicObjects("Sailor").map { $0["first"] as? String } == ["f2", "f5"])
    #expect(realm.dynamicObjects("Rope").first?["colour"] as? String == "")
  }

  /// A program that is older, and still open, brings nothing back that a migration has taken away.
  ///
  /// Promise: migrations.behind.
  @Test func anOlderProgramChangesNoClasses() throws {
    try makeFile()
    let realm = try Realm(configuration: old(1))
    try realm.context.file.database.write { transaction in
      try transaction.removeProperty("length", of: "Rope")
      try transaction.namedTree("realm").set(Array("2".utf8), for: Array("schemaVersion".utf8))
    }
    // Also of a class that it has not used yet, whose property would be missing.
    #expect(!realm.refresh())
    #expect(realm.objects(OldSailor.self).count == 3)
    #expect(realm.objects(OldRope.self).map(\.length) == [5])
    #expect(throws: Realm.Error(.schemaMismatch)) { try realm.write {} }
    let newest = try realm.context.file.database.snapshot()
    #expect(newest.schema["Rope"]?["length"] == nil)
    #expect(try schemaVersionAtURL(file) == 2)
  }

  /// Nor does it add anything to a file that goes on fitting it.
  ///
  /// Promise: migrations.behind.
  @Test func anOlderProgramAddsNoClasses() throws {
    try makeFile()
    let realm = try Realm(configuration: old(1))
    try realm.context.file.database.write { transaction in
      try transaction.namedTree("realm").set(Array("2".utf8), for: Array("schemaVersion".utf8))
    }
    #expect(realm.refresh())
    try realm.write { realm.create(OldRope.self, value: [6]) }
    #expect(throws: Realm.Error(.invalidInput)) {
      try realm.context.requireClasses([ClassDescriptor.of(OldCask.self)])
    }
    #expect(try realm.context.file.database.snapshot().schema["Cask"] == nil)
  }

  /// A class becomes one of embedded objects, as far as each has one owner.
  @Test func aBlockMakesOwnersForWhatIsEmbedded() throws {
    do {
      let realm = try Realm(
        configuration: .init(
          fileURL: file, schemaVersion: 1, objectTypes: [OldCask.self, OldHoop.self]))
      try realm.write {
        let hoop = realm.create(OldHoop.self, value: [3])
        realm.create(OldCask.self, value: [hoop])
        realm.create(OldCask.self, value: [hoop])
        realm.create(OldHoop.self, value: [4])
      }
    }
    let types: [ObjectBase.Type] = [NewCask.self, NewHoop.self]
    #expect(throws: Realm.Error(.schemaMismatch)) {
      _ = try Realm(
        configuration: .init(
          fileURL: file, schemaVersion: 2, migrationBlock: { _, _ in }, objectTypes: types))
    }
    let realm = try Realm(
      configuration: .init(
        fileURL: file, schemaVersion: 2,
        migrationBlock: { migration, _ in
          migration.enumerateObjects(ofType: "Cask") { old, new in
            let width = (old?["hoop"] as? MigrationObject)?["width"] as? Int
            new?["hoop"] = migration.create("Hoop", value: ["width": (width ?? 0) * 10])
          }
          migration.enumerateObjects(ofType: "Hoop") { _, new in
            if let new { migration.delete(new) }
          }
        }, objectTypes: types))
    #expect(realm.objects(NewCask.self).map { $0.hoop?.width } == [30, 30])
    #expect(realm.context.schema["Hoop"]?.isEmbedded == true)
    #expect(try realm.context.file.database.check().findings.isEmpty)
  }

  @Test func aBlockThatCannotBeRunIsRefused() throws {
    let database = try Database.inMemory()
    try database.write {
      try $0.addClass(ClassSchema("Dog", properties: [PropertySchema("a", .int)]))
    }
    var configuration = new { _, _ in Issue.record("the block was called") }
    configuration.readOnly = true
    let error = #expect(throws: Realm.Error.self) {
      try SchemaVersion.checkMigration(configuration, database.snapshot())
    }
    #expect(error?.code == .schemaMismatch && error?.message.contains("read-only") == true)
  }

  @Test func aBlockThatOpensTheRealmAgainIsTold() throws {
    try makeFile()
    let configuration = new()
    let realm = try Realm(
      configuration: new { migration, version in
        #expect(throws: Realm.Error(.alreadyOpen)) { _ = try Realm(configuration: configuration) }
        Self.moving(migration, version)
      })
    checkMoved(realm)
  }

  /// Promise: migrations.plan.
  @Test func aPlanTellsWhatWouldChange() throws {
    let empty = try Realm.migrationPlan(for: new())
    #expect(empty.changes.count == 4 && !empty.runsBlock && empty.oldVersion == 0)
    try makeFile()
    let bytes = try Data(contentsOf: file)
    let plan = try Realm.migrationPlan(for: new(Self.moving))
    #expect(plan.oldVersion == 1 && plan.newVersion == 2 && plan.runsBlock)
    #expect(plan.problems == [])
    #expect(
      Set(plan.changes) == [
        .addClass("Port"), .addProperty("key", toClass: "Sailor", type: "string"),
        .addProperty("name", toClass: "Sailor", type: "string"),
        .changeType(of: "age", inClass: "Sailor", from: "string", to: "int"),
        .addProperty("wage", toClass: "Sailor", type: "double"),
        .addProperty("ships", toClass: "Sailor", type: "list of link to 'Ship'"),
        .addProperty("grade", toClass: "Sailor", type: "int"),
        .removeProperty("id", fromClass: "Sailor"), .removeProperty("first", fromClass: "Sailor"),
        .removeProperty("last", fromClass: "Sailor"), .removeProperty("ship", fromClass: "Sailor"),
        .removeProperty("pay", fromClass: "Sailor"), .makeRequired("rank", inClass: "Sailor"),
        .changePrimaryKey(ofClass: "Sailor", to: "key"),
      ])
    #expect(plan.changes.filter(\.mayLoseData).count == 7)
    #expect(plan.description.contains("- Sailor.pay is removed, with what it holds"))
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try Realm.migrationPlan(for: old()).changes == [])
    #expect(throws: Realm.Error(.invalidInput)) { _ = try Realm.migrationPlan(for: old(0)) }
    let unfit = try Realm.migrationPlan(
      for: .init(fileURL: file, schemaVersion: 1, objectTypes: Self.newTypes))
    #expect(!unfit.problems.isEmpty)
  }
}

/// What ends the process in a block.
@Suite(.computing) struct MigrationMisuseTests {
  private static func migrate(
    to type: ObjectBase.Type = OldRope.self, _ block: @escaping MigrationBlock
  ) throws {
    let folder = TemporaryFolder()
    let file = URL(filePath: folder.path(of: "a.realm"))
    do {
      let realm = try Realm(
        configuration: .init(fileURL: file, schemaVersion: 1, objectTypes: [OldRope.self]))
      try realm.write { realm.create(OldRope.self, value: [5]) }
    }
    _ = try Realm(
      configuration: .init(
        fileURL: file, schemaVersion: 2, migrationBlock: block, objectTypes: [type]))
  }

  @Test func propertiesHaveTheNamesOfTheFile() async throws {
    try Self.migrate(to: MappedRope.self) { migration, _ in
      migration.renameProperty(onType: "Rope", from: "length", to: "size")
      migration.enumerateObjects(ofType: "Rope") { _, new in new?["size"] = 6 }
    }
    let error = #expect(throws: Realm.Error(.schemaMismatch)) {
      try Self.migrate(to: MappedRope.self) { migration, _ in
        migration.renameProperty(onType: "Rope", from: "length", to: "metres")
      }
    }
    #expect(error?.localizedDescription.contains("name that property 'size'") == true)
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Self.migrate(to: MappedRope.self) { migration, _ in
        migration.enumerateObjects(ofType: "Rope") { _, new in new?["metres"] = 6 }
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("'metres' of class 'Rope' is 'size'"))
  }

  @Test func aBlockThatDoesNothingWrongEnds() throws {
    try Self.migrate { migration, _ in
      migration.enumerateObjects(ofType: "Rope") { _, new in new?["length"] = 1 }
    }
  }

  @Test func wrongUseEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      try Self.migrate { migration, _ in
        migration.enumerateObjects(ofType: "Rope") { old, _ in old?["length"] = 1 }
      }
    }
    await #expect(processExitsWith: .failure) {
      try Self.migrate { migration, _ in
        migration.enumerateObjects(ofType: "Rope") { old, _ in migration.delete(old ?? .init()) }
      }
    }
    await #expect(processExitsWith: .failure) {
      try Self.migrate { migration, _ in
        migration.enumerateObjects(ofType: "Rope") { _, new in new?["width"] = 1 }
      }
    }
    await #expect(processExitsWith: .failure) {
      try Self.migrate { migration, _ in migration.create("Cord") }
    }
    await #expect(processExitsWith: .failure) {
      nonisolated(unsafe) var escaped: Migration?
      try Self.migrate { migration, _ in escaped = migration }
      escaped?.enumerateObjects(ofType: "Rope") { _, _ in }
    }
    await #expect(processExitsWith: .failure) {
      nonisolated(unsafe) var escaped: MigrationObject?
      try Self.migrate { migration, _ in
        migration.enumerateObjects(ofType: "Rope") { _, new in escaped = new }
      }
      _ = escaped?["length"]
    }
  }

  @Test func aPropertyThatTheOldVersionLacksIsNamed() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Self.migrate { migration, _ in
        migration.enumerateObjects(ofType: "Rope") { old, _ in
          if old?.objectSchema["width"] == nil { _ = old?["width"] }
        }
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("had no property 'width' in the version of the file"))
  }
}

private enum OtherThread {
  /// What a block gives on a thread of its own.
  static func result<Value: Sendable>(_ body: @escaping @Sendable () -> Value?) -> Value? {
    nonisolated(unsafe) var value: Value?
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      value = body()
      done.signal()
    }
    done.wait()
    return value
  }
}
