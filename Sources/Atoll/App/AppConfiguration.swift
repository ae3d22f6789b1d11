public import Foundation

#if Sync
internal import AtollTransport
#endif

/// Where an app's server is, and how long to wait for it.
public final class AppConfiguration: Sendable {
  /// The server's address, `https://HOST:PORT`, or `http://HOST:PORT` for a server without TLS; the
  /// port is 9090 if it is left out.
  ///
  /// With `https` the server has to show a certificate for the name or address of the host that
  /// `certificateAuthority` or one of the system's authorities has signed. Nil: the environment
  /// variable `ATOLL_BASE_URL`, else `http://127.0.0.1:9090`, where `atoll serve` listens.
  public let baseURL: String?
  /// The milliseconds after which a log-in or registration gives up; nil: 60 000.
  public let defaultRequestTimeoutMS: UInt?
  /// Kept for sources that set it: each synced file has a connection of its own.
  public let enableSessionMultiplexing: Bool?
  /// Time limits of the connections of synced files; nil for the defaults.
  public let syncTimeouts: SyncTimeoutOptions?
  /// A PEM file with the authorities of which one has signed the server's certificate, or with that
  /// certificate if it is self-signed; nil: those that the system trusts.
  ///
  /// With a file, the system's authorities are not accepted. Without `https` it has no effect.
  public let certificateAuthority: URL?

  /// The address for apps that name none.
  public static let defaultBaseURL = "http://127.0.0.1:9090"

  /// Describes a server; nil stands for the default of a setting.
  public init(
    baseURL: String? = nil, defaultRequestTimeoutMS: UInt? = nil,
    enableSessionMultiplexing: Bool? = nil, syncTimeouts: SyncTimeoutOptions? = nil,
    certificateAuthority: URL? = nil
  ) {
    self.baseURL = baseURL
    self.defaultRequestTimeoutMS = defaultRequestTimeoutMS
    self.enableSessionMultiplexing = enableSessionMultiplexing
    self.syncTimeouts = syncTimeouts
    self.certificateAuthority = certificateAuthority
  }

  /// The address in force.
  var serverURL: String {
    baseURL ?? ProcessInfo.processInfo.environment["ATOLL_BASE_URL"] ?? Self.defaultBaseURL
  }

  #if Sync
  /// Whose certificates are accepted.
  var trust: ServerTrust {
    certificateAuthority.map { .authorities(path: $0.path(percentEncoded: false)) } ?? .system
  }
  #endif
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
