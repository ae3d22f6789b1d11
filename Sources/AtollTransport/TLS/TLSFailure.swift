#if Sync
internal import AtollObjects
internal import AtollStorage
internal import NIOSSL

/// Why a connection is not encrypted, or not with the server that was meant.
package enum TLSFailure: Hashable, Sendable {
  // The certificate of the server.

  /// It is for other names.
  case otherName
  /// It was good until then, in seconds since 1970.
  case expired(seconds: Int64)
  /// It is good from then on, in seconds since 1970: or the clock of this machine is wrong.
  case notYetValid(seconds: Int64)
  /// None of the authorities that are trusted has signed it.
  case unknownAuthority

  /// What answers does not speak TLS.
  case noTLS
  /// The two ends found no common way, or the other one ended the handshake.
  case handshake(String)

  // The authorities of this machine.

  case authorities(CertificateError)
  case noSystemAuthorities
}

extension TLSFailure {
  /// What an error of a handshake means; nil for an error of another kind.
  ///
  /// - Parameters:
  ///   - error: An error that a channel has caught.
  ///   - validity: When the server's certificate is good, in seconds since 1970; nil when none has
  ///     come.
  init?(_ error: any Error, validity: () -> Range<Int64>?) {
    switch error {
    case let error as NIOSSLExtraError where error == .failedToValidateHostname: self = .otherName
    case let error as NIOSSLExtraError: self = .handshake("\(error)")
    case NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate:
      self = .unknownAuthority
    case NIOSSLError.handshakeFailed(let reason):
      let text = "\(reason)"
      if text.contains("CERTIFICATE_VERIFY_FAILED") {
        self = Self.verification(validity())
      } else if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
        self = .noTLS
      } else {
        self = .handshake(Self.reason(in: text))
      }
    default: return nil
    }
  }

  private static func verification(_ validity: Range<Int64>?) -> TLSFailure {
    let now = Int64(clamping: SystemCalls.millisecondsSince1970() / 1_000)
    if let validity, now >= validity.upperBound { return .expired(seconds: validity.upperBound) }
    if let validity, now < validity.lowerBound { return .notYetValid(seconds: validity.lowerBound) }
    return .unknownAuthority
  }

  /// The word that BoringSSL has for an error: `… OPENSSL_internal:WORD at FILE…`.
  private static func reason(in text: String) -> String {
    guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else {
      return text.contains("EOF") ? "the other end has closed the connection" : text
    }
    return String(text[start...].prefix { $0 != " " })
  }

  func description(of address: ServerAddress) -> String {
    let (host, authority) = (address.host, address.authority)
    return switch self {
    case .otherName:
      "the certificate of \(authority) is not for the name '\(host)'; use a name that is in it"
    case .expired(let seconds):
      "the certificate of \(authority) has expired\(Self.time(" at ", seconds)); its operator has to "
        + "renew it"
    case .notYetValid(let seconds):
      "the certificate of \(authority) is not valid before\(Self.time(" ", seconds)); see the clock of "
        + "this machine"
    case .unknownAuthority:
      "the certificate of \(authority) is signed by an unknown authority; name that with "
        + "AppConfiguration(certificateAuthority:) if you trust it"
    case .noTLS:
      "what listens at \(authority) does not encrypt; use http:// (or ws://) if you trust the network, "
        + "or start the server with --certificate and --key"
    case .handshake(let reason): "no encrypted connection with \(authority): \(reason)"
    case .authorities(let error): "no authority can be trusted: \(error)"
    case .noSystemAuthorities:
      "the authorities that this system trusts cannot be read; install them (ca-certificates), or "
        + "name one with AppConfiguration(certificateAuthority:)"
    }
  }

  private static func time(_ before: String, _ seconds: Int64) -> String {
    Timestamp(seconds: seconds, nanoseconds: 0).map { before + $0.description } ?? ""
  }
}
#endif
