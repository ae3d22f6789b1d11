#if Sync
internal import Crypto

extension SymmetricKey {
  /// A copy of the key's bytes.
  var byteArray: [UInt8] {
    // SAFETY: the bytes are copied while the key lends them.
    unsafe withUnsafeBytes { unsafe Array($0) }
  }
}
#endif
