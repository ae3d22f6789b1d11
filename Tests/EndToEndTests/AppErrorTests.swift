#if Sync
import AtollTransport
import TestThreads
import Testing

@testable import Atoll

@Suite(.computing) struct AppErrorTests {
  private static let words: [(status: Int, word: String, code: AppError.Code)] = [
    (429, "too-many-attempts", .tooManyRequests), (503, "busy", .tooManyRequests),
    (401, "session-ended", .invalidSession), (401, "invalid-credentials", .invalidPassword),
    (403, "provider-disabled", .authProviderNotFound), (403, "user-disabled", .userDisabled),
    (409, "account-exists", .accountNameInUse), (404, "no-password", .userNotFound),
    (400, "invalid-email", .badRequest), (418, "new", .badRequest),
    (409, "identity-taken", .accountNameInUse), (409, "password-exists", .valueAlreadyExists),
    (502, "new", .internalServerError),
  ]

  /// A refusal for now looked like a request that makes no sense.
  @Test(arguments: words)
  func theServersWordIsTheCodeThatProgramsKnow(status: Int, word: String, code: AppError.Code) {
    let error = AppError(
      TransportError.refused(
        .init(status: status, code: word, message: "no", retryAfterSeconds: 7)))
    #expect(error.code == code)
    #expect(error.httpStatusCode == status)
  }
}
#endif
