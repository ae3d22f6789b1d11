import Foundation
import TestThreads
import Testing

@testable import Atoll

/// The elements of a collection in sections, as they are read.
@Suite(.waiting) struct SectionedResultsTests {
  class Guest: Atoll.Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var table: Int
    @Persisted var friend: Guest?

    var initial: String { String(name.prefix(1)) }

    convenience init(_ id: Int, _ name: String, _ table: Int = 0) {
      self.init()
      (self.id, self.name, self.table) = (id, name, table)
    }
  }

  class Party: Atoll.Object {
    @Persisted var guests: List<Guest>
    @Persisted var scores: List<Int>
    @Persisted var words: MutableSet<String>
  }

  private let realm: Realm

  init() throws {
    realm = try makeRealm([Guest.self, Party.self])
    try realm.write {
      for (id, name) in ["Anna", "Bert", "Arno", "Cora", "Bea"].enumerated() {
        realm.add(Guest(id, name, id % 2))
      }
    }
  }

  private func text<Key>(_ sections: SectionedResults<Key, Guest>) -> String {
    sections.map { "\($0.key):\($0.map(\.name).joined(separator: ","))" }.joined(separator: " ")
  }

  @Test func sectionsByAPropertyAreInItsOrder() {
    let guests = realm.objects(Guest.self)
    #expect(text(guests.sectioned(by: \.table)) == "0:Anna,Arno,Bea 1:Bert,Cora")
    #expect(text(guests.sectioned(by: \.table, ascending: false)) == "1:Bert,Cora 0:Anna,Arno,Bea")
    let ordered = guests.sectioned(by: \.table, sortDescriptors: ["table", "name"])
    #expect(text(ordered) == "0:Anna,Arno,Bea 1:Bert,Cora")
    #expect(ordered.allKeys == [0, 1])
    #expect(ordered.count == 2)
    #expect(ordered[1].key == 1 && ordered[1].id == 1 && ordered[1].count == 2)
    #expect(ordered[IndexPath(item: 1, section: 1)].name == "Cora")
    #expect(ordered[0].last?.name == "Bea")
  }

  @Test func sectionsByAComputedPropertyAndByABlock() {
    let guests = realm.objects(Guest.self)
    let expected = "A:Anna,Arno B:Bea,Bert C:Cora"
    #expect(text(guests.sectioned(by: \.initial, sortDescriptors: ["name"])) == expected)
    #expect(
      text(guests.sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"]))
        == expected)
    #expect(
      text(guests.sectioned(sortDescriptors: ["name"]) { String($0.name.prefix(1)) }) == expected)
  }

  /// A key belongs where it comes first, however the list is ordered.
  @Test func equalKeysThatComeApartAreOneSection() {
    let sections = realm.objects(Guest.self).sectioned(sortDescriptors: ["id"], \.initial)
    #expect(text(sections) == "A:Anna,Arno B:Bert,Bea C:Cora")
    #expect(sections[1][1].name == "Bea")
    let names = (0..<3).flatMap { section in
      (0..<sections[section].count).map { sections[IndexPath(row: $0, section: section)].name }
    }
    #expect(names == ["Anna", "Arno", "Bert", "Bea", "Cora"])
  }

  @Test func theyFollowTheRealmAlsoInAWrite() throws {
    let sections = realm.objects(Guest.self).where { $0.id < 4 }.sectioned(by: \.table)
    let section = sections[1]
    #expect(text(sections) == "0:Anna,Arno 1:Bert,Cora")
    try realm.write {
      realm.objects(Guest.self).where { $0.table == 1 }.setValue(5, forKey: "table")
      #expect(text(sections) == "0:Anna,Arno 5:Bert,Cora")
      #expect(section.isInvalidated && section.isEmpty)
      realm.object(ofType: Guest.self, forPrimaryKey: 0)?.table = 1
      #expect(section.map(\.name) == ["Anna"])
    }
    #expect(text(sections) == "0:Arno 1:Anna 5:Bert,Cora")
    #expect(!section.isInvalidated)
    try realm.write { realm.deleteAll() }
    #expect(sections.isEmpty)
    #expect(!sections.isInvalidated)
    realm.invalidate()
    #expect(sections.isInvalidated && sections.isEmpty)
  }

  @Test func aLoopGoesOverWhatThereWasAtItsBeginning() throws {
    let sections = realm.objects(Guest.self).sectioned(by: \.table)
    var keys: [Int] = []
    try realm.write {
      for section in sections {
        keys.append(section.key)
        for guest in section { realm.delete(guest) }
      }
    }
    #expect(keys == [0, 1])
    #expect(sections.isEmpty)
  }

  @Test func listsSetsAndAnyCollectionHaveSections() throws {
    let party = Party()
    try realm.write {
      realm.add(party)
      party.guests.append(objectsIn: realm.objects(Guest.self).sorted(by: \.name))
      party.guests.append(party.guests[0])
      party.scores.append(objectsIn: [3, 12, 5, 14, 3])
      party.words.insert(objectsIn: ["ox", "ant", "cow"])
    }
    #expect(text(party.guests.sectioned(by: \.table)) == "0:Anna,Arno,Bea,Anna 1:Bert,Cora")
    let any = AnyRealmCollection(party.guests)
    #expect(text(any.sectioned(by: \.table)) == "0:Anna,Arno,Bea,Anna 1:Bert,Cora")
    let scores = party.scores.sectioned(by: { $0 / 10 }, ascending: false)
    #expect(scores.map { Array($0) } == [[14, 12], [5, 3, 3]])
    #expect(scores.allKeys == [1, 0])
    let words = party.words.sectioned(by: { $0.count })
    #expect(words.map { Array($0) } == [["ant", "cow"], ["ox"]])
  }

  @Test func frozenSectionsStayAndCanBeThawed() throws {
    let sections = realm.objects(Guest.self).sectioned(by: \.initial, sortDescriptors: ["name"])
    let (frozen, section) = (sections.freeze(), sections[2].freeze())
    #expect(frozen.isFrozen && section.isFrozen && frozen[0].isFrozen && !sections.isFrozen)
    try realm.write { realm.deleteAll() }
    #expect(text(frozen) == "A:Anna,Arno B:Bea,Bert C:Cora")
    #expect(section.map(\.name) == ["Cora"])
    // Sendable: frozen sections may be read by several threads.
    nonisolated(unsafe) let (shared, other) = (frozen, sections.freeze())
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      #expect(shared.flatMap { $0.map(\.name) } == ["Anna", "Arno", "Bea", "Bert", "Cora"])
      #expect(other.isEmpty)
    }
    #expect(frozen.thaw()?.isEmpty == true)
    #expect(section.thaw()?.isInvalidated == true)
    #expect(frozen.thaw() == sections)
    #expect(sections.realm == realm)
  }

  @Test func theyAreEqualWhenTheyAreTheSameSections() {
    let guests = realm.objects(Guest.self)
    let sections = guests.sectioned(by: \.table)
    #expect(sections == guests.sectioned(by: \.table))
    #expect(sections != guests.sectioned(by: \.table, ascending: false))
    #expect(sections[0] == guests.sectioned(by: \.table)[0])
    #expect(sections[0] != sections[1])
    let block: @Sendable (Guest) -> Int = { $0.table }
    let byBlock = guests.sectioned(by: block, sortDescriptors: ["table"])
    #expect(byBlock == byBlock)
    #expect(byBlock != guests.sectioned(by: block, sortDescriptors: ["table"]))
  }

  /// Nothing is asked again as long as nothing has changed.
  @Test func keysAreKept() throws {
    let sections = realm.objects(Guest.self).sectioned(by: \.table)
    for _ in 0..<3 { _ = text(sections) }
    #expect(sections._sections.searchCount == 1)
    try realm.write { realm.add(Guest(9, "Dora")) }
    _ = text(sections)
    #expect(sections._sections.searchCount == 2)
  }

  @Test func misuseEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let guests = try makeRealm([Guest.self, Party.self]).objects(Guest.self)
      _ = guests.sectioned(by: \.table, sortDescriptors: ["name"])
    }
    await #expect(processExitsWith: .failure) {
      let guests = try makeRealm([Guest.self, Party.self]).objects(Guest.self)
      _ = guests.sectioned(by: { $0.table }, sortDescriptors: [])
    }
    await #expect(processExitsWith: .failure) {
      _ = List<Guest>().sectioned(by: \.table)
    }
    await #expect(processExitsWith: .failure) {
      let guests = try makeRealm([Guest.self, Party.self]).objects(Guest.self)
      _ = guests.sectioned(by: \.table)[0]
    }
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm([Guest.self, Party.self])
      try realm.write { realm.add(Guest(1, "Anna")) }
      _ = realm.objects(Guest.self).sectioned(by: \.table)[IndexPath(item: 1, section: 0)]
    }
    await #expect(processExitsWith: .failure) {
      let guests = try makeRealm([Guest.self, Party.self]).objects(Guest.self)
      _ = guests.sectioned(by: \.table).freeze().observe { _ in }
    }
  }
}
