import AtollTesting
import Foundation
import RealmSwift
import TestThreads
import Testing

@Suite(.waiting, .hangLimit) struct SynchronisePage {
  // Page begins here
  class Todo: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var title: String
    @Persisted var owner: String
    @Persisted var done: Bool
  }

  @MainActor func logIn(to app: App) async throws -> User {
    if let user = app.currentUser { return user }  // Of an earlier start; also offline.
    return try await app.login(credentials: .anonymous)
  }

  @MainActor func open(_ user: User) async throws -> Realm {
    let configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
      subscriptions.append(QuerySubscription<Todo>(name: "open") { $0.done == false })
    })
    return try await Realm(configuration: configuration, downloadBeforeOpen: .once)
  }

  @MainActor func add(_ title: String, of owner: String, to realm: Realm) throws {
    try realm.write {
      realm.create(Todo.self, value: ["title": title, "owner": owner])
    }
  }
  // Page ends here

  // Page begins here
  @MainActor func showOnly(_ owner: String, in realm: Realm) async throws {
    let subscriptions = realm.subscriptions
    try await subscriptions.update {
      if let open = subscriptions.first(named: "open") {
        open.updateQuery(toType: Todo.self) { $0.owner == owner && $0.done == false }
      }
    }
  }

  @MainActor func subscribeToDone(in realm: Realm) async throws -> Results<Todo> {
    try await realm.objects(Todo.self).where { $0.done }.subscribe(name: "done")
  }
  // Page ends here

  // Page begins here
  func reportErrors(of app: App, _ report: @escaping @Sendable (String) -> Void) {
    app.syncManager.errorHandler = { error, _ in
      let error = error as? SyncError
      for change in error?.compensatingWriteInfo ?? [] {
        report("\(change.objectType) was refused: \(change.reason)")
      }
    }
  }
  // Page ends here

  @MainActor @Test func aTodoReachesTheOtherDevice() async throws {
    let server = try await TestServer()
    let phone = try await server.device("phone", of: "ann")
    let tablet = try await server.device("tablet", of: "bob")
    reportErrors(of: phone.app) { Issue.record("\($0)") }
    let onPhone = try await open(try await logIn(to: phone.app))
    let onTablet = try await open(try await logIn(to: tablet.app))
    try add("water the plants", of: "ann", to: onPhone)
    try add("feed the cat", of: "bob", to: onTablet)
    try await server.synchronize()
    onPhone.refresh()
    onTablet.refresh()
    #expect(onTablet.objects(Todo.self).count == 2)
    try await showOnly("bob", in: onTablet)
    try await server.synchronize()
    onTablet.refresh()
    #expect(onTablet.objects(Todo.self).map(\.title) == ["feed the cat"])
    #expect(try await subscribeToDone(in: onPhone).isEmpty)
    #expect(onPhone.objects(Todo.self).count == 2)
    await server.stop()
  }
}
