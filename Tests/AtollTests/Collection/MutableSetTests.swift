import Atoll
import Foundation
import TestThreads
import Testing

private class Crate: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var labels: MutableSet<String>
  @Persisted var marks: MutableSet<Int> = [3, 1, 3]
  @Persisted var choices: MutableSet<Double?>
  @Persisted var dogs: MutableSet<Hound>
}

private class Kennel: Object {
  @Persisted var rooms: MutableSet<Room>
}

@Suite(.computing) struct MutableSetTests {
  private func realm() throws -> Realm {
    try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
  }

  private func added(_ crate: Crate) throws -> (Realm, Crate) {
    let realm = try realm()
    try realm.write { realm.add(crate) }
    return (realm, crate)
  }

  /// The same changes of an unmanaged set and of a managed one.
  private func change(_ set: MutableSet<Int>) -> [Set<Int>] {
    var states: [Set<Int>] = []
    func note() {
      #expect(set.count == Set(set).count)
      states.append(Set(set))
    }
    set.insert(objectsIn: [1, 2, 2, 3])
    note()
    set.insert(2)
    set.insert(4)
    note()
    set.remove(1)
    set.remove(9)
    note()
    set.formUnion([4, 5, 6])
    note()
    set.formIntersection([2, 4, 5, 7])
    note()
    set.subtract([2, 8])
    note()
    set.removeAll()
    note()
    return states
  }

  @Test func managedAndUnmanagedSetsChangeAlike() throws {
    let expected: [Set<Int>] = [
      [1, 2, 3], [1, 2, 3, 4], [2, 3, 4], [2, 3, 4, 5, 6], [2, 4, 5], [4, 5], [],
    ]
    #expect(change(MutableSet()) == expected)
    let (realm, crate) = try added(Crate(value: ["number": 1, "marks": [Int]()]))
    #expect(try realm.write { change(crate.marks) } == expected)
  }

  @Test func aSetIsAddedWithItsObject() throws {
    let crate = Crate()
    crate.labels.insert(objectsIn: ["b", "a", "b"])
    crate.choices.insert(objectsIn: [nil, 2.5, nil])
    let set = crate.labels
    let (realm, _) = try added(crate)
    #expect(crate.labels === set)
    #expect(Array(crate.labels) == ["a", "b"])
    #expect(Array(crate.marks) == [1, 3])
    #expect(Set(crate.choices) == [nil, 2.5])
    #expect(set.realm == realm)
    #expect(crate.labels.contains("a") && !crate.labels.contains("c"))
    let frozen = crate.labels.freeze()
    try realm.write { crate.labels = ["c"] }
    #expect(Array(set) == ["c"])
    #expect(Array(frozen) == ["a", "b"])
    #expect(frozen.thaw().map { Array($0) } == ["c"])
    try realm.write { realm.delete(crate) }
    #expect(set.isInvalidated)
  }

  @Test func objectsAreInASetOnce() throws {
    let rex = Hound(value: ["name": "Rex", "weight": 9])
    let crate = Crate()
    crate.dogs.insert(objectsIn: [rex, Hound(value: ["name": "Ada", "weight": 3]), rex])
    let (realm, _) = try added(crate)
    #expect(realm.objects(Hound.self).count == 2)
    #expect(crate.dogs.count == 2)
    let again = try #require(realm.object(ofType: Hound.self, forPrimaryKey: "Rex"))
    #expect(crate.dogs.contains(again))
    #expect(!crate.dogs.contains(Hound(value: ["name": "Rex"])))
    try realm.write {
      crate.dogs.insert(again)
      crate.dogs.insert(Hound(value: ["name": "Odo", "weight": 5]))
    }
    #expect(crate.dogs.count == 3)
    #expect(crate.dogs.where { $0.weight > 4 }.count == 2)
    #expect(crate.dogs.sorted(byKeyPath: "weight").map(\.name) == ["Ada", "Odo", "Rex"])
    let other = MutableSet<Hound>()
    other.insert(again)
    #expect(other.isSubset(of: crate.dogs) && !crate.dogs.isSubset(of: other))
    #expect(crate.dogs.intersects(other))
    try realm.write { crate.dogs.subtract(other) }
    #expect(Set(crate.dogs.map(\.name)) == ["Ada", "Odo"])
    try realm.write { realm.delete(crate.dogs) }
    #expect(crate.dogs.isEmpty && realm.objects(Hound.self).map(\.name) == ["Rex"])
  }

