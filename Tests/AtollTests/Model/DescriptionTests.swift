import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

private class Ring: Object {
  @Persisted var name: String
  @Persisted var any: AnyRealmValue
  @Persisted var first: AnyRealmValue
  @Persisted var second: AnyRealmValue
  @Persisted var list: List<Ring>
  @Persisted var map: Map<String, Ring?>
  @Persisted var values: List<AnyRealmValue>
  @Persisted var parts: List<Bead>
}

private class Bead: EmbeddedObject {
  @Persisted var name: String
  @Persisted var ring: Ring?
}

/// One text shows so much and no more, whatever lies behind an object.
@Suite(.computing) struct DescriptionTests {
  private func check(_ ring: Ring, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(ring.description.utf8.count < 1_000_000, sourceLocation: sourceLocation)
    #expect("\(ring.any)".utf8.count < 1_000_000, sourceLocation: sourceLocation)
    let realm = try makeRealm()
    try realm.write { realm.add(ring) }
    #expect(ring.description.utf8.count < 1_000_000, sourceLocation: sourceLocation)
    #expect("\(ring.any)".utf8.count < 1_000_000, sourceLocation: sourceLocation)
    #expect(realm.objects(Ring.self).description.utf8.count < 1_000_000)
  }

  @Test func cyclesThroughMixedValuesEnd() throws {
    let ring = Ring(value: ["name": "a"])
    ring.any = .object(ring)
    #expect(ring.description.contains("any = object(Ring {"))
    try check(ring)
    let second = Ring(value: ["name": "b"])
    second.any = .fromArray([.object(second), .fromDictionary(["me": .object(second)])])
    second.values.append(second.any)
    try check(second)
  }

  @Test func diamondsOfObjectsEnd() throws {
    var ring = Ring(value: ["name": "end"])
    for _ in 0..<16 {
      let next = Ring()
      next.first = .object(ring)
      next.second = .object(ring)
      next.any = .fromArray([.object(ring), .object(ring)])
      ring = next
    }
    try check(ring)
  }

  @Test func wideGraphsEnd() throws {
    let ring = Ring(value: ["name": "wide"])
    for number in 0..<150 {
      ring.list.append(ring)
      ring.map["k\(number)"] = ring
      ring.parts.append(Bead(value: ["name": "b", "ring": ring]))
    }
    try check(ring)
  }

  @Test func listsInListsEnd() throws {
    let list = List<AnyRealmValue>()
    list.append(.list(list))
    list.append(.list(list))
    #expect("\(AnyRealmValue.list(list))".utf8.count < 100_000)
    #expect(list.description.utf8.count < 100_000)
  }

  @Test func whatIsSmallIsShownWhole() throws {
    let list = List<Int>()
    list.append(objectsIn: 0..<120)
    #expect(list.description.hasPrefix("List<Int> (\n\t[0] 0,\n\t[1] 1,"))
    #expect(list.description.hasSuffix("[99] 99,\n\t... 20 elements skipped.\n)"))
    #expect("\(AnyRealmValue.string("a"))" == #"string("a")"# && "\(AnyRealmValue.none)" == "none")
    let map: Map<String, Int?> = ["a": 1, "b": nil]
    #expect(map.description.contains("[a]: 1,") && map.description.contains("[b]: (null)"))
  }
}
