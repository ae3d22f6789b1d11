import AtollObjects
import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private class OldGull: Atoll.Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var call: String
  @Persisted var mate: OldGull?
  @Persisted var brood: List<OldGull>
  @Persisted var nest: OldNest?
  @Persisted var things: MutableSet<AnyRealmValue>
  override class func _realmObjectName() -> String? { "Gull" }
}

private class OldNest: EmbeddedObject {
  @Persisted var height: Int
  override class func _realmObjectName() -> String? { "Nest" }
}

private class NewGull: Atoll.Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var call: String
  @Persisted var song: String
  @Persisted var mate: NewGull?
  @Persisted var brood: List<NewGull>
  @Persisted var things: MutableSet<AnyRealmValue>
  @Persisted var weight = 7
  override class func _realmObjectName() -> String? { "Gull" }
}

private class LastGull: Atoll.Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var song: String
  override class func _realmObjectName() -> String? { "Gull" }
}

private class MatedGull: Atoll.Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var partner: MatedGull?
  override class func _realmObjectName() -> String? { "Gull" }
  override class func deleteRules() -> [DeleteRule] { [.deny(\MatedGull.partner)] }
}

private class NewNest: Atoll.Object {
  @Persisted var height: Int
  override class func _realmObjectName() -> String? { "Nest" }
}

private class NewDock: Atoll.Object {
  @Persisted(primaryKey: true) var id: Int
  override class func _realmObjectName() -> String? { "Dock" }
}

/// What a block may do that is not usual, and what others may do meanwhile.
@Suite(.computing) struct MigrationHazardTests {
  private let folder = TemporaryFolder()

  private var file: URL { URL(filePath: folder.path(of: "a.realm")) }

  private func old() -> Realm.Configuration {
    Realm.Configuration(
      fileURL: file, schemaVersion: 1, objectTypes: [OldGull.self, OldNest.self])
  }

