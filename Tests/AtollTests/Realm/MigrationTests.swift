import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

private class Rope: Object {
  @Persisted var length: Int
}

/// A block that is to move data is not run, and the file is not opened as if it had been.
@Suite(.computing) struct MigrationTests {
  private let folder = TemporaryFolder()

  private var file: URL { URL(filePath: folder.path(of: "a.realm")) }

  private func configuration(
    version: UInt64, withBlock: Bool, deleting: Bool = false
  ) -> Realm.Configuration {
    let block: MigrationBlock = { _, _ in Issue.record("the block was called") }
    return Realm.Configuration(
      fileURL: file, schemaVersion: version, migrationBlock: withBlock ? block : nil,
      deleteRealmIfMigrationNeeded: deleting, objectTypes: [Rope.self])
  }

  @Test func aFileThatNeedsAMigrationIsNotOpenedAndStaysAsItIs() throws {
    do {
      // A new file needs none.
      let realm = try Realm(configuration: configuration(version: 1, withBlock: true))
      try realm.write { realm.create(Rope.self, value: [5]) }
    }
    let before = try Data(contentsOf: file)
    do {
      _ = try Realm(configuration: configuration(version: 2, withBlock: true))
      Issue.record("the file was opened")
    } catch let error as Realm.Error {
      #expect(error.code == .schemaMismatch && error.fileURL == file)
      #expect(error.message.contains("blocks are not run by this version"))
    }
    #expect(try Data(contentsOf: file) == before)
    #expect(try schemaVersionAtURL(file) == 1)
    // The same version needs none, and without a block all changes are additive.
    #expect(
      try Realm(configuration: configuration(version: 1, withBlock: true)).objects(Rope.self).count
        == 1)
    let realm = try Realm(configuration: configuration(version: 2, withBlock: false))
    #expect(realm.objects(Rope.self).first?.length == 5)
    #expect(try schemaVersionAtURL(file) == 2)
    // Also while the file is open.
    #expect(throws: Realm.Error(.schemaMismatch)) {
      _ = try Realm(configuration: configuration(version: 3, withBlock: true))
    }
  }

  @Test func aFileOfTheFirstVersionNeedsAMigrationToo() throws {
    do {
      let realm = try Realm(configuration: configuration(version: 0, withBlock: false))
      try realm.write { realm.create(Rope.self, value: [5]) }
    }
    #expect(throws: Realm.Error(.schemaMismatch)) {
      _ = try Realm(configuration: configuration(version: 1, withBlock: true))
    }
    #expect(try schemaVersionAtURL(file) == 0)
    let empty = try Realm(
      configuration: configuration(version: 1, withBlock: true, deleting: true))
    #expect(empty.isEmpty)
  }
}
