import Foundation
import RealmSwift
import Testing

// What needs a server is compiled here; the tests of sync run it.

extension Interface {
  @MainActor static func subscriptionSets(_ rows: InterfaceRows) throws {
    let realm = try kennel()
    let format = NSPredicate(format: "age > %@", 2 as NSNumber)

    rows.done("realm.subscriptions", "count", "state", note: "The set follows its own updates.") {
      compiles {
        let subscriptions: SyncSubscriptionSet = realm.subscriptions
        takes(Int.self, subscriptions.count)
        takes(SyncSubscriptionState.self, subscriptions.state)
      }
    }
    rows.done("SyncSubscriptionState: .complete, .error(_), .pending, .superseded") {
      func name(of state: SyncSubscriptionState) -> String {
        switch state {
        case .complete: "complete"
        case .error(let error): "\(error)"
        case .pending: "pending"
        case .superseded: "superseded"
        }
      }
      #expect(name(of: .pending) == "pending" && SyncSubscriptionState.complete != .superseded)
    }
    rows.done("subscriptions.update(_:onComplete:)", "subscriptions.update(_:) async throws") {
      compiles {
        let subscriptions = realm.subscriptions
        subscriptions.update({ subscriptions.removeAll() }, onComplete: { (_: (any Error)?) in })
        subscriptions.update {
          subscriptions.removeAll()
        } onComplete: { _ in
        }
        try await subscriptions.update { subscriptions.append(QuerySubscription<Dog>()) }
      }
      func withoutWaiting(_ subscriptions: SyncSubscriptionSet) {
        subscriptions.update { subscriptions.removeAll() }
      }
      takes(((SyncSubscriptionSet) -> Void).self, withoutWaiting)
    }
    rows.notOnLinux(
      "subscriptions.updateSubscriptions(_:) -> Future",
      why: "Combine is part of Apple's systems; use `try await subscriptions.update { }`.")
    rows.no(
      "subscriptions.write(_:)", "subscriptions.writeAsync(_:)",
      why: "RealmSwift marks them as unavailable, too; write `update`.")
    rows.done(
      "subscriptions.first(named:)", "first(ofType:where: { })", "first(ofType:where: format, …)",
      "first(ofType:where: NSPredicate)"
    ) {
      compiles {
        let subscriptions = realm.subscriptions
        takes(SyncSubscription?.self, subscriptions.first(named: "a"))
        takes(SyncSubscription?.self, subscriptions.first(ofType: Dog.self) { $0.age > 2 })
        takes(SyncSubscription?.self, subscriptions.first(ofType: Dog.self, where: "age > %@", 2))
        takes(SyncSubscription?.self, subscriptions.first(ofType: Dog.self, where: format))
      }
    }
    rows.done(
      "subscriptions.append(_:)",
      note: "A name that is taken makes the update fail, and the set stays as it was."
    ) {
      compiles {
        let subscriptions = realm.subscriptions
        subscriptions.append(QuerySubscription<Dog>(name: "a"), QuerySubscription<Dog>(name: "b"))
        subscriptions.append(QuerySubscription<Person> { $0.name == "Ada" })
      }
    }
    rows.done(
      "subscriptions.remove(_:)", "remove(named:)", "remove(ofType:_:)",
      "remove(ofType:where: format, …)", "remove(ofType:where: NSPredicate)",
      note: "The result, what was removed, may be ignored."
    ) {
      compiles {
        let subscriptions = realm.subscriptions
        if let one = subscriptions.first { subscriptions.remove(one, one) }
        subscriptions.remove(named: "a")
        subscriptions.remove(ofType: Dog.self) { $0.age > 2 }
        subscriptions.remove(ofType: Dog.self, where: "age > %@", 2)
        subscriptions.remove(ofType: Dog.self, where: format)
        subscriptions.remove { QuerySubscription<Dog> { $0.age > 2 } }
      }
    }
    rows.done("subscriptions.removeAll(unnamedOnly:)", "removeAll(ofType:)") {
      compiles {
        let subscriptions = realm.subscriptions
        subscriptions.removeAll()
        subscriptions.removeAll(unnamedOnly: true)
        subscriptions.removeAll(ofType: Dog.self)
      }
    }
    rows.done(
      "subscriptions[index]", "first", "last", "Sequence", "SyncSubscriptionSetIterator"
    ) {
      compiles {
        let subscriptions = realm.subscriptions
        takes(
          [SyncSubscription?].self, [subscriptions[0], subscriptions.first, subscriptions.last])
        for subscription in subscriptions { takes(SyncSubscription.self, subscription) }
        takes(SyncSubscriptionSetIterator.self, subscriptions.makeIterator())
      }
    }
    rows.done("SyncSubscription: name, createdAt, updatedAt") {
      func use(_ subscription: SyncSubscription) {
        takes(String?.self, subscription.name)
        takes([Date].self, [subscription.createdAt, subscription.updatedAt])
      }
      takes(((SyncSubscription) -> Void).self, use)
    }
    rows.done(
      "subscription.updateQuery(toType:where:)", "updateQuery(to: format, …)",
      "updateQuery(to: NSPredicate)"
    ) {
      func use(_ subscription: SyncSubscription) {
        let format = NSPredicate(format: "age > 2")
        subscription.updateQuery(toType: Dog.self, where: { $0.age > 2 })
        subscription.updateQuery(toType: Dog.self)
        subscription.updateQuery(to: "age > %@", 2)
        subscription.updateQuery(to: format)
      }
      takes(((SyncSubscription) -> Void).self, use)
    }
    rows.done(
      "QuerySubscription.init(name:)", "init(name:query:)", "init(name:where: format, …)",
      "init(name:where: NSPredicate)"
    ) {
      takes(
        [QuerySubscription<Dog>].self,
        [
          QuerySubscription<Dog>(), QuerySubscription<Dog>(name: "a"),
          QuerySubscription<Dog> { $0.age > 2 }, QuerySubscription<Dog>(name: "a") { $0.age > 2 },
          QuerySubscription<Dog>(name: "a", where: "age > %@", 2),
          QuerySubscription<Dog>(where: "age > 2"), QuerySubscription<Dog>(where: format),
        ])
    }
    rows.done(
      "results.subscribe(name:waitForSync:timeout:_isolation:) async throws",
      "results.unsubscribe()"
    ) {
      compiles {
        let dogs: Results<Dog> = try await realm.objects(Dog.self).subscribe(
          name: "a", waitForSync: .onCreation, timeout: 3)
        try await dogs.where { $0.age > 2 }.subscribe()
        dogs.unsubscribe()
      }
    }
    rows.done("WaitForSyncMode: .onCreation, .always, .never", "RLMWaitForSyncMode") {
      switch RLMWaitForSyncMode.always {
      case .onCreation, .always, .never: break
      }
    }
    othersOfSets(rows, realm)
  }

