import Atoll
import AtollTesting

class Note: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var text: String
}

/// The device's realm, with all notes.
@MainActor func openNotes(_ device: TestServer.Device) async throws -> Realm {
  let realm = try await Realm(configuration: device.user.flexibleSyncConfiguration())
  try await realm.subscriptions.update { $0.append(QuerySubscription<Note>(name: "all")) }
  return realm
}
