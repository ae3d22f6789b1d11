import Atoll
import Foundation
import TestThreads
import Testing

/// A class whose lists are long enough to lie apart from their object.
private class Store: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var marks: List<Int>
  @Persisted var dogs: List<Hound>
  @Persisted var rooms: List<Room>
}

/// Lists of thousands of elements, of which each is read and changed by itself.
@Suite(.computing) struct LongManagedListTests {
  private let realm: Realm
  private let store = Store()

  init() throws {
    realm = try makeRealm()
    try realm.write { realm.add(store) }
  }

  @Test func changesLikeAnArray() throws {
    var model = Array(0..<2_000)
    try realm.write { store.marks.append(objectsIn: model) }
    #expect(Array(store.marks) == model)
    try realm.write {
      let marks = store.marks
      for round in 0..<300 {
        let index = round * 7_919 % model.count
        switch round % 10 {
        case 0:
          marks.append(round)
          model.append(round)
        case 1:
          marks.insert(round, at: index)
          model.insert(round, at: index)
        case 2:
          marks.remove(at: index)
          model.remove(at: index)
        case 3:
          marks[index] = round
          model[index] = round
        case 4:
          let range = index..<min(index + 3, model.count)
          marks.replaceSubrange(range, with: [round, -1])
          model.replaceSubrange(range, with: [round, -1])
        case 5:
          let offsets = IndexSet([index, (index + 41) % model.count, model.count - 1])
          marks.remove(atOffsets: offsets)
          for offset in offsets.reversed() { model.remove(at: offset) }
        case 6:
          let target = index * 31 % model.count
          marks.move(from: index, to: target)
          model.insert(model.remove(at: index), at: target)
        case 7:
          marks.swapAt(index, model.count - 1)
          model.swapAt(index, model.count - 1)
        case 8:
          let offsets = IndexSet([index, (index + 90) % model.count])
          let moved = offsets.map { model[$0] }
          marks.move(fromOffsets: offsets, toOffset: 1_000)
          let place = 1_000 - offsets.count(in: 0..<1_000)
          for offset in offsets.reversed() { model.remove(at: offset) }
          model.insert(contentsOf: moved, at: place)
        default:
          // Another instance reads what the first one has written.
          let other = try #require(realm.object(ofType: Store.self, forPrimaryKey: 0)).marks
          #expect(other[index] == model[index] && other.count == model.count)
        }
        let place = min(index, model.count - 1)
        #expect(marks[place] == model[place] && marks.count == model.count)
      }
      #expect(Array(marks) == model)
    }
    #expect(store.marks.indices.allSatisfy { store.marks[$0] == model[$0] })
    let frozen = store.marks.freeze()
    try realm.write { store.marks.removeAll() }
    #expect(store.marks.isEmpty)
    #expect(frozen.count == model.count && frozen[1_234] == model[1_234] && Array(frozen) == model)
  }

  @Test func linksKeepTheirBacklinks() throws {
    let dogs = (0..<10).map { Hound(value: ["name": "dog \($0)"]) }
    try realm.write {
      realm.add(dogs)
      for number in 0..<1_500 { store.dogs.append(dogs[number % 10]) }
      for _ in 0..<140 { store.dogs.remove(at: 0) }
      store.dogs.remove(atOffsets: IndexSet(0..<10))
      store.dogs.move(from: 0, to: 1_349)
      store.dogs.move(fromOffsets: [1_349], toOffset: 0)
      store.dogs.swapAt(3, 703)
      store.dogs.swapAt(3, 4)
      store.dogs.swapAt(3, 4)
    }
    #expect(store.dogs.count == 1_350 && store.dogs[700] == dogs[0])
    #expect(realm.objects(Store.self).where { $0.dogs.count == 1_350 }.count == 1)
    #expect(realm.objects(Store.self).where { $0.dogs.name == "dog 3" }.count == 1)
    try realm.write { realm.delete(dogs[0]) }
    #expect(store.dogs.count == 1_215 && !store.dogs.contains { $0.name == "dog 0" })
    try realm.write { store.dogs.removeAll() }
    #expect(realm.objects(Store.self).where { $0.dogs.name == "dog 3" }.isEmpty)
  }

  @Test func embeddedObjectsGoToTheirPlace() throws {
    try realm.write {
      store.rooms.append(objectsIn: (0..<600).map { Room(value: ["name": "\($0)"]) })
      store.rooms.insert(Room(value: ["name": "new"]), at: 300)
      store.rooms.remove(at: 0)
      store.rooms[0] = Room(value: ["name": "other"])
      store.rooms.append(Room(value: ["name": "last"]))
    }
    #expect(store.rooms.count == 601 && store.rooms[299].name == "new")
    #expect(store.rooms[0].name == "other" && store.rooms[600].name == "last")
    #expect(store.rooms[1].name == "2" && store.rooms[300].name == "300")
    let last = store.rooms[600]
    try realm.write {
      store.rooms.move(from: 600, to: 0)
      store.rooms.swapAt(1, 600)
      store.rooms.remove(atOffsets: [5, 599])
    }
    #expect(store.rooms.count == 599)
    #expect(store.rooms[0].isSameObject(as: last) && store.rooms[598].name == "other")
    #expect(store.rooms[1].name == "599" && store.rooms[5].name == "6")
    try realm.write { realm.delete(last) }
    #expect(store.rooms.count == 598 && store.rooms[0].name == "599")
  }
}
