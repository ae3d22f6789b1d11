import AtollTesting
import Foundation
import Testing

import Atoll
import TestThreads

/// What a user of an app does to the account.
@MainActor @Suite(.waiting, .hangLimit) struct UserDeletionTests {
  private static let password = "a password for tests"

  private func code(_ body: () async throws -> Void) async -> AppError.Code? {
    do {
      try await body()
      return nil
    } catch { return (error as? AppError)?.code }
  }

  @Test func aDeletedUserIsGoneOnTheServerAndHere() async throws {
    let server = try await TestServer()
    let device = try await server.device("ann")
    let (app, user) = (device.app, device.user)
    let url: URL
    do {
      let realm = try await openNotes(device)
      url = try #require(realm.configuration.fileURL)
      try realm.write { realm.create(Note.self, value: ["text": "kept by the server"]) }
      try await server.synchronize()
    }
    device.cutNetwork()
    let unreachable = await code { try await user.delete() }
    #expect(unreachable == .httpRequestFailed)
    #expect(user.isLoggedIn)
    device.healNetwork()
    try await user.delete()
    #expect(user.state == .removed && app.currentUser == nil)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    let credentials = Credentials.emailPassword(
      email: "ann@example.com", password: Self.password)
    let late = await code { _ = try await app.login(credentials: credentials) }
    #expect(late == .invalidPassword)
    let again = await code { try await user.delete() }
    #expect(again == .invalidSession)
    await server.stop()
  }

  @Test func aPasswordIsChangedByWhoKnowsIt() async throws {
    let server = try await TestServer()
    let device = try await server.device("ann")
    let wrong = await code { try await device.user.changePassword(from: "guess!", to: "another") }
    #expect(wrong == .invalidPassword)
    let short = await code {
      try await device.user.changePassword(from: Self.password, to: "short")
    }
    #expect(short == .badRequest)
    try await device.user.changePassword(from: Self.password, to: "another password")
    let old = await code {
      _ = try await device.app.login(
        credentials: .emailPassword(email: "ann@example.com", password: Self.password))
    }
    #expect(old == .invalidPassword)
    let user = try await device.app.login(
      credentials: .emailPassword(email: "ann@example.com", password: "another password"))
    #expect(user == device.user)
    let guest = try await device.app.login(credentials: .anonymous)
    let none = await code { try await guest.changePassword(from: "", to: "another password") }
    #expect(none == .userNotFound)
    await server.stop()
  }
}
