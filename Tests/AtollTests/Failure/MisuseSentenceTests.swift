import Foundation
import TestThreads
import Testing

@testable import Atoll

/// Wrong use ends the process with a sentence that says what was wrong, also in release builds.
@Suite(.waiting) struct MisuseSentenceTests {
  @Test(arguments: Misuses.allCases)
  func wrongUseEndsTheProcessWithItsSentence(misuse: Misuses) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [misuse = misuse as Misuses] in
      try misuse.commit()
    }
    guard let result else { return }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.contains("atal error") }
    #expect(text.contains(misuse.sentence), "\(lines)")
  }
}

/// A realm with a keeper and its dog.
private struct MisuseWorld {
  static let configuration = Realm.Configuration(
    inMemoryIdentifier: "misuse",
    objectTypes: [Keeper.self, Hound.self, Note.self, Address.self, Room.self])

  let realm: Realm
  let keeper = Keeper()
  let hound = Hound()

  init() throws {
    realm = try Realm(configuration: Self.configuration)
    hound.name = "Rex"
    keeper.dogs.append(hound)
    keeper.address = Address()
    try realm.write { realm.add(keeper) }
  }

  /// The realm of a file, which is only read.
  static func readOnly() throws -> Realm {
    var configuration = Realm.Configuration(
      fileURL: FileManager.default.temporaryDirectory.appending(path: UUID().uuidString),
      objectTypes: [Note.self])
    do {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.add(Note()) }
    }
    configuration.readOnly = true
    return try Realm(configuration: configuration)
  }

  static func other() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: "another", objectTypes: configuration.objectTypes))
  }
}

/// What only a wrong program does.
enum Misuses: String, Codable, CaseIterable, Sendable {
  // Writes.
  case addOutside, createOutside, deleteOutside, setOutside, appendOutside, setAllOutside
  case beginTwice, cancelNothing, writeFrozen, changeFrozen, writeReadOnly
  // Objects.
  case readDeleted, changeListOfDeleted, secondOfOneKey, updateWithoutKey, changeKey
  case nilForRequired, wrongType, tooManyValues, unknownKey
  case addOfAnother, addDeleted, deleteOfAnother, deleteUnmanaged, secondOwner
  // Collections.
  case indexBehindTheEnd, negativeIndex, removeTooMany, resultsIndex
  // Queries.
  case brokenText, unknownProperty, wrongArgument, missingArgument
  case sortThroughList, sortByUnknown, distinctByUnknown, aggregateOfText, aggregateOfUnknown
  case countOfNoCollection
  // Observers.
  case observeUnmanaged, observeFrozen, observeReadOnly, observeOnThread, observeUnknownPath
  case observeAfterChange
  // Threads and versions.
  case freezeUnmanaged, thawUnmanaged, freezeNew, autorefreshFrozen, refreshReadOnly
  case referToUnmanaged, resolveTwice, wrapUnmanaged
  case writeLaterOnThread, subscribeWithoutSync

