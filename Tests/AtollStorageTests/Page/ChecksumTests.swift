import AtollStorage
import TestThreads
import Testing

@Suite(.computing) struct ChecksumTests {
  /// From the reference implementation, over bytes that count up in steps of 31 from `byteCount`.
  @Test(
    arguments: [
      (0, 0xEF46_DB37_51D8_E999), (1, 0x8A41_2781_1B21_E730), (3, 0x9E17_4254_6614_A101),
      (4, 0xCE14_8D42_B72F_8212), (7, 0xAFBE_FC3D_6C6F_9A8E), (8, 0xC1AC_0B4C_0C6B_163C),
      (11, 0xAB63_E0ED_8457_89C4), (12, 0x06D1_591A_7217_A900), (15, 0x0E42_5E51_CE39_6EBC),
      (31, 0xD72F_E64B_9A02_49A9), (32, 0xEAD3_E484_21AB_C24E), (33, 0x3294_30E2_4A21_D359),
      (39, 0xEE0D_E68E_9FBC_2816), (44, 0xEF5D_ADA8_58B8_E6AC), (47, 0xBE5C_827E_3FBC_2064),
      (63, 0xD2FC_77B9_195D_3470), (64, 0x29EB_06F8_2C25_299D), (65, 0xF2E7_3A6B_15F0_0139),
      (100, 0x7247_EAE2_793C_EC23), (255, 0x9F19_1D20_3413_748E),
      (1000, 0x0277_A4B2_97B8_7DD0), (4088, 0x7F8F_FBE0_2674_2196),
    ] as [(Int, UInt64)])
  func agreesWithTheReferenceImplementation(byteCount: Int, expected: UInt64) {
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 * 31 + byteCount) }
    #expect(bytes.withByteView { Checksum.xxh64($0) } == expected)
  }

  @Test(arguments: [8, 40, 129])
  func everyFlippedBitChangesIt(byteCount: Int) {
    var bytes = [UInt8](repeating: 0xA5, count: byteCount)
    let original = bytes.withByteView { Checksum.xxh64($0) }
    for bit in 0..<byteCount * 8 {
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(bytes.withByteView { Checksum.xxh64($0) } != original)
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    }
  }
}
