import AtollQuery
import Foundation
import TestThreads
import Testing

@testable import Atoll

private final class Stop: Object {
  @Persisted(indexed: true) var line: Int
  @Persisted var name: String
  @Persisted var next: List<Stop>
  @Persisted var times: List<Int>
}

/// The plans of queries.
@Suite(.waiting) struct PlanTests {
  private let realm: Realm
  private let stops: Results<Stop>

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Stop.self]))
    stops = realm.objects(Stop.self)
    try realm.write {
      var all: [Stop] = []
      for number in 0..<20_000 {
        let stop = Stop()
        stop.line = number
        stop.name = "stop \(number)"
        all.append(stop)
      }
      realm.add(all)
      all[10].next.append(objectsIn: all.prefix(4))
    }
  }

  @Test func aPlanNamesTheIndexThatWasUsed() throws {
    let plan = try stops.where { $0.line == 7 }.explain()
    #expect(plan.indexes == ["Stop.line"])
    #expect(plan.resultCount == 1)
    #expect("\(plan)".contains("index on 'Stop.line'"))
  }

  @Test func aPlanTellsOfAScanAndOfItsTests() throws {
    let results = stops.filter("name CONTAINS '49'").sorted(by: \.name)
    let plan = try results.explain()
    #expect(plan.indexes.isEmpty)
    #expect(plan.testedRowCount == 20_000)
    #expect(plan.resultCount == results.count)
    #expect("\(plan)".contains("SORT by name ASC"))
    #expect("\(plan)".contains("scan of 'Stop'"))
  }

  @Test func thePlanOfAListTellsWhereItsElementsComeFrom() throws {
    let stop = try #require(stops.where { $0.line == 10 }.first)
    let list = try stop.next.explain()
    #expect(list.resultCount == 4)
    #expect(list.root.text == "collection 'Stop.next' of one object")
    let filtered = stop.next.where { $0.line < 2 }.sorted(by: \.name)
    let plan = try filtered.explain()
    #expect(plan.resultCount == 2)
    let lines = "\(plan)".split(separator: "\n")
    #expect(lines[0].hasPrefix("SORT(name ASC)") && lines[0].hasSuffix("2 objects"))
    #expect(lines[1].hasPrefix("  those of the collection that the query finds"))
    #expect(lines[2].hasPrefix("    collection 'Stop.next' of one object"))
  }

  @Test func aPlanGoesToAnotherThread() throws {
    let plan = try stops.where { $0.line == 7 }.explain()
    try onAnotherThread { #expect(plan.resultCount == 1) }
  }

  @Test func anOpenWriteIsCounted() throws {
    realm.beginWrite()
    realm.delete(stops.where { $0.line == 7 })
    #expect(try stops.where { $0.line == 7 }.explain().resultCount == 0)
    realm.cancelWrite()
    #expect(try stops.where { $0.line == 7 }.explain().resultCount == 1)
  }

  @Test func aClassThatTheFileDoesNotHaveHasAPlan() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    let plan = try realm.objects(Stop.self).where { $0.line == 7 }.explain()
    #expect(plan.resultCount == 0)
  }

  @Test func valuesHaveNoPlan() throws {
    let stop = try #require(stops.first)
    #expect(throws: Realm.Error(.invalidInput)) { try stop.times.explain() }
  }
}