  // swift-format-ignore
  func commit() throws {
    let world = try MisuseWorld()
    let (realm, keeper, hound) = (world.realm, world.keeper, world.hound)
    let hounds = realm.objects(Hound.self)
    switch self {
    case .addOutside: realm.add(Note())
    case .createOutside: realm.create(Note.self)
    case .deleteOutside: realm.delete(hound)
    case .setOutside: hound.weight = 1
    case .appendOutside: keeper.dogs.append(hound)
    case .setAllOutside: hounds.setValue(1, forKey: "weight")
    case .beginTwice:
      realm.beginWrite()
      realm.beginWrite()
    case .cancelNothing: realm.cancelWrite()
    case .writeFrozen: realm.freeze().beginWrite()
    case .changeFrozen: hound.freeze().weight = 1
    case .writeReadOnly: try MisuseWorld.readOnly().beginWrite()
    case .readDeleted:
      try realm.write { realm.delete(hound) }
      print(hound.weight)
    case .changeListOfDeleted:
      let dogs = keeper.dogs
      realm.beginWrite()
      realm.delete(keeper)
      dogs.append(hound)
    case .secondOfOneKey:
      realm.beginWrite()
      realm.create(Hound.self, value: ["name": "Rex"])
    case .updateWithoutKey:
      realm.beginWrite()
      realm.create(Note.self, value: ["text": "a"], update: .all)
    case .changeKey: try realm.write { hound.name = "Tim" }
    case .nilForRequired: try realm.write { realm.create(Hound.self, value: ["name": NSNull()]) }
    case .wrongType: try realm.write { realm.create(Hound.self, value: ["weight": "heavy"]) }
    case .tooManyValues: try realm.write { realm.create(Hound.self, value: ["a", 1, 2, 3]) }
    case .unknownKey: try realm.write { hound["height"] = 1 }
    case .addOfAnother:
      let other = try MisuseWorld.other()
      try other.write { other.add(hound) }
    case .addDeleted:
      realm.beginWrite()
      realm.delete(hound)
      realm.add(hound)
    case .deleteOfAnother:
      let other = try MisuseWorld.other()
      try other.write { other.delete(hound) }
    case .deleteUnmanaged: try realm.write { realm.delete(Note()) }
    case .secondOwner:
      try realm.write {
        let second = realm.create(Keeper.self, value: ["_id": 7])
        second.address = keeper.address
      }
    case .indexBehindTheEnd: print(keeper.dogs[1])
    case .negativeIndex: print(keeper.dogs[-1])
    case .removeTooMany: try realm.write { keeper.dogs.removeLast(2) }
    case .resultsIndex: print(hounds[1])
    case .brokenText: print(hounds.filter("weight >"))
    case .unknownProperty: print(hounds.filter("wieght > 3"))
    case .wrongArgument: print(hounds.filter("weight > $0", "heavy"))
    case .missingArgument: print(hounds.filter("weight > $0"))
    case .sortThroughList: print(realm.objects(Keeper.self).sorted(byKeyPath: "dogs.name"))
    case .sortByUnknown: print(hounds.sorted(byKeyPath: "wieght"))
    case .distinctByUnknown: print(hounds.distinct(by: ["wieght"]))
    case .aggregateOfText: print(hounds.min(ofProperty: "name") as Int? as Any)
    case .aggregateOfUnknown: print(hounds.sum(ofProperty: "wieght") as Int)
    case .countOfNoCollection: print(hounds.where { ($0.weight > 3).count > 1 })
    case .observeUnmanaged: _ = Note().observe { (_: ObjectChange<Note>) in }
    case .observeFrozen: _ = hounds.freeze().observe { _ in }
    case .observeReadOnly: _ = try MisuseWorld.readOnly().objects(Note.self).observe { _ in }
    case .observeOnThread: try onAnotherThread {
      let realm = try Realm(configuration: MisuseWorld.configuration)
      _ = realm.objects(Hound.self).observe { _ in }
    }
    case .observeUnknownPath:
      let queue = DispatchQueue(label: "paths")
      try queue.sync {
        let realm = try Realm(configuration: MisuseWorld.configuration, queue: queue)
        _ = realm.objects(Hound.self).observe(keyPaths: ["wieght"]) { _ in }
      }
    case .observeAfterChange:
      let queue = DispatchQueue(label: "changes")
      try queue.sync {
        let realm = try Realm(configuration: MisuseWorld.configuration, queue: queue)
        realm.beginWrite()
        realm.deleteAll()
        _ = realm.objects(Hound.self).observe { _ in }
      }
    case .freezeUnmanaged: print(Note().freeze())
    case .thawUnmanaged: print(Note().thaw() as Any)
    case .freezeNew:
      realm.beginWrite()
      print(realm.create(Note.self).freeze())
    case .autorefreshFrozen: realm.freeze().autorefresh = true
    case .refreshReadOnly: try MisuseWorld.readOnly().refresh()
    case .referToUnmanaged: print(ThreadSafeReference(to: Note()))
    case .resolveTwice:
      let reference = ThreadSafeReference(to: hound)
      print(realm.resolve(reference) as Any, realm.resolve(reference) as Any)
    case .wrapUnmanaged: print(ThreadSafe(wrappedValue: Note()))
    case .writeLaterOnThread: try onAnotherThread {
      try Realm(configuration: MisuseWorld.configuration).writeAsync {}
    }
    case .subscribeWithoutSync: print(realm.subscriptions)
    }
  }

