internal import AtollObjects
internal import AtollStorage
internal import Foundation

extension Realm {
  /// Whether the file of a configuration exists.
  public static func fileExists(for config: Configuration) -> Bool {
    guard case .file(let path)? = try? config.fileIdentity() else { return false }
    return FileManager.default.fileExists(atPath: path)
  }

  /// Deletes the file of a configuration and what lies beside it.
  ///
  /// - Returns: false when there was nothing to delete.
  /// - Throws: `Realm.Error` with the code `alreadyOpen` when the file is open.
  @discardableResult
  public static func deleteFiles(for config: Configuration) throws -> Bool {
    guard case .file(let path) = try config.fileIdentity() else { return false }
    guard FileManager.default.fileExists(atPath: path) else { return false }
    if try SharedFile.existing(config) != nil || isUsedElsewhere(path, config) {
      throw Error(
        .alreadyOpen, "the file cannot be deleted while it is open", fileURL: config.fileURL)
    }
    PosixFile.removeDatabase(path)
    return true
  }

  /// Whether another process has the file open, as far as that can be told.
  private static func isUsedElsewhere(_ path: String, _ config: Configuration) -> Bool {
    let options = Database.Options(mode: .readWrite, encryptionKey: config.keyBytes)
    // A file that cannot be opened is in no use.
    guard let database = try? Database.open(path, options: options) else { return false }
    defer { try? database.close() }
    return (try? database.status().otherProcesses.isEmpty) == false
  }
}
