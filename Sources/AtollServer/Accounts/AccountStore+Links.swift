#if Sync
internal import AtollObjects
internal import AtollTransport

// Several ways for one user to log in. Each identity belongs to one user; sessions rest on the
// identity that began them.

extension AccountStore {
  /// A way in which a user logs in.
  package struct Identity: Equatable, Sendable {
    package let provider: String
    /// Who the user is there.
    package let id: String
  }

  /// Returns the ways in which a user logs in, by provider and name; of a user without any, who came
  /// without a name, that one.
  package func identities(of user: String) throws(AccountError) -> [Identity] {
    let names = try reading { snapshot throws(ObjectError) in
      let identities = try snapshot.table("Identity")
      let column = try identities.column("user")
      let keys = try snapshot.table("User").object(primaryKey: .string(user))?.backlinks(column)
      var names: [String] = []
      for key in keys ?? [] {
        guard case .string(let name)? = try identities.object(key)?["name"] else { continue }
        names.append(name)
      }
      return names
    }
    guard !names.isEmpty else {
      return [Identity(provider: SessionOrigin.anonymous.provider, id: user)]
    }
    return names.sorted().compactMap { name in
      name.firstIndex(of: ":").map { colon in
        Identity(provider: String(name[..<colon]), id: String(name[name.index(after: colon)...]))
      }
    }
  }

  // MARK: By what another service vouches for

  /// Lets a user log in also in a way that something else has vouched for.
  ///
  /// What the user has already is no error, so that a request whose answer was lost can be repeated.
  ///
  /// - Throws: `.identityTaken` for that of another user; `.noSuchUser`, `.userDisabled`.
  package func link(
    from origin: SessionOrigin, name: String, to user: String
  ) throws(AccountError) {
    let identity = "\(origin.provider):\(name)"
    try changing(linkingTo: user) { transaction in
      if let owner = try Self.owner(of: identity, in: transaction) {
        guard owner.id == user else { throw AccountError.identityTaken }
        return
      }
      try Self.add(["name": .string(identity)], to: user, in: transaction)
    }
  }

  // MARK: By a password

  /// An account to be linked, whose password is still to be hashed or compared.
  struct PasswordLink: Sendable {
    fileprivate let user: String
    fileprivate let name: String
    fileprivate let names: [String]
    let claim: PasswordClaim
    fileprivate let password: NewPassword

    /// Compares the password with that of the account, or hashes it where there is none: either
    /// takes one hash, so that the time tells nothing of the account.
    func test() -> PasswordTest {
      claim.found == nil ? .hashed(password.hash()) : .compared(claim.isRight())
    }
  }

  /// What became of the password of a link.
  enum PasswordTest: Sendable {
    case hashed(PasswordHash?)
    case compared(Bool)

    /// Whether it was the right one; nil of what was not compared.
    var isRight: Bool? { if case .compared(let isRight) = self { isRight } else { nil } }
  }

  /// Checks what can be an account of a user; whether it is another's is told only after the hash.
  ///
  /// Counts as a wrong password until `link`.
  ///
  /// - Throws: `.invalidEmail`, `.invalidPassword`, `.tooManyAttempts`; `.passwordExists` for a user
  ///   who has another account.
  func passwordLink(
    email: String, password: String, user: String, host: HostKey, now: UInt64
  ) throws(AccountError) -> PasswordLink {
    guard let form = EmailAddress.normalForm(email) else { throw .invalidEmail }
    let names = Self.names(ofEmail: email)
    let new = try newPassword(password)
    if let own = try accountName(of: user), !names.contains(own) { throw .passwordExists }
    return PasswordLink(
      user: user, name: Self.name(ofForm: form), names: names,
      claim: try claim(email: email, password: password, host: host, now: now), password: new)
  }

