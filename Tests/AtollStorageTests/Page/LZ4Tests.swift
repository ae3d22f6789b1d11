import AtollStorage
import TestThreads
import Testing

@Suite(.computing) struct LZ4Tests {
  private func compress(_ source: [UInt8], capacity: Int) -> [UInt8]? {
    var target = [UInt8](repeating: 0, count: capacity)
    let stored = source.withUnsafeBytes { source in
      target.withUnsafeMutableBytes { LZ4.compress(source, into: $0) }
    }
    return stored.map { Array(target.prefix($0)) }
  }

  private func decompress(_ block: [UInt8], byteCount: Int) -> [UInt8]? {
    var target = [UInt8](repeating: 0, count: byteCount)
    let isWhole = block.withUnsafeBytes { block in
      target.withUnsafeMutableBytes { LZ4.decompress(block, into: $0) }
    }
    return isWhole ? target : nil
  }

  @Test(arguments: [1, 2, 15, 16, 1000, 70_000])
  func aBlockHoldsWhatWasCompressed(byteCount: Int) throws {
    let source = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 / 7 * 31) }
    let block = try #require(compress(source, capacity: LZ4.bound(byteCount)))
    #expect(decompress(block, byteCount: byteCount) == source)
  }

  @Test func compressionThatDoesNotFitGivesNothing() {
    var state: UInt64 = 1
    let source = (0..<1000).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 40)
    }
    #expect(compress(source, capacity: 1000) == nil)
  }

  @Test func anotherByteCountThanTheBlockHoldsIsRefused() throws {
    let source = [UInt8](repeating: 7, count: 500)
    let block = try #require(compress(source, capacity: 600))
    #expect(decompress(block, byteCount: 499) == nil)
    #expect(decompress(block, byteCount: 501) == nil)
    #expect(decompress(Array(block.dropLast()), byteCount: 500) == nil)
    #expect(decompress([], byteCount: 500) == nil)
  }
}