  private func new(_ block: MigrationBlock?) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: file, schemaVersion: 2, migrationBlock: block,
      objectTypes: [NewGull.self, NewNest.self, NewDock.self])
  }

  private func makeFile() throws {
    let realm = try Realm(configuration: old())
    try realm.write {
      let gulls = ["a", "b", "c"].enumerated().map { index, name in
        realm.create(
          OldGull.self, value: ["name": name, "call": "caw\(index)", "nest": ["height": index]])
      }
      gulls[0].mate = gulls[1]
      gulls[0].brood.append(objectsIn: gulls)
      gulls[0].things.insert(.object(gulls[2]))
      gulls[0].things.insert(.int(5))
    }
  }

  /// Another process is putting its first objects into the file: its data needs the block too.
  ///
  /// Promise: migrations.whole.
  @Test func aFileThatIsFilledWhileOneWaitsForItIsMigratedWithTheBlock() throws {
    let database = try Database.open(file.path, options: .init(mode: .create))
    let transaction = try database.beginWrite()
    try transaction.addClasses([
      ClassSchema(
        "Gull",
        properties: [PropertySchema("name", .string), PropertySchema("call", .string)],
        primaryKey: "name")
    ])
    try transaction.create("Gull", ["name": .string("a"), "call": .string("caw")])
    let configuration = new { migration, _ in
      migration.enumerateObjects(ofType: "Gull") { old, new in
        new?["song"] = "la \(old?["call"] ?? "")"
      }
    }
    let isDone = DispatchSemaphore(value: 0)
    let results = SharedTexts()
    Thread.detachNewThread {
      let realm = try? Realm(configuration: configuration)
      results.set(realm.map { Array($0.objects(NewGull.self).map(\.song)) } ?? ["nothing"])
      isDone.signal()
    }
    Thread.sleep(forTimeInterval: 0.05)
    try transaction.commit()
    try database.close()
    isDone.wait()
    #expect(results.get() == ["la caw"])
  }

  /// Promise: migrations.whole.
  @Test func aBlockCannotCommitHalfOfAMigration() throws {
    try makeFile()
    let errors = SharedTexts()
    let realm = try Realm(
      configuration: new { migration, _ in
        migration.enumerateObjects(ofType: "Gull") { old, new in
          new?["song"] = old?["call"]
          do { try new?.realm?.commitWrite() } catch {
            errors.set(errors.get() + ["\((error as? Realm.Error)?.code == .fail)"])
          }
        }
      })
    #expect(errors.get() == ["true", "true", "true"])
    #expect(realm.objects(NewGull.self).sorted(by: \.name).map(\.song) == ["caw0", "caw1", "caw2"])
  }

  /// Promise: migrations.keys.
  @Test func aClassThatTheProgramDoesNotHaveKeepsItsPrimaryKey() throws {
    do {
      let database = try Database.open(file.path, options: .init(mode: .create))
      try database.write { transaction in
        try transaction.addClasses([
          ClassSchema(
            "Unknown Kind", properties: [PropertySchema("id", .int)], primaryKey: "id")
        ])
        for id in [3, 1, 2] { try transaction.create("Unknown Kind", ["id": .int(Int64(id))]) }
      }
      try database.close()
    }
    let block: MigrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Unknown Kind") { old, new in
        new?["id"] = 4 - (old?["id"] as? Int ?? 0)
      }
    }
    let realm = try Realm(
      configuration: .init(fileURL: file, schemaVersion: 1, migrationBlock: block))
    #expect(realm.context.schema["Unknown Kind"]?.primaryKey == "id")
    let ids = realm.dynamicObjects("Unknown Kind").sorted(byKeyPath: "id").map { $0["id"] as? Int }
    #expect(Array(ids) == [1, 2, 3])
    #expect(realm.dynamicObject(ofType: "Unknown Kind", forPrimaryKey: 3) != nil)
    #expect(try realm.context.file.database.check().findings.isEmpty)
  }

  /// Each object that the block has made is met, though the keys of all change with the first.
  @Test func newObjectsWhosePrimaryKeysAreSetAreAllMet() throws {
    try makeFile()
    let realm = try Realm(
      configuration: new { migration, _ in
        for id in [5, 3, 9] { migration.create("Dock", value: ["id": id]) }
        migration.enumerateObjects(ofType: "Dock") { old, new in
          new?["id"] = (new?["id"] as? Int ?? 0) + 100
          #expect(old == nil)
        }
        migration.enumerateObjects(ofType: "Dock") { _, new in
          new?["id"] = (new?["id"] as? Int ?? 0) * 2
        }
      })
    #expect(realm.objects(NewDock.self).sorted(by: \.id).map(\.id) == [206, 210, 218])
  }

  /// Objects of a class whose primary key is a string stay of use when one of them is set.
  @Test func otherObjectsStayOfUseWhenAStringKeyIsSet() throws {
    try makeFile()
    let realm = try Realm(
      configuration: new { migration, _ in
        migration.enumerateObjects(ofType: "Gull") { _, new in
          let mate = new?["mate"] as? MigrationObject
          new?["name"] = "new \(new?["name"] ?? "")"
          if let mate { mate["song"] = "mate of \(new?["name"] ?? "")" }
        }
      })
    let gulls = realm.objects(NewGull.self).sorted(by: \.name)
    #expect(gulls.map(\.name) == ["new a", "new b", "new c"])
    #expect(gulls.map(\.song) == ["", "mate of new a", ""])
  }

  @Test func whatWasDeletedIsLeftOutOfAListThatIsCopied() throws {
    try makeFile()
    let realm = try Realm(
      configuration: new { migration, _ in
        migration.enumerateObjects(ofType: "Gull") { old, new in
          if old?["name"] as? String == "b", let new { migration.delete(new) }
        }
        migration.enumerateObjects(ofType: "Gull") { old, new in
          new?["brood"] = old?["brood"]
          new?["mate"] = old?["mate"]
        }
      })
    let first = try #require(realm.object(ofType: NewGull.self, forPrimaryKey: "a"))
    #expect(first.brood.map(\.name) == ["a", "c"] && first.mate == nil)
  }

  /// What a mixed value leads to is an object of the migration, and not one of the program's class.
  @Test func objectsInMixedValuesAreDynamicInABlock() throws {
    try makeFile()
    let realm = try Realm(
      configuration: new { migration, _ in
        migration.enumerateObjects(ofType: "Gull") { old, new in
          guard let old, let new else { return }
          for thing in old.dynamicThings + new.dynamicThings {
            guard case .object(let object) = thing else { continue }
            #expect(object is DynamicObject)
            new["song"] = "\(new["song"] ?? "")\((object as? DynamicObject)?["name"] ?? "-")"
          }
        }
      })
    #expect(realm.objects(NewGull.self).sorted(by: \.name).map(\.song) == ["cc", "", ""])
  }

  /// The values that a rename would put its own in the place of.
  @Test func aRenameOntoValuesOfTheFileFails() throws {
    try makeFile()
    let types: [ObjectBase.Type] = [LastGull.self]
    var configuration = Realm.Configuration(
      fileURL: file, schemaVersion: 2,
      migrationBlock: { migration, _ in
        migration.renameProperty(onType: "Gull", from: "call", to: "song")
        migration.renameProperty(onType: "Gull", from: "name", to: "song")
      }, objectTypes: types)
    #expect(throws: Realm.Error(.schemaMismatch)) { _ = try Realm(configuration: configuration) }
    configuration.migrationBlock = { migration, _ in
      migration.renameProperty(onType: "Gull", from: "call", to: "song")
    }
    let realm = try Realm(configuration: configuration)
    #expect(
      realm.objects(LastGull.self).sorted(by: \.name).map(\.song) == ["caw0", "caw1", "caw2"])
  }

  /// Its old name had no rule, the new one denies.
  @Test func aRenamedPropertyFollowsItsRuleInTheBlock() throws {
    try makeFile()
    let configuration = Realm.Configuration(
      fileURL: file, schemaVersion: 2,
      migrationBlock: { migration, _ in
        migration.renameProperty(onType: "Gull", from: "mate", to: "partner")
        migration.enumerateObjects(ofType: "Gull") { old, new in
          if old?["name"] as? String == "b", let new { migration.delete(new) }
        }
      }, objectTypes: [MatedGull.self])
    #expect(throws: Realm.Error(.deletionDenied)) { _ = try Realm(configuration: configuration) }
  }

  /// A class that is not embedded any more keeps its objects, with a block and without one.
  @Test(arguments: [false, true])
  func whatWasEmbeddedStaysWhenItsOwnersLoseIt(hasBlock: Bool) throws {
    try makeFile()
    let block: MigrationBlock = { _, _ in }
    let realm = try Realm(configuration: new(hasBlock ? block : nil))
    let heights: [Int] = realm.objects(NewNest.self).map { $0.height }
    #expect(heights.sorted() == [0, 1, 2])
    #expect(try realm.context.file.database.check().findings.isEmpty)
  }

  /// Promise: migrations.plan.
  @Test func aPlanTellsThatTheFileIsDeleted() throws {
    try makeFile()
    var configuration = new { _, _ in }
    #expect(try !Realm.migrationPlan(for: configuration).deletesFile)
    configuration.deleteRealmIfMigrationNeeded = true
    let plan = try Realm.migrationPlan(for: configuration)
    #expect(plan.deletesFile && plan.changes.isEmpty && !plan.runsBlock)
    #expect(plan.description.contains("the file is deleted"))
    configuration.schemaVersion = 0
    #expect(try Realm.migrationPlan(for: configuration).deletesFile)
    configuration.deleteRealmIfMigrationNeeded = false
    configuration.schemaVersion = 2
    configuration.readOnly = true
    let refused = try Realm.migrationPlan(for: configuration)
    #expect(!refused.runsBlock && refused.changes.isEmpty)
    #expect(refused.problems.count == 1)
  }

  /// After a block has moved the data, also under the same names, an older program does not go on.
  ///
  /// Promise: migrations.behind.
  @Test func anOlderProgramDoesNotGoOnAfterABlock() throws {
    try makeFile()
    let realm = try Realm(configuration: old())
    try realm.context.file.database.write { transaction in
      let tree = try transaction.namedTree("realm")
      try tree.set(Array("2".utf8), for: Array("schemaVersion".utf8))
    }
    // Nothing was moved, and nothing is missing.
    #expect(realm.refresh())
    try realm.context.file.database.write { transaction in
      var configuration = old()
      configuration.schemaVersion = 2
      try SchemaVersion.noteMoved(transaction, configuration)
    }
    #expect(!realm.refresh())
    #expect(realm.objects(OldGull.self).count == 3)
    #expect(throws: Realm.Error(.schemaMismatch)) { try realm.write {} }
  }

  @Test func wrongUseInABlockEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      try MigrationHazardTests().useWrongly { $0.cancelWrite() }
    }
    await #expect(processExitsWith: .failure) {
      try MigrationHazardTests().useWrongly { $0.invalidate() }
    }
    await #expect(processExitsWith: .failure) {
      try MigrationHazardTests().useWrongly { _ = $0.objects(NewGull.self).count }
    }
    await #expect(processExitsWith: .success) {
      try MigrationHazardTests().useWrongly { _ = $0.dynamicObjects("Gull").count }
    }
  }

  private func useWrongly(_ use: @escaping @Sendable (Realm) -> Void) throws {
    try makeFile()
    _ = try Realm(
      configuration: new { migration, _ in
        migration.enumerateObjects(ofType: "Gull") { _, new in
          if let realm = new?.realm { use(realm) }
        }
      })
  }
}

extension DynamicObject {
  fileprivate var dynamicThings: [AnyRealmValue] {
    (self["things"] as? MutableSet<AnyRealmValue>).map { Array($0) } ?? []
  }
}

/// Texts that a test and another thread, or a block, share.
private final class SharedTexts: Sendable {
  private let texts = Mutex<[String]>([])

  func get() -> [String] { texts.withLock { $0 } }

  func set(_ new: [String]) { texts.withLock { $0 = new } }
}
