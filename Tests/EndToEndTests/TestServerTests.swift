import AtollTesting
import Foundation
import Synchronization
import TestSupport
import Testing

import Atoll
import TestThreads

/// What a test of an app may do with a server and its devices.
@MainActor @Suite(.waiting, .hangLimit) struct TestServerTests {
  private func add(_ text: String, _ realm: Realm) throws {
    try realm.write { realm.create(Note.self, value: ["text": text]) }
  }

  private func openWithoutSubscriptions(_ device: TestServer.Device) throws -> Realm {
    try Realm(configuration: device.user.flexibleSyncConfiguration())
  }

  private func texts(_ realm: Realm) -> [String] {
    realm.refresh()
    return realm.objects(Note.self).map(\.text).sorted()
  }

  @Test func devicesOfOneUserAndOfOthersHaveFoldersOfTheirOwn() async throws {
    let server = try await TestServer()
    let phone = try await server.device("phone", of: "ann")
    let tablet = try await server.device("tablet", of: "ann")
    let other = try await server.device("bob")
    #expect(phone.user.id == tablet.user.id && phone.user != tablet.user)
    #expect(other.user.id != phone.user.id)
    #expect(Set(server.devices.map(\.folder)).count == 3)
    #expect(server.devices.map(\.name) == ["phone", "tablet", "bob"])
    let realms = [
      try await openNotes(phone), try await openNotes(tablet), try await openNotes(other),
    ]
    for (index, realm) in realms.enumerated() { try add("\(index)", realm) }
    try await server.synchronize()
    for realm in realms { #expect(texts(realm) == ["0", "1", "2"]) }
    await server.stop()
  }

  @Test func aServerThatIsStoppedComesBackWithWhatItHad() async throws {
    let server = try await TestServer()
    let (ann, bob) = (try await server.device("ann"), try await server.device("bob"))
    let (onAnn, onBob) = (try await openNotes(ann), try await openNotes(bob))
    try add("before", onAnn)
    try await server.synchronize()
    await server.stop()
    try add("without", onAnn)
    await #expect(throws: TestServer.Stopped.self) { try await server.synchronize() }
    await #expect(throws: TestServer.Stopped.self) { _ = try await server.device("late") }
    try await server.start()
    try await server.synchronize()
    #expect(texts(onBob) == ["before", "without"])
    try await server.restart()
    try add("after", onBob)
    try await server.synchronize()
    #expect(texts(onAnn) == ["after", "before", "without"])
    await server.stop()
  }

  @Test func aNetworkThatIsCutIsLeftOutAndASlowOneIsWaitedFor() async throws {
    let server = try await TestServer()
    let (ann, bob) = (try await server.device("ann"), try await server.device("bob"))
    let (onAnn, onBob) = (try await openNotes(ann), try await openNotes(bob))
    ann.cutNetwork()
    #expect(ann.isNetworkCut && !bob.isNetworkCut)
    try add("from afar", onAnn)
    try await server.synchronize()
    #expect(texts(onBob).isEmpty)
    ann.networkDelay = .milliseconds(20)
    #expect(ann.networkDelay == .milliseconds(20))
    ann.healNetwork()
    try await server.synchronize()
    #expect(texts(onBob) == ["from afar"])
    await server.stop()
  }

  @Test func whatDoesNotComeInTimeIsNamed() async throws {
    let server = try await TestServer()
    let ann = try await server.device("ann")
    let realm = try await openNotes(ann)
    ann.networkDelay = .seconds(3_600)
    try add("on its way", realm)
    let error = await #expect(throws: TestServer.TimedOut.self) {
      try await server.synchronize(timeout: .milliseconds(50))
    }
    #expect(error?.description.hasSuffix("not synchronised after 0.05 seconds: 'ann'") == true)
    await server.stop()
  }

  /// A server that is an hour ahead accepts no old token, and the devices get new ones.
  @Test func devicesFollowTheClockOfTheServer() async throws {
    let server = try await TestServer()
    let (ann, bob) = (try await server.device("ann"), try await server.device("bob"))
    let (onAnn, onBob) = (try await openNotes(ann), try await openNotes(bob))
    let token = ann.user.accessToken
    server.moveClock(by: .seconds(3_600))
    try await server.restart()
    try add("an hour later", onAnn)
    try await server.synchronize()
    #expect(texts(onBob) == ["an hour later"])
    #expect(ann.user.accessToken != token)
    await server.stop()
  }

  @Test func aUserWithTooManyConnectionsIsToldSo() async throws {
    let server = try await TestServer(rules: Self.rules + "\nlimits: {connections: 1}")
    let phone = try await server.device("phone", of: "ann")
    let tablet = try await server.device("tablet", of: "ann")
    let warnings = Mutex<[String]>([])
    tablet.app.syncManager.errorHandler = { error, _ in
      guard let error = error as? SyncError, error.code == .serverWarning else { return }
      warnings.withLock { $0.append(error.message) }
    }
    let onPhone = try await openNotes(phone)
    let onTablet = try openWithoutSubscriptions(tablet)
    while warnings.withLock(\.isEmpty) {
      try await _Concurrency.Task.sleep(for: .milliseconds(5))
    }
    #expect(warnings.withLock(\.first)?.contains("more than 1 connections") == true)
    // The other one continues, and so does the tablet, alone.
    try add("open", onPhone)
    try await phone.wait(for: .upload)
    #expect(texts(onTablet).isEmpty)
    await server.stop()
  }

  private static let rules = """
    login: {password: true, registration: true}
    classes:
      Note: {key: _id, properties: {_id: objectId, text: string}}
    roles:
      Note:
        - {name: everybody, read: true, write: "text BEGINSWITH 'open'", insert: true}
    """

  @Test func rulesAreThoseOfTheServersConfiguration() async throws {
    let server = try await TestServer(rules: Self.rules)
    let (ann, bob) = (try await server.device("ann"), try await server.device("bob"))
    let refusals = Mutex<[String]>([])
    ann.app.syncManager.errorHandler = { error, _ in
      refusals.withLock { $0.append("\(error)") }
    }
    let (onAnn, onBob) = (try await openNotes(ann), try await openNotes(bob))
    try add("open", onAnn)
    try add("closed", onAnn)
    try await server.synchronize()
    #expect(texts(onBob) == ["open"])
    #expect(texts(onAnn) == ["open"])
    while refusals.withLock(\.isEmpty) {
      try await _Concurrency.Task.sleep(for: .milliseconds(5))
    }
    #expect(refusals.withLock(\.count) == 1)
    await server.stop()
    await #expect { _ = try await TestServer(rules: "roles: {None: [") } throws: { error in
      "\(error)".contains("server.yaml:")
    }
  }
}
