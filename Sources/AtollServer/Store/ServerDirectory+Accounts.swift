#if Sync
internal import AtollObjects
internal import AtollTransport

extension ServerDirectory {
  /// Makes an account with a password in a server's folder, also while the server runs.
  ///
  /// - Throws: `ServerError.notAServer` where no server has been started; `.missing` where the
  ///   accounts were lost; `ServerError`; `AccountError` for what cannot be an account, or is one
  ///   already.
  package static func addAccount(
    email: String, password: String, in folder: String, now: UInt64,
    random: @escaping @Sendable () -> UInt64
  ) throws {
    try check(folder: folder)
    let path = "\(folder)/\(accountsName)"
    let database = try open(path, isMaking: try isStarting(folder))
    let accounts: AccountStore
    do throws(ObjectError) {
      accounts = try AccountStore(database, options: AccountStore.Options(), random: random)
    } catch { throw ServerError.database(path: path, error) }
    defer { accounts.close() }
    do throws(AccountError) {
      try accounts.register(email: email, password: password, host: HostKey(""), now: now)
    } catch .storage(let error) {
      throw ServerError.database(path: path, error)
    }
  }
}
#endif
