#if Sync
internal import NIOCore
internal import NIOSSL

/// The client's end of an encrypted connection: TLS 1.2 or later, with a server that proves the name
/// or address under which it was asked for.
struct TLSClient: Sendable {
  /// How long the other end may take to say that it has heard of the end of a connection.
  static let shutdownTimeout = TimeAmount.milliseconds(500)

  private let address: ServerAddress
  private let context: NIOSSLContext

  /// Nil for an address without TLS.
  ///
  /// Blocks for the moment in which the certificates of the authorities are read.
  ///
  /// - Throws: `.tls` when they cannot be.
  init?(_ address: ServerAddress, _ trust: ServerTrust) throws(TransportError) {
    guard address.isSecure else { return nil }
    self.address = address
    switch trust {
    case .system:
      guard let system = Self.systemContext else { throw .tls(.noSystemAuthorities, address) }
      context = system
    case .authorities(let path):
      do throws(CertificateError) {
        let certificates = try PEMFile(path).certificates()
        guard let loaded = Self.context(.certificates(certificates)) else {
          throw .noCertificate(path: path)
        }
        context = loaded
      } catch { throw .tls(.authorities(error), address) }
    }
  }

  /// Read once: the system has more than a hundred authorities.
  private static let systemContext = context(.default)

  private static func context(_ roots: NIOSSLTrustRoots) -> NIOSSLContext? {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.shutdownTimeout = shutdownTimeout
    configuration.trustRoots = roots
    return try? NIOSSLContext(configuration: configuration)
  }

  /// Encrypts what handlers that are added later send and receive; `TransportError.tls` reaches them
  /// when that fails.
  func secure(_ channel: any Channel) throws {
    let isName = (try? SocketAddress(ipAddress: address.host, port: 0)) == nil
    // Of an address, the one that the channel is connected to is compared with the certificate.
    let handler = try NIOSSLClientHandler(
      context: context, serverHostname: isName ? address.host : nil)
    try channel.pipeline.syncOperations.addHandlers([
      handler, TLSFailureHandler(handler, address),
    ])
  }
}

/// Says what the errors of a handshake mean.
private final class TLSFailureHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let handler: NIOSSLClientHandler
  private let address: ServerAddress

  init(_ handler: NIOSSLClientHandler, _ address: ServerAddress) {
    self.handler = handler
    self.address = address
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let failure = TLSFailure(error) {
      // The certificate is known as soon as it has come, before it is found good.
      guard let certificate = handler.peerCertificate else { return nil }
      let start = Int64(certificate.notValidBefore)
      return start..<max(start, Int64(certificate.notValidAfter))
    }
    context.fireErrorCaught(failure.map { TransportError.tls($0, address) } ?? error)
  }
}
#endif
