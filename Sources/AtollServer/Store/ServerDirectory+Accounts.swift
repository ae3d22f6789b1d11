#if Sync
internal import AtollObjects

extension ServerDirectory {
  /// Does `body` with the accounts of a server's folder, also while the server runs.
  ///
  /// - Throws: `ServerError.notAServer` where no server has been started; `.missing` where the
  ///   accounts were lost; `ServerError`; what `body` throws.
  package static func withAccounts<Result>(
    of folder: String, random: @escaping @Sendable () -> UInt64,
    _ body: (AccountStore) throws -> Result
  ) throws -> Result {
    try check(folder: folder)
    let path = "\(folder)/\(accountsName)"
    let database = try open(path, isMaking: try isStarting(folder))
    let accounts: AccountStore
    do throws(ObjectError) {
      accounts = try AccountStore(database, options: AccountStore.Options(), random: random)
    } catch { throw ServerError.database(path: path, error) }
    defer { accounts.close() }
    do { return try body(accounts) } catch AccountError.storage(let error) {
      throw ServerError.database(path: path, error)
    }
  }
}
#endif
