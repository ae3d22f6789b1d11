#if Sync
import AtollTransport
import TestThreads
import Testing

@testable import AtollServer

/// Who guesses passwords holds himself up, and not the owner of the account.
@Suite(.computing) struct PasswordGuessesTests {
  private let attacker = HostKey("192.0.2.1")
  private let owner = HostKey("198.51.100.7")

  @Test func theOwnersHostIsNotLockedOut() {
    var guesses = PasswordGuesses()
    for _ in 0..<10 {
      #expect(guesses.wait("ann", attacker, now: 0) == nil)
      guesses.take("ann", attacker, now: 0)
    }
    #expect(guesses.wait("ann", attacker, now: 0) == 6_000)
    #expect(guesses.wait("ann", owner, now: 0) == nil)
    #expect(guesses.wait("bob", attacker, now: 0) == nil)
  }

  @Test func theAddressesOfOneHostAreCountedTogether() {
    var guesses = PasswordGuesses()
    for number in 0..<10 { guesses.take("ann", HostKey("2001:db8::\(number)"), now: 0) }
    #expect(guesses.wait("ann", HostKey("2001:db8::ffff"), now: 0) != nil)
    #expect(guesses.wait("ann", HostKey("2001:db8:0:1::1"), now: 0) == nil)
  }

  /// A hundred in a minute, from however many hosts; a host from which the owner has logged in
  /// before has its own ten all the same.
  @Test func manyHostsTogetherAreBoundedAndAKnownOneIsNotHeldBack() {
    var guesses = PasswordGuesses()
    guesses.take("ann", owner, now: 0)
    guesses.noteRight("ann", owner, now: 0)
    for number in 0..<100 { guesses.take("ann", HostKey("192.0.2.\(number)"), now: 0) }
    let other = HostKey("203.0.113.9")
    #expect(guesses.wait("ann", other, now: 0) == 600)
    #expect(guesses.wait("bob", other, now: 0) == nil)
    #expect(guesses.wait("ann", owner, now: 0) == nil)
    for _ in 0..<10 { guesses.take("ann", owner, now: 0) }
    #expect(guesses.wait("ann", owner, now: 0) == 6_000)
  }

  @Test func whatIsGivenBackWasNoAttempt() {
    var guesses = PasswordGuesses()
    for _ in 0..<200 {
      #expect(guesses.wait("ann", owner, now: 0) == nil)
      guesses.take("ann", owner, now: 0)
      guesses.giveBack("ann", owner, now: 0)
    }
  }
}
#endif