  /// What other SDKs of the family have.
  @MainActor private static func othersOfSets(_ rows: InterfaceRows, _ realm: Realm) {
    rows.done(
      "subscriptions.update { subscriptions in … } async throws",
      "waitForSynchronization(timeout:) async throws", "subscriptions.states",
      note: "Of other SDKs of the family."
    ) {
      compiles {
        let subscriptions = realm.subscriptions
        try await subscriptions.update { (subscriptions: SyncSubscriptionSet) throws in
          subscriptions.removeAll()
        }
        try await subscriptions.waitForSynchronization(timeout: 3)
        takes(AsyncStream<SyncSubscriptionState>.self, subscriptions.states)
      }
    }
    rows.done(
      "subscription.objectType", "queryString", "id", note: "Of other SDKs of the family."
    ) {
      func use(_ subscription: SyncSubscription) {
        takes([String].self, [subscription.objectType, subscription.queryString])
        takes(ObjectId.self, subscription.id)
      }
      takes(((SyncSubscription) -> Void).self, use)
    }
    rows.done(
      "subscriptions.first(ofType:rql:)", "find(name:)", "find(_:)", "remove(where:)",
      "removeUnnamed()", "add(_:name:update:)", "addOrUpdate(_:)", "append(_:updateExisting:)",
      "updateSubscription(named:toType:where:)", "removeAll(className:)",
      note: "Of other SDKs of the family."
    ) {
      compiles {
        let subscriptions = realm.subscriptions
        let dogs = realm.objects(Dog.self)
        takes(SyncSubscription?.self, subscriptions.first(ofType: "Dog", rql: "age > 2"))
        takes(SyncSubscription?.self, subscriptions.find(name: "a"))
        takes(SyncSubscription?.self, subscriptions.find(dogs))
        let count: Int = subscriptions.removeUnnamed()
        subscriptions.remove(where: { $0.name == "\(count)" })
        subscriptions.add(dogs, name: "a", update: true)
        subscriptions.addOrUpdate(QuerySubscription<Dog>(name: "a"))
        subscriptions.append(QuerySubscription<Dog>(name: "a"), updateExisting: true)
        subscriptions.updateSubscription(named: "a", toType: Dog.self) { $0.age > 2 }
        subscriptions.removeAll(className: "Dog")
      }
    }
  }

