extension AppCore {
  /// The way to the server.
  ///
  /// - Throws: `AppError` when the address makes no sense.
  func service() throws -> any AppService {
    #if Sync
    try HTTPService(configuration, appID: id)
    #else
    NoService()
    #endif
  }
}
