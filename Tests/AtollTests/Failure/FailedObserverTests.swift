import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

/// Observers hear of what they could not be told when it can be read.
@MainActor
@Suite(.waiting) struct FailedObserverTests {
  private let file: DamagedFile
  private let realm: Realm

  init() throws {
    file = try DamagedFile()
    realm = try file.realm()
  }

  /// Runs what was scheduled on the main actor.
  private func turn() async throws {
    for _ in 0..<5 { try await _Concurrency.Task.sleep(for: .milliseconds(2)) }
  }

  @Test func ofACollection() async throws {
    let some = realm.objects(Sheet.self).where { $0.text.contains("-") }
    try file.damage()
    var initialCounts: [Int] = []
    var updateCount = 0
    let token = some.observe { change in
      switch change {
      case .initial(let sheets): initialCounts.append(sheets.count)
      case .update: updateCount += 1
      case .error: break
      }
    }
    try await turn()
    #expect(initialCounts.isEmpty && file.told.count > 0)
    try file.mend()
    // The next version is told of.
    try realm.write { realm.create(Stone.self, value: ["number": 60]) }
    try await turn()
    #expect(initialCounts == [DamagedFile.count] && updateCount == 0)
    try realm.write { realm.object(ofType: Sheet.self, forPrimaryKey: 3)?.size = 1_000 }
    try await turn()
    #expect(updateCount == 1)
    token.invalidate()
  }

  @Test func ofAMapAndAnObject() async throws {
    let sheet = try #require(realm.objects(Stone.self).first?.sheet)
    try file.damage()
    var mapCount = 0
    var changed: [String] = []
    let mapToken = sheet.byName.observe { _ in mapCount += 1 }
    let objectToken = sheet.observe { (change: ObjectChange<Sheet>) in
      if case .change(_, let properties) = change { changed += properties.map(\.name) }
    }
    try await turn()
    #expect(mapCount == 0 && file.told.count > 0)
    try file.mend()
    try realm.write {
      sheet.byName["new"] = 1
      sheet.size = 1_000
    }
    try await turn()
    #expect(mapCount == 1 && changed.sorted() == ["byName", "size"])
    mapToken.invalidate()
    objectToken.invalidate()
  }

  @Test func ofWhatCannotBeRead() async throws {
    let all = realm.objects(Sheet.self)
    #expect(all.count == DamagedFile.count)
    try file.damage()
    let unreadable = try #require(Array(all).first)
    try file.mend()
    var count = 0
    let token = unreadable.observe { (_: ObjectChange<Sheet>) in count += 1 }
    try realm.write { realm.object(ofType: Sheet.self, forPrimaryKey: 1)?.size = 1_000 }
    try await turn()
    #expect(count == 0)
    token.invalidate()
  }
}
