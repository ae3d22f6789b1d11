import AtollObjects
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// A failure that the end of a write throws to nobody is told.
@Suite(.computing) struct FailedWriteEndTests {
  private struct OwnError: Error {}

  private let file: DamagedFile

  init() throws { file = try DamagedFile() }

  private func sheet(_ realm: Realm) throws -> Sheet {
    let sheet = try #require(realm.objects(Stone.self).first?.sheets.first)
    try file.damage()
    return sheet
  }

  @Test func aWriteThatIsCancelled() throws {
    let realm = try file.realm()
    let sheet = try sheet(realm)
    realm.beginWrite()
    #expect(sheet.text.isEmpty && file.told.count == 0)
    realm.cancelWrite()
    #expect(file.told.count == 1 && !realm.isInWriteTransaction)
    realm.beginWrite()
    realm.cancelWrite()
    #expect(file.told.count == 1)
  }

  @Test func aWriteThatThrowsAnErrorOfItsOwn() throws {
    let realm = try file.realm()
    let sheet = try sheet(realm)
    #expect(throws: OwnError.self) {
      try realm.write {
        sheet.size = 7
        throw OwnError()
      }
    }
    #expect(file.told.count == 1)
  }

  @Test func aWriteThatIsInvalidated() throws {
    let realm = try file.realm()
    let sheet = try sheet(realm)
    realm.beginWrite()
    sheet.size = 7
    realm.invalidate()
    #expect(file.told.count == 1 && !realm.isInWriteTransaction)
    #expect(realm.objects(Stone.self).count == 10)
  }

  @Test func aWriteThatIsThrown() throws {
    let realm = try file.realm()
    let sheet = try sheet(realm)
    realm.beginWrite()
    sheet.size = 7
    #expect(throws: Realm.Error.self) { try realm.commitWrite() }
    // Who catches it may undo the write, which is undone.
    realm.cancelWrite()
    #expect(file.told.count == 0 && !realm.isInWriteTransaction)
  }

  @Test func aWriteThatGoesWithItsRealm() throws {
    do {
      let realm = try file.realm()
      let sheet = try sheet(realm)
      try realm.context.begin()
      sheet.size = 7
      #expect(file.told.count == 0)
      withExtendedLifetime((realm, sheet)) {}
    }
    #expect(file.told.count == 1)
  }

  /// In a write that could not begin nothing is changed, and its end throws why.
  @Test func aWriteThatCannotBegin() throws {
    let realm = try file.realm()
    let stone = try #require(realm.objects(Stone.self).first)
    try realm.context.file.database.close()
    realm.beginWrite()
    #expect(realm.isInWriteTransaction && file.told.count == 0)
    stone.text = "new"
    stone.sheets.removeAll()
    let added = Stone(value: ["number": 40])
    realm.add(added)
    realm.delete(stone)
    #expect(throws: Realm.Error.self) { try realm.commitWrite() }
    #expect(!realm.isInWriteTransaction && file.told.count == 0)
    #expect(stone.text == "stone 1" && stone.sheets.count == 1 && added.isInvalidated)
    realm.beginWrite()
    realm.cancelWrite()
    #expect(file.told.count == 1)
    #expect(throws: Realm.Error.self) { try realm.write {} }
    #expect(file.told.count == 1)
  }
}

/// As above, of asynchronous writes.
@MainActor
@Suite(.waiting) struct FailedAsyncWriteTests {
  private let file: DamagedFile
  private let realm: Realm
  private let sheet: Sheet

  init() throws {
    let file = try DamagedFile()
    let realm = try file.realm()
    let sheet = try #require(realm.objects(Stone.self).first?.sheets.first)
    (self.file, self.realm, self.sheet) = (file, realm, sheet)
    try file.damage()
  }

  private func whenIdle() async throws {
    while realm.isPerformingAsynchronousWriteOperations {
      try await _Concurrency.Task.sleep(for: .milliseconds(1))
    }
  }

  @Test func anAsyncFunctionThrowsIt() async throws {
    await #expect(throws: Realm.Error.self) { try await realm.asyncWrite { sheet.size = 7 } }
    #expect(file.told.count == 0)
  }

  @Test func aCompletionGetsIt() async throws {
    let code = await withCheckedContinuation { continuation in
      realm.writeAsync {
        sheet.size = 7
      } onComplete: {
        continuation.resume(returning: ($0 as? Realm.Error)?.code)
      }
    }
    #expect(code == .invalidDatabase && file.told.count == 0)
  }

  /// There is no writer whose end could be waited for.
  @Test func besideAWriteThatCouldNotBeginItFailsForTheSameReason() async throws {
    try realm.context.file.database.close()
    realm.beginWrite()
    let isFailure = await withCheckedContinuation { continuation in
      realm.writeAsync {
      } onComplete: {
        continuation.resume(returning: ($0 as? Realm.Error)?.isFailure)
      }
    }
    #expect(isFailure == true && realm.isInWriteTransaction && file.told.count == 0)
    #expect(throws: Realm.Error.self) { try realm.commitWrite() }
  }

  @Test func withoutACompletionItIsTold() async throws {
    realm.writeAsync { sheet.size = 7 }
    try await whenIdle()
    #expect(file.told.count == 1)
    realm.beginAsyncWrite { sheet.size = 7 }
    try await whenIdle()
    #expect(file.told.count == 2)
    realm.beginAsyncWrite {
      sheet.size = 7
      realm.commitAsyncWrite()
    }
    try await whenIdle()
    #expect(file.told.count == 3)
  }
}
