/// The secure hash of FIPS 180-4, to compare long answers by.
enum SHA256 {
  static func hexadecimal(_ message: [UInt8]) -> String {
    var state: [UInt32] = [
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
      0x5be0_cd19,
    ]
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      padded.append(UInt8(truncatingIfNeeded: (UInt64(message.count) * 8) >> UInt64(shift)))
    }
    for start in stride(from: 0, to: padded.count, by: 64) {
      var words = (0..<16).map { index in
        padded[(start + index * 4)..<(start + index * 4 + 4)].reduce(UInt32(0)) {
          $0 << 8 | UInt32($1)
        }
      }
      for index in 16..<64 {
        let a = words[index - 15]
        let b = words[index - 2]
        let x = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3
        let y = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10
        words.append(words[index - 16] &+ x &+ words[index - 7] &+ y)
      }
      var v = state
      for index in 0..<64 {
        let s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)
        let choice = v[4] & v[5] ^ ~v[4] & v[6]
        let first = v[7] &+ s1 &+ choice &+ constants[index] &+ words[index]
        let s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)
        let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]
        v = [first &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
      }
      for index in 0..<8 { state[index] = state[index] &+ v[index] }
    }
    return state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = {
    var constants: [UInt32] = []
    var candidate = 2
    while constants.count < 64 {
      if (2..<candidate).allSatisfy({ candidate % $0 != 0 }) {
        // The largest number whose cube does not pass the prime times 2^96: 32 bits of fraction.
        let wanted = UInt128(candidate) << 96
        var root: UInt128 = 0
        for bit in stride(from: 34, through: 0, by: -1) {
          let next = root | 1 << UInt128(bit)
          if next * next * next <= wanted { root = next }
        }
        constants.append(UInt32(truncatingIfNeeded: root))
      }
      candidate += 1
    }
    return constants
  }()
}
