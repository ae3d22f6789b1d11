import Dispatch
import Foundation
import RealmSwift
import Testing

extension Interface {
  actor Follower {
    private(set) var count = 0
    func note(_ count: Int) { self.count = count }
  }

  @MainActor static func notifications(_ rows: InterfaceRows) throws {
    let realm = try kennel()
    let dogs = realm.objects(Dog.self)
    let queue = DispatchQueue(label: "interface.notifications")

    rows.done("realm.observe(_:)", "typealias NotificationBlock") {
      var told: [Realm.Notification] = []
      let block: NotificationBlock = { notification, _ in told.append(notification) }
      let token: NotificationToken = realm.observe(block)
      try realm.write { realm.rex.age = 3 }
      #expect(told == [.didChange])
      token.invalidate()
    }
    rows.done("Realm.Notification: .didChange, .refreshRequired") {
      switch Realm.Notification.didChange {
      case .didChange, .refreshRequired: break
      }
      takes(String.self, Realm.Notification.didChange.rawValue)
    }
    rows.differs(
      "collection.observe(keyPaths: [String]?, on:_:)",
      how: "With `on:` the block is `@Sendable`, as the queue calls it elsewhere."
    ) {
      let count: Int = await withCheckedContinuation { continuation in
        var token: NotificationToken?
        token = dogs.observe { (changes: RealmCollectionChange<Results<Dog>>) in
          guard case .initial(let dogs) = changes, token != nil else { return }
          token = nil
          continuation.resume(returning: dogs.count)
        }
      }
      #expect(count == 2)
      dogs.observe(keyPaths: ["name"], on: queue) { _ in }.invalidate()
      realm.rex.tags.observe(on: queue) { _ in }.invalidate()
      realm.rex.marks.observe { _ in }.invalidate()
      realm.rex.admirers.observe { _ in }.invalidate()
      AnyRealmCollection(dogs).observe { _ in }.invalidate()
    }
    rows.differs(
      "collection.observe(keyPaths: [PartialKeyPath], on:_:)",
      how: "With `on:` the block is `@Sendable`."
    ) {
      dogs.observe(keyPaths: [\Dog.name]) { _ in }.invalidate()
      dogs.observe(keyPaths: [\.name, \.owner?.name], on: queue) { _ in }.invalidate()
    }
    rows.done("collection.observe(keyPaths:on: actor, _isolation:_:) async") {
      let follower = Follower()
      let token = await dogs.observe(keyPaths: ["name"], on: follower) { follower, changes in
        if case .initial(let dogs) = changes { follower.note(dogs.count) }
      }
      while await follower.count != 2 { await _Concurrency.Task.yield() }
      token.invalidate()
      let other = await dogs.observe(keyPaths: [\Dog.name], on: follower) { _, _ in }
      other.invalidate()
    }
    rows.done(
      """
      RealmCollectionChange: .initial(_), .update(_, deletions:, insertions:, modifications:), \
      .error(_)
      """
    ) {
      func read(_ changes: RealmCollectionChange<Results<Dog>>) -> [[Int]] {
        switch changes {
        case .initial: []
        case .update(_, let deletions, let insertions, let modifications):
          [deletions, insertions, modifications]
        case .error: []
        }
      }
      #expect(read(.update(dogs, deletions: [], insertions: [1], modifications: []))[1] == [1])
    }
    rows.differs(
      "object.observe(keyPaths: [String]?, on:_:)",
      "object.observe(keyPaths: [PartialKeyPath], on:_:)",
      how: "With `on:` the block is `@Sendable`."
    ) {
      let token = realm.rex.observe { (change: ObjectChange<Dog>) in _ = change }
      token.invalidate()
      realm.rex.observe(keyPaths: ["age"], on: queue) { (_: ObjectChange<Dog>) in }.invalidate()
      realm.rex.observe(keyPaths: [\Dog.age]) { _ in }.invalidate()
      realm.rex.observe(keyPaths: [\Dog.age], on: queue) { _ in }.invalidate()
    }
    rows.done("object.observe(keyPaths:on: actor, _isolation:_:) async") {
      let follower = Follower()
      let token = await realm.rex.observe(on: follower) { (_, _: ObjectChange<Dog>) in }
      token.invalidate()
      let other = await realm.rex.observe(keyPaths: [\Dog.age], on: follower) { _, _ in }
      other.invalidate()
    }
    rows.differs(
      "ObjectChange: .change(_, _), .deleted, .error(_)",
      how: "`error` has an `any Error` where RealmSwift has an `NSError`; neither sends it."
    ) {
      func read(_ change: ObjectChange<Dog>) -> [PropertyChange] {
        switch change {
        case .change(_, let properties): properties
        case .deleted, .error: []
        }
      }
      #expect(read(.deleted).isEmpty)
    }
    rows.done("PropertyChange: name, oldValue, newValue") {
      let names: [String] = await withCheckedContinuation { continuation in
        var token: NotificationToken?
        token = realm.rex.observe(keyPaths: [\Dog.age]) { change in
          guard case .change(_, let properties) = change, token != nil else { return }
          token = nil
          takes(Any?.self, properties[0].oldValue)
          #expect(properties[0].newValue as? Int == 9)
          continuation.resume(returning: properties.map(\.name))
        }
        do { try realm.write { realm.rex.age = 9 } } catch { Issue.record(error) }
      }
      #expect(names == ["age"])
    }
    rows.differs(
      "map.observe(keyPaths:on:_:)",
      """
      RealmMapChange: .initial(_), .update(_, deletions:, insertions:, modifications:), .error(_)
      """, how: "With `on:` the block is `@Sendable`."
    ) {
      let token = realm.rex.prices.observe { (changes: RealmMapChange<Map<String, Int>>) in
        switch changes {
        case .initial, .error: break
        case .update(_, let deletions, let insertions, let modifications):
          takes([[String]].self, [deletions, insertions, modifications])
        }
      }
      token.invalidate()
      realm.rex.prices.observe(on: queue) { _ in }.invalidate()
      let other = await realm.rex.prices.observe(on: Follower()) { _, _ in }
      other.invalidate()
    }
    rows.done("NotificationToken: Sendable", "token.invalidate()") {
      isSendable(NotificationToken.self)
      let isEnded: Bool = dogs.observe { _ in }.invalidate()
      #expect(isEnded)
    }
    rows.notOnLinux(
      "objectWillChange", "collectionPublisher", "changesetPublisher", "valuePublisher",
      "RealmPublishers",
      why: "Combine is part of Apple's systems; use `changes()`, an asynchronous sequence, or the "
        + "module Observation (<doc:Observe>).")
    rows.done("collection.changes(keyPaths:)", note: "Atoll's own, in the place of publishers.") {
      for await changes in dogs.changes(keyPaths: ["name"]) {
        guard case .initial(let dogs) = changes else { continue }
        #expect(dogs.count == 2)
        break
      }
    }
  }

