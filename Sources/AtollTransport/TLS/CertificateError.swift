#if Sync
/// Why certificates or a key cannot be used.
package enum CertificateError: Error, Hashable, Sendable {
  case missing(path: String)
  case unreadable(path: String)
  /// No certificate in PEM form is in the file, or one that cannot be decoded.
  case noCertificate(path: String)
  /// No private key in PEM form is in the file.
  case noKey(path: String)
  /// The key is encrypted with a passphrase.
  case encryptedKey(path: String)
  /// The key is not that of the first certificate.
  case otherKey(certificate: String, key: String)
}

extension CertificateError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing(let path): "there is no file '\(path)'"
    case .unreadable(let path): "'\(path)' cannot be read; see its permissions"
    case .noCertificate(let path):
      "'\(path)' has no certificate in PEM form (-----BEGIN CERTIFICATE-----)"
    case .noKey(let path):
      "'\(path)' has no private key in PEM form (-----BEGIN PRIVATE KEY-----)"
    case .encryptedKey(let path):
      "the key in '\(path)' is encrypted; decrypt it (openssl pkey -in FILE -out FILE) and let only "
        + "the server's user read it"
    case .otherKey(let certificate, let key):
      "the key in '\(key)' is not that of the certificate in '\(certificate)', which has to be the "
        + "first of the file"
    }
  }
}
#endif