  var sentence: String {
    switch self {
    case .addOutside: "an object of class 'Note' was added outside of a write"
    case .createOutside: "an object of class 'Note' was created outside of a write"
    case .deleteOutside: "an object of class 'Hound' was deleted outside of a write"
    case .setOutside: "Hound.weight was set outside of a write"
    case .appendOutside: "a list was changed outside of a write"
    case .setAllOutside: "'weight' of all objects was set outside of a write"
    case .beginTwice: "a write was begun inside another write of the same realm"
    case .cancelNothing: "there is no write to cancel"
    case .writeFrozen: "a frozen realm cannot be written"
    case .changeFrozen: "in a frozen realm: thaw"
    case .writeReadOnly: "the realm was opened read-only"
    case .readDeleted, .changeListOfDeleted, .addDeleted: "that has been deleted"
    case .secondOfOneKey: "there is an object of class 'Hound' with the primary key Rex already"
    case .updateWithoutKey: "'Note' has no primary key"
    case .changeKey: "the primary key Hound.name of an object in a realm never changes"
    case .nilForRequired: "Hound.name"
    case .wrongType: "Hound.weight"
    case .tooManyValues: "an array of 4 values was given for an object of class 'Hound'"
    case .unknownKey: "class 'Hound' has no property 'height'"
    case .addOfAnother: "that belongs to another realm was added"
    case .deleteOfAnother: "that belongs to another realm was deleted"
    case .deleteUnmanaged: "an unmanaged object of class 'Note' was deleted"
    case .secondOwner: "belongs to another property already"
    case .indexBehindTheEnd: "index 1 is out of range of a list of 1 elements"
    case .negativeIndex: "index -1 is out of range of a list of 1 elements"
    case .removeTooMany: "2 elements cannot be removed from a list of 1"
    case .resultsIndex: "index 1 is out of range of 1 results"
    case .brokenText: "the predicate 'weight >' cannot be used"
    case .unknownProperty: "'weight'"
    case .wrongArgument: "the predicate 'weight > $0' cannot be used"
    case .missingArgument: "$0"
    case .sortThroughList, .sortByUnknown: "objects cannot be sorted by this"
    case .distinctByUnknown: "objects cannot be told apart by this"
    case .aggregateOfText, .aggregateOfUnknown: "the aggregate cannot be computed"
    case .countOfNoCollection: "what is counted are the objects of a collection"
    case .observeUnmanaged: "an object that no realm manages cannot be observed"
    case .observeFrozen: "that is frozen never changes, so it cannot be observed"
    case .observeReadOnly: "of a read-only realm never changes"
    case .observeOnThread: "on a thread that nothing can be delivered to"
    case .observeUnknownPath: "'wieght' is no path of 'Hound' that can be observed"
    case .observeAfterChange: "inside of a write that has changed something already"
    case .freezeUnmanaged: "an unmanaged object of class 'Note' cannot be frozen"
    case .thawUnmanaged: "an unmanaged object of class 'Note' cannot be thawed"
    case .freezeNew: "was frozen that this write made"
    case .autorefreshFrozen: "a frozen or read-only realm does not move"
    case .refreshReadOnly: "a read-only realm cannot be refreshed"
    case .referToUnmanaged: "a ThreadSafeReference is made of what a realm manages"
    case .wrapUnmanaged: "@ThreadSafe holds what a realm manages"
    case .resolveTwice: "a ThreadSafeReference was resolved twice"
    case .writeLaterOnThread: "an asynchronous write was asked of a realm of a plain thread"
    case .subscribeWithoutSync: "subscriptions were asked of a realm that is not synced"
    }
  }
}
