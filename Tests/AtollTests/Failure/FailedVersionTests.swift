import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll
@testable import AtollObjects

/// A realm goes on with the version that it has when no newer one can be read.
@Suite(.computing) struct FailedVersionTests {
  private let file: DamagedFile
  private let realm: Realm

  init() throws {
    file = try DamagedFile()
    realm = try file.realm()
  }

  @Test func afterACommitTheVersionBeforeGoesOn() throws {
    let stone = try #require(realm.objects(Stone.self).first)
    // As a commit does whose version cannot be read at once.
    realm.context.stayBehind()
    try realm.context.file.database.close()
    #expect(realm.objects(Stone.self).count == 10 && stone.text == "stone 1")
    #expect(realm.objects(Stone.self).where { $0.number > 3 }.count == 7)
    // Once: all that is read is true.
    #expect(file.told.count == 1 && realm.context.version.isBehind)
    #expect(!realm.refresh())
  }

  @Test func theNextUseLooksForTheNewestVersion() throws {
    let stone = try #require(realm.objects(Stone.self).first)
    #expect(stone.text == "stone 1")
    realm.context.stayBehind()
    try realm.context.file.database.write { transaction in
      let key = try #require(try transaction.key("Stone", primaryKey: .int(1)))
      try transaction.set("Stone", key, "text", .string("new"))
    }
    #expect(stone.text == "new" && !realm.context.version.isBehind && file.told.count == 0)
  }

  @Test func withoutAVersionTheClassesAreThereAndEmpty() throws {
    let stones = realm.objects(Stone.self)
    #expect(stones.count == 10)
    realm.invalidate()
    try realm.context.file.database.close()
    let told = file.told.during {
      let sheets = realm.objects(Sheet.self)
      #expect(sheets.count == 0 && Array(sheets).isEmpty)
      #expect(sheets.sorted(byKeyPath: "size").isEmpty)
      #expect(sheets.where { $0.label.text == "a" && $0.next.size > 1 }.isEmpty)
      #expect(realm.object(ofType: Stone.self, forPrimaryKey: 1) == nil && realm.isEmpty)
      #expect(realm.freeze().objects(Stone.self).isEmpty)
    }
    #expect(told > 0 && realm.context.version.pinned == nil)
    #expect(throws: Realm.Error.self) { try realm.write {} }
  }

  @Test func whatStandsInHasTheClassesOfTheVersion() throws {
    let snapshot = realm.context.snapshot
    let empty = try Database.emptyVersion(with: snapshot.classes)
    #expect(empty.schema === snapshot.schema)
    for table in snapshot.schema.tables {
      #expect(try empty.table(id: table.id)?.count == 0)
      for column in table.columns where column.isIndexed && !column.isPrimaryKey {
        #expect(try empty.index(column) != nil)
      }
    }
  }

  @Test func aFrozenRealmThaws() throws {
    let frozen = realm.freeze()
    let stone = try #require(frozen.objects(Stone.self).first)
    let thawed = try #require(stone.thaw())
    #expect(!thawed.isFrozen && thawed.text == "stone 1" && file.told.count == 0)
  }

  /// No lock is held when it is called, so that it may even ask the same again, of which it is not
  /// told: it would never end.
  @Test func theHandlerMayReadWhatHasFailed() throws {
    var configuration = file.configuration
    let told = ToldFailures()
    nonisolated(unsafe) var ask: () -> Int = { 0 }
    configuration.failureHandler = { failure in
      told.tell(failure)
      #expect(ask() == 0)
    }
    let queue = DispatchQueue(label: "failed versions")
    try queue.sync {
      let frozen = try Realm(configuration: configuration, queue: queue).freeze()
      let some = frozen.objects(Sheet.self).where { $0.text.contains("-") }
      ask = { some.count }
      try file.damage()
      #expect(some.isEmpty && told.count == 1)
      #expect(some.isEmpty && told.count == 2)
    }
    #expect(file.told.count == 0)
  }

  /// Who opens a realm again where it is open may be the first who wants to be told.
  @Test func theFirstHandlerOfAPlaceHolds() throws {
    let file = try DamagedFile(hasHandler: false)
    let realm = try file.realm()
    let (first, second) = (ToldFailures(), ToldFailures())
    for told in [first, second] {
      var configuration = file.configuration
      configuration.failureHandler = { told.tell($0) }
      #expect(try Realm(configuration: configuration) == realm)
    }
    let sheet = try #require(realm.objects(Stone.self).first?.sheet)
    try file.damage()
    #expect(sheet.text.isEmpty && first.count == 1 && second.count == 0)
  }
}
