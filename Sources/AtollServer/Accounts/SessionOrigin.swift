#if Sync
/// What a log-in rests on: it ends when the server does not take that any more.
package enum SessionOrigin: Equatable, Sendable {
  case anonymous
  case password
  /// `digest`: that of the key; nil for a log-in that an older server began, which rests on any key
  /// of the name.
  case key(name: String, digest: String?)
  /// `issuer`: the fingerprint of the service; nil for a log-in that an older server began, which
  /// rests on any service.
  case token(issuer: String?)

  /// The provider in requests, and in the names of identities.
  package var provider: String {
    switch self {
    case .anonymous: "anon-user"
    case .password: "local-userpass"
    case .key: "api-key"
    case .token: "custom-token"
    }
  }

  /// The form in which it is stored.
  var text: String {
    switch self {
    case .anonymous, .password: provider
    // The name comes last, as it may have colons.
    case .key(let name, let digest): "\(provider):\(digest ?? ""):\(name)"
    case .token(let issuer): "\(provider):\(issuer ?? "")"
    }
  }

  /// Reads the stored form; nil for what is none.
  init?(text: String) {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    func named(_ part: Substring) -> String? { part.isEmpty ? nil : String(part) }
    switch (parts[0], parts.count) {
    case ("anon-user", 1): self = .anonymous
    case ("local-userpass", 1): self = .password
    case ("api-key", 3): self = .key(name: String(parts[2]), digest: named(parts[1]))
    case ("custom-token", 2): self = .token(issuer: named(parts[1]))
    default: return nil
    }
  }

  /// What a log-in rests on that an older server began, by the name of an identity of its user; nil
  /// for a user who has none.
  init(identity name: String?) {
    let parts = name?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) ?? []
    switch (parts.first, parts.count) {
    case ("local-userpass", _): self = .password
    case ("api-key", 2): self = .key(name: String(parts[1]), digest: nil)
    case ("custom-token", _): self = .token(issuer: nil)
    default: self = .anonymous
    }
  }
}
#endif
