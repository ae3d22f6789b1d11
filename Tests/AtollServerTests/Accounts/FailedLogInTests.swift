#if Sync
import AtollObjects
import AtollTransport
import Synchronization
import TestThreads
import Testing

@testable import AtollServer

/// The time of a failed log-in reveals nothing.
@Suite(.computing) struct FailedLogInTests {
  /// Counts what takes long.
  private final class Counter: Sendable {
    let hashes = Mutex(0)
    let numbers = Mutex(0)
    private let random = TestRandom()

    @Sendable func matches(_ hash: PasswordHash, _ password: String) -> Bool {
      hashes.withLock { $0 += 1 }
      return hash.matches(password)
    }

    @Sendable func next() -> UInt64 {
      numbers.withLock { $0 += 1 }
      return random.next()
    }
  }

  /// A password that no account can have is compared with none, whether there is an account or not.
  @Test(arguments: [("wrong password", 1), (String(repeating: "x", count: 1_025), 0)])
  func aLogInHashesAsOftenWithAnAccountAsWithout(password: String, count: Int) throws {
    let counter = Counter()
    var options = AccountStore.Options.forTests
    options.matches = counter.matches
    let accounts = try AccountStore(
      try Database.inMemory(), options: options, random: counter.next)
    try accounts.register(email: "ann@example.com", password: "correct horse", now: 1_000)
    // A new hash has a salt.
    let numberCount = counter.numbers.withLock { $0 }
    for (place, email) in ["ann@example.com", "nobody@example.com"].enumerated() {
      #expect(throws: AccountError.invalidCredentials) {
        try accounts.login(email: email, password: password, host: HostKey("192.0.2.1"), now: 2_000)
      }
      #expect(counter.hashes.withLock { $0 } == count * (place + 1))
    }
    #expect(counter.numbers.withLock { $0 } == numberCount)
    _ = try accounts.login(
      email: "ann@example.com", password: "correct horse", host: HostKey("192.0.2.1"), now: 3_000)
    #expect(counter.hashes.withLock { $0 } == count * 2 + 1)
  }
}
#endif
