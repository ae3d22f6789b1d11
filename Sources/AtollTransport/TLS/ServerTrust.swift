#if Sync
/// Whose signature under the certificate of a server a client accepts.
package enum ServerTrust: Hashable, Sendable {
  /// The authorities that the system trusts.
  case system
  /// Those in a PEM file, and no others.
  case authorities(path: String)
}
#endif
