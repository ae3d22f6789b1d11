#if Sync
internal import NIOSSL

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A file with certificates or a key in PEM form.
struct PEMFile {
  let path: String
  private let bytes: [UInt8]

  init(_ path: String) throws(CertificateError) {
    self.path = path
    do { bytes = try Array(Data(contentsOf: URL(filePath: path))) } catch {
      let isMissing = (error as? CocoaError)?.code == .fileReadNoSuchFile
      throw isMissing ? .missing(path: path) : .unreadable(path: path)
    }
  }

  func certificates() throws(CertificateError) -> [NIOSSLCertificate] {
    do { return try NIOSSLCertificate.fromPEMBytes(bytes) } catch {
      throw .noCertificate(path: path)
    }
  }

  func key() throws(CertificateError) -> NIOSSLPrivateKey {
    // Otherwise the library would ask for the passphrase on the terminal.
    guard bytes.firstRange(of: Array("ENCRYPTED".utf8)) == nil else {
      throw .encryptedKey(path: path)
    }
    do { return try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch {
      throw .noKey(path: path)
    }
  }
}
#endif
