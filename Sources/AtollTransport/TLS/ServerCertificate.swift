#if Sync
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The certificate and the key of a server, in files that may be replaced while it runs.
///
/// Connections use what was last loaded when they began.
package final class ServerCertificate: Sendable {
  private let certificatePath: String
  private let keyPath: String
  private let context: Mutex<NIOSSLContext>

  /// Loads both.
  ///
  /// - Parameters:
  ///   - certificate: The path of a PEM file with the server's certificate, and then those that lead
  ///     from it to an authority.
  ///   - key: The path of a PEM file with the key of the first.
  /// - Throws: What is wrong with which file.
  package init(certificate: String, key: String) throws(CertificateError) {
    certificatePath = certificate
    keyPath = key
    context = Mutex(try Self.load(certificate, key))
  }

  /// Loads both again, for new connections; nothing changes when it throws.
  package func reload() throws(CertificateError) {
    let loaded = try Self.load(certificatePath, keyPath)
    context.withLock { $0 = loaded }
  }

  private static func load(
    _ certificate: String, _ key: String
  ) throws(CertificateError) -> NIOSSLContext {
    let chain = try PEMFile(certificate).certificates()
    let privateKey = try PEMFile(key).key()
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    configuration.shutdownTimeout = TLSClient.shutdownTimeout
    do { return try NIOSSLContext(configuration: configuration) } catch {
      throw .otherKey(certificate: certificate, key: key)
    }
  }

  /// Encrypts what handlers that are added later send and receive.
  func secure(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.addHandler(
      NIOSSLServerHandler(context: context.withLock { $0 }))
  }
}
#endif
