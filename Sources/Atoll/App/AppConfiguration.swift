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
  /// How long an attempt to connect may take, from the name of the host to the open connection; nil:
  /// 30 000.
  public let connectTimeout: UInt?
  /// Kept for sources that set it, without effect.
  ///
  /// It keeps a connection that several sessions share open for the next one. Here each session has
  /// a connection of its own, which ends with it, once all that was written is at the server.
  public let connectionLingerTime: UInt?
  /// After how long without a message from the server, or to it, the device pings it; nil: 20 000.
  public let pingKeepalivePeriod: UInt?
  /// How long the answer to a ping may take; nil: 10 000.
  ///
  /// A connection on which nothing has come for this time and `pingKeepalivePeriod` together ends as
  /// dead, and is made again.
  public let pongKeepaliveTimeout: UInt?
  /// Kept for sources that set it, without effect.
  ///
  /// It lets a session that reconnects sooner upload without waiting for the download first. Here no
  /// upload waits for a download.
  public let fastReconnectLimit: UInt?

  static let defaultPingKeepalivePeriod: UInt = 20_000
  static let defaultPongKeepaliveTimeout: UInt = 10_000

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
