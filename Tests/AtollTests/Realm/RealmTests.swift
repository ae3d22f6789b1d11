import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.waiting) struct RealmTests {
  @Test func aFileKeepsItsObjects() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "a/b/default.realm"))
    let configuration = Realm.Configuration(fileURL: url)
    #expect(!Realm.fileExists(for: configuration))
    do {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(Hound.self, value: ["name": "Rex"]) }
      #expect(try Realm(configuration: configuration) == realm)
      #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
    }
    do {
      let realm = try Realm(configuration: configuration)
      #expect(realm.objects(Hound.self).first?.name == "Rex")
    }
    #expect(try Realm.deleteFiles(for: configuration))
    #expect(!Realm.fileExists(for: configuration))
    #expect(try !Realm.deleteFiles(for: configuration))
  }

  @Test func aRealmWhoseFileIsDeletedReadsOnAndRefusesWrites() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "gone.realm")
    let realm = try Realm(fileURL: URL(filePath: path))
    try realm.write { realm.create(Hound.self, value: ["name": "Rex"]) }
    try FileManager.default.removeItem(atPath: path)
    #expect(!realm.refresh())
    #expect(realm.objects(Hound.self).first?.name == "Rex")
    #expect(throws: (any Error).self) {
      try realm.write { realm.create(Hound.self, value: ["name": "Bo"]) }
    }
    #expect(realm.objects(Hound.self).map(\.name) == ["Rex"])
  }

  @Test func oneFileUnderTwoSpellingsIsOneRealm() throws {
    let folder = TemporaryFolder()
    let realm = try Realm(fileURL: URL(filePath: folder.path(of: "a.realm")))
    let other = try Realm(fileURL: URL(filePath: folder.path(of: "x/../a.realm")))
    #expect(realm == other)
  }

  @Test func aRealmInMemoryGoesWithItsLastInstance() throws {
    let name = UUID().uuidString
    do {
      let realm = try makeRealm(nil, name)
      try realm.write { realm.create(Hound.self, value: ["name": "Rex"]) }
      #expect(try makeRealm(nil, name).objects(Hound.self).count == 1)
    }
    #expect(try makeRealm(nil, name).isEmpty)
  }

  @Test func anEncryptedFileOpensWithItsKeyOnly() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "a.realm"))
    let key = Data(repeating: 7, count: 64)
    do {
      let realm = try Realm(configuration: Realm.Configuration(fileURL: url, encryptionKey: key))
      try realm.write { realm.create(Hound.self, value: ["name": "Rex"]) }
      #expect(throws: Realm.Error.self) { try Realm(fileURL: url) }
    }
    let wrong = Realm.Configuration(fileURL: url, encryptionKey: Data(repeating: 8, count: 64))
    do {
      _ = try Realm(configuration: wrong)
      Issue.record("a wrong key opens the file")
    } catch Realm.Error.invalidDatabase {}
    #expect(throws: Realm.Error.self) { try Realm(fileURL: url) }
    let short = Realm.Configuration(fileURL: url, encryptionKey: Data(repeating: 8, count: 10))
    #expect(throws: Realm.Error.self) { try Realm(configuration: short) }
    let right = try Realm(configuration: Realm.Configuration(fileURL: url, encryptionKey: key))
    #expect(right.objects(Hound.self).count == 1)
  }

  @Test func aFileOfAFormatThatIsNotReadAnyMoreSaysSo() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "a.realm"))
    let old = try GoldenFiles.read("Tests/AtollStorageTests/Golden/Files/v2-small.golden")
    try Data(old).write(to: url)
    do {
      _ = try Realm(fileURL: url)
      Issue.record("a file of format 2 opens")
    } catch Realm.Error.unsupportedFileFormatVersion {}
    #expect(try Data(contentsOf: url) == Data(old))
  }

  @Test func aReadOnlyRealmNeedsAFileAndIsNotWritten() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "a.realm"))
    let readOnly = Realm.Configuration(fileURL: url, readOnly: true)
    do {
      _ = try Realm(configuration: readOnly)
      Issue.record("a read-only realm made a file")
    } catch Realm.Error.fileNotFound {}
    do {
      let realm = try Realm(fileURL: url)
      try realm.write { realm.create(Hound.self, value: ["name": "Rex"]) }
    }
    let realm = try Realm(configuration: readOnly)
    #expect(realm.objects(Hound.self).first?.name == "Rex")
    #expect(throws: Realm.Error.self) { try realm.write {} }
  }

  @Test func theStoreOfAServerOpensForReadingOnly() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "store.atoll"))
    try makeServerStore(url)
    let error = #expect(throws: Realm.Error.self) { try Realm(fileURL: url) }
    #expect(error?.code == .incompatibleHistories)
    #expect(error?.message.contains("the store of a server") == true)
    let readOnly = Realm.Configuration(fileURL: url, readOnly: true, objectTypes: [])
    #expect(try Realm(configuration: readOnly).isEmpty)
  }

  @Test func aCopyHoldsTheSame() throws {
    let folder = TemporaryFolder()
    let realm = try Realm(fileURL: URL(filePath: folder.path(of: "a.realm")))
    try realm.write { realm.create(Hound.self, value: ["name": "Rex"]) }
    let url = URL(filePath: folder.path(of: "copy.realm"))
    let key = Data(repeating: 3, count: 64)
    try realm.writeCopy(toFile: url, encryptionKey: key)
    do {
      try realm.writeCopy(toFile: url)
      Issue.record("a copy was written over a file")
    } catch Realm.Error.fileExists {}
    let copy = try Realm(configuration: Realm.Configuration(fileURL: url, encryptionKey: key))
    #expect(copy.objects(Hound.self).first?.name == "Rex")
    let seeded = Realm.Configuration(
      fileURL: URL(filePath: folder.path(of: "new.realm")),
      seedFilePath: URL(filePath: folder.path(of: "a.realm")))
    #expect(try Realm(configuration: seeded).objects(Hound.self).count == 1)
  }

  @Test func theSchemaVersionOfAFileNeverGoesBack() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "a.realm"))
    _ = try Realm(configuration: Realm.Configuration(fileURL: url, schemaVersion: 3))
    #expect(try schemaVersionAtURL(url) == 3)
    #expect(throws: Realm.Error.self) {
      try Realm(configuration: Realm.Configuration(fileURL: url, schemaVersion: 2))
    }
    _ = try Realm(configuration: Realm.Configuration(fileURL: url, schemaVersion: 4))
    #expect(try schemaVersionAtURL(url) == 4)
  }

  @Test func aRealmStaysAtItsVersionUntilItMoves() throws {
    let folder = TemporaryFolder()
    let configuration = Realm.Configuration(fileURL: URL(filePath: folder.path(of: "a.realm")))
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.create(Hound.self, value: ["name": "Rex", "weight": 1]) }
    let dog = try #require(realm.objects(Hound.self).first)
    nonisolated(unsafe) let frozen = dog.freeze()
    try onAnotherThread {
      let other = try Realm(configuration: configuration)
      try other.write { other.objects(Hound.self).first?.weight = 2 }
      #expect(frozen.weight == 1)
    }
    #expect(realm.autorefresh)
    #expect(dog.weight == 1)
    #expect(realm.refresh() && !realm.refresh())
    #expect(dog.weight == 2 && frozen.weight == 1 && frozen.isFrozen)
    #expect(frozen.thaw()?.weight == 2)
    try realm.write { realm.delete(dog) }
    #expect(frozen.weight == 1 && frozen.thaw() == nil && !frozen.isInvalidated)
  }

  @Test func aReferenceLeadsToTheObjectOnAnotherThread() throws {
    let folder = TemporaryFolder()
    let configuration = Realm.Configuration(fileURL: URL(filePath: folder.path(of: "a.realm")))
    let realm = try Realm(configuration: configuration)
    let dog = Hound(value: ["name": "Rex"])
    try realm.write { realm.add(dog) }
    let reference = ThreadSafeReference(to: dog)
    try onAnotherThread {
      let other = try Realm(configuration: configuration)
      let dog = try #require(other.resolve(reference))
      #expect(dog.name == "Rex" && dog.realm == other)
    }
  }

  @Test func invalidatingEndsAllObjects() throws {
    let realm = try makeRealm()
    let dog = Hound(value: ["name": "Rex"])
    try realm.write { realm.add(dog) }
    realm.invalidate()
    #expect(dog.isInvalidated && dog.realm == nil)
    #expect(realm.objects(Hound.self).first?.name == "Rex")
  }

  @Test func aQueueHasARealmOfItsOwn() throws {
    let queue = DispatchQueue(label: "test")
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.create(Hound.self, value: ["name": "Rex"]) }
    try queue.sync {
      let other = try Realm(configuration: configuration, queue: queue)
      #expect(other != realm && other.objects(Hound.self).count == 1)
    }
    #expect(throws: Realm.Error.self) { try Realm(configuration: configuration, queue: queue) }
  }
}

