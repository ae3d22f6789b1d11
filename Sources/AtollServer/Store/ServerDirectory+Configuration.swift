#if Sync
internal import AtollObjects

extension ServerDirectory {
  /// No configuration is longer, in bytes.
  private static let configurationByteLimit = 4 << 20

  /// The configuration of a folder; nil when it has none.
  ///
  /// `path`: another file than `server.yaml` in the folder, which must be there.
  ///
  /// - Throws: `.configuration` for a file that cannot be read or is none; `.system`.
  package static func configuration(
    of folder: String, at path: String?
  ) throws(ServerError) -> ServerConfiguration? {
    // A path that is no folder is reported when it is opened.
    if path == nil, try FolderCalls.kind(of: folder) != .folder { return nil }
    let file = path ?? "\(folder)/\(configurationName)"
    guard let bytes = try FolderCalls.read(file, byteLimit: configurationByteLimit + 1) else {
      guard path != nil else { return nil }
      throw .configuration(ConfigurationError(path: file, line: nil, "there is no such file"))
    }
    guard bytes.count <= configurationByteLimit, let text = String(validating: bytes, as: UTF8.self)
    else {
      throw .configuration(
        ConfigurationError(
          path: file, line: nil,
          "a configuration is a text in UTF-8 of at most \(configurationByteLimit) bytes"))
    }
    do throws(ConfigurationError) {
      return try ServerConfiguration(yaml: text, path: file)
    } catch { throw .configuration(error) }
  }

  /// A configuration to begin with, which has the classes and the app of a folder, if it is a
  /// server's.
  package static func exampleConfiguration(of folder: String) throws(ServerError) -> String {
    var classes: [ClassSchema] = []
    var app: String?
    let isStarting = try isStarting(folder)
    let store = "\(folder)/\(storeName)"
    let accounts = "\(folder)/\(accountsName)"
    if try FolderCalls.kind(of: store) != .nothing {
      classes = try reading(store, isStarting) { snapshot in snapshot.schema.classes }
    }
    if try FolderCalls.kind(of: accounts) != .nothing {
      app = try reading(accounts, isStarting) { snapshot throws(ObjectError) in
        try AccountStore.app(in: snapshot)
      }
    }
    return ConfigurationPrinter.text(classes: classes, app: app)
  }

  private static func reading<Result>(
    _ path: String, _ isStarting: Bool, _ body: (Snapshot) throws(ObjectError) -> Result
  ) throws(ServerError) -> Result {
    let database = try open(path, isMaking: isStarting)
    do throws(ObjectError) { return try body(try database.snapshot()) } catch {
      throw .database(path: path, error)
    }
  }
}
#endif
