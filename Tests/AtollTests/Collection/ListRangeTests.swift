import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

private class Box: Object {
  @Persisted var name: String
  @Persisted var numbers: List<Int>
  @Persisted var parts: List<Piece>
  @Persisted var named: Map<String, Piece?>
  @Persisted var single: Piece?
}

private class Piece: EmbeddedObject {
  @Persisted var name: String
  @Persisted var weight: Int
}

/// Ranges of lists, and embedded objects that are given to the property that they are in.
@Suite(.waiting) struct ListRangeTests {
  @Test func rangesAreReplacedAsInAnArray() throws {
    let realm = try makeRealm()
    for isManaged in [false, true] {
      let box = Box()
      if isManaged { try realm.write { realm.add(box) } }
      let other = List<Int>()
      other.append(objectsIn: [100, 101, 102])
      var list = box.numbers
      var array: [Int] = []
      func step(_ body: () -> Void, _ same: (inout [Int]) -> Void) throws {
        if isManaged { try realm.write(body) } else { body() }
        same(&array)
        #expect(Array(list) == array)
      }
      try step({ list.append(objectsIn: 0..<10) }, { $0 += 0..<10 })
      try step({ list[1..<4] = other[0..<1] }, { $0[1..<4] = [100] })
      try step({ list[0...1] = other[0...2] }, { $0[0...1] = [100, 101, 102] })
      try step({ list[...1] = other[2...] }, { $0[...1] = [102] })
      try step(
        { list.replaceSubrange(0...2, with: [7]) }, { $0.replaceSubrange(0...2, with: [7]) })
      try step({ list.replaceSubrange(3..., with: []) }, { $0.replaceSubrange(3..., with: []) })
      try step({ list.append(objectsIn: 20..<30) }, { $0 += 20..<30 })
      try step({ list.removeSubrange(0...2) }, { $0.removeSubrange(0...2) })
      try step({ list.removeSubrange(..<2) }, { $0.removeSubrange(..<2) })
      try step({ list.removeSubrange(4...) }, { $0.removeSubrange(4...) })
      try step({ list[1...].sort(by: >) }, { $0[1...].sort(by: >) })
      try step({ list[0..<2].swapAt(0, 1) }, { $0[0..<2].swapAt(0, 1) })
      try step({ list[1..<3] = list[0..<2] }, { $0[1..<3] = $0[0..<2] })
      try step({ list[0..<2] = list[0..<3] }, { $0[0..<2] = $0[0..<3] })
      try step({ list[1...] = list[1...] }, { $0[1...] = $0[1...] })
      try step({ list[0..<3].removeFirst() }, { $0[0..<3].removeFirst() })
      try step({ list[1...].removeLast() }, { $0[1...].removeLast() })
      try step({ list[0..<2][1] = 51 }, { $0[0..<2][1] = 51 })
      try step({ list[...] = other[...] }, { $0[...] = [100, 101, 102] })
      try step({ list.reverse() }, { $0.reverse() })
      #expect(list[1..<3].map { $0 } == [101, 100] && list[1..<3].count == 2)
      var readCount = 0
      let doubled = list[1..<3].map {
        readCount += 1
        return 2 * $0
      }
      #expect(doubled.first == 202 && readCount == 1)
    }
  }

  private func owner(_ realm: Realm, _ count: Int = 5) throws -> Box {
    try realm.write {
      realm.create(
        Box.self,
        value: ["parts": (0..<count).map { ["name": "\($0)", "weight": ($0 * 7) % 10] }])
    }
  }

  private func text(_ box: Box) -> String { box.parts.map { $0.name }.joined() }

  @Test func anEmbeddedObjectThatIsGivenToItsOwnPlaceStays() throws {
    let realm = try makeRealm()
    let box = try owner(realm)
    let second = box.parts[1]
    try realm.write {
      box.parts[1] = box.parts[1]
      box.parts = box.parts
      box.parts.replace(index: 1, object: second)
      box.parts.replaceSubrange(1..<4, with: Array(box.parts[1..<4]))
      box.single = Piece(value: ["name": "s"])
      box.single = box.single
      box.named["a"] = Piece(value: ["name": "m"])
      box.named["a"] = .some(box.named["a"] ?? nil)
    }
    #expect(text(box) == "01234" && !second.isInvalidated && box.single?.name == "s")
    #expect(box.named["a"]??.name == "m")
  }

  @Test func embeddedObjectsAreSortedInPlace() throws {
    let realm = try makeRealm()
    for count in [5, 40] {
      let box = try owner(realm, count)
      let all = Array(box.parts)
      try realm.write {
        box.parts.sort { ($0.weight, $0.name) < ($1.weight, $1.name) }
      }
      let weights = box.parts.map { $0.weight }
      #expect(Array(weights) == weights.sorted() && all.allSatisfy { !$0.isInvalidated })
      try realm.write {
        box.parts.reverse()
        box.parts.swapAt(0, 1)
        box.parts.shuffle()
        _ = box.parts.partition { $0.weight > 4 }
        (box.parts[0], box.parts[2]) = (box.parts[2], box.parts[0])
      }
      #expect(Set(box.parts.map { $0.name }).count == count)
      #expect(all.allSatisfy { !$0.isInvalidated })
    }
  }

  @Test func aListIsReplacedByItsOwnElementsAndNewOnes() throws {
    let realm = try makeRealm()
    let box = try owner(realm)
    let old = Array(box.parts)
    try realm.write {
      let new = List<Piece>()
      new.append(objectsIn: [old[4], old[0], Piece(value: ["name": "n"]), old[2]])
      box.parts = new
    }
    #expect(text(box) == "40n2" && old[1].isInvalidated && old[3].isInvalidated)
    #expect(!old[4].isInvalidated && box.parts[0].isSameObject(as: old[4]))
    try realm.write {
      box.parts.replaceSubrange(1...2, with: [Piece(value: ["name": "x"]), old[0]])
    }
    #expect(text(box) == "4x02")
    try realm.write {
      box.parts.append(objectsIn: (0..<20).map { Piece(value: ["name": "\($0 % 10)"]) })
    }
    try realm.write {
      let all = Array(box.parts)
      box.parts.replaceSubrange(1..<23, with: all[1..<23].reversed())
    }
    #expect(text(box) == "4" + "8765432109876543210" + "20x9")
  }

  @Test func anEmbeddedObjectIsInNoListTwice() async {
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(configuration: .init(inMemoryIdentifier: "twice"))
      try realm.write {
        let box = realm.create(Box.self, value: ["parts": [["name": "a"], ["name": "b"]]])
        box.parts.append(box.parts[0])
      }
    }
  }
}
