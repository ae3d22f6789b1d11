import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Belongs to a partition.
class Memo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var _partition: String
  @Persisted var text: String

  convenience init(_ text: String, partition: String = "") {
    self.init()
    self.text = text
    _partition = partition
  }
}

/// Files that hold everything, or a partition, without subscriptions of their own.
@Suite(.waiting) struct FullSyncTests {
  /// A file of one of these kinds, on an actor of its own.
  private actor Device {
    private let configuration: Realm.Configuration
    private var opened: Realm?

    init(
      _ configuration: Realm.Configuration, file: String, in world: SyncWorld,
      classes: [ObjectBase.Type] = [Task.self, Team.self, Memo.self]
    ) {
      var configuration = configuration
      configuration.fileURL = URL(filePath: world.folder.path(of: file))
      configuration.objectTypes = classes
      self.configuration = configuration
    }

    private func realm() async throws -> Realm {
      if let opened { return opened }
      let realm = try await Realm(configuration: configuration, actor: self)
      opened = realm
      return realm
    }

    func write(_ body: @Sendable (Realm) throws -> Void) async throws {
      let realm = try await realm()
      try realm.write { try body(realm) }
    }

    func read<Result: Sendable>(_ body: @Sendable (Realm) -> Result) async throws -> Result {
      let realm = try await realm()
      realm.refresh()
      return body(realm)
    }

    func upload() async throws { try await realm().syncSession?.wait(for: .upload) }
    func download() async throws { try await realm().syncSession?.wait(for: .download) }

    func forgetRealm() { opened = nil }
  }

  private static func texts(_ device: Device) async throws -> [String] {
    try await device.read { $0.objects(Memo.self).map(\.text).sorted() }
  }

  /// Promise: full.everything.
  @Test func aFileHoldsEverythingWithoutASubscription() async throws {
    let world = try await SyncWorld()
    let user = try await world.device("one").user
    let one = Device(user.fullSyncConfiguration(), file: "one", in: world)
    try await one.write { realm in
      let task = Task()
      task.taskName = "first"
      realm.add(task)
      realm.add(Memo("second"))
    }
    try await one.upload()
    // The opening waits until all of it is here.
    let two = Device(user.fullSyncConfiguration(path: "/~/other"), file: "two", in: world)
    #expect(try await two.read { $0.objects(Task.self).map(\.taskName) } == ["first"])
    #expect(try await Self.texts(two) == ["second"])
    try await two.write { $0.add(Memo("third")) }
    try await two.upload()
    try await one.download()
    #expect(try await Self.texts(one) == ["second", "third"])
    await world.stopServer()
  }

  /// Promise: full.everything.
  @Test func aClassOfTheNextVersionOfTheAppIsSynchronisedToo() async throws {
    let world = try await SyncWorld()
    let user = try await world.device("one").user
    let first = Device(
      user.fullSyncConfiguration(), file: "one", in: world, classes: [Task.self, Team.self])
    try await first.write { $0.add(Task()) }
    try await first.upload()
    try await first.download()
    await first.forgetRealm()
    let second = Device(user.fullSyncConfiguration(), file: "one", in: world)
    try await second.write { $0.add(Memo("new")) }
    try await second.upload()
    try await second.download()
    #expect(try await Self.texts(second) == ["new"])
    let other = Device(user.fullSyncConfiguration(path: "/~/other"), file: "two", in: world)
    #expect(try await Self.texts(other) == ["new"])
    #expect(try await other.read { $0.objects(Task.self).count } == 1)
    #expect(world.refusals.withLock { $0.isEmpty })
    await world.stopServer()
  }

  /// The application has no set that it could update.
  ///
  /// Promise: full.everything.
  @Test func aRefusedSetIsAskedForAgainWhenTheFileIsOpened() async throws {
    let world = try await SyncWorld()
    let user = try await world.device("one").user
    let device = Device(user.fullSyncConfiguration(), file: "one", in: world)
    try await device.write { $0.add(Memo("old")) }
    try await device.upload()
    try await device.download()
    try await device.write { try $0.refuseNewestSet() }
    #expect(try await device.read { $0.isNewestSetRefused })
    await device.forgetRealm()
    try await eventually { try await device.read { $0.isNewestSetComplete } }
    #expect(try await Self.texts(device) == ["old"])
    #expect(world.refusals.withLock { $0.isEmpty })
    await world.stopServer()
  }

  /// Promise: full.kind.
  @Test func aFileIsOfOneKind() async throws {
    let world = try await SyncWorld()
    let user = try await world.device("one").user
    let full = Device(user.fullSyncConfiguration(), file: "file", in: world)
    try await full.write { _ in }
    for other in [
      user.flexibleSyncConfiguration(), user.configuration(partitionValue: "a"),
    ] {
      let device = Device(other, file: "file", in: world)
      await #expect {
        try await device.write { _ in }
      } throws: { error in
        (error as? Realm.Error)?.code == .incompatibleSession
          && error.localizedDescription.contains("all objects of its classes")
      }
    }
    let names = [
      user.flexibleSyncConfiguration(), user.fullSyncConfiguration(),
      user.fullSyncConfiguration(path: "x"), user.configuration(partitionValue: "a"),
      user.configuration(partitionValue: 1), user.configuration(partitionValue: "1"),
      user.configuration(partitionValue: AnyBSON.null),
    ].compactMap(\.fileURL?.lastPathComponent)
    #expect(Set(names).count == 7)
    #expect(user.configuration(partitionValue: 1).syncConfiguration?.partitionValue == .int64(1))
    #expect(user.fullSyncConfiguration().syncConfiguration?.partitionValue == nil)
    await world.stopServer()
  }

  /// Promise: full.partition.
  @Test func aPartitionIsAFileOfItsOwn() async throws {
    let world = try await SyncWorld()
    let user = try await world.device("one").user
    let a = Device(user.configuration(partitionValue: "a"), file: "a", in: world)
    let b = Device(user.configuration(partitionValue: "b"), file: "b", in: world)
    // The property is filled in where it was left alone.
    try await a.write { $0.add(Memo("of a")) }
    try await b.write { $0.add(Memo("of b", partition: "b")) }
    await #expect {
      try await a.write { $0.add(Memo("lost", partition: "b")) }
    } throws: { error in
      (error as? Realm.Error)?.code == .noSubscriptionForWrite
    }
    for device in [a, b] { try await device.upload() }
    for device in [a, b] { try await device.download() }
    #expect(try await Self.texts(a) == ["of a"])
    #expect(try await Self.texts(b) == ["of b"])
    #expect(try await a.read { $0.objects(Memo.self).map(\._partition) } == ["a"])
    let again = Device(user.configuration(partitionValue: "a"), file: "again", in: world)
    #expect(try await Self.texts(again) == ["of a"])
    #expect(world.refusals.withLock { $0.isEmpty })
    await world.stopServer()
  }
}