  /// Lets a user log in also with an e-mail address and a password.
  ///
  /// The account is made; or it is that of a user who was registered with this password and has never
  /// logged in: then the account changes hands, and that user, who has nothing, goes.
  ///
  /// - Throws: `.accountExists` for that of another user, whatever the password; `.invalidCredentials`
  ///   for the user's own with another password; `.overtaken` where the account
  ///   was made while the password was hashed; `.passwordExists`, `.noSuchUser`, `.userDisabled`.
  func link(_ link: PasswordLink, _ test: PasswordTest, now: UInt64) throws(AccountError) {
    try changing(linkingTo: link.user) { transaction in
      for name in link.names {
        guard let owner = try Self.owner(of: name, in: transaction) else { continue }
        let isRight = try isRight(link, test)
        if owner.id == link.user {
          // It was made since: the same request, sent twice, found none and compared nothing.
          if case .hashed = test { throw AccountError.overtaken }
          guard isRight else { throw AccountError.invalidCredentials }
          return
        }
        guard isRight, owner.isFresh, !owner.isDisabled else { throw AccountError.accountExists }
        try refuseSecondPassword(of: link.user, in: transaction)
        try Self.noteAnonymous(link.user, in: transaction)
        try transaction.link(
          "Identity", owner.identity, "user", toPrimaryKeys: [.string(link.user)])
        try transaction.delete("User", owner.user)
        return
      }
      // The account that the password was compared with is gone.
      guard case .hashed(let hash) = test else { throw AccountError.invalidCredentials }
      guard let hash else { throw AccountError.busy }
      try refuseSecondPassword(of: link.user, in: transaction)
      try Self.add(Self.account(link.name, hash), to: link.user, in: transaction)
    }
    guesses.noteRight(link.claim.name, link.claim.host, now: now)
  }

  /// Whether the password was compared with that of the account as it is now, and is the same.
  private func isRight(_ link: PasswordLink, _ test: PasswordTest) throws -> Bool {
    guard case .compared(true) = test, let found = link.claim.found else { return false }
    return try hash(of: link.names)?.hash == found.hash
  }

  private func refuseSecondPassword(of user: String, in transaction: Transaction) throws {
    for key in try Self.keys("Identity", of: user, in: transaction) {
      guard try transaction.value("Identity", key, "hash") == .data([]) else {
        throw AccountError.passwordExists
      }
    }
  }

  // MARK: Rows

  /// More make a list that each log-in sends too long.
  private static let identityLimit = 20

  struct Owner {
    var id: String
    var user: ObjectKey
    var identity: ObjectKey
    var isFresh: Bool
    var isDisabled: Bool
  }

  /// Whom an identity belongs to; nil when there is none.
  static func owner(of name: String, in transaction: Transaction) throws -> Owner? {
    let identities = try transaction.table("Identity")
    guard let identity = try identities.object(primaryKey: .string(name)),
      let user = try identity.linked(identities.column("user")),
      case .string(let id) = try user["id"]
    else { return nil }
    return Owner(
      id: id, user: user.key, identity: identity.key, isFresh: try user["isFresh"] == .bool(true),
      isDisabled: try user["isDisabled"] == .bool(true))
  }

  private static func add(
    _ identity: [String: Value], to user: String, in transaction: Transaction
  ) throws {
    try noteAnonymous(user, in: transaction)
    guard try keys("Identity", of: user, in: transaction).count < identityLimit else {
      throw AccountError.tooManyIdentities(limit: identityLimit)
    }
    let key = try transaction.create("Identity", identity)
    try transaction.link("Identity", key, "user", toPrimaryKeys: [.string(user)])
  }

  /// Notes of a user who has no identity yet how the user came; nobody logs in by that.
  private static func noteAnonymous(_ user: String, in transaction: Transaction) throws {
    guard try keys("Identity", of: user, in: transaction).isEmpty else { return }
    let key = try transaction.create(
      "Identity", ["name": .string("\(SessionOrigin.anonymous.provider):\(user)")])
    try transaction.link("Identity", key, "user", toPrimaryKeys: [.string(user)])
  }

  /// Changes what a user logs in with, unless the user was deleted or disabled a moment ago.
  private func changing(
    linkingTo user: String, _ body: (Transaction) throws -> Void
  ) throws(AccountError) {
    try changing(user: user) { key, transaction in
      guard try transaction.value("User", key, "isDisabled") != .bool(true) else {
        throw AccountError.userDisabled
      }
      // Whoever is linked has logged in.
      if try transaction.value("User", key, "isFresh") == .bool(true) {
        try transaction.set("User", key, "isFresh", .bool(false))
      }
      try body(transaction)
    }
  }
}
#endif
