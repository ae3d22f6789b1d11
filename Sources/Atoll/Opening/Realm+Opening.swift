public import Foundation

extension Realm {
  /// Opens the realm of the default configuration.
  ///
  /// - Parameter queue: A serial queue that the realm is confined to; nil for the current thread.
  /// - Throws: `Realm.Error`.
  public init(queue: DispatchQueue? = nil) throws {
    try self.init(configuration: .defaultConfiguration, queue: queue)
  }

  /// Opens the realm of a configuration.
  ///
  /// - Throws: `Realm.Error`.
  public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
    self.init(try RealmOpening(configuration, Self.confinement(to: queue)).context())
  }

  private static func confinement(to queue: DispatchQueue?) throws -> Confinement {
    guard let queue else { return .current }
    guard let confinement = Confinement(queue: queue) else {
      throw Error(
        .fail, "a realm for the queue '\(queue.label)' is opened on that queue, and not elsewhere")
    }
    return confinement
  }

  /// Opens another file with the default configuration.
  public init(fileURL: URL) throws {
    var configuration = Configuration.defaultConfiguration
    configuration.fileURL = fileURL
    try self.init(configuration: configuration)
  }

  /// The configuration that the realm was opened with.
  public var configuration: Configuration { context.configuration }
}
