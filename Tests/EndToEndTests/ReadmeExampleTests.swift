import AtollServer
import Foundation
import TestSupport
import Testing

import Atoll
import TestThreads

// Page begins here
class Todo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var title: String
  @Persisted var owner: String
  @Persisted var done: Bool
  @Persisted var notes: List<String>
}

/// One person's device: `ann` or `bob`.
@MainActor func run(as name: String, app: App = App(id: "todos")) async throws -> [String] {
  let (email, password) = ("\(name)@example.com", "a long password")
  do {
    try await app.emailPasswordAuth.registerUser(email: email, password: password)
  } catch let error as AppError where error.code == .accountNameInUse {
    // By an earlier start of this program.
  }
  let user = try await app.login(credentials: .emailPassword(email: email, password: password))

  let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
  let subscriptions = realm.subscriptions
  if subscriptions.first(named: "open") == nil {
    try await subscriptions.update {
      subscriptions.append(QuerySubscription<Todo>(name: "open") { $0.done == false })
    }
  }

  // With a network or without one:
  try realm.write {
    let todo = realm.create(Todo.self, value: ["title": "water the plants", "owner": name])
    todo.notes.append("written by \(name)")
  }
  try await realm.syncSession?.wait(for: .upload)
  try await realm.syncSession?.wait(for: .download)
  realm.refresh()
  return realm.objects(Todo.self).where { !$0.done }.sorted(by: \.owner)
    .map { "\($0.title), \($0.owner), \($0.notes.joined(separator: ", "))" }
}
// Page ends here

/// The synchronised example of README.md, which TidyTests compares with it.
///
/// Promise: shape.program, shape.update.
@Suite(.waiting) struct ReadmeExampleTests {
  @Test func twoDevicesRunIt() async throws {
    let world = try await SyncWorld()
    #expect(try await run(as: "ann", app: world.app).count == 1)
    let seen = try await run(as: "bob", app: world.app)
    #expect(
      seen == [
        "water the plants, ann, written by ann", "water the plants, bob, written by bob",
      ])
    await world.stopServer()
  }
}