  @MainActor static func queryBased(_ rows: InterfaceRows) throws {
    let realm = try kennel()

    rows.differs(
      "results.subscribe()", "results.subscribe(named:)",
      how: "They give a `QueryBasedSubscription`, and stand outside of asynchronous functions: in "
        + "those `subscribe()` is the one that waits."
    ) {
      func use(_ dogs: Results<Dog>) {
        let subscription = dogs.subscribe()
        takes(QueryBasedSubscription.self, subscription)
        takes(QueryBasedSubscription.self, dogs.subscribe(named: "a"))
      }
      takes(((Results<Dog>) -> Void).self, use)
    }
    rows.done(
      "subscription.state: .creating, .pending, .complete, .invalidated, .error(_)",
      "subscription.name"
    ) {
      func use(_ subscription: QueryBasedSubscription) {
        switch subscription.state {
        case .creating, .pending, .complete, .invalidated: break
        case .error(let error): takes((any Error).self, error)
        }
        takes(String?.self, subscription.name)
      }
      takes(((QueryBasedSubscription) -> Void).self, use)
    }
    rows.done("subscription.observe(\\.state)", "subscription.unsubscribe()") {
      func use(_ subscription: QueryBasedSubscription) {
        let token: NotificationToken = subscription.observe(\.state) { state in
          takes(QueryBasedSubscription.State.self, state)
        }
        token.invalidate()
        subscription.unsubscribe()
      }
      takes(((QueryBasedSubscription) -> Void).self, use)
    }
    rows.no(
      "subscription.results",
      why: "The subscription does not hold its results; keep those that were subscribed.")
    rows.done("results.observe { changes in … }") {
      let token = realm.objects(Dog.self).observe() { changes in _ = changes }
      token.invalidate()
    }
    rows.done("realm.unsubscribe(named:) async throws", note: "Of other SDKs of the family.") {
      compiles { try await realm.unsubscribe(named: "a") }
    }
    rows.no(
      "results.subscribe(named:limit:)", "subscribe(named:update:)",
      "subscribe(named:includingLinkingObjects:)", "realm.subscriptions()",
      "realm.subscription(named:)",
      why:
        "Late forms of query-based sync; `realm.subscriptions` has the set, and queries of it may "
        + "be updated.")
    rows.done(
      "user.fullSyncConfiguration(path:)", note: "Atoll's own: the file holds all objects."
    ) {
      compiles {
        guard let user = App(id: "interface").currentUser else { return }
        let configuration: Realm.Configuration = user.fullSyncConfiguration(path: "/~/dogs")
        _ = configuration
      }
    }
    rows.no(
      "SyncConfiguration.init(user:realmURL:fullSynchronization:)",
      "user.configuration(realmURL:fullSynchronization:)",
      why: "Full synchronisation is `user.fullSyncConfiguration(path:)`, or a partition.")
    rows.no(
      "SyncUser.logIn(with:server:onCompletion:)", "SyncUser.current", "SyncCredentials",
      why: "The log-in of the time before apps; use `App.login(credentials:)`.")
  }

