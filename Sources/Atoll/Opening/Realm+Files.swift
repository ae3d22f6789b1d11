internal import AtollObjects
internal import AtollStorage
public import Foundation

extension Realm {
  private func checkOwner(ofCopy configuration: Configuration) throws {
    guard let sync = configuration.syncConfiguration else { return }
    guard let own = context.configuration.syncConfiguration else {
      throw Error(
        .incompatibleHistories,
        "a realm without synchronisation cannot be copied to the file of a synced one, which the "
          + "server knows nothing of; open the synced realm and create the objects in it",
        fileURL: configuration.fileURL)
    }
    guard SyncOwner(own) == SyncOwner(sync) else {
      throw Error(
        .incompatibleSession,
        "the copy of a synced realm belongs to the same user, app and partition; open the realm of "
          + "the other one and create the objects in it", fileURL: configuration.fileURL)
    }
  }

  /// Writes a compact copy of what the realm holds to a new file.
  ///
  /// - Parameters:
  ///   - fileURL: A file that does not exist.
  ///   - encryptionKey: 64 bytes to encrypt the copy with; nil for a copy that is not encrypted.
  /// - Throws: `Realm.Error` with the code `fileExists`, and others of writing a file.
  public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
    context.checkConfinement()
    if let encryptionKey, encryptionKey.count != 64 {
      throw Error(.invalidInput, "an encryption key has 64 bytes, and not \(encryptionKey.count)")
    }
    if context.transaction != nil {
      throw Error(.fail, "a realm cannot be copied in a write")
    }
    do {
      try context.file.database.writeCompactCopy(
        to: fileURL.path, encryption: encryptionKey.map { .key([UInt8]($0)) } ?? .none)
    } catch {
      throw Error(error, fileURL: fileURL)
    }
  }

  /// Writes a compact copy of what the realm holds to the file of another configuration.
  ///
  /// - Throws: `Realm.Error`; `incompatibleHistories` for the copy of a local realm as a synced
  ///   one, and `incompatibleSession` for a copy as the file of another user, app or partition:
  ///   neither could be opened.
  public func writeCopy(configuration: Realm.Configuration) throws {
    guard let fileURL = configuration.fileURL else {
      throw Error(.invalidInput, "a copy needs the URL of a file")
    }
    try configuration.check()
    try checkOwner(ofCopy: configuration)
    try writeCopy(toFile: fileURL, encryptionKey: configuration.encryptionKey)
  }
}
