#if Sync
internal import AtollObjects
package import AtollTransport

// Hashing a password takes a tenth of a second and must not block the store: the store returns a
// value to hash or to compare, and takes the result.

extension AccountStore {
  package static let passwordLength = 6...128
  /// A character may have any number of bytes.
  private static let passwordByteLimit = 1_024

  /// What can be a password, and is still to be hashed.
  struct NewPassword: Sendable {
    fileprivate let text: String
    fileprivate let cost: PasswordHash.Cost
    fileprivate let random: @Sendable () -> UInt64

    /// Hashes the password, which takes long; nil when the system has no memory for it.
    func hash() -> PasswordHash? { PasswordHash(text, cost: cost, random: random) }
  }

  /// Refuses what cannot be a password.
  func newPassword(_ text: String) throws(AccountError) -> NewPassword {
    guard Self.passwordLength.contains(text.count), text.utf8.count <= Self.passwordByteLimit else {
      throw .invalidPassword(
        least: Self.passwordLength.lowerBound, most: Self.passwordLength.upperBound)
    }
    return NewPassword(text: text, cost: options.passwordCost, random: random)
  }

  // MARK: Accounts

  /// An account that can be made once its password is hashed.
  struct Registration: Sendable {
    fileprivate let name: String
    /// All names under which there may be the account already.
    fileprivate let names: [String]
    let password: NewPassword
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
    return Registration(
      name: Self.name(ofForm: form), names: Self.names(ofEmail: email),
      password: try newPassword(password))
  }

  /// Makes an account and its user.
  ///
  /// `isFresh`: whether the account may be linked to another user until its own has logged in, by who
  /// knows the password.
  func register(
    _ registration: Registration, _ hash: PasswordHash?, now: UInt64, isFresh: Bool = true
  ) throws(AccountError) {
    guard let hash else { throw .busy }
    let name = registration.name
    guard try self.hash(of: registration.names) == nil else { throw .accountExists }
    let id = userID(now)
    do throws(AccountError) {
      try writing { transaction throws(ObjectError) in
        try transaction.create("User", Self.user(id, now, isFresh: isFresh))
        let identity = try transaction.create("Identity", Self.account(name, hash))
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
    // Whom the operator makes may be named in rules already.
    try register(registration, registration.password.hash(), now: now, isFresh: false)
  }

  /// The properties of an identity with a password.
  static func account(_ name: String, _ hash: PasswordHash) -> [String: Value] {
    [
      "name": .string(name), "salt": .data(hash.salt), "hash": .data(hash.hash),
      "logRounds": .int(Int64(hash.cost.logRounds)),
    ]
  }

  // MARK: Log-ins

  /// A log-in whose password is still to be compared.
  struct PasswordClaim: Sendable {
    /// What wrong passwords are counted for.
    let name: String
    fileprivate let names: [String]
    let host: HostKey
    fileprivate let password: String
    /// The account, if there is one.
    let found: (user: String, hash: PasswordHash)?
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
    return try claim(counted: name, names: names, password: password, host: host, now: now)
  }

  /// As `claim`, for a user who is logged in.
  func claim(
    user id: String, password: String, host: HostKey, now: UInt64
  ) throws(AccountError) -> PasswordClaim {
    try spend(host, now, isHashing: true)
    guard let name = try accountName(of: id) else { throw .noPassword }
    return try claim(counted: name, names: [name], password: password, host: host, now: now)
  }

  private func claim(
    counted name: String, names: [String], password: String, host: HostKey, now: UInt64
  ) throws(AccountError) -> PasswordClaim {
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
      hash: found?.hash ?? decoy, matches: options.matches)
  }

  /// Takes note that a password was compared.
  ///
  /// - Returns: The user whose password it is.
  func confirm(
    _ claim: PasswordClaim, isRight: Bool, now: UInt64
  ) throws(AccountError) -> String {
    guard isRight, claim.found != nil else { throw .invalidCredentials }
    guesses.noteRight(claim.name, claim.host, now: now)
    return try checkCurrent(claim)
  }

  /// Refuses a password that was the right one and may be another by now.
  ///
  /// - Returns: The user whose account it is now.
  @discardableResult
  func checkCurrent(_ claim: PasswordClaim) throws(AccountError) -> String {
    guard let found = claim.found, let current = try hash(of: claim.names),
      current.hash == found.hash
    else { throw .invalidCredentials }
    return current.user
  }

  /// Logs in a user with an account, whose password was compared.
  func login(
    _ claim: PasswordClaim, isRight: Bool, now: UInt64
  ) throws(AccountError) -> Session {
    let user = try confirm(claim, isRight: isRight, now: now)
    return try begin(user: user, named: claim.names, from: .password, now: now)
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

  /// Returns the names that the identity of an e-mail address may have: first the one that an older
  /// server stored, whose account is still there, and last that of the normal form.
  static func names(ofEmail email: String) -> [String] {
    let older = EmailAddress.olderForm(email)
    let normal = EmailAddress.normalForm(email)
    // As bytes: texts are equal in all their canonical forms, and names of identities are not.
    let isSame = older.map { Array($0.utf8) } == normal.map { Array($0.utf8) }
    return [isSame ? nil : older, normal].compactMap { $0.map(name(ofForm:)) }
  }

  static func name(ofForm form: String) -> String {
    SessionOrigin.password.provider + ":" + form
  }

  /// Returns the name of the identity of a user that has a password.
  func accountName(of user: String) throws(AccountError) -> String? {
    try reading { snapshot throws(ObjectError) in
      let identities = try snapshot.table("Identity")
      let column = try identities.column("user")
      let keys = try snapshot.table("User").object(primaryKey: .string(user))?.backlinks(column)
      for key in keys ?? [] {
        guard let identity = try identities.object(key), try identity["hash"] != .data([]),
          case .string(let name) = try identity["name"]
        else { continue }
        return name
      }
      return nil
    }
  }

  /// Returns the first account that has one of the names.
  func hash(
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
