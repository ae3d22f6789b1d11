internal import Crypto
internal import Foundation

/// The key of an encrypted file, as the application keeps it.
///
/// 64 random bytes as users of Realm have them, or 32.
package struct EncryptionKey: Sendable, CustomReflectable {
  package let bytes: [UInt8]

  /// Throws `.encryption(…, .keyByteCount)` when the key has neither 32 nor 64 bytes; `path` is the
  /// file that it is meant for.
  package init(_ bytes: [UInt8], path: String) throws(StorageError) {
    guard bytes.count == 32 || bytes.count == 64 else {
      throw .encryption(path: path, .keyByteCount(bytes.count))
    }
    self.bytes = bytes
  }

  /// Printed without its bytes.
  package var customMirror: Mirror { Mirror(self, children: ["byteCount": bytes.count]) }
}

/// Encrypts what a page or a header slot holds, and detects changes.
///
/// AES-256 in Galois/counter mode (NIST SP 800-38D). What stands in the clear before the
/// encrypted bytes is authenticated with them, so a page is only accepted at its own block, with
/// its own kind, tree and transaction. Normative text: Format.md, "Encryption".
///
/// Each file has keys of its own, made from the application's key and the file's id by HKDF with
/// SHA-256 (RFC 5869): no two files that were made share a key; a copy of a file does.
///
/// The nonce is made from all that is encrypted or authenticated: a hash of the plain bytes under a
/// key (GMAC, NIST SP 800-38D), and of that and the clear bytes the beginning of HMAC with SHA-256
/// (RFC 2104). So it repeats only where everything else does, also when a crash or a restored
/// backup makes a transaction of the same number write other bytes to the same block; and the same
/// slot always has the same bytes, on which the rules about torn slots rest. A counter would repeat
/// after a restored backup; a random number would do for pages, not for slots. HMAC over the whole
/// page would do, at three times the cost: a universal hash under a secret key is enough before a
/// pseudorandom function (Wegman and Carter, 1981).
package struct PageCipher: Sendable {
  /// Bytes that encryption adds: a nonce before the encrypted bytes, a tag behind them.
  package static let addedByteCount = nonceByteCount + tagByteCount
  private static let nonceByteCount = 12
  private static let tagByteCount = 16

  private let key: SymmetricKey
  private let hashKey: SymmetricKey
  /// Keyed and without input; a copy hashes, since keying takes as long as hashing a page.
  private let nonceHash: HMAC<SHA256>

  /// The keys of the file with this id.
  package init(_ key: EncryptionKey, fileID: [UInt8]) {
    func derived(_ purpose: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: key.bytes), salt: fileID, info: Array(purpose.utf8),
        outputByteCount: 32)
    }
    self.key = derived("Atoll 1 page")
    hashKey = derived("Atoll 1 hash")
    nonceHash = HMAC(key: derived("Atoll 1 nonce"))
  }

  /// Writes nonce, encrypted bytes and tag of `plain` into `target`, from `offset` on.
  ///
  /// `clear`: what stands before them in the file as it is.
  func seal(_ plain: ByteView, after clear: ByteView, into target: PageBuffer, at offset: Int) {
    // SAFETY: the views outlive the calls, which keep nothing; the last slice lies in the target.
    let plainBytes = unsafe plain.unsafeBytes
    let clearBytes = unsafe clear.unsafeBytes
    do {
      let box = try unsafe AES.GCM.seal(
        plainBytes, using: key, nonce: nonce(plainBytes, after: clearBytes),
        authenticating: clearBytes)
      guard let combined = box.combined else {
        preconditionFailure("a box with a nonce of 96 bits has one representation")
      }
      let end = offset + Self.addedByteCount + plain.count
      unsafe combined.copyBytes(
        to: UnsafeMutableRawBufferPointer(rebasing: target.unsafeBytes[offset..<end]))
    } catch {
      preconditionFailure("a key of 256 bits and a nonce of 96 encrypt any page: \(error)")
    }
  }

  private func nonce(_ plain: UnsafeRawBufferPointer, after clear: UnsafeRawBufferPointer) throws
    -> AES.GCM.Nonce
  {
    // One nonce for all is right here: the tags are secret, as only what HMAC makes of them is
    // stored.
    let plainHash = try unsafe AES.GCM.seal(
      [UInt8](), using: hashKey,
      nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: Self.nonceByteCount)),
      authenticating: plain
    ).tag
    var hash = nonceHash
    hash.update(data: plainHash)
    unsafe hash.update(data: clear)
    return try AES.GCM.Nonce(data: Array(hash.finalize().prefix(Self.nonceByteCount)))
  }

  /// What `sealed` holds; nil when it, or what stands before it, was made with another key or
  /// changed.
  package func open(_ sealed: ByteView, after clear: ByteView) -> PageBuffer? {
    guard sealed.count >= Self.addedByteCount else { return nil }
    // SAFETY: the views outlive the calls, which keep nothing.
    let sealedBytes = unsafe sealed.unsafeBytes
    let clearBytes = unsafe clear.unsafeBytes
    guard let box = try? unsafe AES.GCM.SealedBox(combined: sealedBytes),
      let plain = try? unsafe AES.GCM.open(box, using: key, authenticating: clearBytes)
    else { return nil }
    let buffer = PageBuffer(byteCount: plain.count, zeroed: false)
    unsafe plain.copyBytes(to: buffer.unsafeBytes)
    return buffer
  }
}