/// Runs `body` on a thread of its own and waits for it.
@Suite(.waiting) struct ReopeningTests {
  @Test func openingAgainAddsClasses() throws {
    let name = UUID().uuidString
    let realm = try makeRealm([Bird.self], name)
    let frozen = realm.freeze()
    let same = try makeRealm([Note.self, Bird.self], name)
    #expect(same == realm && frozen.isEmpty)
    try realm.write {
      same.create(Note.self, value: ["text": "a"])
      realm.create(Bird.self, value: ["wings": 2])
    }
    #expect(realm.objects(Note.self).count == 1 && realm.freeze().objects(Note.self).count == 1)
    #expect(realm.configuration.objectTypes?.count == 2)
    #expect(try makeRealm(nil, name) == realm)
    #expect(realm.objects(Animal.self).isEmpty)
  }

  @Test func aFrozenRealmStaysAsItIsWhenItIsInvalidated() throws {
    let realm = try makeRealm([Bird.self], UUID().uuidString)
    try realm.write { realm.create(Bird.self, value: ["wings": 2]) }
    let frozen = realm.freeze()
    let bird = try #require(frozen.objects(Bird.self).first)
    frozen.invalidate()
    try realm.write { realm.create(Bird.self, value: ["wings": 3]) }
    #expect(!bird.isInvalidated && bird.wings == 2)
    #expect(frozen.objects(Bird.self).count == 1)
  }

  @Test func aClassThatNoOpeningNamesEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let name = UUID().uuidString
      let realm = try makeRealm([Bird.self], name)
      _ = try makeRealm([Note.self], name)
      _ = realm.objects(Animal.self)
    }
  }
}

func onAnotherThread(_ body: @escaping @Sendable () throws -> Void) throws {
  let result = ResultBox()
  let thread = Thread {
    result.value = Result { try body() }
    result.done.signal()
  }
  thread.start()
  result.done.wait()
  try result.value?.get()
}

// SAFETY: written before the signal, read after it.
private final class ResultBox: @unchecked Sendable {
  var value: Result<Void, any Error>?
  let done = DispatchSemaphore(value: 0)
}
