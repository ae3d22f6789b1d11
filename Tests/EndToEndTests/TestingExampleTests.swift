import AtollTesting
import TestSupport
import Testing

import Atoll
import TestThreads

// README begins here
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
// README ends here

/// What README.md shows of `AtollTesting` is what is compiled and run.
@Suite(.waiting) struct TestingExampleTests {
  @Test func theExampleIsTheOneThatIsCompiled() throws {
    let source = try GoldenFiles.text("Tests/EndToEndTests/TestingExampleTests.swift")
      .split(separator: "\n", omittingEmptySubsequences: false)
    let begin = try #require(source.firstIndex { $0 == "// README begins here" })
    let end = try #require(source.firstIndex { $0 == "// README ends here" })
    let compiled = source[(begin + 1)..<end].joined(separator: "\n")
    #expect(try GoldenFiles.text("README.md").contains("```swift\n" + compiled + "\n```"))
  }
}
