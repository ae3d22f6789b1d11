import AtollStorage
import TestSupport
import Testing

@testable import simulate

/// Inputs that a fuzzer found once, and what they are tried with.
@Suite struct FuzzTests {
  /// The folders of inputs; each has the name of what they are.
  private static let folders = "\(GoldenFiles.packageFolder)/Tests/simulateTests/Inputs"

  /// What was found stays mended.
  @Test(arguments: FuzzInputs.paths(in: [folders]))
  func inputsAreAnsweredOrRefused(folder: String) throws {
    let name = folder.split(separator: "/").last.map(String.init) ?? ""
    let target = try #require(FuzzTarget(rawValue: name), "no kind of input has this name")
    let trial = try target.makeTrial()
    let paths = FuzzInputs.paths(in: [folder])
    #expect(!paths.isEmpty)
    for path in paths {
      #expect(throws: Never.self, "\(path)") { try trial(FuzzInputs.read(path)) }
    }
  }

  /// Seeds are right inputs and such that are almost right, so many pass.
  @Test(arguments: FuzzTarget.allCases.filter { $0 != .canary })
  func seedsAreAnsweredOrRefused(target: FuzzTarget) throws {
    let trial = try target.makeTrial()
    let seeds = try target.makeSeeds()
    #expect(seeds.count > 100)
    #expect(seeds.allSatisfy { $0.count <= target.byteLimit })
    for seed in seeds.prefix(40) {
      #expect(throws: Never.self, "\(String(decoding: seed, as: UTF8.self))") {
        try trial(seed)
      }
    }
  }

  @Test func theCanaryIsHeard() throws {
    let trial = try FuzzTarget.canary.makeTrial()
    #expect(throws: (any Error).self) { try trial(Array("atol!".utf8)) }
    try trial(Array("atoll".utf8))
  }

  @Test func memoryWithoutBoundsIsFound() throws {
    var peak = 1 << 30
    let trial = LimitedTrial(
      { peak += $0.reduce(0) { $0 + Int($1) } << 20 }, peakByteCount: { peak })
    try trial.run([100])
    try trial.run([100])
    #expect(throws: LimitedTrial.Hoard.self) {
      try trial.run([UInt8](repeating: 255, count: ProcessLimits.scale))
    }
    try trial.run([0])
  }

  // MARK: Edits of files

  @Test func anEditChangesWhatItSays() throws {
    let image = try FileEdits.makeSample(0).image
    let page = try #require(image.nodes.firstIndex { $0.header.kind == .cluster })
    func edited(_ text: String) throws -> FileImage {
      let bytes = try #require(FileEdits(Array(text.utf8)).apply(to: image))
      return try FileImage(bytes, key: nil)
    }
    #expect(try edited("").bytes == FileEdits([]).apply(to: image))
    // As the pages are found anew, each in its place.
    let old = image.nodes[page].payload
    let place = old.count - 1
    let new = try edited("set \(page) \(place) 1 \(old[place] ^ 1)").nodes
    let changed = new.filter { $0.reference.block == image.nodes[page].reference.block }
    #expect(changed.map(\.payload) == [old.dropLast() + [old[place] ^ 1]])
    #expect(try edited("raw 5 1 65").bytes[5] == 65)
  }

  @Test(
    arguments: [
      "set 999999 999999 9 99999999999999999999", "add 1", "length 2 -99999", "header", "child 0 1",
      "slot 7 5000 8 -1", "raw 18446744073709551615 8 1", "sample 77", "salvage", "\u{0} \n\n set",
      "set -1 -1 -1 -1",
    ])
  func editsBeyondWhatThereIsAreTaken(text: String) throws {
    let edits = FileEdits(Array(text.utf8))
    #expect((0..<FileEdits.sampleCount).contains(edits.sample))
    _ = edits.apply(to: try FileEdits.makeSample(0).image)
  }

  /// A slot whose content is changed keeps a checksum that fits, so that what it says is looked at.
  @Test func slotsAreSealedAgain() throws {
    let image = try FileEdits.makeSample(0).image
    let block = image.slots[0].blockNumber
    let bytes = try #require(FileEdits(Array("slot 0 144 8 0".utf8)).apply(to: image))
    let start = Int(block) * Block.byteCount
    let reading = HeaderSlot.read(Array(bytes[start..<start + Block.byteCount]), at: block)
    guard case .valid(let slot) = reading else {
      Issue.record("the slot is \(reading)")
      return
    }
    #expect(slot.durable == 0)
    #expect(image.slots[0].durable != 0)
  }
}
