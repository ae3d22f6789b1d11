import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Interface {
  /// What ends the process, as an exception of RealmSwift does.
  struct Trap: Sendable {
    let situation: String
    let misuse: @MainActor @Sendable (Realm) throws -> Void

    init(_ situation: String, _ misuse: @escaping @MainActor @Sendable (Realm) throws -> Void) {
      self.situation = situation
      self.misuse = misuse
    }

    /// Runs in a process of its own; it leaves with success where nothing ends it before.
    @MainActor static func run(_ index: Int) {
      do { try traps[index].misuse(kennel()) } catch { print("thrown: \(error)") }
      exit(EXIT_SUCCESS)
    }
  }

  class Keyless: Object {
    @Persisted var name: String
  }

  class TwoKeys: Object {
    @Persisted(primaryKey: true) var one: Int
    @Persisted(primaryKey: true) var two: Int
  }

  static let traps: [Trap] = [
    Trap("`add(_:)` outside of a write") { $0.add(Dog()) },
    Trap("`create(_:value:)` outside of a write") { $0.create(Dog.self) },
    Trap("`delete(_:)` outside of a write") { $0.delete($0.rex) },
    Trap("a property that is set outside of a write") { $0.rex.age = 4 },
    Trap("`setValue(_:forKey:)` of a collection outside of a write") {
      $0.objects(Dog.self).setValue(1, forKey: "age")
    },
    Trap("`beginWrite()` in a write") {
      $0.beginWrite()
      $0.beginWrite()
    },
    Trap("`cancelWrite()` without a write") { $0.cancelWrite() },
    Trap("a property of a frozen object that is set") { $0.rex.freeze().age = 4 },
    Trap("a property of a deleted object") { realm in
      let rex = realm.rex
      try realm.write { realm.delete(rex) }
      print(rex.age)
    },
    Trap("a realm or object on another thread") { realm in
      nonisolated(unsafe) let rex = realm.rex
      let isRead = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        print(rex.age)
        isRead.signal()
      }
      isRead.wait()
    },
    Trap("`create` with a primary key that is taken, and the policy `.error`") { realm in
      try realm.write { _ = realm.create(Dog.self, value: [1]) }
    },
    Trap("a policy other than `.error` for a class without a primary key") { _ in
      let realm = try Realm(configuration: Manual.configuration())
      try realm.write { realm.add(Keyless(), update: .modified) }
    },
    Trap("a primary key that is changed") { realm in try realm.write { realm.rex.id = 9 } },
    Trap("nil for a required property in `value:`") { realm in
      try realm.write { _ = realm.create(Dog.self, value: ["id": 9, "name": NSNull()]) }
    },
    Trap("a value of another type in `value:`") { realm in
      try realm.write { _ = realm.create(Dog.self, value: ["id": 9, "age": "old"]) }
    },
    Trap("more values than properties in `value:`") { realm in
      try realm.write { _ = realm.create(Keyless.self, value: ["a", "b"]) }
    },
    Trap("a property by a name that there is not") { $0.rex["wings"] = 2 },
    Trap("`add(_:)` of an object of another realm") { realm in
      let other = try kennel()
      try realm.write { realm.add(other.rex, update: .modified) }
    },
    Trap("`add(_:)` of a deleted object") { realm in
      let rex = realm.rex
      try realm.write { realm.delete(rex) }
      try realm.write { realm.add(rex) }
    },
    Trap("`delete(_:)` of an object of another realm") { realm in
      let other = try kennel()
      try realm.write { realm.delete(other.rex) }
    },
    Trap("`delete(_:)` of an unmanaged object") { realm in try realm.write { realm.delete(Dog()) }
    },
    Trap("an embedded object that gets a second parent") { realm in
      try realm.write {
        realm.rex.home = Place()
        realm.objects(Dog.self)[1].home = realm.rex.home
      }
    },
    Trap("an index of a list out of range") { print($0.rex.tags[7]) },
    Trap("a list that is changed after its object was deleted") { realm in
      let tags = realm.rex.tags
      try realm.write {
        realm.delete(realm.rex)
        tags.append("late")
      }
    },
    Trap("`filter(_:)` with an invalid text, property or argument") {
      print($0.objects(Dog.self).filter("wings == 2").count)
    },
    Trap("`sorted(byKeyPath:)` through a list, or of an unknown property") {
      print($0.objects(Dog.self).sorted(byKeyPath: "friends.age").count)
    },
    Trap("`sum(ofProperty:)` of an unknown property, or of one that has no sum") {
      let sum: Int = $0.objects(Dog.self).sum(ofProperty: "name")
      print(sum)
    },
    Trap("`observe` of an unmanaged object") { _ in
      print(Dog().observe { (_: ObjectChange<Dog>) in })
    },
    Trap("`observe` of a frozen collection") {
      print($0.objects(Dog.self).freeze().observe { _ in })
    },
    Trap("`observe` with an unknown key path") {
      print($0.objects(Dog.self).observe(keyPaths: ["wings"]) { _ in })
    },
    Trap("`freeze()` of an unmanaged object") { _ in print(Dog().freeze()) },
    Trap("`freeze()` of an object that the open write has made") { realm in
      try realm.write { print(realm.create(Dog.self, value: [9]).freeze()) }
    },
    Trap("a `ThreadSafeReference` to an unmanaged object") { _ in
      print(ThreadSafeReference(to: Dog()))
    },
    Trap("a `ThreadSafeReference` that is resolved twice") { realm in
      let reference = ThreadSafeReference(to: realm.rex)
      print(realm.resolve(reference) as Any, realm.resolve(reference) as Any)
    },
    Trap("`@ThreadSafe` with an unmanaged object") { _ in
      @ThreadSafe var dog: Dog? = Dog()
      print(dog as Any)
    },
    Trap("`observe` of a collection after a change in the open write") { realm in
      try realm.write {
        realm.rex.age = 9
        print(realm.objects(Dog.self).observe { _ in })
      }
    },
    Trap("`realm.subscriptions` of a realm without sync") { print($0.subscriptions.count) },
  ]

  @MainActor static func misuse(_ rows: InterfaceRows) throws {
    for (index, trap) in traps.enumerated() {
      rows.done(trap.situation, note: "It ends the process with a sentence.") {
        // Once is enough: a process of its own takes a moment.
        #if swift(>=6)
        let result = await #expect(
          processExitsWith: .failure, observing: [\.standardErrorContent], "\(trap.situation)"
        ) { [index = index as Int] in
          await Interface.Trap.run(index)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
          text.contains("Fatal error: ") && !text.contains("Unexpectedly found nil"),
          "\(trap.situation): \(text)")
        #endif
      }
    }
    try thrown(rows)
  }

  /// What throws, or is no misuse.
  @MainActor private static func thrown(_ rows: InterfaceRows) throws {
    let realm = try kennel()
    let folder = TemporaryFolder()
    func file(_ name: String) -> Realm.Configuration {
      Realm.Configuration(fileURL: URL(filePath: folder.path(of: name)), objectTypes: classes)
    }

    rows.done("`write` in a write", note: "It throws.") {
      #expect(throws: Realm.Error.self) { try realm.write { try realm.write {} } }
    }
    rows.done("`commitWrite()` without a write", note: "It throws.") {
      #expect(throws: Realm.Error.self) { try realm.commitWrite() }
    }
    rows.done("`write` of a realm that is read-only, or frozen", note: "It throws.") {
      #expect(throws: Realm.Error.self) { try realm.freeze().write {} }
    }
    rows.done("`add(_:)` of an object that the realm has already", note: "It does nothing.") {
      try realm.write { realm.add(realm.rex) }
      #expect(realm.objects(Dog.self).count == 2)
    }
    rows.done("a realm of a queue that is opened elsewhere", note: "It throws.") {
      let queue = DispatchQueue(label: "interface.misuse")
      #expect(throws: Realm.Error.self) {
        try Realm(configuration: ownConfiguration(), queue: queue)
      }
    }
    rows.done(
      "a key that has not 64 bytes", "contradictory configurations", note: "Opening throws."
    ) {
      var configuration = file("a")
      configuration.encryptionKey = Data([1])
      #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
      configuration = file("b")
      configuration.readOnly = true
      configuration.deleteRealmIfMigrationNeeded = true
      #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    }
    rows.done("a file that is open with another key or `readOnly`", note: "Opening throws.") {
      var configuration = file("c")
      let open = try Realm(configuration: configuration)
      configuration.encryptionKey = Data(repeating: 1, count: 64)
      #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
      #expect(open.isEmpty)
    }
    rows.done("`renameProperty` of a property that there is not", note: "Opening throws.") {
      #expect(throws: Realm.Error.self) {
        try migrate { migration, _ in
          migration.renameProperty(onType: "Cat", from: "wings", to: "name")
        }
      }
    }
    rows.done("a class that no realm can have, as with two primary keys", note: "Opening throws.") {
      var configuration = ownConfiguration()
      configuration.objectTypes = [TwoKeys.self]
      #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    }
    rows.done(
      "a change of `subscriptions` outside of an update", "an update in an update",
      note: "It ends the process with a sentence."
    ) {
      compiles {
        let subscriptions = realm.subscriptions
        subscriptions.removeAll()
        subscriptions.update { subscriptions.update {} }
      }
    }
    rows.done(
      "an update of a set that is `superseded`", "a name of a subscription that is taken",
      "`updateQuery` with another class", note: "The update throws."
    ) {
      compiles {
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
          subscriptions.append(QuerySubscription<Dog>(name: "a"))
          subscriptions.append(QuerySubscription<Person>(name: "a"))
          subscriptions.first(named: "a")?.updateQuery(toType: Person.self)
        }
      }
    }
    rows.differs(
      "a `ThreadSafeReference` that is resolved in another file",
      how: "It is nil there, and stays good for one use in its own file."
    ) {
      let reference = ThreadSafeReference(to: realm.rex)
      let elsewhere = try kennel().resolve(reference)
      #expect(elsewhere == nil)
      #expect(realm.resolve(reference) == realm.rex)
    }
    rows.differs(
      "a collection of a deleted object", how: "It reads as empty; only changing it is misuse."
    ) {
      try realm.write {
        let tags = realm.rex.tags
        realm.delete(realm.rex)
        #expect(tags.isInvalidated && tags.isEmpty)
      }
    }
  }

  @MainActor static func errors(_ rows: InterfaceRows) throws {
    rows.done(
      "struct Realm.Error: code, localizedDescription, userInfo, fileURL",
      "catch Realm.Error.fileNotFound", "catch let error as Realm.Error"
    ) {
      let missing = Realm.Configuration(fileURL: URL(filePath: "/none/a"), readOnly: true)
      do {
        _ = try Realm(configuration: missing)
        Issue.record("there is no such file")
      } catch Realm.Error.fileNotFound {
        // As it is.
      }
      do {
        _ = try Realm(configuration: missing)
      } catch let error as Realm.Error where error.code == .fileNotFound {
        takes(URL?.self, error.fileURL)
        takes([String: Any].self, error.userInfo)
        #expect(!error.localizedDescription.isEmpty && error == error)
      }
    }
    rows.done(
      """
      Realm.Error.Code: .fail, .fileAccess, .filePermissionDenied, .fileExists, .fileNotFound, \
      .fileFormatUpgradeRequired, .incompatibleLockFile, .addressSpaceExhausted, \
      .schemaMismatch, .alreadyOpen, .invalidInput, .outOfDiskSpace, .incompatibleSession, \
      .unsupportedFileFormatVersion, .multipleSyncAgents, .subscriptionFailed, \
      .fileOperationFailed, .invalidDatabase, .incompatibleHistories, .noSubscriptionForWrite
      """, "Realm.Error.callFailed"
    ) {
      let codes: [Realm.Error.Code] = [
        Realm.Error.fail, Realm.Error.fileAccess, Realm.Error.filePermissionDenied,
        Realm.Error.fileExists, Realm.Error.fileNotFound, Realm.Error.fileFormatUpgradeRequired,
        Realm.Error.incompatibleLockFile, Realm.Error.addressSpaceExhausted,
        Realm.Error.schemaMismatch, Realm.Error.alreadyOpen, Realm.Error.invalidInput,
        Realm.Error.outOfDiskSpace, Realm.Error.incompatibleSession,
        Realm.Error.unsupportedFileFormatVersion, Realm.Error.multipleSyncAgents,
        Realm.Error.subscriptionFailed, Realm.Error.fileOperationFailed,
        Realm.Error.invalidDatabase, Realm.Error.incompatibleHistories,
        Realm.Error.noSubscriptionForWrite,
      ]
      let numbers = [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]
      #expect(codes.map(\.rawValue) == numbers)
      takes(Realm.Error.Code.self, Realm.Error.callFailed)
    }
    rows.done(
      """
      SyncError.Code: .clientSessionError, .clientUserError, .clientInternalError, \
      .clientResetError, .underlyingAuthError, .permissionDeniedError, \
      .invalidFlexibleSyncSubscriptions, .writeRejected, .connectionFailed, \
      .tlsHandshakeFailed, .serverWarning
      """
    ) {
      let codes: [SyncError.Code] = [
        .clientSessionError, .clientUserError, .clientInternalError, .clientResetError,
        .underlyingAuthError, .permissionDeniedError, .invalidFlexibleSyncSubscriptions,
        .writeRejected, .connectionFailed, .tlsHandshakeFailed, .serverWarning,
      ]
      #expect(codes.map(\.rawValue) == Array(4...14))
    }
    rows.done("syncError.clientResetInfo()") {
      compiles {
        func read(_ error: SyncError) -> (String, SyncError.ActionToken)? {
          error.clientResetInfo()
        }
      }
    }
    rows.done("syncError.compensatingWriteInfo: objectType, primaryKey, reason") {
      compiles {
        func read(_ error: SyncError) -> [(String, AnyRealmValue, String)] {
          let infos: [CompensatingWriteInfo]? = error.compensatingWriteInfo
          return (infos ?? []).map { ($0.objectType, $0.primaryKey, $0.reason) }
        }
      }
    }
    rows.no(
      "syncError.deleteRealmUserInfo()", "syncError.serverLogURL",
      why: "No error of the server asks for a file's deletion, and its log has no address.")
    rows.differs(
      "struct AppError: code, httpStatusCode",
      how: "It has the codes that a server of ours sends, and `tooManyRequests`."
    ) {
      let error = AppError(.invalidPassword, "no", httpStatusCode: 401)
      let status: Int? = error.httpStatusCode
      #expect(error.code == .invalidPassword && status == 401)
      let codes: [AppError.Code] = [
        .unknown, .httpRequestFailed, .invalidSession, .badRequest, .userNotFound, .authError,
        .accountNameInUse, .internalServerError, .authProviderNotFound, .userDisabled,
      ]
      #expect(Set(codes).count == 10)
    }
  }
}
