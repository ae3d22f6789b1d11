internal import Foundation

/// Where an app's server is, and how long to wait for it.
public final class AppConfiguration: Sendable {
  /// The server's address, `http://HOST:PORT`.
  ///
  /// Nil: the environment variable `ATOLL_BASE_URL`, else `http://127.0.0.1:9090`, where
  /// `atoll serve` listens.
  public let baseURL: String?
  /// The milliseconds after which a log-in or registration gives up; nil: 60 000.
  public let defaultRequestTimeoutMS: UInt?
  /// Kept for sources that set it: each synced file has a connection of its own.
  public let enableSessionMultiplexing: Bool?
  /// Time limits of the connections of synced files; nil for the defaults.
  public let syncTimeouts: SyncTimeoutOptions?

  /// The address for apps that name none.
  public static let defaultBaseURL = "http://127.0.0.1:9090"

  /// Describes a server; nil stands for the default of a setting.
  public init(
    baseURL: String? = nil, defaultRequestTimeoutMS: UInt? = nil,
    enableSessionMultiplexing: Bool? = nil, syncTimeouts: SyncTimeoutOptions? = nil
  ) {
    self.baseURL = baseURL
    self.defaultRequestTimeoutMS = defaultRequestTimeoutMS
    self.enableSessionMultiplexing = enableSessionMultiplexing
    self.syncTimeouts = syncTimeouts
  }

  /// The address in force.
  var serverURL: String {
    baseURL ?? ProcessInfo.processInfo.environment["ATOLL_BASE_URL"] ?? Self.defaultBaseURL
  }
}

/// Time limits of a connection, in milliseconds; nil leaves the default.
public final class SyncTimeoutOptions: Sendable {
  /// How long an attempt to connect may take.
  public let connectTimeout: UInt?
  /// How long a connection stays open after its last session has ended.
  public let connectionLingerTime: UInt?
  /// The pause between two pings.
  public let pingKeepalivePeriod: UInt?
  /// How long an answer to a ping may take.
  public let pongKeepaliveTimeout: UInt?
  /// How soon after a disconnection a connection counts as the same.
  public let fastReconnectLimit: UInt?

  public init(
    connectTimeout: UInt? = nil, connectionLingerTime: UInt? = nil,
    pingKeepalivePeriod: UInt? = nil, pongKeepaliveTimeout: UInt? = nil,
    fastReconnectLimit: UInt? = nil
  ) {
    self.connectTimeout = connectTimeout
    self.connectionLingerTime = connectionLingerTime
    self.pingKeepalivePeriod = pingKeepalivePeriod
    self.pongKeepaliveTimeout = pongKeepaliveTimeout
    self.fastReconnectLimit = fastReconnectLimit
  }
}