  @Test func queriesAskSets() throws {
    let (realm, _) = try added(Crate(value: ["number": 1, "labels": ["a", "b"], "marks": [7]]))
    try realm.write {
      realm.create(Crate.self, value: ["number": 2, "labels": ["c"], "marks": [1, 2, 9]])
    }
    func numbers(_ isIncluded: (Query<Crate>) -> Query<Bool>) -> [Int] {
      realm.objects(Crate.self).where(isIncluded).map(\.number)
    }
    #expect(numbers { $0.labels.contains("b") } == [1])
    #expect(numbers { $0.marks.count > 2 } == [2])
    #expect(numbers { $0.marks.max == 9 } == [2])
    #expect(numbers { $0.labels.containsAny(in: ["a", "c"]) } == [1, 2])
    #expect(realm.objects(Crate.self).filter("ANY marks == 7").map(\.number) == [1])
    #expect(realm.objects(Crate.self).first?.marks.sum() == 7)
  }

  @Test func setsCodeAsArrays() throws {
    let set: MutableSet<String> = ["a", "b"]
    let data = try JSONEncoder().encode(set)
    #expect(String(decoding: data, as: UTF8.self) == #"["a","b"]"#)
    let decoded = try JSONDecoder().decode(MutableSet<String>.self, from: Data(#"["x","x"]"#.utf8))
    #expect(Array(decoded) == ["x"])
  }

  @Test func aSetCannotOwnObjects() throws {
    var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    configuration.objectTypes = [Kennel.self, Room.self]
    #expect {
      try Realm(configuration: configuration)
    } throws: {
      $0.localizedDescription.contains("Kennel.rooms is a set of the embedded class 'Room'")
    }
  }

  /// With an identity made of every element for each insertion and each question, it would take
  /// minutes.
  @Test func anUnmanagedSetFindsItsElementsAtOnce() throws {
    let crate = Crate(value: ["number": 1])
    for number in 0..<20_000 {
      crate.labels.insert("label \(number)")
      crate.labels.insert("label \(number)")
    }
    #expect(crate.labels.count == 20_000)
    for number in 0..<20_000 { #expect(crate.labels.contains("label \(number)")) }
    #expect(!crate.labels.contains("label"))
    crate.labels.remove("label 0")
    #expect(!crate.labels.contains("label 0") && crate.labels[0] == "label 1")
    crate.labels.insert("label 0")
    #expect(crate.labels.count == 20_000)
    crate.labels = ["a", "b"]
    #expect(!crate.labels.contains("label 1") && crate.labels.contains("b"))
    crate.labels.insert(objectsIn: crate.labels)
    crate.labels.formIntersection(["b", "c"])
    #expect(Array(crate.labels) == ["b"] && !crate.labels.contains("a"))
  }

  @Test func anUnmanagedSetHasItsObjectsWhenARealmManagesThem() throws {
    let hounds = ["Rex", "Ace"].map { Hound(value: [$0]) }
    let set = MutableSet<Hound>()
    set.insert(objectsIn: hounds + hounds)
    #expect(set.count == 2 && set.contains(hounds[1]) && !set.contains(Hound(value: ["Rex"])))
    let realm = try realm()
    try realm.write { realm.add(hounds) }
    let again = try #require(realm.object(ofType: Hound.self, forPrimaryKey: "Rex"))
    #expect(set.contains(hounds[0]) && set.contains(again))
    set.insert(again)
    #expect(set.count == 2)
    set.remove(again)
    #expect(Array(set) == [hounds[1]] && !set.contains(hounds[0]))
  }
}
