import AtollStorage
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll
@testable import AtollObjects

/// Where nobody is told of a failure the process ends; and what is a failure at all.
@Suite(.computing) struct FailureEndTests {
  @Test func withoutAHandlerTheProcessEndsWithTheSentence() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let file = try DamagedFile(hasHandler: false)
      let sheet = try file.realm().objects(Stone.self).first?.sheet
      try file.damage()
      print(sheet?.text ?? "")
      // Not reached.
      exit(0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("'Sheet' cannot be read"))
  }

  @Test func withoutAHandlerAWriteThrowsAllTheSame() async {
    await #expect(processExitsWith: .success) {
      let file = try DamagedFile(hasHandler: false)
      let realm = try file.realm()
      let sheet = realm.objects(Stone.self).first?.sheet
      try file.damage()
      do {
        try realm.write { sheet?.size += 1 }
        exit(1)
      } catch let error as Realm.Error {
        exit(error.code == .invalidDatabase ? 0 : 2)
      }
    }
  }

  @Test func misuseOfAHealthyRealmEndsTheProcessAlsoWithAHandler() async {
    await #expect(processExitsWith: .failure) {
      let file = try DamagedFile()
      let sheet = try file.realm().objects(Stone.self).first?.sheet
      print(sheet?.words[2] ?? "")
      exit(0)
    }
    await #expect(processExitsWith: .failure) {
      let file = try DamagedFile()
      let realm = try file.realm()
      let stone = try #require(realm.objects(Stone.self).first)
      try realm.write { realm.delete(stone) }
      print(stone.text)
      exit(0)
    }
  }

  /// A disk that fails at the commit is thrown, and told to nobody.
  @Test func aFullDiskAtTheCommitIsThrown() async {
    await #expect(processExitsWith: .success) {
      let file = try DamagedFile()
      let realm = try file.realm()
      let path = file.configuration.fileURL?.path ?? ""
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      ProcessLimits.limitFiles(byteCount: attributes[.size] as? Int)
      let error = #expect(throws: Realm.Error.self) {
        try realm.write {
          for number in 100..<30_000 {
            realm.create(Stone.self, value: ["number": number, "text": "\(UUID()) \(UUID())"])
          }
        }
      }
      ProcessLimits.limitFiles(byteCount: nil)
      guard error?.isFailure == true, file.told.count == 0, !realm.isInWriteTransaction,
        realm.objects(Stone.self).count == 10
      else { exit(1) }
      exit(0)
    }
  }

  @Test func whatIsAFailureStaysOneOnItsWay() {
    let damage = ObjectError.storage(.corrupted(block: 7, .structure(.malformedEntries)))
    let error = Realm.Error(damage)
    #expect(error.isFailure && Realm.Error.isFailure(error) && error.code == .invalidDatabase)
    let wrapped = Realm.Error(error, doing: "nothing can be read", fileURL: nil)
    #expect(wrapped.isFailure && wrapped.code == .invalidDatabase)
    #expect(wrapped.message.hasPrefix("nothing can be read: "))
    #expect(Realm.Error.isFailure(StorageError.inUse(path: "a", processIDs: [])))
    #expect(!Realm.Error.isFailure(ObjectError.noSuchObject(className: "Dog")))
    #expect(!Realm.Error.isFailure(StorageError.transactionEnded(path: "a")))
    // As the app may make it: of a path that is wrong, for one.
    #expect(!Realm.Error(.fileNotFound, "there is no such file").isFailure)
    #expect(!Realm.Error(.invalidDatabase).isFailure)
  }

  @Test func whatIsMetUnderALockIsToldAfterwards() {
    let told = ToldFailures()
    let failure = Realm.Error(ObjectError.storage(.inUse(path: "a", processIDs: [])))
    HeldFailures.telling {
      HeldFailures.tell(failure) { told.tell($0) }
      #expect(told.count == 0)
    }
    #expect(told.count == 1)
    HeldFailures.tell(failure) { told.tell($0) }
    #expect(told.count == 2)
  }

  @Test func whatATaskMeetsThatOutlivesTheLockIsToldAtOnce() async {
    let told = ToldFailures()
    let failure = Realm.Error(ObjectError.storage(.inUse(path: "a", processIDs: [])))
    let (turns, next) = AsyncStream.makeStream(of: Void.self)
    let task = HeldFailures.telling {
      _Concurrency.Task {
        for await _ in turns { break }
        HeldFailures.tell(failure) { told.tell($0) }
      }
    }
    next.yield()
    await task.value
    #expect(told.count == 1)
  }
}
