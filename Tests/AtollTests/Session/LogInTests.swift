import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// A server that answers when it is told to.
private final class SlowService: AppService {
  private struct State {
    var userCount = 0
    var isRefreshAsked = false
    var mayRefresh = false
  }

  private let state = Monitor(State())

  func register(email: String, password: String) {}

  func logIn(_ credentials: Credentials) -> LogInAnswer {
    let number = state.withLock { state in
      state.userCount += 1
      return state.userCount
    }
    return LogInAnswer(
      userID: "user \(number)", accessToken: "access \(number)", refreshToken: "refresh \(number)")
  }

  func refresh(_ refreshToken: String) async -> RefreshAnswer {
    state.withLock { $0.isRefreshAsked = true }
    await state.wait { $0.mayRefresh }
    return RefreshAnswer(
      accessToken: "refreshed",
      identities: [UserIdentity(providerType: "anon-user", identifier: "user 1")])
  }

  func link(_ refreshToken: String, _ credentials: Credentials) -> [UserIdentity] {
    [
      UserIdentity(providerType: "anon-user", identifier: "user 1"),
      UserIdentity(providerType: "local-userpass", identifier: "ann@example.com"),
    ]
  }

  func logOut(_ refreshToken: String) {}

  func deleteUser(_ refreshToken: String) {}

  func changePassword(
    _ refreshToken: String, from password: String, to newPassword: String
  ) {}

  func waitForRefresh() async { await state.wait { $0.isRefreshAsked } }

  func answerRefresh() { state.withLock { $0.mayRefresh = true } }
}

/// Log-ins and log-outs that happen at once.
@Suite(.waiting, .hangLimit) struct LogInTests {
  private let folder = TestSupport.TemporaryFolder()
  private let service = SlowService()
  private let app: AppCore

  init() {
    app = AppCore(
      id: "app", configuration: AppConfiguration(),
      directory: URL(filePath: folder.path(of: "app")), asking: service)
  }

  @Test func anAnonymousUserWhoIsLoggedOutDuringTheNextLogInStaysSo() async throws {
    let first = try await app.logIn(.anonymous)
    async let next = app.logIn(.anonymous)
    await service.waitForRefresh()
    await app.logOut(first)
    service.answerRefresh()
    let second = try await next
    #expect(second != first && second.isLoggedIn && app.currentUser == second)
    #expect(!first.isLoggedIn && first.accessToken == nil && first.refreshToken == nil)
  }

  @Test func anAnonymousUserWhoIsLoggedInIsTheSameAfterTheNextLogIn() async throws {
    service.answerRefresh()
    let first = try await app.logIn(.anonymous)
    #expect(try await app.logIn(.anonymous) === first)
    #expect(first.accessToken == "refreshed" && app.users.count == 1)
  }
}
