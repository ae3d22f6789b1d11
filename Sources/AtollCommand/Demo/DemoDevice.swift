#if Sync
import Atoll
import Foundation
import Synchronization

/// One person's device in the demo: a user and a synced file, used on an actor of its own.
actor DemoDevice {
  let name: String
  private let user: User
  private let file: URL
  private var opened: Realm?

  /// Registers the person and logs in; the device's file lies in `folder`.
  init(_ name: String, app: App, folder: URL) async throws {
    self.name = name
    let email = "\(name.lowercased())@example.com"
    let password = "the demo's password of \(name)"
    try await app.emailPasswordAuth.registerUser(email: email, password: password)
    user = try await app.login(credentials: .emailPassword(email: email, password: password))
    file = folder.appendingPathComponent("\(name.lowercased()).atoll")
  }

  /// Opens the device's file, which needs no network.
  func realm() async throws -> Realm {
    if let opened { return opened }
    var configuration = user.flexibleSyncConfiguration()
    configuration.fileURL = file
    configuration.objectTypes = [City.self, Country.self, Continent.self]
    let realm = try await Realm(configuration: configuration, actor: self)
    opened = realm
    return realm
  }

  /// Subscribes to some cities, and the countries of a continent.
  func subscribe(
    to name: String, cities: @Sendable (Query<City>) -> Query<Bool>
  ) async throws {
    let realm = try await realm()
    let subscriptions = realm.subscriptions
    try await subscriptions.update {
      subscriptions.append(QuerySubscription<City>(name: name, query: cities))
    }
    realm.refresh()
  }

  /// Subscribes to everything.
  func subscribeToAll() async throws {
    let subscriptions = try await realm().subscriptions
    try await subscriptions.update {
      subscriptions.append(QuerySubscription<City>(name: "cities"))
      subscriptions.append(QuerySubscription<Country>(name: "countries"))
      subscriptions.append(QuerySubscription<Continent>(name: "continents"))
    }
  }

  func unsubscribe(from name: String) async throws {
    let realm = try await realm()
    let subscriptions = realm.subscriptions
    try await subscriptions.update { subscriptions.remove(named: name) }
    realm.refresh()
  }

  func goOffline() async throws { try await realm().syncSession?.suspend() }

  func goOnline() async throws { try await realm().syncSession?.resume() }

  /// Changes objects of the device's file, with or without a network.
  func write(_ body: @Sendable (Realm) -> Void) async throws {
    let realm = try await realm()
    try realm.write { body(realm) }
  }

  /// Reads from the device's file, with or without a network.
  func read<Result: Sendable>(_ body: @Sendable (Realm) -> Result) async throws -> Result {
    let realm = try await realm()
    realm.refresh()
    return body(realm)
  }

  /// Waits until the server has what was written here.
  func upload() async throws { try await realm().syncSession?.wait(for: .upload) }

  /// Waits until what the server has is here.
  func download() async throws { try await realm().syncSession?.wait(for: .download) }

  /// Waits until the app's error handler has heard of what the server refused before.
  func waitForHandler() async throws { try await realm().syncSession?.waitForHandler() }
}
#endif
