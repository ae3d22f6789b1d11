import AtollTesting
import RealmSwift
import TestThreads
import Testing

@Suite(.waiting, .hangLimit) struct TestSyncPage {
  // Page begins here
  class Note: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var text: String
  }

  @MainActor func openNotes(_ device: TestServer.Device) async throws -> Realm {
    let realm = try await Realm(configuration: device.user.flexibleSyncConfiguration())
    try await realm.subscriptions.update { $0.append(QuerySubscription<Note>(name: "all")) }
    return realm
  }

  @MainActor @Test func notesWrittenOfflineReachTheOtherDevice() async throws {
    let server = try await TestServer()
    let phone = try await server.device("phone", of: "ann")
    let tablet = try await server.device("tablet", of: "ann")
    let (onPhone, onTablet) = (try await openNotes(phone), try await openNotes(tablet))

    phone.cutNetwork()
    try onPhone.write { onPhone.create(Note.self, value: ["text": "from the tunnel"]) }
    try await server.synchronize()
    onTablet.refresh()
    #expect(onTablet.objects(Note.self).isEmpty)

    phone.healNetwork()
    try await server.synchronize()
    onTablet.refresh()
    #expect(onTablet.objects(Note.self).map(\.text) == ["from the tunnel"])
    await server.stop()
  }
  // Page ends here
}
