import AtollTesting
import Foundation
import RealmSwift
import TestSupport
import TestThreads
import Testing

@Suite(.waiting, .hangLimit) struct FromDeviceSyncPage {
  class User: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
  }

  class Place: EmbeddedObject {
    @Persisted var city: String
  }

  class Task: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var title: String
    @Persisted var owner: User?
    @Persisted var place: Place?
  }

  private func connect() -> App {
    // Page begins here
    let app = App(id: "tasks", configuration: AppConfiguration(baseURL: "http://127.0.0.1:9090"))
    // Page ends here
    return app
  }

  // Page begins here
  @MainActor func copy(_ imported: URL, to app: App) async throws {
    let local = try await Realm(
      configuration: Realm.Configuration(
        fileURL: imported, objectTypes: [User.self, Task.self, Place.self]))
    let user = try await app.login(credentials: .anonymous)
    let synced = try await Realm(
      configuration: user.flexibleSyncConfiguration { subscriptions in
        subscriptions.append(QuerySubscription<User>())
        subscriptions.append(QuerySubscription<Task>())
      })
    try synced.write {
      for task in local.objects(Task.self) { synced.create(Task.self, value: task, update: .all) }
      for user in local.objects(User.self) { synced.create(User.self, value: user, update: .all) }
    }
    try await synced.syncSession?.wait(for: .upload)
  }
  // Page ends here

  private func makeFile(_ url: URL) throws {
    let local = try Realm(
      configuration: Realm.Configuration(
        fileURL: url, objectTypes: [User.self, Task.self, Place.self]))
    try local.write {
      local.create(
        Task.self,
        value: [
          "title": "Ship", "owner": ["name": "Ada"] as [String: Any],
          "place": ["city": "Bern"] as [String: Any],
        ])
      local.create(User.self, value: ["name": "Bob"])
    }
  }

  @MainActor @Test func objectsOfAFileReachTheServer() async throws {
    #expect(connect().appId == "tasks")
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "tasks.atoll"))
    try makeFile(url)
    let server = try await TestServer()
    let device = try await server.device("laptop")
    try await copy(url, to: device.app)
    let other = try await server.device("phone")
    let realm = try await Realm(configuration: other.user.flexibleSyncConfiguration())
    try await realm.subscriptions.update {
      $0.append(QuerySubscription<Task>())
      $0.append(QuerySubscription<User>())
    }
    #expect(realm.objects(Task.self).first?.owner?.name == "Ada")
    #expect(realm.objects(Task.self).first?.place?.city == "Bern")
    #expect(realm.objects(User.self).count == 2)
    await server.stop()
  }
}
