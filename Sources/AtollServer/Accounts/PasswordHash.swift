#if Sync
internal import Crypto
internal import CryptoExtras

/// The stored form of a password: scrypt (RFC 7914) with a salt.
struct PasswordHash: Equatable, Sendable {
  /// How much work a hash is; kept with it, so that it can grow.
  struct Cost: Equatable, Sendable {
    /// The logarithm of scrypt's N; memory is 1 KiB × 2^`logRounds`.
    var logRounds: Int

    /// 32 MiB, about a tenth of a second.
    static let normal = Cost(logRounds: 15)
    /// For tests: next to nothing.
    static let least = Cost(logRounds: 4)

    /// Whether a hash of this cost may be computed.
    var isSane: Bool { 1...20 ~= logRounds }
  }

  static let saltByteCount = 16
  static let hashByteCount = 32

  let cost: Cost
  let salt: [UInt8]
  let hash: [UInt8]

  /// The hash as it was stored; nil when it cannot be one.
  init?(cost: Cost, salt: [UInt8], hash: [UInt8]) {
    guard cost.isSane, salt.count == Self.saltByteCount, hash.count == Self.hashByteCount else {
      return nil
    }
    self.cost = cost
    self.salt = salt
    self.hash = hash
  }

  /// Hashes a new password; nil when the system has no memory for it.
  init?(_ password: String, cost: Cost, random: () -> UInt64) {
    let salt = (0..<Self.saltByteCount).map { _ in UInt8(truncatingIfNeeded: random() >> 32) }
    guard let key = Self.derive(password, cost, salt) else { return nil }
    self.cost = cost
    self.salt = salt
    hash = key.byteArray
  }

  /// A hash without a known password; verifying it takes as long.
  static func decoy(cost: Cost, random: () -> UInt64) -> PasswordHash? {
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8(truncatingIfNeeded: random() >> 32) }
    }
    return PasswordHash(cost: cost, salt: bytes(saltByteCount), hash: bytes(hashByteCount))
  }

  /// Whether `password` is the one; takes as long for any other.
  func matches(_ password: String) -> Bool {
    // The comparison of keys takes the same time wherever they differ.
    Self.derive(password, cost, salt) == SymmetricKey(data: hash)
  }

  private static func derive(_ password: String, _ cost: Cost, _ salt: [UInt8]) -> SymmetricKey? {
    try? KDF.Scrypt.deriveKey(
      from: Array(password.utf8), salt: salt, outputByteCount: hashByteCount,
      rounds: 1 << cost.logRounds, blockSize: 8, parallelism: 1)
  }
}
#endif
