#if Sync
internal import AtollSync

extension ServerConfiguration {
  /// The keys of `server` that are bounds.
  static let boundNames = ["heldBytes", "heldBytesPerHost", "freeDiskBytes", "turn"]

  /// Reads what all users together may take; what is not named stays as it is by default.
  ///
  /// `server`: the values of the section.
  static func bounds(
    _ server: [String: ConfigurationNode]?
  ) throws(ConfigurationError) -> ServerBounds {
    var bounds = ServerBounds()
    func set(
      _ name: String, _ property: WritableKeyPath<ServerBounds, Int>, least: Int
    ) throws(ConfigurationError) {
      guard let node = server?[name] else { return }
      bounds[keyPath: property] = try node.byteCount("server.\(name)", least: least)
    }
    // With less, the largest message would never be accepted.
    try set("heldBytes", \.heldByteLimit, least: ServerOptions.messageByteLimit)
    try set("heldBytesPerHost", \.heldByteLimitOfHost, least: ServerOptions.messageByteLimit)
    try set("freeDiskBytes", \.reserveByteCount, least: 0)
    bounds.work = try work(server?["turn"])
    return bounds
  }

  private static func work(_ node: ConfigurationNode?) throws(ConfigurationError) -> WorkLimits {
    var work = WorkLimits()
    let parts: [(name: String, property: WritableKeyPath<WorkLimits, UInt64>)] = [
      ("messages", \.messages), ("changes", \.changes), ("sending", \.stream),
      ("connection", \.connection), ("transaction", \.judgement), ("object", \.object),
    ]
    let values = try node?.values(of: "server.turn", parts.map(\.name))
    for part in parts {
      guard let node = values?[part.name] else { continue }
      // A turn of more than five seconds counts as a failure of the server.
      let time = try node.milliseconds("server.turn.\(part.name)", in: 1...1_000)
      work[keyPath: part.property] = UInt64(time) * 1_000_000
    }
    return work
  }
}
#endif
