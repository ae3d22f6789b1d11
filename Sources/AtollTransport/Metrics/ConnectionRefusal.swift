#if Sync
/// Why a connection was refused.
package enum ConnectionRefusal: String, CaseIterable, Hashable, Sendable {
  /// There are as many as there may be, and all are in use.
  case full
  /// The host has as many as one host may have, and all are in use.
  case host
}
#endif
