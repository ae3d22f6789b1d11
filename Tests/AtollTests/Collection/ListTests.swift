import Atoll
import Foundation
import TestThreads
import Testing

/// A class whose lists have declared defaults, or are filled by its initializer.
private class Shelf: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var books = List<Hound>()
  @Persisted var marks: List<Int> = [1, 2]
  @Persisted var boxes = List<Room>()
  @Persisted var rows: List<String>
  @Persisted var corner: Corner? = Corner()

  required init() {
    super.init()
    rows.append("top")
  }
}

private class Corner: EmbeddedObject {
  @Persisted var things = List<Int>()
}

@Suite(.waiting) struct ListTests {
  /// The same changes of an unmanaged list and of a managed one.
  private func change(_ list: List<Int>) -> [[Int]] {
    var states: [[Int]] = []
    func note() { states.append(Array(list)) }
    list.append(objectsIn: [1, 2, 3, 4])
    note()
    list.insert(9, at: 1)
    note()
    list.remove(at: 0)
    note()
    list.move(from: 0, to: 2)
    note()
    list.swapAt(0, 3)
    note()
    list[1] = 7
    note()
    list.replaceSubrange(1..<3, with: [5, 6, 5])
    note()
    list.removeFirst()
    list.removeLast(1)
    note()
    list.append(objectsIn: [1, 2, 3])
    list.remove(atOffsets: [0, 2])
    note()
    list.move(fromOffsets: [0, 1], toOffset: 4)
    note()
    list.insert(contentsOf: [8, 8], at: 2)
    note()
    list.removeSubrange(0..<1)
    note()
    list.removeAll()
    note()
    return states
  }

  @Test func managedAndUnmanagedListsChangeAlike() throws {
    let realm = try makeRealm()
    let object = Everything()
    let unmanaged = change(List<Int>())
    try realm.write {
      realm.add(object)
      #expect(change(object.ints) == unmanaged)
    }
    #expect(unmanaged.first == [1, 2, 3, 4] && unmanaged.last == [])
    #expect(unmanaged[8] == [6, 1, 2, 3])
  }

  @Test func assigningReplacesTheContentsAndKeepsTheInstance() throws {
    let realm = try makeRealm()
    let object = Everything()
    let other = List<Int>()
    other.append(objectsIn: [1, 2])
    let unmanaged = object.ints
    object.ints = other
    #expect(object.ints === unmanaged && Array(unmanaged) == [1, 2])
    try realm.write { realm.add(object) }
    #expect(object.ints === unmanaged)
    try realm.write {
      object.ints = object.ints
      #expect(object.ints.count == 2)
      other.append(3)
      object.ints = other
    }
    #expect(Array(object.ints) == [1, 2, 3])
    let again = try #require(realm.objects(Everything.self).first)
    #expect(again.ints == object.ints && again.ints !== object.ints)
  }

  @Test func aListIsLiveAndKeepsDuplicates() throws {
    let realm = try makeRealm()
    let person = Keeper(value: [1, "Ann"])
    let dog = Hound(value: ["name": "Rex"])
    try realm.write {
      realm.add(person)
      person.dogs.append(dog)
      person.dogs.append(dog)
    }
    let dogs = person.dogs
    #expect(dogs.count == 2 && dogs.index(of: dog) == 0 && dog.owners.count == 2)
    try realm.write { dogs.removeLast() }
    #expect(person.dogs.count == 1 && realm.objects(Hound.self).count == 1)
    let frozen = dogs.freeze()
    try realm.write { realm.delete(dogs) }
    #expect(dogs.isEmpty && realm.objects(Hound.self).isEmpty && frozen.count == 1)
    #expect(frozen.thaw() == dogs)
  }

  @Test func listsWithDeclaredDefaultsAreThoseOfTheRow() throws {
    let realm = try makeRealm()
    let made = Shelf()
    let marks = made.marks
    try realm.write {
      realm.add(made)
      made.books.append(Hound(value: ["name": "Rex"]))
      made.boxes.append(Room(value: ["name": "a"]))
      made.marks.append(3)
      made.corner?.things.append(7)
    }
    #expect(made.marks === marks)
    let found = try #require(realm.object(ofType: Shelf.self, forPrimaryKey: 0))
    #expect(found.books.map(\.name) == ["Rex"] && found.boxes.count == 1)
    #expect(Array(found.marks) == [1, 2, 3] && Array(found.rows) == ["top"])
    #expect(found.corner.map { Array($0.things) } == [7])
    #expect(found.marks === found.marks && found["books"] as? List<Hound> === found.books)
    try realm.write {
      let fetched = try #require(realm.objects(Shelf.self).first)
      (fetched["marks"] as? List<Int>)?.append(4)
      fetched.rows.removeAll()
      fetched.books.append(Hound(value: ["name": "Tim"]))
      let again = try #require(realm.objects(Shelf.self).first)
      again.marks = [5]
    }
    #expect(Array(made.marks) == [5] && made.rows.isEmpty && made.books.count == 2)
    let frozen = made.freeze()
    let thawed = try #require(frozen.thaw())
    for one in [frozen, thawed] {
      #expect(Array(one.marks) == [5] && one.books.count == 2 && one.rows.isEmpty)
      #expect(one.corner.map { Array($0.things) } == [7])
    }
    #expect(Array(Shelf().marks) == [1, 2] && Array(Shelf().rows) == ["top"])
  }

  @Test func aLoopGoesOverTheElementsOfItsBeginning() throws {
    let realm = try makeRealm()
    let person = Keeper(value: ["_id": 1, "dogs": [["name": "a"], ["name": "b"], ["name": "c"]]])
    var seen: [String] = []
    for dog in person.dogs {
      seen.append(dog.name)
      person.dogs.removeFirst()
    }
    #expect(seen == ["a", "b", "c"] && person.dogs.isEmpty)
    try realm.write {
      let dog = Hound(value: ["name": "d"])
      for number in 2...4 { realm.add(Keeper(value: ["_id": number, "dogs": [dog, dog]])) }
      let second = try #require(realm.object(ofType: Keeper.self, forPrimaryKey: 2))
      var count = 0
      for dog in second.dogs {
        count += 1
        if !dog.isInvalidated { second.dogs.removeLast() }
      }
      #expect(count == 2 && second.dogs.isEmpty)
      count = 0
      for owner in dog.owners {
        count += 1
        owner.dogs.removeAll()
      }
      #expect(count == 4 && dog.owners.isEmpty)
      for owner in Hound().owners { Issue.record("\(owner.name)") }
    }
  }

  @Test func indexesOutOfRangeEndTheProcess() async {
    await #expect(processExitsWith: .failure) { _ = List<Int>()[0] }
    await #expect(processExitsWith: .failure) { List<Int>().removeLast() }
    await #expect(processExitsWith: .failure) { List<Int>().insert(1, at: 1) }
  }
}