  private static func isConfined<Value: ThreadConfined>(_ type: Value.Type) {}

  @MainActor static func threads(_ rows: InterfaceRows) throws {
    let realm = try kennel()

    rows.done("protocol ThreadConfined: realm, isInvalidated, isFrozen, freeze(), thaw()") {
      isConfined(Dog.self)
      isConfined(Results<Dog>.self)
      isConfined(DogName.self)
      func frozen<Value: ThreadConfined>(_ value: Value) -> Value { value.freeze() }
      #expect(frozen(realm.rex).isFrozen)
    }
    rows.done("ThreadSafeReference: Sendable", "init(to:)", "isInvalidated", "realm.resolve(_:)") {
      isSendable(ThreadSafeReference<Dog>.self)
      let reference: ThreadSafeReference<Dog> = ThreadSafeReference(to: realm.rex)
      #expect(!reference.isInvalidated)
      let queue = DispatchQueue(label: "interface.threads")
      let configuration = realm.configuration
      let name = try queue.sync {
        try Realm(configuration: configuration, queue: queue).resolve(reference)?.name
      }
      #expect(name == "Rex")
      takes(Results<Dog>?.self, realm.resolve(ThreadSafeReference(to: realm.objects(Dog.self))))
    }
    rows.done("@ThreadSafe var dog: Dog?", "ThreadSafe.init(wrappedValue:)") {
      isSendable(ThreadSafe<Dog>.self)
      @ThreadSafe var dog: Dog? = realm.rex
      #expect(dog?.name == "Rex")
    }
    rows.done(
      """
      Sendable: Realm.Configuration, SyncConfiguration, ObjectId, Decimal128, User, App, \
      SyncSession, Credentials, AnyBSON, GeoPoint
      """
    ) {
      isSendable(SyncConfiguration.self)
      isSendable(ObjectId.self)
      isSendable(Decimal128.self)
      isSendable(User.self)
      isSendable(App.self)
      isSendable(SyncSession.self)
      isSendable(Credentials.self)
      isSendable(AnyBSON.self)
      isSendable(GeoPoint.self)
    }
    rows.done("a realm of a queue", "a realm of an actor") {
      let configuration = realm.configuration
      let count = try await Task.detached {
        let actor = Kennel()
        return try await actor.count(configuration)
      }.value
      #expect(count == 2)
    }
    rows.done("autoreleasepool(invoking:)", note: "It only calls its block.") {
      #expect(autoreleasepool { 3 } == 3)
    }
  }

  actor Kennel {
    func count(_ configuration: Realm.Configuration) async throws -> Int {
      let realm = try await Realm(configuration: configuration, actor: self)
      try await realm.asyncWrite { realm.rex.age = 3 }
      return realm.objects(Dog.self).count
    }
  }
}
