import Foundation
import RealmSwift
import TestThreads
import Testing

@MainActor @Suite(.waiting, .hangLimit) struct SectionResultsPage {
  // Page begins here
  class Guest: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var table: Int

    var initial: String { String(name.prefix(1)) }
  }

  func tables(_ realm: Realm) -> [String] {
    let tables = realm.objects(Guest.self)
      .sectioned(by: \.table, sortDescriptors: ["table", "name"])
    return tables.map { "\($0.key): \($0.map(\.name).joined(separator: ", "))" }
  }

  func guest(_ item: Int, ofSection section: Int, in realm: Realm) -> Guest {
    let byInitial = realm.objects(Guest.self).sectioned(by: \.initial, sortDescriptors: ["name"])
    return byInitial[IndexPath(item: item, section: section)]
  }
  // Page ends here

  // Page begins here
  func follow(
    _ realm: Realm, _ tell: @escaping ([IndexPath], IndexSet) -> Void
  ) -> NotificationToken {
    realm.objects(Guest.self).sectioned(by: \.table).observe { changes in
      switch changes {
      case .initial:
        break
      case .update(_, _, let insertions, _, let sectionsToInsert, _):
        tell(insertions, sectionsToInsert)
      }
    }
  }
  // Page ends here

  @Test func guestsAreGroupedByTableAndInitial() async throws {
    let realm = try Manual.realm()
    try realm.write {
      for (id, name) in ["Anna", "Bert", "Arno"].enumerated() {
        realm.create(Guest.self, value: [id, name, id % 2])
      }
    }
    #expect(tables(realm) == ["0: Anna, Arno", "1: Bert"])
    #expect(guest(1, ofSection: 0, in: realm).name == "Arno")
    var told: [String] = []
    let token = follow(realm) { told.append("\($0.map { [$0.section, $0.item] }) \(Array($1))") }
    await _Concurrency.Task.yield()
    try realm.write { realm.create(Guest.self, value: [7, "Cora", 5]) }
    while told.isEmpty { await _Concurrency.Task.yield() }
    #expect(told == ["[[2, 0]] [2]"])
    token.invalidate()
  }
}
