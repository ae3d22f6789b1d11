extension AppCore {
  /// The way to the server; `milliseconds` is the longest wait for an answer where that is less
  /// than the configuration's.
  ///
  /// - Throws: `AppError` when the address makes no sense.
  func service(waitingAtMost milliseconds: Int? = nil) throws -> any AppService {
    if let substitute { return substitute }
    #if Sync
    return try HTTPService(configuration, appID: id, waitingAtMost: milliseconds)
    #else
    return NoService()
    #endif
  }
}
