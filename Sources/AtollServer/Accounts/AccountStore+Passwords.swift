#if Sync
internal import AtollObjects
package import AtollTransport

// What hashes a password takes a tenth of a second and blocks nobody else: the store gives it out
// as a value, and takes its outcome.

extension AccountStore {
  package static let passwordLength = 6...128
  /// A character may have any number of bytes.
  private static let passwordByteLimit = 1_024

  // MARK: Accounts

  /// An account that can be made once its password is hashed.
  struct Registration: Sendable {
    fileprivate let name: String
    fileprivate let password: String
    fileprivate let cost: PasswordHash.Cost
    fileprivate let random: @Sendable () -> UInt64

    /// Hashes the password, which takes long; nil when the system has no memory for it.
    func hash() -> PasswordHash? { PasswordHash(password, cost: cost, random: random) }
  }

  /// Checks what can be an account; whether there is one already is told only after the hash, so
  /// that an answer for a name that is taken is not faster than for one that is free.
  func registration(
    email: String, password: String, host: HostKey, now: UInt64
  ) throws(AccountError) -> Registration {
    try spend(host, now, isHashing: true)
    let name = try Self.name(ofEmail: email)
    guard Self.passwordLength.contains(password.count),
      password.utf8.count <= Self.passwordByteLimit
    else {
      throw .invalidPassword(
        least: Self.passwordLength.lowerBound, most: Self.passwordLength.upperBound)
    }
    return Registration(
      name: name, password: password, cost: options.passwordCost, random: random)
  }

  /// Makes an account and its user.
  func register(
    _ registration: Registration, _ hash: PasswordHash?, now: UInt64
  ) throws(AccountError) {
    guard let hash else { throw .busy }
    let name = registration.name
    guard try self.hash(of: name) == nil else { throw .accountExists }
    let id = userID(now)
    do throws(AccountError) {
      try writing { transaction throws(ObjectError) in
        try transaction.create("User", Self.user(id, now))
        let identity = try transaction.create(
          "Identity",
          [
            "name": .string(name), "salt": .data(hash.salt), "hash": .data(hash.hash),
            "logRounds": .int(Int64(hash.cost.logRounds)),
          ])
        try transaction.link("Identity", identity, "user", toPrimaryKeys: [.string(id)])
      }
    } catch .storage(.duplicatePrimaryKey) {
      // Another process was faster.
      throw .accountExists
    }
  }

  /// As both of the above; takes long.
  package func register(
    email: String, password: String, host: HostKey, now: UInt64
  ) throws(AccountError) {
    let registration = try registration(email: email, password: password, host: host, now: now)
    try register(registration, registration.hash(), now: now)
  }

  // MARK: Log-ins

  /// A log-in whose password is still to be compared.
  struct PasswordClaim: Sendable {
    fileprivate let name: String
    fileprivate let host: HostKey
    fileprivate let password: String
    /// The account, if there is one.
    fileprivate let found: (user: String, hash: PasswordHash)?
    /// What the password is compared with, whether there is an account or not.
    fileprivate let hash: PasswordHash?
    fileprivate let matches: @Sendable (PasswordHash, String) -> Bool

    /// Compares the password, which takes long.
    func isRight() -> Bool { hash.map { matches($0, password) } ?? false }
  }

  /// Finds what a password is to be compared with, and counts it as a wrong one until `login`.
  ///
  /// Counted only afterwards, as many could be tried at a time as there are hashes.
  func claim(
    email: String, password: String, host: HostKey, now: UInt64
  ) throws(AccountError) -> PasswordClaim {
    try spend(host, now, isHashing: true)
    let name: String
    do throws(AccountError) { name = try Self.name(ofEmail: email) } catch {
      throw .invalidCredentials
    }
    if let wait = guesses.wait(name, host, now: now) {
      throw .tooManyAttempts(retryAfterSeconds: wait / 1_000 + 1)
    }
    guesses.take(name, host, now: now)
    // No account has a longer one. This test is first: the later steps must not depend on the
    // existence of the account, except for the one hash that is always computed.
    guard password.utf8.count <= Self.passwordByteLimit else { throw .invalidCredentials }
    let found = try hash(of: name)
    return PasswordClaim(
      name: name, host: host, password: password, found: found, hash: found?.hash ?? decoy,
      matches: options.matches)
  }

  /// Logs in a user with an account, whose password was compared.
  func login(
    _ claim: PasswordClaim, isRight: Bool, now: UInt64
  ) throws(AccountError) -> Session {
    guard isRight, let found = claim.found else { throw .invalidCredentials }
    guesses.noteRight(claim.name, claim.host, now: now)
    // The password may be another by now, and the account gone.
    guard try hash(of: claim.name)?.hash == found.hash else { throw .invalidCredentials }
    return try begin(user: found.user, from: .password, now: now)
  }

  /// Counts a log-in as none, whose password was not compared.
  func forget(_ claim: PasswordClaim, now: UInt64) {
    guesses.giveBack(claim.name, claim.host, now: now)
  }

  /// As the first two of the above; takes long.
  package func login(
    email: String, password: String, host: HostKey, now: UInt64
  ) throws(AccountError) -> Session {
    let claim = try claim(email: email, password: password, host: host, now: now)
    return try login(claim, isRight: claim.isRight(), now: now)
  }

  /// An e-mail address as the name of an identity: letters of either case are one.
  private static func name(ofEmail email: String) throws(AccountError) -> String {
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    let isPlain = email.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), isPlain, email.utf8.count <= 254
    else { throw .invalidEmail }
    return "local-userpass:" + email.lowercased()
  }

  private func hash(of name: String) throws(AccountError) -> (user: String, hash: PasswordHash)? {
    try reading { snapshot throws(ObjectError) in
      guard let identity = try snapshot.table("Identity").object(primaryKey: .string(name)),
        let column = snapshot.schema.table("Identity")?.column("user"),
        let user = try identity.linked(column), case .string(let id) = try user["id"],
        case .data(let salt) = try identity["salt"], case .data(let hash) = try identity["hash"],
        case .int(let logRounds) = try identity["logRounds"],
        let stored = PasswordHash(
          cost: .init(logRounds: Int(logRounds)), salt: salt, hash: hash)
      else { return nil }
      return (id, stored)
    }
  }
}
#endif
