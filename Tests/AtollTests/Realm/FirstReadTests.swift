import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private class Ship: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var name: String
  @Persisted var harbour: Harbour?
}

private class Harbour: Object {
  @Persisted(indexed: true) var name: String
  @Persisted(originProperty: "harbour") var ships: LinkingObjects<Ship>
}

/// `Ship`, as an older program has it.
private class OldShip: Object {
  @Persisted(primaryKey: true) var _id: Int
  override class func _realmObjectName() -> String? { "Ship" }
}

private class WrongShip: Object {
  @Persisted(primaryKey: true) var _id: String
  override class func _realmObjectName() -> String? { "Ship" }
}

/// Classes that are read before any write has brought them into the file.
@Suite(.waiting) struct FirstReadTests {
  private let folder = TemporaryFolder()

  private var configuration: Realm.Configuration {
    Realm.Configuration(fileURL: URL(filePath: folder.path(of: "a.realm")))
  }

  private func checkEmpty(_ realm: Realm) throws {
    let ships = realm.objects(Ship.self)
    #expect(ships.isEmpty && ships.first == nil && ships.last == nil && Array(ships).isEmpty)
    #expect(realm.object(ofType: Ship.self, forPrimaryKey: 1) == nil)
    #expect(ships.where { $0.harbour.name == "x" && $0.name != "y" }.isEmpty)
    #expect(try ships.query("harbour.name == 'x' SORT(name ASC) LIMIT(1)").isEmpty)
    #expect(ships.sorted(by: \.name).isEmpty && ships.distinct(by: ["name"]).isEmpty)
    #expect(ships.max(of: \._id) == nil && ships.sum(of: \._id) == 0)
    #expect(realm.objects(Harbour.self).where { $0.ships.count > 0 || $0.name == "x" }.isEmpty)
    #expect(throws: (any Error).self) { try ships.query("nam == 'x'") }
    #expect(!realm.fileHas("Ship") && !realm.fileHas("Harbour"))
  }

  @Test func aReadOfANewClassWaitsForNoWriterAndWritesNothing() throws {
    let writer = try Realm(configuration: configuration)
    writer.beginWrite()
    let configuration = configuration
    try onAnotherThread {
      let realm = try Realm(configuration: configuration)
      try checkEmpty(realm)
      try checkEmpty(realm.freeze())
    }
    writer.cancelWrite()
    #expect(try Realm(configuration: configuration).isEmpty)
  }

  @Test func whatWasReadBeforeFollowsTheClassWhenItComes() throws {
    let configuration = configuration
    let realm = try Realm(configuration: configuration)
    let ships = realm.objects(Ship.self).where { $0.harbour.name == "Kiel" }.sorted(by: \.name)
    let harbours = realm.objects(Harbour.self)
    let frozen = ships.freeze()
    #expect(ships.isEmpty && harbours.isEmpty && frozen.isEmpty)
    try onAnotherThread {
      let other = try Realm(configuration: configuration)
      try other.write {
        other.create(Ship.self, value: [1, "b", ["Kiel"]])
        other.create(Ship.self, value: [2, "a", other.objects(Harbour.self)[0]])
      }
    }
    #expect(ships.isEmpty)
    realm.refresh()
    #expect(ships.map(\.name) == ["a", "b"] && harbours.first?.ships.count == 2)
    #expect(frozen.isEmpty && frozen.thaw()?.count == 2)
    try realm.write { realm.create(Ship.self, value: [3, "c", harbours[0]]) }
    #expect(ships.count == 3)
  }

  @Test func propertiesThatTheFileDoesNotHaveAreReadWithoutAWriter() throws {
    do {
      let old = try Realm(configuration: configuration)
      try old.write { for id in 1...3 { old.create(OldShip.self, value: [id]) } }
    }
    let configuration = configuration
    let writer = try Realm(configuration: configuration)
    writer.beginWrite()
    try onAnotherThread {
      let realm = try Realm(configuration: configuration)
      let ships = realm.objects(Ship.self)
      #expect(ships.map(\._id) == [1, 2, 3] && ships.map(\.name) == ["", "", ""])
      #expect(ships.where { $0.name == "" && $0.harbour == nil }.count == 3)
      #expect(ships.where { $0.harbour.name == "x" || $0.name == "x" }.isEmpty)
      #expect(ships.sorted(by: [SortDescriptor(keyPath: "name")]).count == 3)
      #expect(!realm.fileHas("Ship", "name"))
      let frozen = ships[1].freeze()
      #expect(frozen._id == 2 && frozen.name == "" && frozen.harbour == nil)
    }
    writer.cancelWrite()
    let ship = try #require(writer.object(ofType: Ship.self, forPrimaryKey: 2))
    #expect(ship.name == "" && !writer.fileHas("Ship", "name"))
    try writer.write {
      ship.name = "Emma"
      ship.harbour = Harbour(value: ["Kiel"])
    }
    #expect(writer.fileHas("Ship", "name") && ship.name == "Emma")
    #expect(writer.objects(Ship.self).where { $0.harbour.name == "Kiel" }.map(\._id) == [2])
  }

  @Test func anObserverHearsOfTheFirstObjectsOfAClass() throws {
    let queue = DispatchQueue(label: "first read")
    let log = Log()
    let configuration = configuration
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      let token = realm.objects(Ship.self).observe { change in
        switch change {
        case .initial(let ships): log.lines.append("initial \(ships.count)")
        case .update(_, _, let insertions, _): log.lines.append("+\(insertions)")
        case .error: log.lines.append("error")
        }
      }
      log.tokens = [token]
    }
    queue.sync {}
    #expect(log.lines == ["initial 0"])
    try onAnotherThread {
      let other = try Realm(configuration: configuration)
      try other.write { for id in 1...2 { other.create(Ship.self, value: [id]) } }
    }
    try queue.sync { _ = try Realm(configuration: configuration, queue: queue).refresh() }
    for _ in 0..<3 { queue.sync {} }
    #expect(log.lines == ["initial 0", "+[0, 1]"])
    queue.sync { log.tokens = [] }
  }

  @Test func aReadOnlyRealmShowsAClassThatItDoesNotHaveAsEmpty() throws {
    do {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(OldShip.self, value: [1]) }
    }
    var readOnly = configuration
    readOnly.readOnly = true
    let realm = try Realm(configuration: readOnly)
    #expect(realm.objects(Note.self).where { $0.text == "x" }.isEmpty)
    #expect(realm.objects(Ship.self).where { $0.name == "" }.map(\._id) == [1])
    #expect(realm.objects(Ship.self).first?.harbour == nil)
  }

  @Test func aClassThatContradictsTheFileEndsTheProcessAlsoWhenItIsRead() async {
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm()
      try realm.write { realm.create(OldShip.self, value: [1]) }
      _ = realm.objects(WrongShip.self).count
    }
  }

  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var tokens: [NotificationToken] = []
  }
}