  @MainActor static func values(_ rows: InterfaceRows) throws {
    rows.differs(
      """
      ObjectId: init(), generate(), init(string:) throws, init(_: StaticString), \
      init(timestamp:machineId:processId:), stringValue, timestamp
      """, how: "It is a struct and not a class."
    ) {
      #expect(ObjectId() == ObjectId() && ObjectId.generate() != ObjectId.generate())
      let id = try ObjectId(string: "0123456789abcdef01234567")
      #expect(id.stringValue == "0123456789abcdef01234567" && ObjectId() < id)
      #expect(ObjectId("0123456789abcdef01234567") == id)
      let date = Date(timeIntervalSince1970: 9)
      #expect(ObjectId(timestamp: date, machineId: 1, processId: 2).timestamp == date)
      isCodable(ObjectId.self)
      isHashable(ObjectId.self)
    }
    rows.differs(
      """
      Decimal128: init(value:), init(number:), init(string:) throws, min, max, magnitude, isNaN, \
      doubleValue, decimalValue, stringValue, +, -, *, /
      """, "Decimal128: Numeric, Comparable, Hashable, Codable",
      how: "It is a struct and not a class."
    ) {
      let price: Decimal128 = "12.50"
      let (one, half): (Decimal128, Decimal128) = (1, 0.5)
      let number: Any = 2
      #expect(Decimal128(value: number) == 2 && Decimal128(number: 2) == 2)
      let read = try Decimal128(string: "12.5")
      #expect(read == price && price.doubleValue == 12.5)
      #expect(Decimal128.min < 0 && Decimal128.max > 0 && (-price).magnitude == price)
      #expect(!price.isNaN && price.decimalValue == 12.5 && price.stringValue == "12.50")
      #expect(one + one == 2 && one - half == half && one * half == half && one / half == 2)
      func sum<Number: Numeric>(_ numbers: [Number]) -> Number { numbers.reduce(0, +) }
      #expect(sum([price, price]) == 25 && Decimal128(exactly: 7) == 7)
      isCodable(Decimal128.self)
    }
    rows.differs(
      "enum AnyBSON", "protocol BSON",
      how:
        "It has the scalar values, as partitions have; no documents, arrays, `MinKey` or `MaxKey`."
    ) {
      let values: [AnyBSON] = [
        .null, .bool(true), .int32(1), .int64(1), .double(1), .string("a"), .binary(Data()),
        .datetime(Date(timeIntervalSince1970: 0)), .objectId(ObjectId()), .decimal128(1),
        .uuid(UUID()), AnyBSON("a"), AnyBSON(1),
      ]
      #expect(values.count == 13)
      func isBSON<Value: BSON>(_ type: Value.Type) {}
      isBSON(String.self)
      isBSON(AnyBSON.self)
    }
    rows.no(
      "protocol PartitionValue", "typealias Document", "MinKey", "MaxKey",
      why: "A partition is named by a `BSON`, and documents belong to functions and custom data.")
    rows.differs(
      "Logger: shared, level, init(level:logFunction:)",
      "LogLevel: .off, .fatal, .error, .warn, .info, .detail, .debug, .trace, .all",
      how:
        "The first level is `off`; there are no categories. Beside swift-log write `Atoll.Logger`."
    ) {
      let logger: Logger = Logger(level: .info) { (level: LogLevel, message: String) in
        _ = (level, message)
      }
      logger.level = .debug
      #expect(logger.level == .debug)
      takes(Logger.self, Logger.shared)
      let levels: [LogLevel] = [
        .off, .fatal, .error, .warn, .info, .detail, .debug, .trace, .all,
      ]
      #expect(Set(levels).count == 9)
    }
    rows.no(
      "Events", "EventConfiguration", "CustomEventRepresentable", "realm.events",
      why: "There is no recording of reads and writes.")
    rows.notOnLinux("ObjectiveCSupport", why: "There is no Objective-C to convert to.")
  }
}
