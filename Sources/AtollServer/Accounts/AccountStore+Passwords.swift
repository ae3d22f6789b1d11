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
    /// All names under which there may be the account already.
    fileprivate let names: [String]
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
    return try registration(email: email, password: password)
  }

  private func registration(
    email: String, password: String
  ) throws(AccountError) -> Registration {
    guard let form = EmailAddress.normalForm(email) else { throw .invalidEmail }
    let name = Self.name(ofForm: form)
    try Self.check(password: password)
    return Registration(
      name: name, names: Self.names(ofEmail: email), password: password, cost: options.passwordCost,
      random: random)
  }

  /// Makes an account and its user.
  func register(
    _ registration: Registration, _ hash: PasswordHash?, now: UInt64
  ) throws(AccountError) {
    guard let hash else { throw .busy }
    let name = registration.name
    guard try self.hash(of: registration.names) == nil else { throw .accountExists }
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

  /// Makes an account and its user for the operator; takes long.
  package func register(email: String, password: String, now: UInt64) throws(AccountError) {
    let registration = try registration(email: email, password: password)
    try register(registration, registration.hash(), now: now)
  }

  // MARK: Log-ins

  /// A log-in whose password is still to be compared.
  struct PasswordClaim: Sendable {
    /// What wrong passwords are counted for.
    fileprivate let name: String
    fileprivate let names: [String]
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
    let names = Self.names(ofEmail: email)
    // The normal form, so that one account is not guessed at under several.
    guard let name = names.last else { throw .invalidCredentials }
    if let wait = guesses.wait(name, host, now: now) {
      throw .tooManyAttempts(retryAfterSeconds: wait / 1_000 + 1)
    }
    guesses.take(name, host, now: now)
    // No account has a longer one. This test is first: the later steps must not depend on the
    // existence of the account, except for the one hash that is always computed.
    guard password.utf8.count <= Self.passwordByteLimit else { throw .invalidCredentials }
    let found = try hash(of: names)
    return PasswordClaim(
      name: name, names: names, host: host, password: password, found: found,
      hash: found?.hash ?? decoy,
      matches: options.matches)
  }

  /// Logs in a user with an account, whose password was compared.
  func login(
    _ claim: PasswordClaim, isRight: Bool, now: UInt64
  ) throws(AccountError) -> Session {
    guard isRight, let found = claim.found else { throw .invalidCredentials }
    guesses.noteRight(claim.name, claim.host, now: now)
    // The password may be another by now, and the account gone.
    guard try hash(of: claim.names)?.hash == found.hash else { throw .invalidCredentials }
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

  // MARK: Names

  /// Refuses what cannot be a password.
  static func check(password: String) throws(AccountError) {
    guard passwordLength.contains(password.count), password.utf8.count <= passwordByteLimit else {
      throw .invalidPassword(least: passwordLength.lowerBound, most: passwordLength.upperBound)
    }
  }

  /// Returns the names that the identity of an e-mail address may have: first the one that an older
  /// server stored, whose account is still there, and last that of the normal form.
  static func names(ofEmail email: String) -> [String] {
    let older = EmailAddress.olderForm(email)
    let normal = EmailAddress.normalForm(email)
    // As bytes: texts are equal in all their canonical forms, and names of identities are not.
    let isSame = older.map { Array($0.utf8) } == normal.map { Array($0.utf8) }
    return [isSame ? nil : older, normal].compactMap { $0.map(name(ofForm:)) }
  }

  private static func name(ofForm form: String) -> String {
    SessionOrigin.password.provider + ":" + form
  }

  /// Returns the first account that has one of the names.
  private func hash(
    of names: [String]
  ) throws(AccountError) -> (user: String, hash: PasswordHash)? {
    for name in names { if let found = try hash(of: name) { return found } }
    return nil
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
