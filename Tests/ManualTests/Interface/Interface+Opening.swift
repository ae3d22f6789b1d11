import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

extension Interface {
  @MainActor static func opening(_ rows: InterfaceRows) throws {
    let configuration = ownConfiguration()
    let realm = try Realm(configuration: configuration)

    rows.done("struct Realm: Equatable") {
      let again = try Realm(configuration: configuration)
      #expect(realm == again)
    }
    rows.done("Realm.init(queue:)") {
      takes(((DispatchQueue?) throws -> Realm).self, Realm.init(queue:))
      compiles { _ = try Realm() }
    }
    rows.done("Realm.init(configuration:queue:)") {
      let queue = DispatchQueue(label: "interface")
      let isEmpty = try queue.sync {
        try Realm(configuration: configuration, queue: queue).isEmpty
      }
      #expect(isEmpty)
    }
    rows.done("Realm.init(fileURL:)") { compiles { _ = try Realm(fileURL: URL(filePath: "/a")) } }
    rows.done("Realm.init(configuration:downloadBeforeOpen:) async throws") {
      let opened = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
      #expect(opened == realm)
      compiles { _ = try await Realm() }
    }
    rows.done("Realm.init(configuration:actor:downloadBeforeOpen:) async throws") {
      let opened = try await Realm(
        configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .once)
      #expect(opened.isEmpty)
    }
    rows.done(
      "Realm.open(configuration:_isolation:downloadBeforeOpen:) async throws",
      note: "In a function that runs on no actor it throws, and is no error of the compiler."
    ) {
      let opened: Realm = try await Realm.open(
        configuration: configuration, downloadBeforeOpen: .never)
      #expect(opened.isEmpty)
    }
    rows.done("Realm.OpenBehavior: .never, .always, .once") {
      isSendable(Realm.OpenBehavior.self)
      let behavior = Realm.OpenBehavior.once
      switch behavior {
      case .never, .always: Issue.record("it is once")
      case .once: break
      }
    }
    rows.differs(
      "Realm.asyncOpen(configuration:callbackQueue:callback:)",
      how: "The callback is `@Sendable`, as it runs on another queue."
    ) {
      let isOpen: Bool = await withCheckedContinuation { continuation in
        Realm.asyncOpen(configuration: configuration, callbackQueue: .main) { result in
          if case .success = result { continuation.resume(returning: true) }
          if case .failure = result { continuation.resume(returning: false) }
        }
      }
      #expect(isOpen)
    }
    rows.differs(
      "Realm.AsyncOpenTask: cancel(), addProgressNotification(queue:block:)",
      how: "The block is `@Sendable`, as it runs on another queue."
    ) {
      compiles {
        let task: Realm.AsyncOpenTask = Realm.asyncOpen { _ in }
        task.addProgressNotification(queue: .main) { (progress: SyncSession.Progress) in
          _ = progress.isTransferComplete
        }
        task.cancel()
      }
    }
    rows.notOnLinux(
      "Realm.asyncOpen(configuration:) -> AsyncOpenPublisher",
      why: "Combine is part of Apple's systems; use `try await Realm(configuration:)`.")
    rows.done("realm.schema") { takes(Schema.self, realm.schema) }
    rows.done("realm.configuration") {
      #expect(realm.configuration.inMemoryIdentifier == configuration.inMemoryIdentifier)
    }
    rows.done("realm.isEmpty") { #expect(realm.isEmpty) }
    try files(rows)
  }

  @MainActor private static func files(_ rows: InterfaceRows) throws {
    let folder = TemporaryFolder()
    func file(_ name: String) -> Realm.Configuration {
      Realm.Configuration(fileURL: URL(filePath: folder.path(of: name)), objectTypes: classes)
    }

    rows.done("Realm.fileExists(for:)") {
      #expect(!Realm.fileExists(for: file("none")))
    }
    rows.done("Realm.deleteFiles(for:)") {
      let isDeleted: Bool = try Realm.deleteFiles(for: file("none"))
      #expect(!isDeleted)
      try Realm.deleteFiles(for: file("none"))
    }
    rows.done("realm.writeCopy(toFile:encryptionKey:)") {
      let copy = file("copy")
      let key = Data(repeating: 7, count: 64)
      try kennel().writeCopy(toFile: try #require(copy.fileURL), encryptionKey: key)
      #expect(throws: Realm.Error.self) { try Realm(configuration: copy) }
    }
    rows.differs(
      "realm.writeCopy(configuration:)",
      how: "Between files and realms in memory. A local realm is not copied to a synced "
        + "configuration: that is an error, and <doc:FromDeviceSync> copies its objects."
    ) {
      let copy = file("other")
      try kennel().writeCopy(configuration: copy)
      #expect(try Realm(configuration: copy).objects(Dog.self).count == 2)
    }
    rows.done("schemaVersionAtURL(_:encryptionKey:)") {
      var old = file("version")
      old.schemaVersion = 3
      _ = try Realm(configuration: old)
      let version: UInt64 = try schemaVersionAtURL(try #require(old.fileURL), encryptionKey: nil)
      #expect(version == 3)
    }
    rows.done("Realm.performMigration(for:)") {
      let configuration = file("migrated")
      try Realm.performMigration(for: configuration)
      #expect(Realm.fileExists(for: configuration))
      compiles { try Realm.performMigration() }
    }
  }

  @MainActor static func configuration(_ rows: InterfaceRows) throws {
    var configuration = Realm.Configuration()

    rows.done("Realm.Configuration: Equatable, Sendable, CustomStringConvertible") {
      isSendable(Realm.Configuration.self)
      isDescribed(Realm.Configuration.self)
      #expect(Realm.Configuration() == Realm.Configuration())
    }
    rows.done(
      "Realm.Configuration.defaultConfiguration",
      note: "The default file is `default.realm` in `$XDG_DATA_HOME/PROGRAM`, or else "
        + "`~/.local/share/PROGRAM`."
    ) {
      takes(Realm.Configuration.self, Realm.Configuration.defaultConfiguration)
      compiles { Realm.Configuration.defaultConfiguration = Realm.Configuration() }
    }
    rows.done(
      """
      Realm.Configuration.init(fileURL:inMemoryIdentifier:syncConfiguration:encryptionKey:\
      readOnly:schemaVersion:migrationBlock:deleteRealmIfMigrationNeeded:\
      shouldCompactOnLaunch:objectTypes:seedFilePath:)
      """,
      note: "Contradictory arguments are an error when the realm is opened."
    ) {
      let full = Realm.Configuration(
        fileURL: URL(filePath: "/a"), inMemoryIdentifier: nil, syncConfiguration: nil,
        encryptionKey: nil, readOnly: false, schemaVersion: 2,
        migrationBlock: { _, oldVersion in takes(UInt64.self, oldVersion) },
        deleteRealmIfMigrationNeeded: false, shouldCompactOnLaunch: { total, used in total > used },
        objectTypes: [Dog.self], seedFilePath: nil)
      #expect(full.schemaVersion == 2)
    }
    rows.done("fileURL", "inMemoryIdentifier") {
      configuration.inMemoryIdentifier = "a"
      #expect(configuration.fileURL == nil)
      configuration.fileURL = URL(filePath: "/a")
      #expect(configuration.inMemoryIdentifier == nil)
    }
    rows.done("syncConfiguration") {
      takes(SyncConfiguration?.self, configuration.syncConfiguration)
      configuration.syncConfiguration = nil
    }
    rows.done("encryptionKey") {
      configuration.encryptionKey = Data(repeating: 1, count: 64)
      #expect(configuration.encryptionKey?.count == 64)
    }
    rows.done("readOnly") {
      configuration.readOnly = true
      #expect(configuration.readOnly)
    }
    rows.done("schemaVersion") {
      configuration.schemaVersion = UInt64(4)
      #expect(configuration.schemaVersion == 4)
    }
    rows.done("migrationBlock") {
      let block: MigrationBlock? = { _, _ in }
      configuration.migrationBlock = block
      #expect(configuration.migrationBlock != nil)
    }
    rows.done("deleteRealmIfMigrationNeeded") {
      configuration.deleteRealmIfMigrationNeeded = true
      #expect(configuration.deleteRealmIfMigrationNeeded)
    }
    rows.done("shouldCompactOnLaunch") {
      let block: (@Sendable (Int, Int) -> Bool)? = { total, used in total > 2 * used }
      configuration.shouldCompactOnLaunch = block
      #expect(configuration.shouldCompactOnLaunch?(3, 1) == true)
    }
    rows.done("objectTypes") {
      let types: [ObjectBase.Type]? = [Dog.self, Place.self]
      configuration.objectTypes = types
      #expect(configuration.objectTypes?.count == 2)
    }
    rows.done("seedFilePath") {
      configuration.seedFilePath = URL(filePath: "/seed")
      #expect(configuration.seedFilePath?.path == "/seed")
    }
    rows.no(
      "maximumNumberOfActiveVersions",
      why:
        "The number of versions is not limited, so there is nothing to set; the compiler says so.")
    rows.no(
      "eventConfiguration",
      why: "There is no recording of reads and writes.")
  }
}
